import { loadKernel } from './kernel/kernel.ts';
import { ALPHANUMERIC, encodeStream } from './stream.ts';
import {
  countBits,
  dataCodewordCount,
  MODE_INDICATOR_BITS,
  payloadBits,
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
  /**
   * Rows of bits, 1 dark, 0 light, most significant first; each row is padded to whole bytes. Owned
   * by the caller.
   */
  readonly bits: Uint8Array;
  readonly version: number;
}

/** Digits that the largest symbol holds: nothing longer fits in any mode. */
const CHARACTERS_MAX = 7_089;
/** Scratch for a text of that length in UTF-8. */
const bytes = new Uint8Array(CHARACTERS_MAX * 3);
const encoder = new TextEncoder();

const kernel = loadKernel();
/** The template that the kernel has. */
let loaded: SymbolTemplate | null = null;

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
  load(template, stream);
  return { count: template.size, bits: bitsUnder(template, options.mask), version };
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

/** Gives the kernel a template, and the stream in its data region. */
function load(template: SymbolTemplate, stream: Uint8Array): void {
  const { ROW_BASES, COLUMN_BASES, STREAM, ORDER } = kernel.at;
  const { order, words, size } = template;
  if (template !== loaded) {
    kernel.words.set(template.rowBases, ROW_BASES >> 2);
    kernel.words.set(template.columnBases, COLUMN_BASES >> 2);
    kernel.bytes.set(new Uint8Array(order.buffer), ORDER);
    loaded = template;
  }
  kernel.bytes.set(stream, STREAM);
  kernel.placeStream(order.length, words * size);
}

/** The symbol that was loaded, under this mask. Null: under the one with the lowest penalty. */
function bitsUnder({ size, words, lastMask }: SymbolTemplate, asked: number | null): Uint8Array {
  const { BITS } = kernel.at;
  kernel.writeBits(size, words, asked ?? kernel.bestMask(size, words, lastMask));
  return kernel.bytes.slice(BITS, BITS + ((size + 7) >> 3) * size);
}
