/*
 * Symbols and codes of deflate (RFC 1951, §3.2): the symbol of each length and distance, and prefix
 * codes for symbols of given frequencies.
 */

/** Symbols of literals, the end of a block, and lengths (§3.2.5). */
export const LITERAL_COUNT = 286;
export const DISTANCE_COUNT = 30;
export const END_OF_BLOCK = 256;
/** The first symbol of a length. */
export const FIRST_LENGTH = 257;
export const LENGTH_MIN = 3;
export const LENGTH_MAX = 258;
/** Codes of literals and distances may have 15 bits. Eleven suffice, and fit the kernel's 64 bits. */
export const CODE_BITS_MAX = 11;
const LENGTH_CODE_BITS_MAX = 7;
/** The order in which a block gives the lengths of the codes for code lengths (§3.2.7). */
const LENGTH_CODE_ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];

/** A symbol that stands for a range of values; extra bits tell which of them. */
export interface SymbolRange {
  readonly least: number;
  readonly extraBits: number;
}

/** Ranges that double in size after each `groupSize` symbols, from `least` on. */
function doublingRanges(count: number, groupSize: number, least: number): SymbolRange[] {
  const ranges: SymbolRange[] = [];
  for (let next = least; ranges.length < count;) {
    const extraBits = Math.max(0, Math.floor(ranges.length / groupSize) - 1);
    ranges.push({ least: next, extraBits });
    next += 1 << extraBits;
  }
  return ranges;
}

/** The range of each length symbol. The last symbol stands for the longest match only. */
export const LENGTH_RANGES: readonly SymbolRange[] = [
  ...doublingRanges(28, 4, LENGTH_MIN),
  { least: LENGTH_MAX, extraBits: 0 },
];
export const DISTANCE_RANGES: readonly SymbolRange[] = doublingRanges(DISTANCE_COUNT, 2, 1);

/** The index of the range that has this value. */
export function rangeOf(ranges: readonly SymbolRange[], value: number): number {
  return ranges.findLastIndex(({ least }) => least <= value);
}

/**
 * Lengths in bits, at most `bitsMax`, of a prefix code for symbols with these frequencies. 0: the
 * symbol does not occur. The code has at least one symbol.
 */
export function codeLengths(frequencies: ArrayLike<number>, bitsMax: number): Uint8Array {
  const lengths = new Uint8Array(frequencies.length);
  const symbols = rarestFirst(frequencies);
  if (symbols.length < 2) {
    lengths[symbols[0] ?? 0] = 1;
    return lengths;
  }
  const numberOf = limitedNumbers(huffmanDepths(symbols, frequencies), bitsMax);
  // The rarest symbols come first and get the longest codes.
  let next = 0;
  for (let bits = bitsMax; bits > 0; bits--) {
    for (let left = numberOf[bits]!; left > 0; left--) lengths[symbols[next++]!] = bits;
  }
  return lengths;
}

/** The symbols that occur, the rarest first, and of equally rare ones the lower first. */
function rarestFirst(frequencies: ArrayLike<number>): Uint32Array {
  const keys = new Float64Array(frequencies.length);
  let count = 0;
  for (let symbol = 0; symbol < frequencies.length; symbol++) {
    if (frequencies[symbol]! > 0) keys[count++] = frequencies[symbol]! * keys.length + symbol;
  }
  // Sorting numbers without a comparison function is several times as fast.
  return Uint32Array.from(keys.subarray(0, count).toSorted(), (key) => key % keys.length);
}

/** The depth of each symbol in Huffman's tree; `symbols` has the rarest first. */
function huffmanDepths(symbols: Uint32Array, frequencies: ArrayLike<number>): number[] {
  const leafCount = symbols.length;
  const weights = Array.from(symbols, (symbol) => frequencies[symbol]!);
  const parents: number[] = [];
  let leaf = 0;
  let inner = leafCount;
  const takeLightest = (parent: number): number => {
    const isLeaf =
      leaf < leafCount && (inner >= weights.length || weights[leaf]! <= weights[inner]!);
    const node = isLeaf ? leaf++ : inner++;
    parents[node] = parent;
    return weights[node]!;
  };
  // Inner nodes are made in the order of their weights, so both queues are sorted.
  for (let node = leafCount; node < 2 * leafCount - 1; node++) {
    const first = takeLightest(node);
    weights.push(first + takeLightest(node));
  }
  const depths: number[] = [];
  depths[2 * leafCount - 2] = 0;
  for (let node = 2 * leafCount - 3; node >= 0; node--) depths[node] = depths[parents[node]!]! + 1;
  return depths.slice(0, leafCount);
}

/**
 * The number of codes of each length: as in Huffman's tree, but none above `bitsMax`. To make room
 * for codes that are shortened, some shorter ones become longer.
 */
function limitedNumbers(depths: readonly number[], bitsMax: number): number[] {
  const numberOf = Array.from({ length: bitsMax + 1 }, () => 0);
  for (const depth of depths) numberOf[Math.min(depth, bitsMax)]! += 1;
  const roomOf = (bits: number): number => 2 ** (bitsMax - bits);
  let excess = -(2 ** bitsMax);
  for (let bits = 1; bits <= bitsMax; bits++) excess += numberOf[bits]! * roomOf(bits);
  for (; excess > 0; excess--) {
    const bits = numberOf.findLastIndex((number, index) => number > 0 && index < bitsMax);
    // One code of this length becomes the prefix of two codes; one of the longest codes takes the
    // second.
    numberOf[bits]! -= 1;
    numberOf[bits + 1]! += 2;
    numberOf[bitsMax]! -= 1;
  }
  return numberOf;
}

/**
 * The canonical code of each symbol (§3.2.2), with the first bit of the stream in the lowest bit.
 */
export function canonicalCodes(lengths: Uint8Array): Uint16Array {
  const codes = new Uint16Array(lengths.length);
  let code = 0;
  for (let bits = 1; bits <= 15; bits++) {
    code <<= 1;
    for (let symbol = 0; symbol < lengths.length; symbol++) {
      if (lengths[symbol] === bits) codes[symbol] = reversed(code++, bits);
    }
  }
  return codes;
}

function reversed(code: number, bits: number): number {
  let result = 0;
  for (let bit = 0; bit < bits; bit++) result |= ((code >>> bit) & 1) << (bits - 1 - bit);
  return result;
}

/** Bits, with the first of the stream lowest. */
class BitList {
  readonly bytes: number[] = [0];
  count = 0;

  put(value: number, bits: number): void {
    for (let bit = 0; bit < bits; bit++) {
      this.bytes[this.count >>> 3]! |= ((value >>> bit) & 1) << (this.count & 7);
      this.count += 1;
      if ((this.count & 7) === 0) this.bytes.push(0);
    }
  }
}

/** A code length, or a repetition of one, of a block's header (§3.2.7). */
interface HeaderItem {
  readonly symbol: number;
  readonly extra: number;
  readonly extraBits: number;
}

/** The header of the only block of a stream, whose codes have these lengths. */
export function blockHeader(literals: Uint8Array, distances: Uint8Array): BitList {
  const literalCount = Math.max(FIRST_LENGTH, literals.findLastIndex((bits) => bits > 0) + 1);
  const distanceCount = Math.max(1, distances.findLastIndex((bits) => bits > 0) + 1);
  const items = headerItems([
    ...literals.subarray(0, literalCount),
    ...distances.subarray(0, distanceCount),
  ]);
  const frequencies = new Uint32Array(19);
  for (const { symbol } of items) frequencies[symbol]! += 1;
  const lengths = codeLengths(frequencies, LENGTH_CODE_BITS_MAX);
  const codes = canonicalCodes(lengths);
  const lengthCount = LENGTH_CODE_ORDER.findLastIndex((symbol) => lengths[symbol]! > 0) + 1;
  const header = new BitList();
  // The block is the last one and defines its own codes.
  header.put(1, 1);
  header.put(2, 2);
  header.put(literalCount - 257, 5);
  header.put(distanceCount - 1, 5);
  header.put(Math.max(lengthCount, 4) - 4, 4);
  for (const symbol of LENGTH_CODE_ORDER.slice(0, Math.max(lengthCount, 4)))
    header.put(lengths[symbol]!, 3);
  for (const { symbol, extra, extraBits } of items) {
    header.put(codes[symbol]!, lengths[symbol]!);
    header.put(extra, extraBits);
  }
  return header;
}

function headerItems(lengths: readonly number[]): HeaderItem[] {
  const items: HeaderItem[] = [];
  for (let at = 0; at < lengths.length;) {
    const length = lengths[at]!;
    let run = 1;
    while (lengths[at + run] === length) run += 1;
    at += run;
    if (length !== 0) {
      items.push({ symbol: length, extra: 0, extraBits: 0 });
      run -= 1;
    }
    while (run > 0) {
      const item = repetition(length, run);
      items.push(item.item);
      run -= item.count;
    }
  }
  return items;
}

/** The largest repetition of a length that one item can express. */
function repetition(length: number, run: number): { item: HeaderItem; count: number } {
  if (run < 3) return { item: { symbol: length, extra: 0, extraBits: 0 }, count: 1 };
  const { symbol, least, most, extraBits } =
    length !== 0 ? SAME_AGAIN : run < 11 ? FEW_ZEROS : MANY_ZEROS;
  const count = Math.min(run, most);
  return { item: { symbol, extra: count - least, extraBits }, count };
}

const SAME_AGAIN = { symbol: 16, least: 3, most: 6, extraBits: 2 };
const FEW_ZEROS = { symbol: 17, least: 3, most: 10, extraBits: 3 };
const MANY_ZEROS = { symbol: 18, least: 11, most: 138, extraBits: 7 };
