import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { checkOutlines } from './check-outlines.ts';
import { Face } from './face.ts';
import type { FontLibrary, FontStack } from './font.ts';
import type { FontFeatures } from './face.ts';
import { ComposingStack } from './stack.ts';

/** A font family and the files of its four styles; null: it has no face of that style. */
interface Family {
  readonly name: string;
  /** Its font file for each style; in a family without a regular face, `regular` is another one. */
  readonly regular: string;
  readonly bold: string | null;
  readonly italics: string | null;
  readonly boldItalics: string | null;
}

/** A font file of the operator's folder that cannot be used, and why. */
export interface RejectedFont {
  readonly file: string;
  readonly reason: string;
}

/**
 * Loads the shipped families and those of the operator's folder: every TrueType file in it, grouped
 * by family name; weight 600 and above is bold. A family of the folder replaces a shipped one of
 * the same name.
 */
export function loadFonts(folder: string | null): {
  library: FontLibrary;
  rejected: readonly RejectedFont[];
} {
  const families = new Map(shippedFamilies().map((family) => [family.name, family]));
  const rejected: RejectedFont[] = [];
  if (folder !== null) {
    for (const family of folderFamilies(folder, rejected)) families.set(family.name, family);
  }
  return { library: new Library([...families.values()]), rejected };
}

const require = createRequire(import.meta.url);

function shippedFile(name: string, family: string, style: string): string {
  const folder = dirname(require.resolve(`@expo-google-fonts/${name}/package.json`));
  return join(folder, style, `${family}_${style}.ttf`);
}

/** Families that ship with the package. Roboto's bold is its weight 500, as pdfmake ships it. */
function shippedFamilies(): Family[] {
  return [
    {
      name: 'Sarabun',
      regular: shippedFile('sarabun', 'Sarabun', '400Regular'),
      bold: shippedFile('sarabun', 'Sarabun', '700Bold'),
      italics: shippedFile('sarabun', 'Sarabun', '400Regular_Italic'),
      boldItalics: shippedFile('sarabun', 'Sarabun', '700Bold_Italic'),
    },
    {
      name: 'Roboto',
      regular: shippedFile('roboto', 'Roboto', '400Regular'),
      bold: shippedFile('roboto', 'Roboto', '500Medium'),
      italics: shippedFile('roboto', 'Roboto', '400Regular_Italic'),
      boldItalics: shippedFile('roboto', 'Roboto', '500Medium_Italic'),
    },
  ];
}

/** A face of this weight (OS/2 usWeightClass) or more is the bold one of its family. */
const BOLD_WEIGHT_MIN = 600;

/** The families of a folder; of two files with the same style, the first by name is used. */
function folderFamilies(folder: string, rejected: RejectedFont[]): Family[] {
  /** Files by family and by style: '', 'bold', 'italics' or 'bolditalics'. */
  const styles = new Map<string, Map<string, string>>();
  // Collections and fonts with CFF outlines are opened, too, so that they are rejected with a reason.
  const files = readdirSync(folder)
    .filter((name) => /\.(ttf|otf|ttc)$/i.test(name))
    .toSorted();
  for (const name of files) {
    const file = join(folder, name);
    try {
      const { tables } = new Face(readFileSync(file), 0);
      checkOutlines(tables);
      const style = `${tables.weight >= BOLD_WEIGHT_MIN ? 'bold' : ''}${tables.italic ? 'italics' : ''}`;
      const family = styles.get(tables.familyName) ?? new Map<string, string>();
      family.set(style, family.get(style) ?? file);
      styles.set(tables.familyName, family);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      rejected.push({ file: name, reason: error.message });
    }
  }
  return Array.from(styles, ([name, byStyle]) => ({
    name,
    regular: byStyle.get('') ?? firstOf(byStyle),
    bold: byStyle.get('bold') ?? null,
    italics: byStyle.get('italics') ?? null,
    boldItalics: byStyle.get('bolditalics') ?? null,
  }));
}

function firstOf(byStyle: ReadonlyMap<string, string>): string {
  for (const file of byStyle.values()) return file;
  throw new Error('a family without files');
}

const STYLES = ['regular', 'bold', 'italics', 'boldItalics'] as const;

/** At most so many stacks with `fontFeatures` are cached: twice as many as one template may use. */
const FEATURED_STACKS_MAX = 64;

class Library implements FontLibrary {
  readonly families: readonly string[];
  readonly #families: ReadonlyMap<string, Family>;
  readonly #faces = new Map<string, Face>();
  /**
   * All font files. A document names a font by its index here, which does not depend on the order
   * in which fonts were loaded.
   */
  readonly #files: readonly string[];
  readonly #stacks = new Map<string, FontStack>();
  /** Stacks with features, oldest first; bounded, because each template brings its own. */
  readonly #featuredStacks = new Map<string, FontStack>();

  constructor(families: readonly Family[]) {
    this.#families = new Map(families.map((family) => [family.name, family]));
    this.families = [...this.#families.keys()].toSorted();
    const all = [...this.#families.values()];
    this.#files = STYLES.flatMap((style) => all.map((one) => one[style])).filter(
      (file) => file !== null,
    );
  }

  has(family: string): boolean {
    return this.#families.has(family);
  }

  stack(
    family: string,
    bold: boolean,
    italics: boolean,
    features?: FontFeatures,
    language?: string,
  ): FontStack {
    // All languages that the font shapes alike share one stack, and so one cache of shaped texts.
    const tag = language === undefined ? null : this.#languageTag(family, bold, italics, language);
    const key = stackKey(family, bold, italics, features) + (tag === null ? '' : `/${tag}`);
    const isFeatured = features !== undefined && Object.keys(features).length > 0;
    const stacks = isFeatured ? this.#featuredStacks : this.#stacks;
    const known = stacks.get(key);
    if (known !== undefined) return known;
    const stack = new ComposingStack({
      key,
      family,
      bold,
      italics,
      faces: this.#faceList(family, bold, italics),
      features: isFeatured ? features : null,
      language: tag === null ? null : (language ?? null),
    });
    if (isFeatured && stacks.size >= FEATURED_STACKS_MAX) deleteOldest(stacks);
    stacks.set(key, stack);
    return stack;
  }

  /** The OpenType tag of a language if a face has special shaping for that language, else null. */
  #languageTag(family: string, bold: boolean, italics: boolean, language: string): string | null {
    for (const face of this.#faceList(family, bold, italics)) {
      const tag = face.languageTag(language);
      if (tag !== null) return tag;
    }
    return null;
  }

  /** The fallback chain: the face of the family, then those of all other families. */
  #faceList(family: string, bold: boolean, italics: boolean): [Face, ...Face[]] {
    const first = this.#families.get(family);
    if (first === undefined) throw new Error(`no font family is named ${family}`);
    const others = [...this.#families.values()].filter((other) => other !== first);
    return [
      this.#face(styleFile(first, bold, italics)),
      ...others.map((other) => this.#face(styleFile(other, bold, italics))),
    ];
  }

  #face(file: string): Face {
    let face = this.#faces.get(file);
    if (face === undefined) {
      face = new Face(readFileSync(file), this.#files.indexOf(file));
      this.#faces.set(file, face);
    }
    return face;
  }
}

function deleteOldest(map: Map<string, unknown>): void {
  for (const oldest of map.keys()) {
    map.delete(oldest);
    return;
  }
}

function stackKey(
  family: string,
  bold: boolean,
  italics: boolean,
  features: FontFeatures | undefined,
): string {
  const tags = Object.entries(features ?? {})
    .map(([tag, value]) => `${tag}=${Number(value)}`)
    .toSorted();
  return [family, bold ? 'bold' : '', italics ? 'italics' : '', ...tags].join('/');
}

/** The file of a style; where the family lacks it, that of the nearest style, bold before italic. */
function styleFile(family: Family, bold: boolean, italics: boolean): string {
  if (bold && italics) {
    return family.boldItalics ?? family.bold ?? family.italics ?? family.regular;
  }
  if (bold) return family.bold ?? family.regular;
  if (italics) return family.italics ?? family.regular;
  return family.regular;
}
