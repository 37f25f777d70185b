import { entryAt } from '../../errors.ts';
/**
 * Capacity of a QR code (ISO/IEC 18004:2015 tables 1, 7 and 9): enough to refuse a text before
 * anything is drawn. Data codewords of a version and level are its codewords less those of error
 * correction.
 */

export type QrLevel = 'L' | 'M' | 'Q' | 'H';
export type QrMode = 'numeric' | 'alphanumeric' | 'octet';

/** How a template encodes a field: what stands around it, and what the node fixes. */
export interface QrUse {
  readonly eccLevel: QrLevel;
  /** A fixed version 1 to 40, or null: as large as needed. */
  readonly version: number | null;
  readonly mode: QrMode | null;
  readonly before: string;
  readonly after: string;
}

/** Error correction codewords per block, and blocks, of versions 1 to 40 (table 9). */
const CODEWORDS_PER_BLOCK: Readonly<Record<QrLevel, readonly number[]>> = {
  L: [
    7, 10, 15, 20, 26, 18, 20, 24, 30, 18, 20, 24, 26, 30, 22, 24, 28, 30, 28, 28, 28, 28, 30, 30,
    26, 28, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30,
  ],
  M: [
    10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26, 26, 28, 28, 28,
    28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28, 28,
  ],
  Q: [
    13, 22, 18, 26, 18, 24, 18, 22, 20, 24, 28, 26, 24, 20, 30, 24, 28, 28, 26, 30, 28, 30, 30, 30,
    30, 28, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30,
  ],
  H: [
    17, 28, 22, 16, 22, 28, 26, 26, 24, 28, 24, 28, 22, 24, 24, 30, 28, 28, 26, 28, 30, 24, 30, 30,
    30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30, 30,
  ],
};

const BLOCKS: Readonly<Record<QrLevel, readonly number[]>> = {
  L: [
    1, 1, 1, 1, 1, 2, 2, 2, 2, 4, 4, 4, 4, 4, 6, 6, 6, 6, 7, 8, 8, 9, 9, 10, 12, 12, 12, 13, 14, 15,
    16, 17, 18, 19, 19, 20, 21, 22, 24, 25,
  ],
  M: [
    1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16, 17, 17, 18, 20, 21, 23, 25,
    26, 28, 29, 31, 33, 35, 37, 38, 40, 43, 45, 47, 49,
  ],
  Q: [
    1, 1, 2, 2, 4, 4, 6, 6, 8, 8, 8, 10, 12, 16, 12, 17, 16, 18, 21, 20, 23, 23, 25, 27, 29, 34, 34,
    35, 38, 40, 43, 45, 48, 51, 53, 56, 59, 62, 65, 68,
  ],
  H: [
    1, 1, 2, 4, 4, 4, 5, 6, 8, 8, 11, 11, 16, 16, 18, 16, 19, 21, 25, 25, 25, 34, 30, 32, 35, 37,
    40, 42, 45, 48, 51, 54, 57, 60, 63, 66, 70, 74, 77, 81,
  ],
};

const VERSION_MAX = 40;
const ALPHANUMERIC = /^[0-9A-Z $%*+\-./:]*$/;

/** Modules of a version that carry codewords (ISO/IEC 18004 table 1), in whole bytes. */
function codewordsOf(version: number): number {
  const side = version * 4 + 17;
  const alignments = version === 1 ? 0 : Math.floor(version / 7) + 2;
  // Finders with separators and format information, timing lines, alignment patterns (those on a
  // timing line share five modules with it), version information.
  let modules = side * side - 3 * 64 - 31 - 2 * (side - 16);
  if (version > 1) {
    modules -= (alignments * alignments - 3) * 25;
    modules += (alignments - 2) * 2 * 5;
  }
  if (version >= 7) modules -= 36;
  return Math.floor(modules / 8);
}

function dataBits(version: number, level: QrLevel): number {
  const perBlock = entryAt(CODEWORDS_PER_BLOCK[level], version - 1);
  const blocks = entryAt(BLOCKS[level], version - 1);
  return (codewordsOf(version) - perBlock * blocks) * 8;
}

/** The narrowest mode that can hold the text (ISO/IEC 18004 §7.4). */
function modeOf(text: string): QrMode {
  if (/^\d*$/.test(text)) return 'numeric';
  return ALPHANUMERIC.test(text) ? 'alphanumeric' : 'octet';
}

/** Bits of the character count indicator (table 3). */
function countBits(mode: QrMode, version: number): number {
  const size = version < 10 ? 0 : version < 27 ? 1 : 2;
  const bits = { numeric: [10, 12, 14], alphanumeric: [9, 11, 13], octet: [8, 16, 16] }[mode];
  return bits[size] ?? 16;
}

function payloadBits(text: string, mode: QrMode): number {
  switch (mode) {
    case 'numeric':
      return Math.floor(text.length / 3) * 10 + entryAt([0, 4, 7], text.length % 3);
    case 'alphanumeric':
      return Math.floor(text.length / 2) * 11 + (text.length % 2) * 6;
    case 'octet':
      return Buffer.byteLength(text, 'utf8') * 8;
  }
}

/**
 * True when the text, as one segment, fits the code that the template draws. An asked
 * alphanumeric mode carries small letters as capitals.
 */
export function fitsQrCode(value: string, use: QrUse): boolean {
  const whole = use.before + value + use.after;
  const text = use.mode === 'alphanumeric' ? whole.toUpperCase() : whole;
  const narrowest = modeOf(text);
  const mode = use.mode ?? narrowest;
  if (mode === 'numeric' && narrowest !== 'numeric') return false;
  if (mode === 'alphanumeric' && narrowest === 'octet') return false;
  const version = use.version ?? VERSION_MAX;
  return 4 + countBits(mode, version) + payloadBits(text, mode) <= dataBits(version, use.eccLevel);
}
