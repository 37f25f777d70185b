import type { Objects, Value } from './objects.ts';
import { isDictionary } from './objects.ts';

/** What a font of the file says of one code, and what its embedded program says. */
export interface CodeFacts {
  readonly glyph: number;
  /** In thousandths of an em. */
  readonly statedWidth: number;
  readonly programWidth: number;
  readonly text: string | null;
}

/** A TrueType program (OpenType: hhea, hmtx, head, cmap). */
class Program {
  readonly #view: DataView;
  readonly #tables = new Map<string, number>();

  constructor(bytes: Buffer) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    for (let index = 0; index < this.#view.getUint16(4); index++) {
      const at = 12 + index * 16;
      this.#tables.set(bytes.toString('latin1', at, at + 4), this.#view.getUint32(at + 8));
    }
  }

  #table(tag: string): number {
    const at = this.#tables.get(tag);
    if (at === undefined) throw new Error(`a font program without ${tag}`);
    return at;
  }

  width(glyph: number): number {
    const count = this.#view.getUint16(this.#table('hhea') + 34);
    const index = Math.min(glyph, count - 1);
    const units = this.#view.getUint16(this.#table('hmtx') + index * 4);
    return (units * 1000) / this.#view.getUint16(this.#table('head') + 18);
  }

  /** The glyph of a code in the (3,0) map, at U+F000, or in the (1,0) map; 0: none. */
  glyph(code: number): number {
    const start = this.#table('cmap');
    for (let index = 0; index < this.#view.getUint16(start + 2); index++) {
      const at = start + 4 + index * 8;
      const platform = this.#view.getUint16(at);
      const map = start + this.#view.getUint32(at + 4);
      if (platform === 1 && this.#view.getUint16(map) === 0)
        return this.#view.getUint8(map + 6 + code);
    }
    return 0;
  }
}

/** A font dictionary with its embedded program. */
export class PdfFont {
  readonly #objects: Objects;
  readonly #font: Value;
  readonly #program: Program;
  readonly #texts: ReadonlyMap<number, string>;
  readonly isComposite: boolean;
  readonly #widths = new Map<number, number>();

  constructor(objects: Objects, reference: Value) {
    this.#objects = objects;
    this.#font = reference;
    this.isComposite = objects.get(reference, '/Subtype') === '/Type0';
    const inner = this.isComposite
      ? (objects.list(reference, '/DescendantFonts')[0] ?? null)
      : reference;
    this.#program = new Program(
      objects.bytes(objects.raw(objects.get(inner, '/FontDescriptor'), '/FontFile2')),
    );
    this.#texts = this.#readTexts();
    if (this.isComposite) this.#readCompositeWidths(objects.list(inner, '/W'));
    else this.#readSimpleWidths();
  }

  codes(shown: Buffer): number[] {
    if (!this.isComposite) return [...shown];
    return Array.from({ length: shown.length / 2 }, (_, index) => shown.readUInt16BE(index * 2));
  }

  facts(code: number): CodeFacts {
    const glyph = this.isComposite ? this.#compositeGlyph(code) : this.#program.glyph(code);
    return {
      glyph,
      statedWidth: this.#widths.get(code) ?? Number.NaN,
      programWidth: this.#program.width(glyph),
      text: this.#texts.get(code) ?? null,
    };
  }

  #compositeGlyph(code: number): number {
    const descendant = this.#objects.list(this.#font, '/DescendantFonts')[0];
    const map = this.#objects.raw(descendant, '/CIDToGIDMap');
    if (map === null || map === '/Identity') return code;
    const bytes = this.#objects.bytes(map);
    return code * 2 + 1 < bytes.length ? bytes.readUInt16BE(code * 2) : 0;
  }

  #readSimpleWidths(): void {
    const first = Number(this.#objects.get(this.#font, '/FirstChar'));
    for (const [index, width] of this.#objects.list(this.#font, '/Widths').entries()) {
      this.#widths.set(first + index, Number(width));
    }
  }

  /** `/W [c [w w] first last w]` (9.7.4.3). */
  #readCompositeWidths(list: readonly Value[]): void {
    for (let at = 0; at < list.length;) {
      const first = Number(list[at]);
      const next = this.#objects.resolve(list[at + 1]);
      if (Array.isArray(next)) {
        next.forEach((width, index) => this.#widths.set(first + index, Number(width)));
        at += 2;
      } else {
        for (let code = first; code <= Number(next); code++)
          this.#widths.set(code, Number(list[at + 2]));
        at += 3;
      }
    }
  }

  #readTexts(): ReadonlyMap<number, string> {
    const texts = new Map<number, string>();
    const map = this.#objects.raw(this.#font, '/ToUnicode');
    if (!isDictionary(this.#objects.resolve(map))) return texts;
    const source = this.#objects.bytes(map).toString('latin1');
    for (const [, block = ''] of source.matchAll(/beginbfchar([^]*?)endbfchar/g)) {
      for (const [, code = '', text = ''] of block.matchAll(/<([\dA-Fa-f]+)>\s*<([\dA-Fa-f]*)>/g)) {
        texts.set(Number.parseInt(code, 16), Buffer.from(text, 'hex').swap16().toString('utf16le'));
      }
    }
    for (const [, block = ''] of source.matchAll(/beginbfrange([^]*?)endbfrange/g)) {
      const ranges = block.matchAll(/<([\dA-Fa-f]+)>\s*<([\dA-Fa-f]+)>\s*<([\dA-Fa-f]{4})>/g);
      for (const [, from = '', to = '', text = ''] of ranges) {
        const first = Number.parseInt(from, 16);
        for (let code = first; code <= Number.parseInt(to, 16); code++) {
          texts.set(code, String.fromCharCode(Number.parseInt(text, 16) + code - first));
        }
      }
    }
    return texts;
  }
}
