import { entryAt } from '../../errors.ts';

/** The figures of ISO/IEC 18004:2015: tables of those that cannot be computed, and the others. */

export type EccLevel = 'L' | 'M' | 'Q' | 'H';
export type QrMode = 'numeric' | 'alphanumeric' | 'octet';

export const VERSION_MAX = 40;

/** Error correction levels in the format information (Table 12). */
export const LEVEL_BITS = { L: 1, M: 0, Q: 3, H: 2 } as const satisfies Record<EccLevel, number>;

/** Mode indicators (Table 2), each four bits long. */
export const MODE_INDICATOR_BITS = 4;
export const MODE_INDICATORS = { numeric: 1, alphanumeric: 2, octet: 4 } as const satisfies Record<
  QrMode,
  number
>;

function figures(text: string): Uint8Array {
  return Uint8Array.from(text.split(' '), Number);
}

/** Error correction codewords per block, by version − 1 (Table 9). */
const ECC_PER_BLOCK: Record<EccLevel, Uint8Array> = {
  L: figures(
    '7 10 15 20 26 18 20 24 30 18 20 24 26 30 22 24 28 30 28 28 ' +
      '28 28 30 30 26 28 30 30 30 30 30 30 30 30 30 30 30 30 30 30',
  ),
  M: figures(
    '10 16 26 18 24 16 18 22 22 26 30 22 22 24 24 28 28 26 26 26 ' +
      '26 28 28 28 28 28 28 28 28 28 28 28 28 28 28 28 28 28 28 28',
  ),
  Q: figures(
    '13 22 18 26 18 24 18 22 20 24 28 26 24 20 30 24 28 28 26 30 ' +
      '28 30 30 30 30 28 30 30 30 30 30 30 30 30 30 30 30 30 30 30',
  ),
  H: figures(
    '17 28 22 16 22 28 26 26 24 28 24 28 22 24 24 30 28 28 26 28 ' +
      '30 24 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30 30',
  ),
};

/** Number of error correction blocks, by version − 1 (Table 9). */
const BLOCKS: Record<EccLevel, Uint8Array> = {
  L: figures(
    '1 1 1 1 1 2 2 2 2 4 4 4 4 4 6 6 6 6 7 8 ' +
      '8 9 9 10 12 12 12 13 14 15 16 17 18 19 19 20 21 22 24 25',
  ),
  M: figures(
    '1 1 1 2 2 4 4 4 5 5 5 8 9 9 10 10 11 13 14 16 ' +
      '17 17 18 20 21 23 25 26 28 29 31 33 35 37 38 40 43 45 47 49',
  ),
  Q: figures(
    '1 1 2 2 4 4 6 6 8 8 8 10 12 16 12 17 16 18 21 20 ' +
      '23 23 25 27 29 34 34 35 38 40 43 45 48 51 53 56 59 62 65 68',
  ),
  H: figures(
    '1 1 2 4 4 4 5 6 8 8 11 11 16 16 18 16 19 21 25 25 ' +
      '25 34 30 32 35 37 40 42 45 48 51 54 57 60 63 66 70 74 77 81',
  ),
};

/** Modules on each side. */
export function sizeOf(version: number): number {
  return 4 * version + 17;
}

/** Modules that carry codewords, remainder bits included (Table 1). */
export function rawBitCount(version: number): number {
  let bits = (16 * version + 128) * version + 64;
  if (version >= 2) {
    const count = Math.floor(version / 7) + 2;
    bits -= (25 * count - 10) * count - 55;
  }
  return version >= 7 ? bits - 36 : bits;
}

export function eccPerBlock(version: number, level: EccLevel): number {
  return entryAt(ECC_PER_BLOCK[level], version - 1);
}

export function blockCount(version: number, level: EccLevel): number {
  return entryAt(BLOCKS[level], version - 1);
}

/** Codewords that carry data, that is all without those of error correction (Table 7). */
export function dataCodewordCount(version: number, level: EccLevel): number {
  return (rawBitCount(version) >> 3) - eccPerBlock(version, level) * blockCount(version, level);
}

/** Bits of the character count indicator (Table 3). */
export function countBits(version: number, mode: QrMode): number {
  const range = rangeOf(version);
  switch (mode) {
    case 'numeric':
      return 10 + 2 * range;
    case 'alphanumeric':
      return 9 + 2 * range;
    case 'octet':
      return range === 0 ? 8 : 16;
  }
}

/** The column of Table 3 that a version falls into, from 0. */
function rangeOf(version: number): number {
  if (version < 10) return 0;
  return version < 27 ? 1 : 2;
}

/**
 * Bits that `count` characters (bytes for octet) take, without mode and count (§7.4.3 to 7.4.5).
 */
export function payloadBits(mode: QrMode, count: number): number {
  switch (mode) {
    case 'numeric':
      return Math.floor(count / 3) * 10 + [0, 4, 7][count % 3]!;
    case 'alphanumeric':
      return (count >> 1) * 11 + (count & 1) * 6;
    case 'octet':
      return count * 8;
  }
}

/** Centres of the alignment patterns, ascending (Annex E); version 32 is the one exception. */
export function alignmentCentres(version: number): readonly number[] {
  if (version === 1) return [];
  const count = Math.floor(version / 7) + 2;
  const size = sizeOf(version);
  const step = version === 32 ? 26 : Math.ceil((size - 13) / (count * 2 - 2)) * 2;
  const centres = [6];
  for (let k = count - 2; k >= 0; k--) centres.push(size - 7 - k * step);
  return centres;
}
