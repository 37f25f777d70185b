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
  const offsetOf = tableOffsets(font);
  const head = offsetOf('head');
  const hhea = offsetOf('hhea');
  const glyphCount = font.u16(offsetOf('maxp') + 4);
  const unitsPerEm = font.u16(head + 18);
  const os2 = offsetOf('OS/2');
  const post = offsetOf('post');
  const os2Version = font.u16(os2);
  const ascent = font.i16(hhea + 4);
  const metrics = horizontalMetrics(font, offsetOf('hmtx'), font.u16(hhea + 34), glyphCount);
  const longLoca = font.i16(head + 50) === 1;
  const loca = offsetOf('loca');
  const glyphOffsets = new Uint32Array(glyphCount + 1);
  for (let glyph = 0; glyph <= glyphCount; glyph++) {
    glyphOffsets[glyph] = longLoca ? font.u32(loca + glyph * 4) : font.u16(loca + glyph * 2) * 2;
  }
  const glyfAt = offsetOf('glyf');
  const names = offsetOf('name');
  const selection = font.u16(os2 + 62);
  return {
    postScriptName: nameOf(font, names, NAME_ID.postScript).replaceAll(NOT_IN_PDF_NAMES, ''),
    familyName:
      nameOf(font, names, NAME_ID.typographicFamily) || nameOf(font, names, NAME_ID.family),
    unitsPerEm,
    glyphCount,
    ascent,
    descent: font.i16(hhea + 6),
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
    glyf: font.bytes.subarray(glyfAt, glyfAt + glyphOffsets[glyphCount]!),
    characterMap: characterMap(font, offsetOf('cmap')),
  };
}

/** Table tag → offset; a missing one throws. */
function tableOffsets(font: Reader): (tag: string) => number {
  const offsets = new Map<string, number>();
  const count = font.u16(4);
  for (let index = 0; index < count; index++) {
    const entry = 12 + index * 16;
    offsets.set(font.tag(entry), font.u32(entry + 8));
  }
  return (tag) => {
    const offset = offsets.get(tag);
    if (offset === undefined) throw new FontFormatError(`the font has no ${tag} table`);
    return offset;
  };
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

/** The first Windows (3) or Unicode (0) name with this id, in any language; '' for none. */
function nameOf(font: Reader, name: number, id: number): string {
  const count = font.u16(name + 2);
  const strings = name + font.u16(name + 4);
  for (let index = 0; index < count; index++) {
    const record = name + 6 + index * 12;
    const platform = font.u16(record);
    if (font.u16(record + 6) !== id || (platform !== 3 && platform !== 0)) continue;
    const start = strings + font.u16(record + 10);
    let text = '';
    for (let at = 0; at < font.u16(record + 8); at += 2) {
      text += String.fromCharCode(font.u16(start + at));
    }
    return text;
  }
  return '';
}

/** Reads a Unicode subtable: one of format 12 if the font has it, else one of format 4. */
function characterMap(font: Reader, cmap: number): Map<number, number> {
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
  if (format12 !== 0) return readFormat12(font, format12);
  if (format4 !== 0) return readFormat4(font, format4);
  throw new FontFormatError('the font has no Unicode character map');
}

function readFormat12(font: Reader, table: number): Map<number, number> {
  const map = new Map<number, number>();
  const groups = font.u32(table + 12);
  for (let index = 0; index < groups; index++) {
    const group = table + 16 + index * 12;
    const start = font.u32(group);
    const end = Math.min(font.u32(group + 4), 0x10ffff);
    const glyph = font.u32(group + 8);
    for (let code = start; code <= end; code++) map.set(code, glyph + code - start);
  }
  return map;
}

function readFormat4(font: Reader, table: number): Map<number, number> {
  const map = new Map<number, number>();
  const segCountX2 = font.u16(table + 6);
  const ends = table + 14;
  // + 2: reservedPad.
  const starts = ends + segCountX2 + 2;
  const deltas = starts + segCountX2;
  const ranges = deltas + segCountX2;
  for (let segment = 0; segment < segCountX2; segment += 2) {
    const start = font.u16(starts + segment);
    const end = font.u16(ends + segment);
    const delta = font.u16(deltas + segment);
    const range = font.u16(ranges + segment);
    for (let code = start; code <= end && code !== 0xffff; code++) {
      let glyph = code;
      // idRangeOffset counts from its own place in the file.
      if (range !== 0) glyph = font.u16(ranges + segment + range + (code - start) * 2);
      if (range === 0 || glyph !== 0) glyph = (glyph + delta) & 0xffff;
      if (glyph !== 0) map.set(code, glyph);
    }
  }
  return map;
}
