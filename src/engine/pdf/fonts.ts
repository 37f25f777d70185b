import { entryAt } from '../../errors.ts';
import type { Face } from '../font/face.ts';
import type { FontTables } from '../font/sfnt.ts';
import type { FontStack } from '../font/font.ts';
import { subsetFont } from '../font/subset.ts';
import type { FontUse } from '../model/font-use.ts';
import type { FaceCodes } from './codes.ts';
import { assignCodes, faceOf, firstFaces } from './codes.ts';
import { archiveSpelling } from './archive/archive.ts';
import type { PackedStream, PdfFile } from './file.ts';
import { packStream } from './file.ts';
import { FragmentCache, KeptShapes } from './fragments.ts';
import { decimal, reference, utf16Hex } from './syntax.ts';

/** The font of one page of codes: writes itself into a document and gives its object number. */
export interface PageFont {
  write(file: PdfFile): number;
}

/** One stack as the painter uses it. */
export interface PaintFont {
  readonly stack: FontStack;
  /** Resource names by page of the codes; the first is the core's. */
  readonly names: readonly string[];
  readonly codes: FaceCodes;
  /** By page. */
  readonly pages: readonly PageFont[];
  readonly fragments: FragmentCache;
  readonly kept: KeptShapes;
}

interface FaceFonts {
  readonly names: readonly string[];
  readonly codes: FaceCodes;
  /** By page; the core's is in every document already. */
  readonly pages: readonly PageFont[];
}

/**
 * A symbolic simple TrueType font (§9.6.3): only ToUnicode tells the text of its codes. It is made
 * when a document shows it for the first time, and written into each document that shows it.
 */
class SimpleFont implements PageFont {
  readonly #codes: FaceCodes;
  readonly #page: number;
  #program: FontProgram | null = null;

  constructor(codes: FaceCodes, page: number) {
    this.#codes = codes;
    this.#page = page;
  }

  write(file: PdfFile): number {
    this.#program ??= programOf(this.#codes, this.#page, file);
    const { name, toUnicode, metrics } = this.#program;
    const descriptor = writeDescriptor(file, this.#codes.face.tables, name, this.#program);
    const map = file.addPacked('', toUnicode);
    return file.add(
      `<</Type/Font/Subtype/TrueType/BaseFont/${name}${metrics}` +
        `/FontDescriptor ${reference(descriptor)}/ToUnicode ${reference(map)}>>`,
    );
  }
}

/** The codes of each face that the template's stacks begin with. */
export function codesOf(uses: readonly FontUse[]): FaceCodes[] {
  return firstFaces(uses).map((face) =>
    assignCodes(
      face,
      uses.filter((use) => faceOf(use.stack) === face),
    ),
  );
}

/**
 * The fixed fonts of a template: the core of each face is written once and kept as bytes, the other
 * pages are written by the documents that show one of their glyphs.
 */
export class TemplateFonts {
  readonly #byFace = new Map<Face, FaceFonts>();
  readonly #byStack = new Map<FontStack, PaintFont>();
  /** Entries of /Font in the resources: `/F1 5 0 R …`. */
  readonly resources: string;

  constructor(faces: readonly FaceCodes[], file: PdfFile) {
    let resources = '';
    for (const codes of faces) {
      const { face } = codes;
      const name = `F${this.#byFace.size + 1}`;
      const names = codes.pages.map((_, page) => (page === 0 ? name : `${name}p${page}`));
      const pages = codes.pages.map((_, page) => new SimpleFont(codes, page));
      this.#byFace.set(face, { names, codes, pages });
      resources += `/${name} ${reference(entryAt(pages, 0).write(file))}`;
    }
    this.resources = resources;
  }

  /** Throws for a stack that the template does not declare, which is a bug of the compiler. */
  of(stack: FontStack): PaintFont {
    const known = this.#byStack.get(stack);
    if (known !== undefined) return known;
    const fonts = this.#byFace.get(faceOf(stack));
    if (fonts === undefined) throw new Error(`the font ${stack.key} is not among the template's`);
    const made = {
      ...fonts,
      stack,
      fragments: new FragmentCache(fonts.codes),
      kept: new KeptShapes(),
    };
    // Templates with font features may bring stacks without end.
    if (this.#byStack.size >= STACKS_MAX) this.#byStack.clear();
    this.#byStack.set(stack, made);
    return made;
  }
}

/** Stacks of a file whose painted text is kept. */
const STACKS_MAX = 64;

const SPACE = 0x20;
const FIXED_PITCH = 1;
const SYMBOLIC = 4;
const ITALIC = 64;

/** The embedded subset of a face for a page of its codes, ready to be written. */
interface FontProgram {
  readonly key: string;
  /** With its subset tag. */
  readonly name: string;
  /** Length before deflating (/Length1). */
  readonly length: number;
  readonly data: PackedStream;
  readonly toUnicode: PackedStream;
  /** /FirstChar, /LastChar and /Widths. */
  readonly metrics: string;
}

/** The latest program of each page of a face: most templates of a process use the same ones. */
const programs = new WeakMap<Face, FontProgram[]>();

function programOf(codes: FaceCodes, page: number, { compresses, isStrict }: PdfFile): FontProgram {
  const assigned = codes.pages[page]?.glyphOf ?? new Uint16Array(256);
  const glyphOf = isStrict ? withSpace(assigned, codes.face) : assigned;
  const texts = codes.pages[page]?.textOf ?? [];
  const textOf = isStrict
    ? texts.map((text, code) => archiveSpelling(text, codes.pages[page]?.characterOf[code] ?? ''))
    : texts;
  const key = `${compresses}/${glyphOf.join()}/${textOf.join()}`;
  const kept = programs.get(codes.face) ?? [];
  programs.set(codes.face, kept);
  const known = kept[page];
  if (known?.key === key) return known;
  const made = { key, ...makeProgram(codes.face.tables, glyphOf, textOf, compresses) };
  kept[page] = made;
  return made;
}

/**
 * Gives a page without glyphs a space: fonts of archive documents need a character map, even
 * unused.
 */
function withSpace(glyphOf: Uint16Array, { tables }: Face): Uint16Array {
  if (glyphOf.some((glyph) => glyph !== 0)) return glyphOf;
  const copy = glyphOf.slice();
  copy[SPACE] = tables.characterMap.get(SPACE) ?? 0;
  return copy;
}

function makeProgram(
  tables: FontTables,
  glyphOf: Uint16Array,
  textOf: readonly string[],
  compresses: boolean,
): Omit<FontProgram, 'key'> {
  const used = Array.from(glyphOf.keys()).filter((code) => glyphOf[code] !== 0);
  const glyphs = used.map((code) => entryAt(glyphOf, code));
  const first = used[0] ?? 32;
  const last = used.at(-1) ?? 32;
  const subset = subsetFont(
    tables,
    glyphs,
    used.map((code, index) => ({ code, glyph: entryAt(glyphs, index) })),
  );
  const widths: string[] = [];
  for (let code = first; code <= last; code++) {
    const glyph = entryAt(glyphOf, code);
    widths.push(glyph === 0 ? '0' : thousandths(tables, entryAt(tables.advances, glyph)));
  }
  return {
    name: `${subsetTag(glyphs)}+${tables.postScriptName}`,
    length: subset.bytes.length,
    data: packStream(subset.bytes, compresses),
    toUnicode: packStream(
      toUnicodeMap(
        1,
        used.map((code) => [code, entryAt(textOf, code)] as const),
      ),
      compresses,
    ),
    metrics: `/FirstChar ${first}/LastChar ${last}/Widths[${widths.join(' ')}]`,
  };
}

/** Glyphs of one face that one document needs beyond the fixed subset. */
export interface ExtraGlyphs {
  readonly face: Face;
  /** Glyph → the text it stands for, '' where only an ActualText span gives it. */
  readonly texts: ReadonlyMap<number, string>;
  /** Glyph → a character that it comes from. */
  readonly characters: ReadonlyMap<number, string>;
}

/** A composite font of exactly these glyphs (§9.7); its codes are their numbers in the face. */
export function writeCompositeFont(file: PdfFile, extra: ExtraGlyphs): number {
  const { tables } = extra.face;
  const glyphs = [...extra.texts.keys()].toSorted((a, b) => a - b);
  const subset = subsetFont(tables, glyphs, []);
  const name = `${subsetTag(glyphs)}+${tables.postScriptName}`;
  const data = packStream(subset.bytes, file.compresses);
  const program = { length: subset.bytes.length, data };
  const descriptor = writeDescriptor(file, tables, name, program);
  const map = new Uint8Array(((glyphs.at(-1) ?? 0) + 1) * 2);
  const view = new DataView(map.buffer);
  for (const glyph of glyphs) view.setUint16(glyph * 2, subset.glyphs.get(glyph) ?? 0);
  const cidToGid = file.addPacked('', packStream(map, file.compresses, 6));
  const widths = glyphs.map(
    (glyph) => `${glyph}[${thousandths(tables, entryAt(tables.advances, glyph))}]`,
  );
  const descendant = file.add(
    `<</Type/Font/Subtype/CIDFontType2/BaseFont/${name}` +
      '/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>' +
      `/FontDescriptor ${reference(descriptor)}/DW 0/W[${widths.join('')}]` +
      `/CIDToGIDMap ${reference(cidToGid)}>>`,
  );
  const texts = glyphs.map((glyph) => [glyph, spelling(file, extra, glyph)] as const);
  const toUnicode = file.addPacked('', packStream(toUnicodeMap(2, texts), file.compresses));
  return file.add(
    `<</Type/Font/Subtype/Type0/BaseFont/${name}/Encoding/Identity-H` +
      `/DescendantFonts[${reference(descendant)}]/ToUnicode ${reference(toUnicode)}>>`,
  );
}

function spelling({ isStrict }: PdfFile, extra: ExtraGlyphs, glyph: number): string {
  const text = extra.texts.get(glyph) ?? '';
  return isStrict ? archiveSpelling(text, extra.characters.get(glyph) ?? '') : text;
}

function writeDescriptor(
  file: PdfFile,
  tables: FontTables,
  name: string,
  program: Pick<FontProgram, 'length' | 'data'>,
): number {
  const { length, data } = program;
  const stream = file.addStream(`${data.filter}/Length1 ${length}`, data.data);
  const flags =
    SYMBOLIC | (tables.fixedPitch ? FIXED_PITCH : 0) | (tables.italicAngle === 0 ? 0 : ITALIC);
  const box = tables.box.map((value) => thousandths(tables, value)).join(' ');
  return file.add(
    `<</Type/FontDescriptor/FontName/${name}/Flags ${flags}/FontBBox[${box}]` +
      `/ItalicAngle ${decimal(tables.italicAngle)}/Ascent ${thousandths(tables, tables.ascent)}` +
      `/Descent ${thousandths(tables, tables.descent)}/CapHeight ${thousandths(tables, tables.capHeight)}` +
      `/StemV ${tables.weight >= 600 ? 140 : 80}/FontFile2 ${reference(stream)}>>`,
  );
}

function thousandths(tables: FontTables, units: number): string {
  return decimal((units * 1000) / tables.unitsPerEm);
}

/** A ToUnicode CMap (§9.10.3); entries in ascending order, at most 100 a block. */
function toUnicodeMap(
  codeBytes: 1 | 2,
  entries: readonly (readonly [number, string])[],
): Uint8Array {
  const digits = codeBytes * 2;
  const lines: string[] = [];
  const spelled = entries.filter(([, text]) => text !== '');
  for (let start = 0; start < spelled.length; start += 100) {
    const block = spelled.slice(start, start + 100);
    lines.push(`${block.length} beginbfchar`);
    for (const [code, text] of block) {
      const hex = code.toString(16).toUpperCase().padStart(digits, '0');
      lines.push(`<${hex}><${utf16Hex(text, false)}>`);
    }
    lines.push('endbfchar');
  }
  const cmap = [
    '/CIDInit/ProcSet findresource begin',
    '12 dict begin',
    'begincmap',
    '/CIDSystemInfo<</Registry(Adobe)/Ordering(UCS)/Supplement 0>>def',
    '/CMapName/Adobe-Identity-UCS def',
    '/CMapType 2 def',
    '1 begincodespacerange',
    `<${'0'.repeat(digits)}><${'F'.repeat(digits)}>`,
    'endcodespacerange',
    ...lines,
    'endcmap',
    'CMapName currentdict/CMap defineresource pop',
    'end',
    'end',
  ].join('\n');
  return new TextEncoder().encode(cmap);
}

/** Six letters that depend on the glyphs alone (§9.9.2). */
function subsetTag(glyphs: readonly number[]): string {
  let hash = 0x811c9dc5;
  for (const glyph of glyphs) hash = Math.imul(hash ^ glyph, 0x01000193) >>> 0;
  let tag = '';
  for (let letter = 0; letter < 6; letter++) {
    tag += String.fromCharCode(65 + (hash % 26));
    hash = Math.floor(hash / 26);
  }
  return tag;
}
