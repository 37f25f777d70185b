import { latin, isStream, Name, PdfString } from './cos.ts';
import type { Cos } from './cos.ts';
import type { Fact, PdfDocument } from './file.ts';
import { streamText } from './file.ts';
import { UnreadableFile } from './work.ts';

/** Facts about a glyph that a text shows, by its code. */
export interface GlyphFacts {
  readonly name: string;
  readonly isGlyphPresent: boolean | null;
  readonly widthFromFontProgram: number | null;
  readonly widthFromDictionary: number | null;
  readonly toUnicode: string | null;
}

/** A font as texts use it. */
export interface CheckedFont {
  readonly where: string;
  readonly codeBytes: 1 | 2;
  readonly facts: readonly Fact[];
  glyph(code: number): GlyphFacts;
}

/** The tables of an embedded TrueType program that the rules speak of (ISO/IEC 14496-22). */
class TrueType {
  readonly #view: DataView;
  readonly #tables = new Map<string, number>();
  readonly glyphCount: number;
  readonly cmaps: { readonly platform: number; readonly encoding: number; readonly at: number }[] =
    [];

  constructor(bytes: Uint8Array) {
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const count = this.#view.getUint16(4);
    for (let index = 0; index < count; index++) {
      const at = 12 + index * 16;
      this.#tables.set(latin(bytes.subarray(at, at + 4)), this.#view.getUint32(at + 8));
    }
    this.glyphCount = this.#view.getUint16(this.#at('maxp') + 4);
    const cmap = this.#tables.get('cmap');
    if (cmap === undefined) return;
    for (let index = 0; index < this.#view.getUint16(cmap + 2); index++) {
      const at = cmap + 4 + index * 8;
      this.cmaps.push({
        platform: this.#view.getUint16(at),
        encoding: this.#view.getUint16(at + 2),
        at: cmap + this.#view.getUint32(at + 4),
      });
    }
  }

  #at(table: string): number {
    const at = this.#tables.get(table);
    if (at === undefined) throw new UnreadableFile(`a font program has no table ${table}`);
    return at;
  }

  /** Advance of a glyph in thousandths of an em. */
  width(glyph: number): number {
    const metrics = this.#view.getUint16(this.#at('hhea') + 34);
    const index = Math.min(glyph, metrics - 1);
    const units = this.#view.getUint16(this.#at('head') + 18);
    return (this.#view.getUint16(this.#at('hmtx') + index * 4) * 1000) / units;
  }

  /** Glyph of a character code in a map; 0: none. */
  lookUp(at: number, code: number): number {
    const view = this.#view;
    const format = view.getUint16(at);
    if (format === 0) return code < 256 ? view.getUint8(at + 6 + code) : 0;
    if (format === 6) {
      const first = view.getUint16(at + 6);
      const inside = code >= first && code < first + view.getUint16(at + 8);
      return inside ? view.getUint16(at + 10 + (code - first) * 2) : 0;
    }
    if (format !== 4) throw new UnreadableFile(`a font has a character map of format ${format}`);
    const segments = view.getUint16(at + 6) / 2;
    for (let index = 0; index < segments; index++) {
      const end = view.getUint16(at + 14 + index * 2);
      if (code > end) continue;
      const start = view.getUint16(at + 16 + (segments + index) * 2);
      if (code < start) return 0;
      const delta = view.getUint16(at + 16 + (2 * segments + index) * 2);
      const rangeAt = at + 16 + (3 * segments + index) * 2;
      const range = view.getUint16(rangeAt);
      if (range === 0) return (code + delta) & 0xffff;
      const glyph = view.getUint16(rangeAt + range + (code - start) * 2);
      return glyph === 0 ? 0 : (glyph + delta) & 0xffff;
    }
    return 0;
  }
}

function utf16(hex: string): string {
  const units = hex.match(/.{4}/g) ?? [];
  return units.map((unit) => String.fromCharCode(Number.parseInt(unit, 16))).join('');
}

/** Code → text of a ToUnicode map (ISO 32000-1 §9.10.3). */
function readToUnicode(text: string): Map<number, string> {
  const map = new Map<number, string>();
  for (const [, block = ''] of text.matchAll(/beginbfchar([^]*?)endbfchar/g)) {
    for (const [, code = '', value = ''] of block.matchAll(/<([\dA-F]+)>\s*<([\dA-F]*)>/gi)) {
      map.set(Number.parseInt(code, 16), utf16(value));
    }
  }
  for (const [, block = ''] of text.matchAll(/beginbfrange([^]*?)endbfrange/g)) {
    const ranges = block.matchAll(/<([\dA-F]+)>\s*<([\dA-F]+)>\s*<([\dA-F]*)>/gi);
    for (const [, first = '', last = '', value = ''] of ranges) {
      const start = utf16(value);
      for (let code = Number.parseInt(first, 16); code <= Number.parseInt(last, 16); code++) {
        const shift = code - Number.parseInt(first, 16);
        const end = String.fromCharCode(start.charCodeAt(start.length - 1) + shift);
        map.set(code, start.slice(0, -1) + end);
      }
    }
  }
  return map;
}

/** Reads a font dictionary, used first at `user`, and records the facts that the rules need. */
export function readFont(document: PdfDocument, font: Cos, user: string): CheckedFont {
  const number = document.numberOf(document.resolve(font));
  const where = `${user}, font in object ${number}`;
  const isComposite = document.nameAt(font, 'Subtype') === 'Type0';
  const descendant = document.resolve(document.listAt(font, 'DescendantFonts')[0]);
  const holder = isComposite ? descendant : font;
  const descriptor = document.get(holder, 'FontDescriptor');
  const file = document.get(descriptor, 'FontFile2');
  const program = isStream(file) ? new TrueType(document.data(file)) : null;
  const map = readToUnicode(streamText(document, document.get(font, 'ToUnicode')));
  const glyph = isComposite
    ? compositeGlyphs(document, descendant, program)
    : simpleGlyphs(document, font, program);
  const facts = [
    ...fontFacts(document, font, descriptor, file, where),
    ...(isComposite
      ? compositeFacts(document, font, descendant, file, where)
      : simpleFacts(document, font, descriptor, program, where)),
  ];
  const known = new Map<number, GlyphFacts>();
  return {
    where,
    codeBytes: isComposite ? 2 : 1,
    facts,
    glyph: (code) => {
      const found = known.get(code) ?? { ...glyph(code), toUnicode: map.get(code) ?? null };
      known.set(code, found);
      return found;
    },
  };
}

type GlyphOf = (code: number) => Omit<GlyphFacts, 'toUnicode'>;

function simpleGlyphs(document: PdfDocument, font: Cos, program: TrueType | null): GlyphOf {
  const first = document.numberAt(font, 'FirstChar') ?? 0;
  const widths = document.listAt(font, 'Widths');
  const symbol = program?.cmaps.find(({ platform, encoding }) => platform === 3 && encoding === 0);
  const roman = program?.cmaps.find(({ platform }) => platform === 1);
  return (code) => {
    let glyph = 0;
    if (symbol !== undefined) {
      glyph = program?.lookUp(symbol.at, 0xf000 + code) ?? 0;
      if (glyph === 0) glyph = program?.lookUp(symbol.at, code) ?? 0;
    }
    if (glyph === 0 && roman !== undefined) glyph = program?.lookUp(roman.at, code) ?? 0;
    const width = document.resolve(widths[code - first]);
    return glyphFacts(program, glyph, typeof width === 'number' ? width : null);
  };
}

function compositeGlyphs(
  document: PdfDocument,
  descendant: Cos,
  program: TrueType | null,
): GlyphOf {
  const map = document.get(descendant, 'CIDToGIDMap');
  const bytes = isStream(map) ? document.data(map) : null;
  const widths = new Map<number, number>();
  const list = document.listAt(descendant, 'W');
  for (let index = 0; index < list.length;) {
    const first = list[index];
    const second = document.resolve(list[index + 1]);
    if (typeof first !== 'number') break;
    if (Array.isArray(second)) {
      second.forEach((width, at) => widths.set(first + at, Number(width)));
      index += 2;
    } else {
      for (let cid = first; cid <= Number(second); cid++) widths.set(cid, Number(list[index + 2]));
      index += 3;
    }
  }
  const defaultWidth = document.numberAt(descendant, 'DW') ?? 1000;
  return (code) => {
    const glyph = bytes === null ? code : (bytes[code * 2] ?? 0) * 256 + (bytes[code * 2 + 1] ?? 0);
    return glyphFacts(program, glyph, widths.get(code) ?? defaultWidth);
  };
}

function glyphFacts(
  program: TrueType | null,
  glyph: number,
  width: number | null,
): Omit<GlyphFacts, 'toUnicode'> {
  const isPresent = program === null ? null : glyph < program.glyphCount;
  return {
    name: glyph === 0 ? '.notdef' : `g${glyph}`,
    isGlyphPresent: isPresent,
    widthFromFontProgram: isPresent === true ? (program?.width(glyph) ?? null) : null,
    widthFromDictionary: width,
  };
}

function fontFacts(
  document: PdfDocument,
  font: Cos,
  descriptor: Cos,
  file: Cos,
  where: string,
): Fact[] {
  const fontName = document.nameAt(font, 'BaseFont');
  const facts: Fact[] = [
    {
      type: 'PDFont',
      where,
      properties: {
        Type: document.nameAt(font, 'Type'),
        Subtype: document.nameAt(font, 'Subtype'),
        fontName,
        fontFileSubtype: document.nameAt(file, 'Subtype'),
        renderingMode: 0,
        containsFontFile: file !== null,
      },
    },
  ];
  for (const name of [fontName, document.nameAt(descriptor, 'FontName')]) {
    if (name === null) continue;
    const isValidUtf8 = isUtf8(name);
    facts.push({ type: 'CosUnicodeName', where, properties: { isValidUtf8 } });
  }
  return facts;
}

/** Whether a string with one character per byte is UTF-8. */
export function isUtf8(name: string): boolean {
  const bytes = Buffer.from(name, 'latin1');
  return Buffer.from(bytes.toString('utf8')).equals(bytes);
}

function simpleFacts(
  document: PdfDocument,
  font: Cos,
  descriptor: Cos,
  program: TrueType | null,
  where: string,
): Fact[] {
  const isSymbolic = ((document.numberAt(descriptor, 'Flags') ?? 0) & 4) !== 0;
  const encoding = document.get(font, 'Encoding');
  const nrCmaps = program?.cmaps.length ?? 0;
  const cmap30Present =
    program?.cmaps.some((map) => map.platform === 3 && map.encoding === 0) ?? false;
  return [
    {
      type: 'PDSimpleFont',
      where,
      properties: {
        isStandard: false,
        FirstChar: document.numberAt(font, 'FirstChar'),
        LastChar: document.numberAt(font, 'LastChar'),
        Widths_size: Array.isArray(document.get(font, 'Widths'))
          ? document.listAt(font, 'Widths').length
          : null,
      },
    },
    {
      type: 'PDTrueTypeFont',
      where,
      properties: {
        isSymbolic,
        Encoding: encoding instanceof Name ? encoding.value : encoding === null ? null : 'other',
        containsDifferences: document.has(encoding, 'Differences'),
        differencesAreUnicodeCompliant: false,
      },
    },
    {
      type: 'TrueTypeFontProgram',
      where,
      properties: { isSymbolic, nrCmaps, cmap30Present },
    },
  ];
}

function compositeFacts(
  document: PdfDocument,
  font: Cos,
  descendant: Cos,
  file: Cos,
  where: string,
): Fact[] {
  const cmapName = document.nameAt(font, 'Encoding');
  const system = document.get(descendant, 'CIDSystemInfo');
  const text = (key: string): string | null => {
    const value = document.get(system, key);
    return value instanceof PdfString ? value.text : null;
  };
  return [
    {
      type: 'PDType0Font',
      where,
      properties: {
        cmapName,
        CIDFontOrdering: text('Ordering'),
        CIDFontRegistry: text('Registry'),
        CIDFontSupplement: document.numberAt(system, 'Supplement'),
        CMapOrdering: null,
        CMapRegistry: null,
        CMapSupplement: null,
      },
    },
    { type: 'PDCMap', where, properties: { CMapName: cmapName, containsEmbeddedFile: false } },
    {
      type: 'PDCIDFont',
      where,
      properties: {
        Subtype: document.nameAt(descendant, 'Subtype'),
        CIDToGIDMap: document.get(descendant, 'CIDToGIDMap') === null ? null : 'present',
        containsFontFile: file !== null,
        fontName: document.nameAt(descendant, 'BaseFont'),
        containsCIDSet: document.has(document.get(descendant, 'FontDescriptor'), 'CIDSet'),
        // This service writes no CIDSet, so a file with one must not pass unchecked.
        cidSetListsAllGlyphs: false,
      },
    },
  ];
}
