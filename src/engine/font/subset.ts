import {
  glyphBytes,
  GLYPH_HEADER_BYTES,
  HAS_INSTRUCTIONS,
  isComposite,
  viewOf,
  walkComponents,
} from './outlines.ts';
import type { FontTables } from './sfnt.ts';

/**
 * Writes a TrueType font with some glyphs of another, without hinting and layout tables, to be
 * embedded in a PDF (ISO 32000-2 §9.9). Glyphs are renumbered in the order given, after .notdef.
 */

/** Limit of nested components, which no real font reaches. */
const COMPONENT_DEPTH_MAX = 8;
/** 1.0 as a version number of tables. */
const VERSION_1 = 0x00010000;

export interface FontSubset {
  readonly bytes: Uint8Array;
  /** Old glyph → new glyph, for every glyph of the subset. */
  readonly glyphs: ReadonlyMap<number, number>;
}

/** One character code of the embedded font, and the glyph of the original it shows. */
export interface SubsetCode {
  /** 0 to 255. */
  readonly code: number;
  readonly glyph: number;
}

/**
 * @param glyphs  glyphs of the original; the components of composites are added
 * @param codes   for a simple font: its (1,0) and (3,0) character maps; empty: no cmap is written
 */
export function subsetFont(
  font: FontTables,
  glyphs: readonly number[],
  codes: readonly SubsetCode[],
): FontSubset {
  const numbering = new Map<number, number>([[0, 0]]);
  for (const glyph of glyphs) if (!numbering.has(glyph)) numbering.set(glyph, numbering.size);
  const order = [...numbering.keys()];
  for (let index = 0; index < order.length; index++) {
    for (const component of componentsOf(font, order[index]!, 0)) {
      if (numbering.has(component)) continue;
      numbering.set(component, numbering.size);
      order.push(component);
    }
  }
  const outlines = order.map((glyph) => outline(font, glyph, numbering));
  const tables: [string, Uint8Array][] = [
    ['glyf', joinPadded(outlines)],
    ['head', headTable(font)],
    ['hhea', hheaTable(font, order.length)],
    ['hmtx', hmtxTable(font, order)],
    ['loca', locaTable(outlines)],
    ['maxp', maxpTable(font, order, outlines)],
  ];
  if (codes.length > 0) tables.unshift(['cmap', cmapTable(codes, numbering)]);
  return { bytes: sfnt(tables), glyphs: numbering };
}

function componentsOf(font: FontTables, glyph: number, depth: number): number[] {
  const bytes = glyphBytes(font, glyph);
  if (!isComposite(bytes) || depth >= COMPONENT_DEPTH_MAX) return [];
  const view = viewOf(bytes);
  const components: number[] = [];
  walkComponents(bytes, (at) => {
    const component = view.getUint16(at + 2);
    components.push(component, ...componentsOf(font, component, depth + 1));
  });
  return components;
}

/** The glyph's outline with its hinting instructions cut out and its components renumbered. */
function outline(
  font: FontTables,
  glyph: number,
  numbering: ReadonlyMap<number, number>,
): Uint8Array {
  const bytes = glyphBytes(font, glyph);
  if (bytes.length < GLYPH_HEADER_BYTES) return new Uint8Array(0);
  if (isComposite(bytes)) {
    const copy = bytes.slice();
    const view = viewOf(copy);
    const end = walkComponents(copy, (at, flags) => {
      view.setUint16(at + 2, numbering.get(view.getUint16(at + 2)) ?? 0);
      view.setUint16(at, flags & ~HAS_INSTRUCTIONS);
    });
    return copy.subarray(0, end);
  }
  const view = viewOf(bytes);
  if (view.getInt16(0) === 0) return new Uint8Array(0);
  // The ends of the contours lie before the length of the instructions, which becomes 0.
  const lengthAt = GLYPH_HEADER_BYTES + view.getInt16(0) * 2;
  const instructionBytes = view.getUint16(lengthAt);
  const kept = new Uint8Array(bytes.length - instructionBytes);
  kept.set(bytes.subarray(0, lengthAt));
  kept.set(bytes.subarray(lengthAt + 2 + instructionBytes), lengthAt + 2);
  return kept;
}

/** A length rounded up to whole words of four bytes. */
function padded(length: number): number {
  return (length + 3) & ~3;
}

function joinPadded(parts: readonly Uint8Array[]): Uint8Array {
  let length = 0;
  for (const part of parts) length += padded(part.length);
  const joined = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += padded(part.length);
  }
  return joined;
}

// Fields of the tables below that are not written stay 0.

function headTable(font: FontTables): Uint8Array {
  const bytes = new Uint8Array(54);
  const view = viewOf(bytes);
  view.setUint32(0, VERSION_1);
  view.setUint32(4, VERSION_1); // fontRevision
  view.setUint32(12, 0x5f0f3cf5); // magicNumber
  view.setUint16(16, 0x0003); // flags: baseline at y = 0, left side bearing at x = 0
  view.setUint16(18, font.unitsPerEm);
  font.box.forEach((value, index) => view.setInt16(36 + index * 2, value));
  view.setUint16(46, 8); // lowestRecPPEM
  view.setInt16(48, 2); // fontDirectionHint
  view.setInt16(50, 1); // indexToLocFormat: offsets of four bytes
  return bytes;
}

function hheaTable(font: FontTables, glyphCount: number): Uint8Array {
  const bytes = new Uint8Array(36);
  const view = viewOf(bytes);
  view.setUint32(0, VERSION_1);
  view.setInt16(4, font.ascent);
  view.setInt16(6, font.descent);
  view.setInt16(8, font.lineGap);
  view.setUint16(10, Math.max(...font.advances)); // advanceWidthMax
  view.setInt16(18, 1); // caretSlopeRise: upright
  view.setUint16(34, glyphCount); // numberOfHMetrics
  return bytes;
}

function hmtxTable(font: FontTables, order: readonly number[]): Uint8Array {
  const bytes = new Uint8Array(order.length * 4);
  const view = viewOf(bytes);
  order.forEach((glyph, index) => {
    view.setUint16(index * 4, font.advances[glyph]!);
    view.setInt16(index * 4 + 2, font.leftSideBearings[glyph]!);
  });
  return bytes;
}

function locaTable(outlines: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array((outlines.length + 1) * 4);
  const view = viewOf(bytes);
  let at = 0;
  outlines.forEach((glyph, index) => {
    view.setUint32(index * 4, at);
    at += padded(glyph.length);
  });
  view.setUint32(outlines.length * 4, at);
  return bytes;
}

function maxpTable(
  font: FontTables,
  order: readonly number[],
  outlines: readonly Uint8Array[],
): Uint8Array {
  let points = 0;
  let contours = 0;
  let components = 0;
  let depth = 0;
  order.forEach((glyph, index) => {
    const bytes = outlines[index]!;
    if (bytes.length < GLYPH_HEADER_BYTES) return;
    if (isComposite(bytes)) {
      components = Math.max(components, componentsOf(font, glyph, 0).length);
      depth = COMPONENT_DEPTH_MAX;
      return;
    }
    const view = viewOf(bytes);
    const count = view.getInt16(0);
    contours = Math.max(contours, count);
    // The last point of the last contour.
    if (count > 0) points = Math.max(points, view.getUint16(8 + count * 2) + 1);
  });
  const bytes = new Uint8Array(32);
  const view = viewOf(bytes);
  view.setUint32(0, VERSION_1);
  view.setUint16(4, order.length); // numGlyphs
  view.setUint16(6, points); // maxPoints
  view.setUint16(8, contours); // maxContours
  view.setUint16(10, components === 0 ? 0 : points * components); // maxCompositePoints
  view.setUint16(12, components === 0 ? 0 : contours * components); // maxCompositeContours
  view.setUint16(14, 2); // maxZones
  view.setUint16(28, components); // maxComponentElements
  view.setUint16(30, depth); // maxComponentDepth
  return bytes;
}

/**
 * A (1,0) map of format 0 and a (3,0) map of format 4 at U+F000: the two that readers consult for a
 * symbolic simple TrueType font (ISO 32000-2 §9.6.5.4).
 */
function cmapTable(
  codes: readonly SubsetCode[],
  numbering: ReadonlyMap<number, number>,
): Uint8Array {
  const glyphOf = new Uint16Array(256);
  for (const { code, glyph } of codes) glyphOf[code] = numbering.get(glyph) ?? 0;
  const zero = 20;
  const zeroBytes = 6 + 256;
  const four = zero + zeroBytes;
  const fourBytes = 32 + 2 * 256;
  const bytes = new Uint8Array(four + fourBytes);
  const view = viewOf(bytes);
  view.setUint16(2, 2); // numTables
  view.setUint16(4, 1); // (1,0)
  view.setUint32(8, zero);
  view.setUint16(12, 3); // (3,0)
  view.setUint32(16, four);
  // Format 0 holds glyph numbers below 256 only: a subset never has more codes than that.
  view.setUint16(zero + 2, zeroBytes);
  glyphOf.forEach((glyph, code) => view.setUint8(zero + 6 + code, glyph < 256 ? glyph : 0));
  // Format 4 with one segment U+F000–F0FF through a glyph list, and the closing segment.
  view.setUint16(four, 4);
  view.setUint16(four + 2, fourBytes);
  view.setUint16(four + 6, 4); // segCountX2
  view.setUint16(four + 8, 4); // searchRange
  view.setUint16(four + 10, 1); // entrySelector
  view.setUint16(four + 14, 0xf0ff); // endCode
  view.setUint16(four + 16, 0xffff);
  view.setUint16(four + 20, 0xf000); // startCode
  view.setUint16(four + 22, 0xffff);
  view.setUint16(four + 26, 1); // idDelta of the closing segment, which maps to glyph 0
  view.setUint16(four + 28, 4); // idRangeOffset: the list begins four bytes from here
  glyphOf.forEach((glyph, code) => view.setUint16(four + 32 + code * 2, glyph));
  return bytes;
}

/** The font file: its directory and tables, with checksums (OpenType, "Font file"). */
function sfnt(tables: readonly (readonly [string, Uint8Array])[]): Uint8Array {
  const header = 12 + tables.length * 16;
  const body = joinPadded(tables.map(([, bytes]) => bytes));
  const file = new Uint8Array(header + body.length);
  const view = viewOf(file);
  const power = Math.floor(Math.log2(tables.length));
  const searchRange = 2 ** power * 16;
  view.setUint32(0, VERSION_1);
  view.setUint16(4, tables.length);
  view.setUint16(6, searchRange);
  view.setUint16(8, power); // entrySelector
  view.setUint16(10, tables.length * 16 - searchRange); // rangeShift
  file.set(body, header);
  let offset = header;
  let headAt = 0;
  tables.forEach(([tag, bytes], index) => {
    const entry = 12 + index * 16;
    for (let letter = 0; letter < 4; letter++) file[entry + letter] = tag.charCodeAt(letter);
    view.setUint32(entry + 4, checksum(file, offset, padded(bytes.length)));
    view.setUint32(entry + 8, offset);
    view.setUint32(entry + 12, bytes.length);
    if (tag === 'head') headAt = offset;
    offset += padded(bytes.length);
  });
  // checksumAdjustment of `head`, which brings the sum of the whole file to this number.
  view.setUint32(headAt + 8, (0xb1b0afba - checksum(file, 0, file.length)) >>> 0);
  return file;
}

function checksum(bytes: Uint8Array, from: number, length: number): number {
  const view = viewOf(bytes);
  let sum = 0;
  for (let at = from; at < from + length; at += 4) sum = (sum + view.getUint32(at)) >>> 0;
  return sum;
}
