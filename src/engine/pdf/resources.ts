import { entryAt } from '../../errors.ts';
import type { Picture } from '../model/letterhead.ts';
import type { Cluster } from '../font/cluster.ts';
import type { Face } from '../font/face.ts';
import { writeImage } from './images.ts';
import type { PdfFile } from './file.ts';
import type { PageFont } from './fonts.ts';
import { writeCompositeFont } from './fonts.ts';
import { sourceCharacter } from './codes.ts';
import { extraFontName, extraTexts } from './fragments.ts';
import { decimal, reference } from './syntax.ts';

/** Resources of every document of a template, already written: fonts, images that each draws. */
export interface StaticResources {
  /** Entries of the /Font dictionary. */
  readonly fonts: string;
  /** Entries of the /XObject dictionary. */
  readonly images: string;
  /** Key of such an image → its resource name. */
  readonly imageNames: ReadonlyMap<string, string>;
}

/**
 * The resources of one document: the template's, and what this document adds (images of its data and
 * those that other documents may lack, opacities, gradients, glyphs beyond the fixed subset). One
 * dictionary for all its pages.
 */
export class DocumentResources {
  readonly #file: PdfFile;
  readonly #static: StaticResources;
  readonly #images = new Map<string, string>();
  readonly #states = new Map<string, string>();
  readonly #extras = new Map<Face, Map<number, string>>();
  /** Characters that those glyphs come from. */
  readonly #characters = new Map<Face, Map<number, string>>();
  /** Clusters whose glyphs were recorded. */
  readonly #known = new Set<Cluster>();
  /** Pages of faces beyond their core, by resource name. */
  readonly #pages = new Map<string, PageFont>();
  #xObjects = '';
  #patterns = '';
  #patternCount = 0;
  #formCount = 0;
  #stateEntries = '';

  constructor(file: PdfFile, resources: StaticResources) {
    this.#file = file;
    this.#static = resources;
  }

  get file(): PdfFile {
    return this.#file;
  }

  /** Name of the image's XObject; the same image is written once. */
  image(image: Picture): string {
    const known = this.#static.imageNames.get(image.key) ?? this.#images.get(image.key);
    if (known !== undefined) return known;
    // Pages of PDFs come from the template only, whose file has all of them.
    if ('form' in image) throw new Error('a page of a PDF was not prepared');
    const name = `D${this.#images.size + 1}`;
    this.#xObjects += `/${name} ${reference(writeImage(this.#file, image))}`;
    this.#images.set(image.key, name);
    return name;
  }

  /** Name of a graphics state with these constant opacities (§11.6.4.4). */
  opacity(fill: number, stroke: number): string {
    return this.state(`/ca ${decimal(fill, 3)}/CA ${decimal(stroke, 3)}`);
  }

  /** Name of a graphics state with these entries. */
  state(entries: string): string {
    const known = this.#states.get(entries);
    if (known !== undefined) return known;
    const name = `G${this.#states.size + 1}`;
    this.#stateEntries += `/${name}<<${entries}>>`;
    this.#states.set(entries, name);
    return name;
  }

  form(object: number): string {
    const name = `T${++this.#formCount}`;
    this.#xObjects += `/${name} ${reference(object)}`;
    return name;
  }

  pattern(object: number): string {
    const name = `P${++this.#patternCount}`;
    this.#patterns += `/${name} ${reference(object)}`;
    return name;
  }

  /** Records that a text is shown in this page of a face's codes. */
  page(name: string, font: PageFont): void {
    this.#pages.set(name, font);
  }

  /** Records the glyphs of a cluster that the fixed subset lacks. */
  extra(cluster: Cluster): void {
    if (this.#known.has(cluster)) return;
    this.#known.add(cluster);
    let glyphs = this.#extras.get(cluster.face);
    if (glyphs === undefined) {
      glyphs = new Map();
      this.#extras.set(cluster.face, glyphs);
    }
    const texts = extraTexts(cluster);
    for (let index = 0; index < cluster.glyphs.length; index++) {
      const glyph = entryAt(cluster.glyphs, index);
      const text = entryAt(texts, index);
      // The order of clusters must not matter: a text, which the character map gives, wins over
      // none.
      if (glyphs.get(glyph) === undefined || text !== '') glyphs.set(glyph, text);
    }
    if (this.#file.isStrict) this.#recordCharacters(cluster);
  }

  /**
   * Whether a glyph that stands for a character without one (.notdef, glyph 0) is shown by what the
   * document itself adds to its template.
   */
  get showsMissingGlyph(): boolean {
    for (const glyphs of this.#extras.values()) if (glyphs.has(0)) return true;
    return false;
  }

  #recordCharacters(cluster: Cluster): void {
    const characters = this.#characters.get(cluster.face) ?? new Map<number, string>();
    this.#characters.set(cluster.face, characters);
    cluster.glyphs.forEach((glyph, index) => {
      const character = sourceCharacter(cluster, index);
      const known = characters.get(glyph);
      // Several characters may share a glyph: the lowest counts, so that their order does not
      // matter.
      if (known === undefined || character < known) characters.set(glyph, character);
    });
  }

  /**
   * Writes the fonts that are left, and the dictionary as object `number`, which was reserved
   * before because forms and patterns refer to it.
   */
  finish(number: number): void {
    let fonts = this.#static.fonts;
    for (const name of [...this.#pages.keys()].toSorted()) {
      const font = this.#pages.get(name);
      if (font !== undefined) fonts += `/${name} ${reference(font.write(this.#file))}`;
    }
    const faces = [...this.#extras.keys()].toSorted((a, b) => a.index - b.index);
    for (const face of faces) {
      const texts = this.#extras.get(face) ?? new Map<number, string>();
      const characters = this.#characters.get(face) ?? new Map<number, string>();
      const font = writeCompositeFont(this.#file, { face, texts, characters });
      fonts += `/${extraFontName(face)} ${reference(font)}`;
    }
    this.#file.object(number, this.#dictionary(fonts));
  }

  /** A resource dictionary (§7.8.3); empty kinds are left out. */
  #dictionary(fonts: string): string {
    return (
      `<<${dictionaryEntry('Font', fonts)}` +
      dictionaryEntry('XObject', this.#static.images + this.#xObjects) +
      dictionaryEntry('ExtGState', this.#stateEntries) +
      `${dictionaryEntry('Pattern', this.#patterns)}>>`
    );
  }
}

function dictionaryEntry(name: string, content: string): string {
  return content === '' ? '' : `/${name}<<${content}>>`;
}
