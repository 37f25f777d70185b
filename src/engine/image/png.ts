import { once } from 'node:events';
import { createInflate, inflateSync } from 'node:zlib';
import type { Effort } from './decode.ts';
import type { PreparedImage } from './prepared.ts';
import { splitAlpha } from './png-alpha.ts';
import type { PngFile } from './png-chunks.ts';
import { parsePng } from './png-chunks.ts';

/**
 * PNG files that a PDF can embed: the IDAT of an opaque, non-interlaced PNG is Flate data with PNG
 * predictors (ISO 32000-2 §7.4.4.4), bit for bit. It is inflated once here, under a bound, to prove
 * that it holds exactly the rows that IHDR promises. Alpha becomes a soft mask.
 */

export type PngVerdict =
  /** Goes into the PDF as it is. */
  | { readonly kind: 'pass'; readonly image: Omit<PreparedImage, 'key'> }
  /** Sound as far as it was checked, but must be decoded: interlace, tRNS, ICC, rotation. */
  | { readonly kind: 'decode' }
  | { readonly kind: 'damaged' };

const DAMAGED: PngVerdict = { kind: 'damaged' };
/** Up to this size one synchronous call is fastest; larger data is streamed to keep memory flat. */
const SYNC_INFLATE_BYTES_MAX = 4 * 1024 * 1024;
/** libvips decodes larger pictures with alpha, in its own threads. */
const SPLIT_BYTES_MAX = 16 * 1024 * 1024;

/** Reads an opaque PNG that libvips has just written: its rows need no check. */
export function readOwnPng(bytes: Uint8Array): Omit<PreparedImage, 'key'> | null {
  const file = parsePng(bytes);
  if (file === null || file.needsDecoding || file.colorType >= 4) return null;
  const colorSpace = colorSpaceOf(file);
  return colorSpace === null ? null : asItCame(file, colorSpace);
}

/** Reads a PNG whose signature and size are known to be good. */
export async function readPng(bytes: Uint8Array, effort: Effort): Promise<PngVerdict> {
  const file = parsePng(bytes);
  if (file === null) return DAMAGED;
  if (file.needsDecoding) return { kind: 'decode' };
  const rowBytes = 1 + Math.ceil((file.widthPx * file.colors * file.bitDepth) / 8);
  const hasAlpha = file.colorType >= 4;
  if (hasAlpha && rowBytes * file.heightPx > SPLIT_BYTES_MAX) return { kind: 'decode' };
  const image = hasAlpha
    ? readRows(file, rowBytes, (rows) => splitAlpha(file, rows, effort))
    : await passThrough(file, rowBytes);
  return image === null ? DAMAGED : { kind: 'pass', image };
}

/** The data as it came, or null when it does not hold the rows or lacks its palette. */
async function passThrough(
  file: PngFile,
  rowBytes: number,
): Promise<Omit<PreparedImage, 'key'> | null> {
  const colorSpace = colorSpaceOf(file);
  const isWhole = await holdsRows(file.idat, rowBytes, file.heightPx);
  return isWhole && colorSpace !== null ? asItCame(file, colorSpace) : null;
}

function asItCame(
  file: PngFile,
  colorSpace: PreparedImage['colorSpace'],
): Omit<PreparedImage, 'key'> {
  return {
    widthPx: file.widthPx,
    heightPx: file.heightPx,
    filter: 'FlateDecode',
    colorSpace,
    bitsPerComponent: file.bitDepth,
    predictor: { colors: file.colors, columns: file.widthPx },
    invert: false,
    data: file.idat,
    softMask: null,
  };
}

function colorSpaceOf({ colorType, palette }: PngFile): PreparedImage['colorSpace'] | null {
  if (colorType !== 3) return colorType === 0 ? 'DeviceGray' : 'DeviceRGB';
  return palette === null ? null : { base: 'DeviceRGB', palette };
}

/** Inflates all rows at once and hands them on; null when they are not whole. */
function readRows<T>(file: PngFile, rowBytes: number, use: (rows: Uint8Array) => T): T | null {
  const total = rowBytes * file.heightPx;
  let rows: Uint8Array;
  try {
    rows = inflateSync(file.idat, { maxOutputLength: total });
  } catch (error) {
    if (isZlibError(error)) return null;
    throw error;
  }
  return rows.length === total && rowChecker(rowBytes)(rows) ? use(rows) : null;
}

/** True when the zlib stream is whole and holds `rows` rows, each led by a filter type 0 to 4. */
async function holdsRows(idat: Uint8Array, rowBytes: number, rows: number): Promise<boolean> {
  const total = rowBytes * rows;
  const check = rowChecker(rowBytes);
  try {
    if (total > SYNC_INFLATE_BYTES_MAX) return await holdsRowsStreamed(idat, total, check);
    const raw = inflateSync(idat, { maxOutputLength: total });
    return raw.length === total && check(raw);
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
