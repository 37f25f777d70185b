/**
 * Reads what the engine needs of a TrueType font file (OpenType 1.9): metrics, character map,
 * glyph outlines as bytes. Big-endian throughout. The offsets of fields are those of the tables in
 * the specification.
 */

export interface FontTables {
  /** PostScript name (name id 6), printable ASCII. */
  readonly postScriptName: string;
  readonly familyName: string;
  readonly unitsPerEm: number;
  readonly glyphCount: number;
  /** hhea, design units; descent is negative. */
  readonly ascent: number;
  readonly descent: number;
  readonly lineGap: number;
  readonly capHeight: number;
  readonly xHeight: number;
  readonly underlinePosition: number;
  readonly underlineThickness: number;
  readonly italicAngle: number;
  readonly fixedPitch: boolean;
  /** xMin, yMin, xMax, yMax of the whole face. */
  readonly box: readonly [number, number, number, number];
  readonly weight: number;
  readonly italic: boolean;
  /** Advance of every glyph, design units. */
  readonly advances: Uint16Array;
  readonly leftSideBearings: Int16Array;
  /** Offsets into `glyf`, glyphCount + 1 of them. */
  readonly glyphOffsets: Uint32Array;
  readonly glyf: Uint8Array;
  /** Code point → glyph. */
  readonly characterMap: ReadonlyMap<number, number>;
}

export class FontFormatError extends Error {
  override readonly name = 'FontFormatError';
}

/** Ids of names in the table `name`. */
const NAME_ID = { family: 1, postScript: 6, typographicFamily: 16 } as const;
/** Characters of a name; longer ones are faults. */
const NAME_LENGTH_MAX = 128;
/** PostScript names are shorter by the specification; a PDF name has 127 bytes at most. */
const POST_SCRIPT_NAME_LENGTH_MAX = 63;
/** `head.magicNumber`. */
const MAGIC = 0x5f0f3cf5;
const UNITS_PER_EM_MIN = 16;
const UNITS_PER_EM_MAX = 16_384;
/** Largest ascent and depth of descent, in em. */
const LINE_EM_MAX = 8;
/** Codes that the ranges of a character map may have together: more means that they overlap. */
const FORMAT_4_CODES_MAX = 0x20000;
const FORMAT_12_CODES_MAX = 0x110000;
/** Bit of OS/2 fsSelection. */
const ITALIC = 1;

/** Reads numbers of a font file at offsets. */
class Reader {
  readonly bytes: Uint8Array;
  readonly view: DataView;

  constructor(bytes: Uint8Array) {
    // Plain even if a Buffer came in: its slice() does not copy, and the subsetter needs a copy.
    this.bytes = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  u16(at: number): number {
    return this.view.getUint16(at);
  }

  i16(at: number): number {
    return this.view.getInt16(at);
  }

  u32(at: number): number {
    return this.view.getUint32(at);
  }

  tag(at: number): string {
    return String.fromCharCode(...this.bytes.subarray(at, at + 4));
  }
}

/** Parses a TrueType file. Throws `FontFormatError` when it is not one or lacks `glyf` outlines. */
export function parseFont(bytes: Uint8Array): FontTables {
  try {
    return readTables(new Reader(bytes));
  } catch (error) {
    if (error instanceof RangeError) throw new FontFormatError('the font file is truncated');
    throw error;
  }
}

/** Characters that a PDF name could hold only escaped (ISO 32000-2 §7.3.5). */
const NOT_IN_PDF_NAMES = /[^!-~]|[()<>[\]{}/%]/g;

function readTables(font: Reader): FontTables {
  const version = font.u32(0);
  if (version !== 0x00010000 && font.tag(0) !== 'true') {
    throw new FontFormatError('not a TrueType font (a font with CFF outlines cannot be used)');
  }
  const tableOf = readDirectory(font);
  const head = tableOf('head', 54).offset;
  if (font.u32(head + 12) !== MAGIC) throw new FontFormatError('its head table is damaged');
  const hhea = tableOf('hhea', 36).offset;
  const glyphCount = font.u16(tableOf('maxp', 6).offset + 4);
  if (glyphCount === 0) throw new FontFormatError('the font has no glyphs');
  const unitsPerEm = font.u16(head + 18);
  const os2Version = font.u16(tableOf('OS/2', 2).offset);
  const os2 = tableOf('OS/2', os2Version >= 2 ? 96 : 68).offset;
  const post = tableOf('post', 32).offset;
  const ascent = font.i16(hhea + 4);
  const descent = font.i16(hhea + 6);
  checkScale(unitsPerEm, ascent, descent);
  const longCount = font.u16(hhea + 34);
  if (longCount === 0 || longCount > glyphCount) {
    throw new FontFormatError(`its hhea table tells ${longCount} widths of ${glyphCount} glyphs`);
  }
  const hmtx = tableOf('hmtx', longCount * 4 + (glyphCount - longCount) * 2).offset;
  const metrics = horizontalMetrics(font, hmtx, longCount, glyphCount);
  const glyf = tableOf('glyf', 0);
  const glyphOffsets = readOffsets(font, tableOf, font.i16(head + 50), glyphCount);
  const names = tableOf('name', 6);
  const selection = font.u16(os2 + 62);
  return {
    postScriptName: nameOf(font, names, NAME_ID.postScript)
      .replaceAll(NOT_IN_PDF_NAMES, '')
      .slice(0, POST_SCRIPT_NAME_LENGTH_MAX),
    familyName: familyNameOf(font, names),
    unitsPerEm,
    glyphCount,
    ascent,
    descent,
    lineGap: font.i16(hhea + 8),
    // Version 2 introduced these two; without them, usual proportions are taken.
    capHeight: os2Version >= 2 ? font.i16(os2 + 88) : Math.round(ascent * 0.7),
    xHeight: os2Version >= 2 ? font.i16(os2 + 86) : Math.round(ascent * 0.5),
    underlinePosition: font.i16(post + 8),
    underlineThickness: font.i16(post + 10),
    italicAngle: font.view.getInt32(post + 4) / 65536,
    fixedPitch: font.u32(post + 12) !== 0,
    box: [font.i16(head + 36), font.i16(head + 38), font.i16(head + 40), font.i16(head + 42)],
    weight: font.u16(os2 + 4),
    italic: (selection & ITALIC) !== 0,
    ...metrics,
    glyphOffsets,
    glyf: font.bytes.subarray(glyf.offset, glyf.offset + glyphOffsets[glyphCount]!),
    characterMap: characterMap(font, tableOf('cmap', 4), glyphCount),
  };
}

interface Table {
  readonly offset: number;
  readonly length: number;
}

/** Finds a table that has at least so many bytes; a missing, short or cut one throws. */
type Directory = (tag: string, lengthMin: number) => Table;

function readDirectory(font: Reader): Directory {
  const tables = new Map<string, Table>();
  const count = font.u16(4);
  for (let index = 0; index < count; index++) {
    const entry = 12 + index * 16;
    const tag = font.tag(entry);
    const table = { offset: font.u32(entry + 8), length: font.u32(entry + 12) };
    if (table.offset + table.length > font.bytes.length) {
      throw new FontFormatError(`the file ends before its table ${JSON.stringify(tag)} does`);
    }
    tables.set(tag, table);
  }
  return (tag, lengthMin) => {
    const table = tables.get(tag);
    if (table === undefined) throw new FontFormatError(`the font has no ${tag} table`);
    if (table.length < lengthMin) throw new FontFormatError(`its ${tag} table is too short`);
    return table;
  };
}

function checkScale(unitsPerEm: number, ascent: number, descent: number): void {
  if (unitsPerEm < UNITS_PER_EM_MIN || unitsPerEm > UNITS_PER_EM_MAX) {
    throw new FontFormatError(`its head table tells ${unitsPerEm} units per em`);
  }
  const reach = Math.max(Math.abs(ascent), Math.abs(descent));
  if (ascent <= descent || reach > LINE_EM_MAX * unitsPerEm) {
    throw new FontFormatError(`its hhea table tells ascent ${ascent} and descent ${descent}`);
  }
}

/** The offsets of `loca`, which never fall and never leave `glyf`. */
function readOffsets(
  font: Reader,
  tableOf: Directory,
  format: number,
  glyphCount: number,
): Uint32Array {
  if (format !== 0 && format !== 1)
    throw new FontFormatError(`loca of the unknown format ${format}`);
  const loca = tableOf('loca', (glyphCount + 1) * (format === 1 ? 4 : 2)).offset;
  const glyfLength = tableOf('glyf', 0).length;
  const offsets = new Uint32Array(glyphCount + 1);
  let before = 0;
  for (let glyph = 0; glyph <= glyphCount; glyph++) {
    const offset = format === 1 ? font.u32(loca + glyph * 4) : font.u16(loca + glyph * 2) * 2;
    if (offset < before || offset > glyfLength) {
      throw new FontFormatError(`its loca table places glyph ${glyph} outside the glyf table`);
    }
    offsets[glyph] = offset;
    before = offset;
  }
  return offsets;
}

function horizontalMetrics(
  font: Reader,
  hmtx: number,
  longCount: number,
  glyphCount: number,
): Pick<FontTables, 'advances' | 'leftSideBearings'> {
  const advances = new Uint16Array(glyphCount);
  const leftSideBearings = new Int16Array(glyphCount);
  for (let glyph = 0; glyph < glyphCount; glyph++) {
    // Glyphs after the last long entry have its advance.
    const entry = Math.min(glyph, longCount - 1);
    advances[glyph] = font.u16(hmtx + entry * 4);
    leftSideBearings[glyph] =
      glyph < longCount
        ? font.i16(hmtx + glyph * 4 + 2)
        : font.i16(hmtx + longCount * 4 + (glyph - longCount) * 2);
  }
  return { advances, leftSideBearings };
}

function familyNameOf(font: Reader, names: Table): string {
  const name =
    nameOf(font, names, NAME_ID.typographicFamily) || nameOf(font, names, NAME_ID.family);
  if (name === '') throw new FontFormatError('the font has no family name');
  return name;
}

/** The first Windows (3) or Unicode (0) name with this id, in any language; '' for none. */
function nameOf(font: Reader, { offset: name, length }: Table, id: number): string {
  const count = font.u16(name + 2);
  const strings = font.u16(name + 4);
  for (let index = 0; index < count; index++) {
    const record = name + 6 + index * 12;
    const platform = font.u16(record);
    if (font.u16(record + 6) !== id || (platform !== 3 && platform !== 0)) continue;
    const bytes = font.u16(record + 8);
    const start = strings + font.u16(record + 10);
    if (start + bytes > length || bytes % 2 !== 0 || bytes > NAME_LENGTH_MAX * 2) {
      throw new FontFormatError('its name table is damaged');
    }
    let text = '';
    for (let at = 0; at < bytes; at += 2) text += String.fromCharCode(font.u16(name + start + at));
    return text;
  }
  return '';
}

/** Reads a Unicode subtable: one of format 12 if the font has it, else one of format 4. */
function characterMap(font: Reader, table: Table, glyphCount: number): Map<number, number> {
  const cmap = table.offset;
  let format4 = 0;
  let format12 = 0;
  const count = font.u16(cmap + 2);
  for (let index = 0; index < count; index++) {
    const record = cmap + 4 + index * 8;
    const platform = font.u16(record);
    const encoding = font.u16(record + 2);
    if (platform !== 0 && !(platform === 3 && (encoding === 1 || encoding === 10))) continue;
    const subtable = cmap + font.u32(record + 4);
    if (font.u16(subtable) === 12) format12 = subtable;
    if (font.u16(subtable) === 4) format4 = subtable;
  }
  if (format12 !== 0) return readFormat12(font, format12, glyphCount);
  if (format4 !== 0) return readFormat4(font, format4, glyphCount);
  throw new FontFormatError('the font has no Unicode character map');
}

function noGlyph(code: number, glyph: number): FontFormatError {
  const hex = code.toString(16).toUpperCase().padStart(4, '0');
  return new FontFormatError(`its cmap table maps U+${hex} to glyph ${glyph}, which is not there`);
}

function readFormat12(font: Reader, table: number, glyphCount: number): Map<number, number> {
  const map = new Map<number, number>();
  const groups = font.u32(table + 12);
  let codes = 0;
  for (let index = 0; index < groups; index++) {
    const group = table + 16 + index * 12;
    const start = font.u32(group);
    const end = Math.min(font.u32(group + 4), 0x10ffff);
    const glyph = font.u32(group + 8);
    if (end < start) continue;
    codes += end - start + 1;
    if (codes > FORMAT_12_CODES_MAX) throw new FontFormatError('ranges of its cmap table overlap');
    if (glyph + end - start >= glyphCount) throw noGlyph(end, glyph + end - start);
    for (let code = start; code <= end; code++) {
      if (glyph + code - start !== 0) map.set(code, glyph + code - start);
    }
  }
  return map;
}

function readFormat4(font: Reader, table: number, glyphCount: number): Map<number, number> {
  const map = new Map<number, number>();
  const segCountX2 = font.u16(table + 6);
  const ends = table + 14;
  // + 2: reservedPad.
  const starts = ends + segCountX2 + 2;
  const deltas = starts + segCountX2;
  const ranges = deltas + segCountX2;
  let codes = 0;
  for (let segment = 0; segment < segCountX2; segment += 2) {
    const start = font.u16(starts + segment);
    const end = font.u16(ends + segment);
    const delta = font.u16(deltas + segment);
    const range = font.u16(ranges + segment);
    if (end >= start) codes += end - start + 1;
    if (codes > FORMAT_4_CODES_MAX) throw new FontFormatError('ranges of its cmap table overlap');
    for (let code = start; code <= end && code !== 0xffff; code++) {
      let glyph = code;
      // idRangeOffset counts from its own place in the file.
      if (range !== 0) glyph = font.u16(ranges + segment + range + (code - start) * 2);
      if (range === 0 || glyph !== 0) glyph = (glyph + delta) & 0xffff;
      if (glyph >= glyphCount) throw noGlyph(code, glyph);
      if (glyph !== 0) map.set(code, glyph);
    }
  }
  return map;
}
