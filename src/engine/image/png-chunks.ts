import { crc32 } from 'node:zlib';

/** Reads the chunks of a PNG file (PNG 3 §5) and verifies their checksums; inflates nothing. */

const CHUNK = { IHDR: 0x49484452, PLTE: 0x504c5445, IDAT: 0x49444154, IEND: 0x49454e44 } as const;
/** Ancillary chunks that change what is seen: tRNS, iCCP, eXIf, cICP. */
const DECODE_CHUNKS = new Set([0x74524e53, 0x69434350, 0x65584966, 0x63494350]);
interface ColorType {
  /** Number of samples of a pixel. */
  readonly colors: number;
  readonly bitDepths: readonly number[];
}

/** The colour types (PNG 3 table 11.1). */
const COLOR_TYPES: Readonly<Record<number, ColorType>> = {
  0: { colors: 1, bitDepths: [1, 2, 4, 8, 16] },
  2: { colors: 3, bitDepths: [8, 16] },
  3: { colors: 1, bitDepths: [1, 2, 4, 8] },
  4: { colors: 2, bitDepths: [8, 16] },
  6: { colors: 4, bitDepths: [8, 16] },
};
/** This bit makes the first letter of a chunk's type lower-case, which marks ancillary chunks. */
const ANCILLARY = 0x20000000;
const PALETTE_BYTES_MAX = 256 * 3;

/** The parsed chunks of a PNG. The pixel data has not been inflated yet, so it may be damaged. */
export interface PngFile {
  readonly widthPx: number;
  readonly heightPx: number;
  readonly bitDepth: 1 | 2 | 4 | 8 | 16;
  readonly colorType: number;
  readonly colors: number;
  /**
   * Whether pixels must be decoded first, since the file is interlaced or a chunk changes what is seen.
   * Otherwise a PDF can hold the IDAT stream as it is, if it has no alpha.
   */
  readonly needsDecoding: boolean;
  readonly palette: Uint8Array | null;
  /** The zlib stream, copied from the file. */
  readonly idat: Uint8Array;
}

/** Reads the chunks up to IEND; null when one has a wrong CRC, is misplaced, or critical and unknown. */
export function parsePng(bytes: Uint8Array): PngFile | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const header = parseHeader(view);
  if (header === null) return null;
  let needsDecoding = header.needsDecoding;
  let palette: Uint8Array | null = null;
  const parts: Uint8Array[] = [];
  let isIdatOver = false;
  for (let at = 8; at + 12 <= bytes.length;) {
    const length = view.getUint32(at);
    const type = view.getUint32(at + 4);
    const end = at + 8 + length;
    if (end + 4 > bytes.length || crc32(bytes.subarray(at + 4, end)) !== view.getUint32(end)) {
      return null;
    }
    const data = bytes.subarray(at + 8, end);
    if (type === CHUNK.IDAT) {
      if (isIdatOver) return null;
      parts.push(data);
    } else {
      isIdatOver = parts.length > 0;
      if (type === CHUNK.IEND) {
        if (parts.length === 0) return null;
        return { ...header, needsDecoding, palette, idat: joinParts(parts) };
      }
      if (type === CHUNK.PLTE) {
        if (length === 0 || length % 3 !== 0 || length > PALETTE_BYTES_MAX) return null;
        palette = new Uint8Array(data);
      } else if (DECODE_CHUNKS.has(type)) {
        needsDecoding = true;
      } else if (type !== CHUNK.IHDR && (type & ANCILLARY) === 0) {
        // An unknown critical chunk may change everything.
        return null;
      }
    }
    at = end + 4;
  }
  return null;
}

/**
 * The header chunk, which follows the signature of 8 bytes (PNG 3 §11.2.1):
 *
 *     8 length, 13   12 "IHDR"   16 width   20 height   24 bit depth   25 colour type
 *     26 compression, 0   27 filter, 0   28 interlace, 0 or 1
 */
function parseHeader(view: DataView): Omit<PngFile, 'palette' | 'idat'> | null {
  if (view.getUint32(8) !== 13) return null;
  const bitDepth = view.getUint8(24);
  const colorType = view.getUint8(25);
  const compression = view.getUint8(26);
  const filter = view.getUint8(27);
  const interlace = view.getUint8(28);
  const type = COLOR_TYPES[colorType];
  const areMethodsKnown = compression === 0 && filter === 0 && interlace <= 1;
  if (type?.bitDepths.includes(bitDepth) !== true || !areMethodsKnown) return null;
  return {
    widthPx: view.getUint32(16),
    heightPx: view.getUint32(20),
    // COLOR_TYPES has only these depths.
    bitDepth: bitDepth as PngFile['bitDepth'],
    colorType,
    colors: type.colors,
    needsDecoding: interlace === 1,
  };
}

function joinParts(parts: readonly Uint8Array[]): Uint8Array {
  return parts.length === 1 && parts[0] !== undefined
    ? new Uint8Array(parts[0])
    : Buffer.concat(parts);
}
