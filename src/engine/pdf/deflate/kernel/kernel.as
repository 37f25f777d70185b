/*
 * The part of deflate (RFC 1951) whose speed counts, in AssemblyScript: `node scripts/make-kernels.ts`
 * compiles it to kernel.wasm. deflater.ts beside it decides which codes a content gets.
 *
 * `parse` turns the input into tokens and counts their symbols; `bitsWith` and `bitsAtLeast` say how
 * long the tokens are in a set of codes; `emit` writes them in that set as a zlib stream (RFC 1950).
 *
 * The memory never grows. Addresses are in bytes; numbers are little-endian.
 */

/** The longest input, in bytes. */
export const INPUT_MAX: u32 = 1 << 17;
/** The input; up to 16 bytes behind it are read, but decide nothing. */
export const INPUT: u32 = 0x10000;
/** The zlib stream: at most two bytes for one of the input, as no code has more than 11 bits. */
export const OUTPUT: u32 = 0x30400;
/** A u32 for each token: a literal's byte, or length << 16 | distance. */
const TOKENS: u32 = 0x71000;
/** For each hash the last two places with it, modulo 64 KiB: u16 each, the later one first. */
const PLACES: u32 = 0xf1000;
/** How often each symbol occurs: u32 for 286 literals and lengths, then for 30 distances. */
export const COUNTS: u32 = 0x101000;
/** Of each length 3 to 258, the symbol's number above 257: u8 by length. */
export const LENGTH_SYMBOLS: u32 = 0x101800;
/** Of each distance, its symbol: u8 by `distanceIndex`. */
export const DISTANCE_SYMBOLS: u32 = 0x101a00;
/** Of each distance symbol, its least distance | its extra bits << 24: u32. */
export const DISTANCES: u32 = 0x101c00;
/** log2 of 1 + i / 256, in 1/256: u32 for each i from 0 to 255. */
export const LOGARITHMS: u32 = 0x101d00;
/** Extra bits of each symbol in the order of COUNTS: u8. */
export const EXTRA_BITS: u32 = 0x102100;
/** Sets of codes, `SET_BYTES` each. */
export const SETS: u32 = 0x102400;
export const SET_BYTES: u32 = 0x1000;
/** Parts of a set: bits of its header: u32. */
export const HEADER_BITS: u32 = 0;
/** The header of its block. */
export const HEADER: u32 = 4;
/** Codes of literals and of the end of the block: u32 code | bits << 24, 257 times. */
export const LITERAL_CODES: u32 = 0x180;
/** The same of lengths with their extra bits, by length. */
export const LENGTH_CODES: u32 = 0x600;
/** The same of distance symbols, without extra bits. */
export const DISTANCE_CODES: u32 = 0xa80;
/** Bits of each symbol in the order of COUNTS, with extra bits: u8. */
export const SYMBOL_BITS: u32 = 0xb00;

const HASH_BITS: u32 = 13;
const WINDOW: u32 = 32768;
const MATCH_MIN: u32 = 4;
const MATCH_MAX: u32 = 258;
const LITERALS: u32 = 286;
const SYMBOLS: u32 = 316;

let tokenCount: u32 = 0;

function placesOf(word: u32): u32 {
  return PLACES + (((word * 0x9e3779b1) >>> (32 - HASH_BITS)) << 2);
}

function remember(place: u32): void {
  const places = placesOf(load<u32>(INPUT + place));
  store<u32>(places, (load<u32>(places) << 16) | (place & 0xffff));
}

/** How many bytes agree at two addresses of which the first four do. */
function matchLength(one: u32, other: u32, max: u32): u32 {
  let length: u32 = MATCH_MIN;
  do {
    const equal = i8x16.bitmask(i8x16.eq(v128.load(one + length), v128.load(other + length)));
    if (equal != 0xffff) {
      length += <u32>ctz(~equal);
      break;
    }
    length += 16;
  } while (length < max);
  return min(length, max);
}

function distanceSymbol(distance: u32): u32 {
  const less = distance - 1;
  return <u32>load<u8>(DISTANCE_SYMBOLS + (less < 256 ? less : 256 + (less >>> 7)));
}

function count(symbol: u32): void {
  const at = COUNTS + (symbol << 2);
  store<u32>(at, load<u32>(at) + 1);
}

/**
 * Finds the matches of the input, which has `length` bytes, and counts the symbols. A place may be of
 * another hash, or 64 KiB off: only the bytes there decide. Choices that a processor cannot foresee
 * cost more than bytes: so both places are compared whole, 16 bytes at a time, and of each match the
 * same number of places is remembered. More would find 1 % of the bytes and take a twelfth longer.
 */
export function parse(length: u32): void {
  // Those of `bitsWith`, which takes eight at a time.
  memory.fill(COUNTS, 0, (SYMBOLS + 4) << 2);
  memory.fill(PLACES, 0, 4 << HASH_BITS);
  const last: i32 = <i32>length - 4;
  let token: u32 = TOKENS;
  let at: u32 = 0;
  while (<i32>at <= last) {
    const here = INPUT + at;
    const word = load<u32>(here);
    const places = placesOf(word);
    const both = load<u32>(places);
    store<u32>(places, (both << 16) | (at & 0xffff));
    let best: u32 = 0;
    let distance: u32 = (at - both) & 0xffff;
    const reach = min(at, WINDOW);
    if (distance - 1 < reach && load<u32>(here - distance) == word) {
      const max = min(length - at, MATCH_MAX);
      best = matchLength(here, here - distance, max);
      const farther = (at - (both >>> 16)) & 0xffff;
      if (farther - 1 < reach && load<u32>(here - farther) == word) {
        const other = matchLength(here, here - farther, max);
        distance = select(farther, distance, other > best);
        best = select(other, best, other > best);
      }
    }
    if (best == 0) {
      const literal = word & 255;
      store<u32>(token, literal);
      count(literal);
      at += 1;
    } else {
      store<u32>(token, (best << 16) | distance);
      count(257 + <u32>load<u8>(LENGTH_SYMBOLS + best));
      count(LITERALS + distanceSymbol(distance));
      const end = at + best;
      remember(at + 1);
      remember(at + 2);
      remember(at + 3);
      remember(end - 1);
      at = end;
    }
    token += 4;
  }
  for (; at < length; at++) {
    const literal = <u32>load<u8>(INPUT + at);
    store<u32>(token, literal);
    count(literal);
    token += 4;
  }
  count(256);
  tokenCount = (token - TOKENS) >>> 2;
}

function sumOfLanes(sums: v128): u32 {
  return (
    i32x4.extract_lane(sums, 0) +
    i32x4.extract_lane(sums, 1) +
    i32x4.extract_lane(sums, 2) +
    i32x4.extract_lane(sums, 3)
  );
}

/** Bits of the tokens in a set of codes, with its header. */
export function bitsWith(set: u32): u32 {
  let sums = i32x4.splat(0);
  for (let symbol: u32 = 0; symbol < SYMBOLS; symbol += 8) {
    const counts = COUNTS + (symbol << 2);
    const lengths = v128.load_ext<u8>(set + SYMBOL_BITS + symbol);
    const low = i32x4.mul(v128.load(counts), i32x4.extend_low_i16x8_u(lengths));
    const high = i32x4.mul(v128.load(counts + 16), i32x4.extend_high_i16x8_u(lengths));
    sums = i32x4.add(sums, i32x4.add(low, high));
  }
  return load<u32>(set + HEADER_BITS) + sumOfLanes(sums);
}

/** 256 times log2 of a number above 0, rounded down. */
function logarithm(value: u32): u32 {
  const whole = 31 - clz(value);
  const rest = whole > 8 ? value >>> (whole - 8) : value << (8 - whole);
  return (whole << 8) + load<u32>(LOGARITHMS + ((rest & 255) << 2));
}

/** The entropy of these symbols: no codes need fewer bits, about 1/256 aside. */
function entropy(from: u32, to: u32): u32 {
  let all: u32 = 0;
  for (let at = from; at < to; at += 4) all += load<u32>(at);
  if (all == 0) return 0;
  const most = logarithm(all);
  let sum: u64 = 0;
  for (let at = from; at < to; at += 4) {
    const times = load<u32>(at);
    if (times != 0) sum += <u64>times * <u64>(most - logarithm(times));
  }
  return <u32>(sum >>> 8);
}

/** Bits of the tokens in the best codes, without a header. */
export function bitsAtLeast(): u32 {
  const end = COUNTS + (SYMBOLS << 2);
  const middle = COUNTS + (LITERALS << 2);
  let bits = entropy(COUNTS, middle) + entropy(middle, end);
  for (let symbol: u32 = 0; symbol < SYMBOLS; symbol++) {
    bits += load<u32>(COUNTS + (symbol << 2)) * <u32>load<u8>(EXTRA_BITS + symbol);
  }
  return bits;
}

/**
 * Adler-32 of the input (RFC 1950, §9): `one` is the sum of the bytes, and `two` the sum of what `one`
 * was after each. Of sixteen bytes the first counts 16 times in `two`, the last once, and what `one`
 * was before them 16 times.
 */
export function checksum(length: u32): u32 {
  const weights = i8x16(16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1);
  let one: u32 = 1;
  let two: u32 = 0;
  let at: u32 = INPUT;
  const end = INPUT + length;
  while (at < end) {
    // Sums of more bytes could exceed 32 bits.
    const stop = min(at + 5552, end);
    const stop16 = at + ((stop - at) & ~15);
    let ones = i32x4.splat(0);
    let onesBefore = i32x4.splat(0);
    let twos = i32x4.splat(0);
    two += one * (stop16 - at);
    for (; at < stop16; at += 16) {
      const bytes = v128.load(at);
      onesBefore = i32x4.add(onesBefore, ones);
      ones = i32x4.add(ones, i32x4.extadd_pairwise_i16x8_u(i16x8.extadd_pairwise_i8x16_u(bytes)));
      const weighted = i16x8.add(
        i16x8.extmul_low_i8x16_u(bytes, weights),
        i16x8.extmul_high_i8x16_u(bytes, weights),
      );
      twos = i32x4.add(twos, i32x4.extadd_pairwise_i16x8_u(weighted));
    }
    one += sumOfLanes(ones);
    two += sumOfLanes(twos) + (sumOfLanes(onesBefore) << 4);
    for (; at < stop; at++) {
      one += <u32>load<u8>(at);
      two += one;
    }
    one %= 65521;
    two %= 65521;
  }
  return (two << 16) | one;
}

/** Writes the tokens of an input of this length in a set of codes; the bytes of the stream. */
export function emit(length: u32, set: u32): u32 {
  // Deflate with a window of 32 KiB, and no dictionary.
  store<u16>(OUTPUT, 0x0178);
  let out: u32 = OUTPUT + 2;
  const headerBits = load<u32>(set + HEADER_BITS);
  const headerBytes = headerBits >>> 3;
  memory.copy(out, set + HEADER, headerBytes);
  out += headerBytes;
  // Bits that wait for their byte, and how many: fewer than 8 after each flush.
  let bits: u64 = <u64>load<u8>(set + HEADER + headerBytes);
  let held: u64 = <u64>(headerBits & 7);
  const end = TOKENS + (tokenCount << 2);
  for (let at: u32 = TOKENS; at < end; at += 4) {
    const token = load<u32>(at);
    if (token < 256) {
      const code = load<u32>(set + LITERAL_CODES + (token << 2));
      bits |= (<u64>(code & 0xffffff)) << held;
      held += <u64>(code >>> 24);
      // A length has at most 16 bits: no more than 63 are held.
      if (held < 48) continue;
    } else {
      const code = load<u32>(set + LENGTH_CODES + ((token >>> 16) << 2));
      bits |= (<u64>(code & 0xffffff)) << held;
      held += <u64>(code >>> 24);
      store<u64>(out, bits);
      out += <u32>(held >>> 3);
      bits >>>= held & 56;
      held &= 7;
      const distance = token & 0xffff;
      const symbol = distanceSymbol(distance) << 2;
      const distanceCode = load<u32>(set + DISTANCE_CODES + symbol);
      bits |= (<u64>(distanceCode & 0xffffff)) << held;
      held += <u64>(distanceCode >>> 24);
      const extra = load<u32>(DISTANCES + symbol);
      bits |= (<u64>(distance - (extra & 0xffffff))) << held;
      held += <u64>(extra >>> 24);
    }
    store<u64>(out, bits);
    out += <u32>(held >>> 3);
    bits >>>= held & 56;
    held &= 7;
  }
  const code = load<u32>(set + LITERAL_CODES + (256 << 2));
  bits |= (<u64>(code & 0xffffff)) << held;
  held += <u64>(code >>> 24);
  store<u64>(out, bits);
  out += <u32>((held + 7) >>> 3);
  store<u32>(out, bswap(checksum(length)));
  return out + 4 - OUTPUT;
}
