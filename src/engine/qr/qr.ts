import { maskPenalty } from './score.ts';
import { ALPHANUMERIC, encodeStream } from './stream.ts';
import {
  countBits,
  dataCodewordCount,
  MODE_INDICATOR_BITS,
  payloadBits,
  sizeOf,
  type EccLevel,
  type QrMode,
  VERSION_MAX,
} from './tables.ts';
import { templateOf, type SymbolTemplate } from './symbol-template.ts';

export interface QrOptions {
  readonly eccLevel: EccLevel;
  /** 1 to 40; null: the smallest that holds the text. */
  readonly version: number | null;
  /** 0 to 7; null: the one with the lowest penalty. */
  readonly mask: number | null;
  /** null: the first of numeric, alphanumeric, octet (UTF-8) that can carry the whole text. */
  readonly mode: QrMode | null;
}

export interface QrSymbol {
  /** Modules a side: 4 · version + 17, without a quiet zone. */
  readonly count: number;
  /** Row by row, 1 dark, 0 light. Owned by the caller. */
  readonly modules: Uint8Array;
  readonly version: number;
}

/** Digits that the largest symbol holds: nothing longer fits in any mode. */
const CHARACTERS_MAX = 7_089;
/** Scratch for a text of that length in UTF-8. */
const bytes = new Uint8Array(CHARACTERS_MAX * 3);
const encoder = new TextEncoder();

/** Scratch for the data bits of a symbol by rows and by columns, as `SymbolTemplate` draws them. */
const WORDS_MAX = ((sizeOf(VERSION_MAX) + 31) >> 5) * sizeOf(VERSION_MAX);
const dataRows = new Int32Array(WORDS_MAX);
const dataColumns = new Int32Array(WORDS_MAX);

/** Content of the one segment: `bytes` holds `count` characters or bytes of it. */
interface Segment {
  readonly mode: QrMode;
  readonly count: number;
}

/**
 * Makes the symbol of a text (ISO/IEC 18004:2015, Model 2), in one segment as in pdfmake. Null when
 * the text does not fit the level and version, or the mode cannot carry it. If the options demand
 * `alphanumeric`, lowercase letters become capitals.
 */
export function encodeQr(text: string, options: QrOptions): QrSymbol | null {
  const segment = writeSegment(text, options.mode);
  if (segment === null) return null;
  const version = versionFor(segment, options);
  if (version === null) return null;
  const stream = encodeStream(bytes, segment.count, segment.mode, version, options.eccLevel);
  const template = templateOf(version, options.eccLevel);
  placeStream(template, stream);
  return {
    count: template.size,
    modules: unpackModules(template, options.mask ?? bestMask(template)),
    version,
  };
}

/** Writes the text into `bytes`, with one byte per character in the two compact modes. */
function writeSegment(text: string, asked: QrMode | null): Segment | null {
  if (text.length > CHARACTERS_MAX) return null;
  if (asked === 'octet') return writeOctets(text);
  let numeric = true;
  let alphanumeric = true;
  for (let i = 0; i < text.length; i++) {
    let code = text.charCodeAt(i);
    if (asked === 'alphanumeric' && code >= 97 && code <= 122) code -= 32;
    if (code < 48 || code > 57) numeric = false;
    if (code > 127 || ALPHANUMERIC[code] === 255) {
      alphanumeric = false;
      break;
    }
    bytes[i] = code;
  }
  if (asked === 'numeric') return numeric ? { mode: 'numeric', count: text.length } : null;
  if (numeric && asked === null) return { mode: 'numeric', count: text.length };
  if (alphanumeric) return { mode: 'alphanumeric', count: text.length };
  return asked === null ? writeOctets(text) : null;
}

function writeOctets(text: string): Segment {
  return { mode: 'octet', count: encoder.encodeInto(text, bytes).written };
}

function versionFor(segment: Segment, options: QrOptions): number | null {
  if (options.version !== null) {
    return segmentFits(segment, options.version, options.eccLevel) ? options.version : null;
  }
  for (let version = 1; version <= VERSION_MAX; version++) {
    if (segmentFits(segment, version, options.eccLevel)) return version;
  }
  return null;
}

function segmentFits(segment: Segment, version: number, level: EccLevel): boolean {
  const lengthBits = countBits(version, segment.mode);
  if (segment.count >= 2 ** lengthBits) return false;
  const bits = MODE_INDICATOR_BITS + lengthBits + payloadBits(segment.mode, segment.count);
  return bits <= 8 * dataCodewordCount(version, level);
}

/** Writes the stream into the data region, by rows and by columns. */
function placeStream(template: SymbolTemplate, stream: Uint8Array): void {
  const { order, size, words } = template;
  dataRows.fill(0, 0, words * size);
  const bitCount = order.length;
  for (let k = 0; k < bitCount; k++) {
    const place = order[k]!;
    dataRows[place >> 5]! |= ((stream[k >> 3]! >> (~k & 7)) & 1) << (place & 31);
  }
  transpose(dataRows, dataColumns, size, words);
}

const block = new Int32Array(32);

/** Transposes 32 × 32 modules at a time by swapping halves (Hacker's Delight 7-3). */
function transpose(from: Int32Array, to: Int32Array, size: number, words: number): void {
  for (let w = 0; w < words; w++) {
    for (let group = 0; group < words; group++) {
      const top = group * 32;
      const height = Math.min(32, size - top);
      for (let i = 0; i < height; i++) block[i] = from[w * size + top + i]!;
      for (let i = height; i < 32; i++) block[i] = 0;
      let mask = 0x0000ffff;
      for (let half = 16; half !== 0; half >>= 1, mask ^= mask << half) {
        for (let k = 0; k < 32; k = (k + half + 1) & ~half) {
          const swap = ((block[k]! >>> half) ^ block[k + half]!) & mask;
          block[k]! ^= swap << half;
          block[k + half]! ^= swap;
        }
      }
      const width = Math.min(32, size - w * 32);
      for (let i = 0; i < width; i++) to[group * size + w * 32 + i] = block[i]!;
    }
  }
}

/** The mask with the lowest penalty. */
function bestMask(template: SymbolTemplate): number {
  let best = 0;
  let lowest = Infinity;
  for (let mask = 0; mask < 8; mask++) {
    const penalty = maskPenalty(template, mask, dataRows, dataColumns);
    if (penalty < lowest) {
      lowest = penalty;
      best = mask;
    }
  }
  return best;
}

/** The masked symbol as one byte a module. */
function unpackModules(template: SymbolTemplate, mask: number): Uint8Array {
  const { size } = template;
  const base = template.rows[mask]!;
  const modules = new Uint8Array(size * size);
  for (let row = 0; row < size; row++) {
    let to = row * size;
    for (let left = 0, at = row; left < size; left += 32, at += size) {
      const word = dataRows[at]! ^ base[at]!;
      const width = Math.min(32, size - left);
      for (let bit = 0; bit < width; bit++) modules[to++] = (word >>> bit) & 1;
    }
  }
  return modules;
}
