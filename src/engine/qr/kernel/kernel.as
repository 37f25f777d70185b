/*
 * The part of a QR code whose speed counts, in AssemblyScript: `node scripts/make-kernels.ts`
 * compiles it to kernel.wasm. It finds the mask with the lowest penalty (ISO/IEC 18004:2015 §7.8.3,
 * Table 11), and writes the symbol as bits.
 *
 * A *line* is a row or a column of modules. A word holds 32 neighbouring modules of one line, and the
 * next word the modules beside them in the next line; unused bits are 0:
 *
 *   word[w · size + line], bit b  =  module 32·w + b of that line
 *
 * A vector holds such a word of four symbols that differ in their mask only. Penalties are counted in
 * bytes first, which hold the sums of a few lines.
 */

/** Modules a side of version 40, and the words of a symbol of it. */
const SIZE_MAX: u32 = 177;
const WORDS_MAX: u32 = 6 * 177;

/** The data bits by rows: i32 for each word. */
const ROWS: u32 = 0;
/** The same by columns; `bestMask` writes them. */
const COLUMNS: u32 = ROWS + 4 * WORDS_MAX;
/**
 * Function patterns, format information and the mask over the data region, XORed, of each of the
 * eight masks: a symbol is these words XOR its data bits. Eight i32 for each word, by rows.
 */
export const ROW_BASES: u32 = 0x2200;
/** The same by columns. */
export const COLUMN_BASES: u32 = ROW_BASES + 32 * WORDS_MAX;
/** The words of one word column, by line: a vector each. */
const LINES: u32 = 0x13000;
/**
 * Of each line, the modules that end four light ones across lines: a vector each. There are none
 * before the first line, nor after the last one.
 */
const LIGHT_ENDS: u32 = LINES + 16 * SIZE_MAX + 16 * 7;
/** Words while 32 × 32 modules are transposed. */
const BLOCK: u32 = 0x14700;
/** A u32 for each mask. */
const PENALTIES: u32 = 0x14780;
/** The symbol: rows of bits, most significant first, each row padded to whole bytes. */
export const BITS: u32 = 0x14800;

/** The codewords of the symbol, most significant bit first: at most 3,706 bytes. */
export const STREAM: u32 = 0x15800;
/** Where each bit of the codewords lies: (word index << 5) | bit, by rows: u16 each. */
export const ORDER: u32 = 0x16800;

/** Weights of rules 2, 3 and 4. */
const N2: u32 = 3;
const N3: u32 = 40;
const N4: u32 = 10;
/** A byte holds the counts of so many lines, 16 each at most. */
const COUNTED: u32 = 15;

@inline
function at(address: u32, index: u32): u32 {
  return address + (index << 4);
}

/** Sums of bytes by lane of 32 bits. */
@inline
function byLane(bytes: v128): v128 {
  return i32x4.extadd_pairwise_i16x8_u(i16x8.extadd_pairwise_i8x16_u(bytes));
}

/** Places so many bits of STREAM in ROWS, whose first `words` words are all of the symbol. */
export function placeStream(bitCount: u32, words: u32): void {
  memory.fill(ROWS, 0, words << 2);
  for (let k: u32 = 0; k < bitCount; k++) {
    const place = <u32>load<u16>(ORDER + (k << 1));
    const bit = (<u32>load<u8>(STREAM + (k >>> 3)) >>> (~k & 7)) & 1;
    const word = ROWS + ((place >>> 5) << 2);
    store<u32>(word, load<u32>(word) | (bit << (place & 31)));
  }
}

/** Transposes 32 × 32 modules at a time by swapping halves (Hacker's Delight 7-3). */
function transpose(size: u32, words: u32): void {
  for (let w: u32 = 0; w < words; w++) {
    for (let group: u32 = 0; group < words; group++) {
      const top = group << 5;
      const height = min<u32>(32, size - top);
      memory.copy(BLOCK, ROWS + ((w * size + top) << 2), height << 2);
      memory.fill(BLOCK + (height << 2), 0, (32 - height) << 2);
      let mask: u32 = 0x0000ffff;
      for (let half: u32 = 16; half != 0; half >>= 1, mask ^= mask << half) {
        for (let k: u32 = 0; k < 32; k = (k + half + 1) & ~half) {
          const one = BLOCK + (k << 2);
          const other = one + (half << 2);
          const swap = ((load<u32>(one) >>> half) ^ load<u32>(other)) & mask;
          store<u32>(one, load<u32>(one) ^ (swap << half));
          store<u32>(other, load<u32>(other) ^ swap);
        }
      }
      const width = min<u32>(32, size - (w << 5));
      memory.copy(COLUMNS + ((group * size + (w << 5)) << 2), BLOCK, width << 2);
    }
  }
}

/** The word of a line under four masks, from `half` (0 or 16 bytes) on. */
@inline
function symbolWord(data: u32, bases: u32, index: u32, half: u32): v128 {
  const word = i32x4.splat(load<i32>(data + (index << 2)));
  return v128.xor(word, v128.load(bases + (index << 5) + half));
}

/**
 * Rule 1 in LINES: a run of n ≥ 5 equal modules holds n − 4 windows of five and costs n − 2, that is
 * its windows plus 2. `valid` are the bits in use. Also fills LIGHT_ENDS for rule 3.
 */
function runs(size: u32, valid: v128): v128 {
  let sum = i32x4.splat(0);
  let previous = v128.load(LINES);
  // Modules that end so many equal ones, or two light ones, at the line before or two lines before.
  let twoBefore = i32x4.splat(0);
  let threeBefore = i32x4.splat(0);
  let threeTwoBefore = i32x4.splat(0);
  let fiveBefore = i32x4.splat(0);
  let lightBefore = i32x4.splat(0);
  let lightTwoBefore = i32x4.splat(0);
  v128.store(LIGHT_ENDS, lightBefore);
  for (let from: u32 = 1; from < size; from += COUNTED) {
    const to = min(from + COUNTED, size);
    let windows = i32x4.splat(0);
    let begun = i32x4.splat(0);
    for (let line = from; line < to; line++) {
      const word = v128.load(at(LINES, line));
      const two = v128.andnot(valid, v128.xor(word, previous));
      const three = v128.and(two, twoBefore);
      const five = v128.and(three, threeTwoBefore);
      windows = i8x16.add(windows, i8x16.popcnt(five));
      begun = i8x16.add(begun, i8x16.popcnt(v128.andnot(five, fiveBefore)));
      const light = v128.andnot(valid, v128.or(word, previous));
      v128.store(at(LIGHT_ENDS, line), v128.and(light, lightTwoBefore));
      lightTwoBefore = lightBefore;
      lightBefore = light;
      fiveBefore = five;
      threeTwoBefore = threeBefore;
      threeBefore = three;
      twoBefore = two;
      previous = word;
    }
    sum = i32x4.add(sum, byLane(windows));
    sum = i32x4.add(sum, i32x4.shl(byLane(begun), 1));
  }
  memory.fill(at(LIGHT_ENDS, size), 0, 4 << 4);
  return sum;
}

/**
 * Rule 3 in LINES: 1:1:3:1:1 with four light modules before or after it, inside the symbol; each side
 * counts.
 */
function finders(size: u32): v128 {
  let sum = i32x4.splat(0);
  for (let from: u32 = 6; from < size; from += COUNTED) {
    const to = min(from + COUNTED, size);
    let counts = i32x4.splat(0);
    for (let line = from; line < to; line++) {
      const here = at(LINES, line);
      const dark = v128.and(v128.load(here), v128.load(here - 2 * 16));
      const darker = v128.and(v128.load(here - 3 * 16), v128.load(here - 4 * 16));
      const light = v128.or(v128.load(here - 16), v128.load(here - 5 * 16));
      const ring = v128.andnot(v128.load(here - 6 * 16), light);
      const finder = v128.and(v128.and(dark, darker), ring);
      const ends = at(LIGHT_ENDS, line);
      const before = v128.and(finder, v128.load(ends - 7 * 16));
      const after = v128.and(finder, v128.load(ends + 4 * 16));
      counts = i8x16.add(counts, i8x16.add(i8x16.popcnt(before), i8x16.popcnt(after)));
    }
    sum = i32x4.add(sum, byLane(counts));
  }
  return sum;
}

/** Rules 1 and 3 in LINES, of whose words the bits in `valid` are in use; the others are 0. */
function linePenalty(size: u32, valid: u32): v128 {
  const sum = runs(size, i32x4.splat(valid));
  return i32x4.add(sum, i32x4.mul(finders(size), i32x4.splat(N3)));
}

/**
 * Rules 1 and 3 along rows and columns. The last words of both are counted as one where two of them
 * fit: most symbols of payments and links have 33 to 48 modules a side.
 */
function runPenalty(size: u32, words: u32, lastMask: u32, half: u32): v128 {
  const last = words - 1;
  const isShared = size - (last << 5) <= 16;
  const alone = isShared ? last : words;
  let penalty = i32x4.splat(0);
  for (let w: u32 = 0; w < alone; w++) {
    const valid: u32 = w == last ? lastMask : 0xffffffff;
    const first = w * size;
    for (let line: u32 = 0; line < size; line++) {
      v128.store(at(LINES, line), symbolWord(ROWS, ROW_BASES, first + line, half));
    }
    penalty = i32x4.add(penalty, linePenalty(size, valid));
    for (let line: u32 = 0; line < size; line++) {
      v128.store(at(LINES, line), symbolWord(COLUMNS, COLUMN_BASES, first + line, half));
    }
    penalty = i32x4.add(penalty, linePenalty(size, valid));
  }
  if (!isShared) return penalty;
  const first = last * size;
  for (let line: u32 = 0; line < size; line++) {
    const row = symbolWord(ROWS, ROW_BASES, first + line, half);
    const column = symbolWord(COLUMNS, COLUMN_BASES, first + line, half);
    v128.store(at(LINES, line), v128.or(row, i32x4.shl(column, 16)));
  }
  return i32x4.add(penalty, linePenalty(size, lastMask | (lastMask << 16)));
}

/** Rule 4 of a symbol: whole steps of 5 % away from one half, |2d − n²| / (n²/10). */
function darkPenalty(dark: i32, modules: i32): u32 {
  return N4 * (<u32>(10 * abs(2 * dark - modules)) / <u32>modules);
}

/** Rules 2 (blocks of 2 × 2, each overlap counts) and 4 (share of dark modules). */
function blockPenalty(size: u32, words: u32, lastMask: u32, half: u32): v128 {
  let blocks = i32x4.splat(0);
  let dark = i32x4.splat(0);
  for (let w: u32 = 0; w < words; w++) {
    const first = w * size;
    const isLast = w == words - 1;
    // The last module of a line has no neighbour to its right.
    const valid = i32x4.splat(isLast ? lastMask >>> 1 : 0xffffffff);
    let previous = i32x4.splat(0);
    let previousDiffers = i32x4.splat(-1);
    for (let from: u32 = 0; from < size; from += COUNTED) {
      const to = min(from + COUNTED, size);
      let blockCounts = i32x4.splat(0);
      let darkCounts = i32x4.splat(0);
      for (let line = from; line < to; line++) {
        const word = symbolWord(ROWS, ROW_BASES, first + line, half);
        let right = i32x4.shr_u(word, 1);
        if (!isLast) {
          // The neighbour of a word's last module is the first one of the next word column.
          const next = symbolWord(ROWS, ROW_BASES, first + size + line, half);
          right = v128.or(right, i32x4.shl(next, 31));
        }
        const differs = v128.xor(word, right);
        const anyDiffers = v128.or(v128.or(differs, previousDiffers), v128.xor(word, previous));
        blockCounts = i8x16.add(blockCounts, i8x16.popcnt(v128.andnot(valid, anyDiffers)));
        darkCounts = i8x16.add(darkCounts, i8x16.popcnt(word));
        previousDiffers = differs;
        previous = word;
      }
      blocks = i32x4.add(blocks, byLane(blockCounts));
      dark = i32x4.add(dark, byLane(darkCounts));
    }
  }
  const modules = size * size;
  let penalty = i32x4.splat(darkPenalty(i32x4.extract_lane(dark, 0), modules));
  penalty = i32x4.replace_lane(penalty, 1, darkPenalty(i32x4.extract_lane(dark, 1), modules));
  penalty = i32x4.replace_lane(penalty, 2, darkPenalty(i32x4.extract_lane(dark, 2), modules));
  penalty = i32x4.replace_lane(penalty, 3, darkPenalty(i32x4.extract_lane(dark, 3), modules));
  return i32x4.add(penalty, i32x4.mul(blocks, i32x4.splat(N2)));
}

/**
 * The mask, 0 to 7, under which the symbol in ROWS has the lowest penalty: the first of several. A
 * symbol has `size` modules a side and `words` word columns; `lastMask` are the bits in use of the
 * last one.
 */
export function bestMask(size: u32, words: u32, lastMask: u32): u32 {
  transpose(size, words);
  for (let half: u32 = 0; half < 32; half += 16) {
    const blocks = blockPenalty(size, words, lastMask, half);
    const penalty = i32x4.add(blocks, runPenalty(size, words, lastMask, half));
    v128.store(PENALTIES + half, penalty);
  }
  let best: u32 = 0;
  for (let mask: u32 = 1; mask < 8; mask++) {
    if (load<u32>(PENALTIES + (mask << 2)) < load<u32>(PENALTIES + (best << 2))) best = mask;
  }
  return best;
}

/** The bits of each byte of a word in the opposite order. */
function reverseBits(word: u32): u32 {
  let v = ((word >>> 1) & 0x55555555) | ((word & 0x55555555) << 1);
  v = ((v >>> 2) & 0x33333333) | ((v & 0x33333333) << 2);
  return ((v >>> 4) & 0x0f0f0f0f) | ((v & 0x0f0f0f0f) << 4);
}

/** Writes the symbol in ROWS under a mask to BITS; what follows the bits is overwritten. */
export function writeBits(size: u32, words: u32, mask: u32): void {
  const rowBytes = (size + 7) >>> 3;
  let to: u32 = BITS;
  for (let row: u32 = 0; row < size; row++, to += rowBytes) {
    for (let w: u32 = 0; w < words; w++) {
      const index = w * size + row;
      const base = load<u32>(ROW_BASES + (index << 5) + (mask << 2));
      store<u32>(to + (w << 2), reverseBits(load<u32>(ROWS + (index << 2)) ^ base));
    }
  }
}
