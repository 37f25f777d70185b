import { errorCorrection } from './reed-solomon.ts';
import {
  blockCount,
  countBits,
  dataCodewordCount,
  eccPerBlock,
  MODE_INDICATOR_BITS,
  MODE_INDICATORS,
  type EccLevel,
  type QrMode,
} from './tables.ts';

/** Encodes characters as the interleaved codeword stream (ISO/IEC 18004:2015 §7.4 to 7.6). */

/** 3706 codewords in version 40, and room for a last partial word. */
const CODEWORDS_MAX = 3_712;
const data = new Uint8Array(CODEWORDS_MAX);
const stream = new Uint8Array(CODEWORDS_MAX);

/** Values of Table 5 by character code, 255 where the character is not alphanumeric. */
export const ALPHANUMERIC = new Uint8Array(128).fill(255);
for (let value = 0; value < 45; value++) {
  ALPHANUMERIC['0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:'.charCodeAt(value)] = value;
}

/** Number of bytes in `data`, and the bits that do not fill a byte yet. */
let at = 0;
let held = 0;
let heldBits = 0;

/** Appends bits to `data`, most significant first. */
function push(value: number, bits: number): void {
  held = (held << bits) | value;
  heldBits += bits;
  while (heldBits >= 8) {
    heldBits -= 8;
    data[at++] = held >>> heldBits;
  }
  held &= (1 << heldBits) - 1;
}

const ZERO = 48;

/** Three digits in 10 bits, two in 7, one in 4 (§7.4.3). */
function pushNumeric(bytes: Uint8Array, count: number): void {
  let i = 0;
  for (; i + 2 < count; i += 3) {
    push(bytes[i]! * 100 + bytes[i + 1]! * 10 + bytes[i + 2]! - ZERO * 111, 10);
  }
  if (count - i === 2) push(bytes[i]! * 10 + bytes[i + 1]! - ZERO * 11, 7);
  if (count - i === 1) push(bytes[i]! - ZERO, 4);
}

/** Two characters in 11 bits, one in 6 (§7.4.4). */
function pushAlphanumeric(bytes: Uint8Array, count: number): void {
  let i = 0;
  for (; i + 1 < count; i += 2) {
    push(ALPHANUMERIC[bytes[i]!]! * 45 + ALPHANUMERIC[bytes[i + 1]!]!, 11);
  }
  if (i < count) push(ALPHANUMERIC[bytes[i]!]!, 6);
}

/** Fill the rest in turns (§7.4.10). */
const PAD_CODEWORDS = [0xec, 0x11] as const;

/**
 * The codewords of one segment, padded, with error correction, interleaved. The caller has checked
 * that it fits. The array is scratch, valid until the next call; bytes after the last codeword are
 * 0 (remainder bits).
 */
export function encodeStream(
  bytes: Uint8Array,
  count: number,
  mode: QrMode,
  version: number,
  level: EccLevel,
): Uint8Array {
  at = 0;
  held = 0;
  heldBits = 0;
  push(MODE_INDICATORS[mode], MODE_INDICATOR_BITS);
  push(count, countBits(version, mode));
  switch (mode) {
    case 'numeric':
      pushNumeric(bytes, count);
      break;
    case 'alphanumeric':
      pushAlphanumeric(bytes, count);
      break;
    case 'octet':
      for (let i = 0; i < count; i++) push(bytes[i]!, 8);
      break;
  }
  const length = dataCodewordCount(version, level);
  // Terminator: up to four zero bits, then to the byte's end (§7.4.9), then pad codewords.
  push(0, Math.min(4, length * 8 - at * 8 - heldBits));
  if (heldBits > 0) push(0, 8 - heldBits);
  for (let pad = 0; at < length; pad++) data[at++] = PAD_CODEWORDS[pad % 2]!;
  return interleave(length, version, level);
}

/**
 * The first codewords of all blocks, then the second ones, …; after them the error correction in
 * the same order (§7.6). The first blocks may be one codeword shorter than the others.
 */
function interleave(length: number, version: number, level: EccLevel): Uint8Array {
  const blocks = blockCount(version, level);
  const ecc = eccPerBlock(version, level);
  const short = Math.floor(length / blocks);
  const shortBlocks = blocks - (length % blocks);
  let start = 0;
  for (let block = 0; block < blocks; block++) {
    const size = block < shortBlocks ? short : short + 1;
    for (let i = 0; i < short; i++) stream[i * blocks + block] = data[start + i]!;
    if (size > short) stream[short * blocks + block - shortBlocks] = data[start + short]!;
    const correction = errorCorrection(data, start, start + size, ecc);
    for (let i = 0; i < ecc; i++) stream[length + i * blocks + block] = correction[i]!;
    start += size;
  }
  stream[length + blocks * ecc] = 0;
  return stream;
}
