import type { ShapedGlyphs } from './face.ts';
import type { FontTables } from './sfnt.ts';
import { glyphBox, plainComponents } from './outline.ts';

/**
 * HarfBuzz draws sara am as two glyphs, a nikhahit over the base and a sara aa beside it, with a
 * tone mark between them. A PDF reader that copies glyphs one by one then copies two characters
 * where the text has one, and finds no word with it. Most fonts have a glyph for sara am that looks
 * the same, so that glyph takes the place of the two:
 *
 *     น้ำ      น, nikhahit with mai tho, sara aa   →   น, mai tho, sara am
 */

/** Glyph indices of a sara am and of its two parts. */
interface SaraAm {
  readonly whole: number;
  readonly nikhahit: number;
  readonly aa: number;
}

/** Sara am of Thai and Lao, with the two characters that it is decomposed into. */
const SIGNS = [
  [0x0e33, 0x0e4d, 0x0e32],
  [0x0eb3, 0x0ecd, 0x0eb2],
] as const;

/**
 * Where the font shifts the nikhahit farther than this to fit its base, it stays a separate glyph,
 * because the joined glyph cannot be shifted in part: 0.25 pt at 10 pt.
 */
const NIKHAHIT_MOVE_EM_MAX = 0.025;

const known = new WeakMap<FontTables, ReadonlyMap<number, SaraAm>>();

/** The glyphs for sara am that look exactly as their two parts do, by code point. */
function saraAmsOf(tables: FontTables): ReadonlyMap<number, SaraAm> {
  const kept = known.get(tables);
  if (kept !== undefined) return kept;
  const found = new Map<number, SaraAm>();
  for (const [code, ...parts] of SIGNS) {
    const [whole = 0, nikhahit = 0, aa = 0] = [code, ...parts].map((one) =>
      tables.characterMap.get(one),
    );
    const sign = { whole, nikhahit, aa };
    if (whole !== 0 && nikhahit !== 0 && aa !== 0 && looksTheSame(tables, sign)) {
      found.set(code, sign);
    }
  }
  known.set(tables, found);
  return found;
}

/** Whether the glyph has the width of its sara aa and fills the boxes of both parts exactly. */
function looksTheSame(tables: FontTables, { whole, nikhahit, aa }: SaraAm): boolean {
  if (tables.advances[whole] !== tables.advances[aa]) return false;
  const own = glyphBox(tables, whole);
  const over = glyphBox(tables, nikhahit);
  const beside = glyphBox(tables, aa);
  if (own === null || over === null || beside === null) return false;
  return (
    own.xMin === Math.min(over.xMin, beside.xMin) &&
    own.yMin === Math.min(over.yMin, beside.yMin) &&
    own.xMax === Math.max(over.xMax, beside.xMax) &&
    own.yMax === Math.max(over.yMax, beside.yMax)
  );
}

/** Puts sara am glyphs in the place of their parts, where the text looks the same with them. */
export function joinSaraAm(tables: FontTables, text: string, shaped: ShapedGlyphs): void {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code !== 0x0e33 && code !== 0x0eb3) continue;
    const sign = saraAmsOf(tables).get(code);
    if (sign !== undefined) joinOne(tables, shaped, sign, index);
  }
}

/**
 * Replaces the two parts of the sara am at an index of the text by one glyph. Changes nothing if
 * the glyphs there are not these parts.
 */
function joinOne(tables: FontTables, shaped: ShapedGlyphs, sign: SaraAm, index: number): void {
  const { glyphs, advances, xOffsets, yOffsets, sources } = shaped;
  // HarfBuzz puts a tone mark that precedes the sara am between its two parts. All three glyphs then
  // have the index of the tone mark as their source; without one, both parts have `index`.
  for (const source of [index, index - 1]) {
    const first = sources.indexOf(source);
    const last = sources.lastIndexOf(source);
    if (first < 0 || glyphs[last] !== sign.aa || advances[last] !== tables.advances[sign.aa]) {
      continue;
    }
    const bound = NIKHAHIT_MOVE_EM_MAX * tables.unitsPerEm;
    const [x = 0, y = 0] = [xOffsets[first], yOffsets[first]];
    if (advances[first] !== 0 || y !== 0 || Math.abs(x) > bound) return;
    const tone = toneOf(tables, shaped, sign, first, last);
    if (tone === undefined || (tone === null) !== (source === index)) return;
    if (tone !== null) {
      glyphs[first] = tone.glyph;
      xOffsets[first] = tone.x;
      yOffsets[first] = tone.y;
    }
    const kept = tone === null ? first : first + 1;
    const removed = last - kept;
    for (const list of [glyphs, advances, xOffsets, yOffsets, sources]) list.splice(kept, removed);
    glyphs[kept] = sign.whole;
    sources[kept] = index;
    return;
  }
}

interface Tone {
  readonly glyph: number;
  readonly x: number;
  readonly y: number;
}

/**
 * The tone mark among the glyphs from `first` to `last`, which end with sara aa; null: there is none;
 * undefined: the glyphs are not those of a sara am.
 */
function toneOf(
  tables: FontTables,
  { glyphs, advances, xOffsets, yOffsets }: ShapedGlyphs,
  { nikhahit }: SaraAm,
  first: number,
  last: number,
): Tone | null | undefined {
  const glyph = glyphs[first] ?? 0;
  const count = last - first;
  if (glyph === nikhahit && count === 1) return null;
  if (glyph === nikhahit && count === 2 && advances[first + 1] === 0) {
    const [x = 0, y = 0] = [xOffsets[first + 1], yOffsets[first + 1]];
    return { glyph: glyphs[first + 1] ?? 0, x, y };
  }
  // Some fonts have one glyph for nikhahit and tone mark, a composite of the two.
  const [under, tone, ...others] = count === 1 ? plainComponents(tables, glyph) : [];
  if (under?.glyph !== nikhahit || under.x !== 0 || under.y !== 0) return undefined;
  if (tone === undefined || others.length > 0) return undefined;
  return { glyph: tone.glyph, x: (xOffsets[first] ?? 0) + tone.x, y: tone.y };
}
