import type { SymbolTemplate } from './symbol-template.ts';
import { sizeOf, VERSION_MAX } from './tables.ts';

/**
 * The penalty of ISO/IEC 18004:2015 §7.8.3 (Table 11), 32 modules at a time. Both passes look at
 * neighbouring *lines* (see SymbolTemplate), so no shift crosses a word except in rule 2.
 */

const SIZE_MAX = sizeOf(VERSION_MAX);
/** Weights of rules 3 and 4. */
const N3 = 40;
const N4 = 10;

/** Zero words before the first entry of `lightEnds`. */
const LEAD = 7;
const line = new Int32Array(SIZE_MAX);
/** Marks, in the word of each line, the modules that end a run of four light ones across lines. */
const lightEnds = new Int32Array(LEAD + SIZE_MAX + 4);

function bitCount(word: number): number {
  let v = word - ((word >>> 1) & 0x55555555);
  v = (v & 0x33333333) + ((v >>> 2) & 0x33333333);
  return Math.imul((v + (v >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/**
 * Rules 1 and 3 along one direction. Rule 1: a run of n ≥ 5 equal modules holds n − 4 windows of
 * five and costs n − 2, that is its windows plus 2. Rule 3: 1:1:3:1:1 with four light modules
 * before or after it, inside the symbol; each side counts.
 */
function runPenalty(
  data: Int32Array,
  base: Int32Array,
  size: number,
  words: number,
  lastMask: number,
): number {
  let runs = 0;
  let finders = 0;
  for (let w = 0; w < words; w++) {
    const from = w * size;
    const valid = w === words - 1 ? lastMask : -1;
    let previous = data[from]! ^ base[from]!;
    line[0] = previous;
    let same = 0;
    let pair1 = 0;
    let pair2 = 0;
    let quad1 = 0;
    let light1 = 0;
    let light2 = 0;
    for (let i = 1; i < size; i++) {
      const word = data[from + i]! ^ base[from + i]!;
      line[i] = word;
      const equal = ~(word ^ previous) & valid;
      const pair = equal & same;
      const quad = pair & pair2;
      const start = quad & ~quad1;
      let a = quad - ((quad >>> 1) & 0x55555555);
      let b = start - ((start >>> 1) & 0x55555555);
      a = (a & 0x33333333) + ((a >>> 2) & 0x33333333);
      b = (b & 0x33333333) + ((b >>> 2) & 0x33333333);
      a += b << 1;
      runs += Math.imul((a & 0x0f0f0f0f) + ((a >>> 4) & 0x0f0f0f0f), 0x01010101) >>> 24;
      const light = ~(word | previous) & valid;
      lightEnds[LEAD + i] = light & light2;
      light2 = light1;
      light1 = light;
      quad1 = quad;
      pair2 = pair1;
      pair1 = pair;
      same = equal;
      previous = word;
    }
    for (let i = 0; i < 4; i++) lightEnds[LEAD + size + i] = 0;
    for (let i = 6; i < size; i++) {
      const finder =
        line[i]! &
        ~line[i - 1]! &
        line[i - 2]! &
        line[i - 3]! &
        line[i - 4]! &
        ~line[i - 5]! &
        line[i - 6]!;
      if (finder === 0) continue;
      const before = finder & lightEnds[LEAD + i - 7]!;
      const after = finder & lightEnds[LEAD + i + 4]!;
      if ((before | after) !== 0) finders += bitCount(before) + bitCount(after);
    }
  }
  return runs + N3 * finders;
}

/** Rules 2 (blocks of 2 × 2, each overlap counts) and 4 (share of dark modules). */
function blockPenalty(
  data: Int32Array,
  base: Int32Array,
  size: number,
  words: number,
  lastMask: number,
): number {
  let blocks = 0;
  let dark = 0;
  for (let w = 0; w < words; w++) {
    const from = w * size;
    const last = w === words - 1;
    const next = from + size;
    // The last module of a line has no neighbour to its right.
    const valid = last ? lastMask >>> 1 : -1;
    let previous = 0;
    let differs = -1;
    for (let i = 0; i < size; i++) {
      const word = data[from + i]! ^ base[from + i]!;
      const carry = last ? 0 : (data[next + i]! ^ base[next + i]!) << 31;
      const acrossDiffers = word ^ ((word >>> 1) | carry);
      const block = ~(acrossDiffers | differs | (word ^ previous)) & valid;
      let a = block - ((block >>> 1) & 0x55555555);
      let b = word - ((word >>> 1) & 0x55555555);
      a = (a & 0x33333333) + ((a >>> 2) & 0x33333333);
      b = (b & 0x33333333) + ((b >>> 2) & 0x33333333);
      blocks += Math.imul((a + (a >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
      dark += Math.imul((b + (b >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
      differs = acrossDiffers;
      previous = word;
    }
  }
  // Steps of 5 % away from one half: |2d − n²| / (n²/10), whole steps only.
  const modules = size * size;
  return 3 * blocks + N4 * Math.floor((10 * Math.abs(2 * dark - modules)) / modules);
}

/** Penalty of the symbol under one mask: lower is better. */
export function maskPenalty(
  template: SymbolTemplate,
  mask: number,
  dataRows: Int32Array,
  dataColumns: Int32Array,
): number {
  const { size, words, lastMask } = template;
  const rows = template.rows[mask]!;
  const columns = template.columns[mask]!;
  return (
    blockPenalty(dataRows, rows, size, words, lastMask) +
    runPenalty(dataRows, rows, size, words, lastMask) +
    runPenalty(dataColumns, columns, size, words, lastMask)
  );
}
