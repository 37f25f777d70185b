import type { SymbolTemplate } from './symbol-template.ts';
import { sizeOf, VERSION_MAX } from './tables.ts';

/**
 * The penalty of ISO/IEC 18004:2015 §7.8.3 (Table 11), 32 modules at a time. A word holds 32
 * neighbouring modules of one *line* (see SymbolTemplate), and the next word the modules beside
 * them in the next line. So runs across the lines are found by combining words, and only the blocks
 * of rule 2 need the neighbours inside a word.
 */

const SIZE_MAX = sizeOf(VERSION_MAX);
/** Weights of rules 2, 3 and 4. */
const N2 = 3;
const N3 = 40;
const N4 = 10;

/** Zero words before the first entry of `lightEnds`. */
const LEAD = 7;
/** The words of one word column, by line. */
const line = new Int32Array(SIZE_MAX);
/** Marks, in the word of each line, the modules that end a run of four light ones across lines. */
const lightEnds = new Int32Array(LEAD + SIZE_MAX + 4);

/** Number of one bits (Hacker's Delight 5-1). */
function bitCount(word: number): number {
  let v = word - ((word >>> 1) & 0x55555555);
  v = (v & 0x33333333) + ((v >>> 2) & 0x33333333);
  return Math.imul((v + (v >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** `bitCount(once) + 2 * bitCount(twice)`, summed in one multiplication; `twice` is part of `once`. */
function weightedBitCount(once: number, twice: number): number {
  let a = once - ((once >>> 1) & 0x55555555);
  let b = twice - ((twice >>> 1) & 0x55555555);
  a = (a & 0x33333333) + ((a >>> 2) & 0x33333333);
  b = (b & 0x33333333) + ((b >>> 2) & 0x33333333);
  a += b << 1;
  return Math.imul((a & 0x0f0f0f0f) + ((a >>> 4) & 0x0f0f0f0f), 0x01010101) >>> 24;
}

/**
 * Rules 1 and 3 along the rows and the columns of a symbol, each of which is its data XOR its base.
 * The last words of both are counted as one where two of them fit: most symbols of payments and
 * links have 33 to 48 modules a side.
 */
function runPenalty(
  { size, words, lastMask }: SymbolTemplate,
  [dataRows, baseRows]: readonly [Int32Array, Int32Array],
  [dataColumns, baseColumns]: readonly [Int32Array, Int32Array],
): number {
  const last = words - 1;
  const isShared = size - 32 * last <= 16;
  let penalty = 0;
  for (let w = 0; w < (isShared ? last : words); w++) {
    const valid = w === last ? lastMask : -1;
    const from = w * size;
    for (let i = 0; i < size; i++) line[i] = dataRows[from + i]! ^ baseRows[from + i]!;
    penalty += linePenalty(size, valid);
    for (let i = 0; i < size; i++) line[i] = dataColumns[from + i]! ^ baseColumns[from + i]!;
    penalty += linePenalty(size, valid);
  }
  if (!isShared) return penalty;
  for (let i = 0, at = last * size; i < size; i++, at++) {
    line[i] = (dataRows[at]! ^ baseRows[at]!) | ((dataColumns[at]! ^ baseColumns[at]!) << 16);
  }
  return penalty + linePenalty(size, lastMask | (lastMask << 16));
}

/** Rules 1 and 3 in `line`, of whose words the bits in `valid` are in use; the others are 0. */
function linePenalty(size: number, valid: number): number {
  return countRuns(size, valid) + N3 * countFinders(size);
}

/**
 * Rule 1 in `line`: a run of n ≥ 5 equal modules holds n − 4 windows of five and costs n − 2, that
 * is its windows plus 2. `valid` are the bits in use. Also fills `lightEnds` for rule 3.
 */
function countRuns(size: number, valid: number): number {
  let penalty = 0;
  let previous = line[0]!;
  // Modules that end so many equal ones, or two light ones, at the line before or two lines before.
  let twoBefore = 0;
  let threeBefore = 0;
  let threeTwoBefore = 0;
  let fiveBefore = 0;
  let lightBefore = 0;
  let lightTwoBefore = 0;
  for (let i = 1; i < size; i++) {
    const word = line[i]!;
    const two = ~(word ^ previous) & valid;
    const three = two & twoBefore;
    const five = three & threeTwoBefore;
    penalty += weightedBitCount(five, five & ~fiveBefore);
    const light = ~(word | previous) & valid;
    lightEnds[LEAD + i] = light & lightTwoBefore;
    lightTwoBefore = lightBefore;
    lightBefore = light;
    fiveBefore = five;
    threeTwoBefore = threeBefore;
    threeBefore = three;
    twoBefore = two;
    previous = word;
  }
  for (let i = 0; i < 4; i++) lightEnds[LEAD + size + i] = 0;
  return penalty;
}

/**
 * Rule 3 in `line`: 1:1:3:1:1 with four light modules before or after it, inside the symbol; each
 * side counts.
 */
function countFinders(size: number): number {
  let count = 0;
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
    if ((before | after) !== 0) count += bitCount(before) + bitCount(after);
  }
  return count;
}

/** Rules 2 (blocks of 2 × 2, each overlap counts) and 4 (share of dark modules). */
function blockPenalty(
  data: Int32Array,
  base: Int32Array,
  { size, words, lastMask }: SymbolTemplate,
): number {
  let blocks = 0;
  let dark = 0;
  for (let w = 0; w < words; w++) {
    const from = w * size;
    const isLast = w === words - 1;
    const next = from + size;
    // The last module of a line has no neighbour to its right.
    const valid = isLast ? lastMask >>> 1 : -1;
    let previous = 0;
    let previousDiffers = -1;
    for (let i = 0; i < size; i++) {
      const word = data[from + i]! ^ base[from + i]!;
      // The neighbour of a word's last module is the first one of the next word column.
      const carry = isLast ? 0 : (data[next + i]! ^ base[next + i]!) << 31;
      const differs = word ^ ((word >>> 1) | carry);
      blocks += bitCount(~(differs | previousDiffers | (word ^ previous)) & valid);
      dark += bitCount(word);
      previousDiffers = differs;
      previous = word;
    }
  }
  // Steps of 5 % away from one half: |2d − n²| / (n²/10), whole steps only.
  const modules = size * size;
  return N2 * blocks + N4 * Math.floor((10 * Math.abs(2 * dark - modules)) / modules);
}

/** Penalty of the symbol under one mask: lower is better. */
export function maskPenalty(
  template: SymbolTemplate,
  mask: number,
  dataRows: Int32Array,
  dataColumns: Int32Array,
): number {
  const rows = template.rows[mask]!;
  const columns = template.columns[mask]!;
  return (
    blockPenalty(dataRows, rows, template) +
    runPenalty(template, [dataRows, rows], [dataColumns, columns])
  );
}
