import { once } from 'node:events';
import { crc32, createInflate, inflateSync } from 'node:zlib';
import type { IndexedColor, PreparedImage } from './image.ts';

/**
 * PNG as the PDF can take it over: the IDAT of an opaque, non-interlaced PNG is Flate data with PNG
 * predictors (ISO 32000-2 §7.4.4.4), bit for bit. It is inflated once here, under a bound, to
 * prove that it holds exactly the rows that IHDR promises.
 */

export type PngVerdict =
  /** Goes into the PDF as it is. */
  | { readonly kind: 'pass'; readonly image: Omit<PreparedImage, 'key'> }
  /** Sound as far as looked at, but has to be decoded: alpha, interlace, ICC, rotation. */
  | { readonly kind: 'decode' }
  | { readonly kind: 'damaged' };

const DAMAGED: PngVerdict = { kind: 'damaged' };
/** Up to here one synchronous call is quickest; beyond, memory stays flat by streaming. */
const SYNC_INFLATE_BYTES_MAX = 4 * 1024 * 1024;

const CHUNK = { IHDR: 0x49484452, PLTE: 0x504c5445, IDAT: 0x49444154, IEND: 0x49454e44 } as const;
/** Ancillary chunks that change what is seen: tRNS, iCCP, eXIf, cICP. */
const DECODE_CHUNKS = new Set([0x74524e53, 0x69434350, 0x65584966, 0x63494350]);
/** Colour type → components and the bit depths it allows (PNG 3 table 11.1). */
const COLOR_TYPES: Readonly<Record<number, readonly [number, readonly number[]]>> = {
  0: [1, [1, 2, 4, 8, 16]],
  2: [3, [8, 16]],
  3: [1, [1, 2, 4, 8]],
  4: [2, [8, 16]],
  6: [4, [8, 16]],
};

interface PngFile {
  readonly widthPx: number;
  readonly heightPx: number;
  readonly bitDepth: 1 | 2 | 4 | 8 | 16;
  readonly colorType: number;
  readonly colors: number;
  readonly needsDecoding: boolean;
  readonly palette: Uint8Array | null;
  readonly idat: Uint8Array;
}

/** Reads a PNG whose signature and size are known to be good. */
export async function readPng(bytes: Uint8Array): Promise<PngVerdict> {
  const file = parseChunks(bytes);
  if (file === null) return DAMAGED;
  if (file.needsDecoding) return { kind: 'decode' };
  const rowBytes = 1 + Math.ceil((file.widthPx * file.colors * file.bitDepth) / 8);
  if (!(await holdsRows(file.idat, rowBytes, file.heightPx))) return DAMAGED;
  const colorSpace: PreparedImage['colorSpace'] | null =
    file.colorType === 0
      ? 'DeviceGray'
      : file.colorType === 2
        ? 'DeviceRGB'
        : indexed(file.palette);
  if (colorSpace === null) return DAMAGED;
  return {
    kind: 'pass',
    image: {
      widthPx: file.widthPx,
      heightPx: file.heightPx,
      filter: 'FlateDecode',
      colorSpace,
      bitsPerComponent: file.bitDepth,
      predictor: { colors: file.colors, columns: file.widthPx },
      invert: false,
      data: file.idat,
      softMask: null,
    },
  };
}

function indexed(palette: Uint8Array | null): IndexedColor | null {
  return palette === null ? null : { base: 'DeviceRGB', palette };
}

/** All chunks up to IEND with their CRCs; null when any rule of PNG 3 §5 is broken. */
function parseChunks(bytes: Uint8Array): PngFile | null {
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
        if (length === 0 || length % 3 !== 0 || length > 768) return null;
        palette = new Uint8Array(data);
      } else if (DECODE_CHUNKS.has(type)) needsDecoding = true;
      // An unknown critical chunk (upper-case first letter) may change everything.
      else if (type !== CHUNK.IHDR && (type & 0x20000000) === 0) return null;
    }
    at = end + 4;
  }
  return null;
}

function parseHeader(view: DataView): Omit<PngFile, 'palette' | 'idat'> | null {
  if (view.getUint32(8) !== 13) return null;
  const bitDepth = view.getUint8(24);
  const colorType = view.getUint8(25);
  const [colors, depths] = COLOR_TYPES[colorType] ?? [0, []];
  const interlace = view.getUint8(28);
  const isKnown = view.getUint8(26) === 0 && view.getUint8(27) === 0 && interlace <= 1;
  if (!depths.includes(bitDepth) || !isKnown) return null;
  return {
    widthPx: view.getUint32(16),
    heightPx: view.getUint32(20),
    // One of the depths the table allows.
    bitDepth: bitDepth as PngFile['bitDepth'],
    colorType,
    colors,
    needsDecoding: interlace === 1 || colorType >= 4,
  };
}

function joinParts(parts: readonly Uint8Array[]): Uint8Array {
  return parts.length === 1 && parts[0] !== undefined
    ? new Uint8Array(parts[0])
    : Buffer.concat(parts);
}

/** True when the zlib stream is whole and holds `rows` rows, each led by a filter type 0 to 4. */
async function holdsRows(idat: Uint8Array, rowBytes: number, rows: number): Promise<boolean> {
  const total = rowBytes * rows;
  const check = rowChecker(rowBytes);
  try {
    if (total <= SYNC_INFLATE_BYTES_MAX) {
      const raw = inflateSync(idat, { maxOutputLength: total });
      return raw.length === total && check(raw);
    }
    return await holdsRowsStreamed(idat, total, check);
  } catch (error) {
    if (isZlibError(error)) return false;
    throw error;
  }
}

async function holdsRowsStreamed(
  idat: Uint8Array,
  total: number,
  check: (chunk: Uint8Array) => boolean,
): Promise<boolean> {
  const inflate = createInflate({ chunkSize: 256 * 1024 });
  let length = 0;
  let isGood = true;
  inflate.on('data', (chunk: Uint8Array) => {
    length += chunk.length;
    isGood &&= length <= total && check(chunk);
    if (!isGood) inflate.destroy();
  });
  const closed = once(inflate, 'close');
  inflate.end(idat);
  await closed;
  return isGood && length === total;
}

/** Looks at the filter byte of each row of a stream that comes in pieces. */
function rowChecker(rowBytes: number): (chunk: Uint8Array) => boolean {
  let toNextRow = 0;
  return (chunk) => {
    let at = toNextRow;
    for (; at < chunk.length; at += rowBytes) {
      if ((chunk[at] ?? 0) > 4) return false;
    }
    toNextRow = at - chunk.length;
    return true;
  };
}

function isZlibError(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false;
  const code = String(error.code);
  return code.startsWith('Z_') || code === 'ERR_BUFFER_TOO_LARGE';
}
