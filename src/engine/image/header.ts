import { LIMITS } from '../../limits.ts';
import type { ImageFault } from './fault.ts';

/**
 * Reads the format and size of an image from its first bytes, in 0.1 µs, and applies the pixel
 * limits before any decoder sees the image.
 */

export type ImageFormat = 'png' | 'jpeg' | 'gif' | 'webp';

export interface ImageHeader {
  readonly format: ImageFormat;
  /** As stored: EXIF rotation is not applied yet. */
  readonly widthPx: number;
  readonly heightPx: number;
  /**
   * Whether the image must be decoded and encoded again, which costs far more than packing it: PNG
   * with alpha or interlace, GIF and WebP. The header does not show every such PNG.
   */
  readonly isReencoded: boolean;
}

const PNG_SIGNATURE = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];

/** The format by magic bytes, or null for anything else. */
function sniffFormat(bytes: Uint8Array): ImageFormat | null {
  if (PNG_SIGNATURE.every((byte, at) => bytes[at] === byte)) return 'png';
  if (bytes[0] === 0xff && bytes[1] === 0xd8 && bytes[2] === 0xff) return 'jpeg';
  const head = latin1(bytes, 0, 12);
  if (head.startsWith('GIF87a') || head.startsWith('GIF89a')) return 'gif';
  if (head.startsWith('RIFF') && head.endsWith('WEBP')) return 'webp';
  return null;
}

/** A header within the limits, or why the image is refused. */
type HeaderOutcome =
  | { readonly ok: true; readonly value: ImageHeader }
  | { readonly ok: false; readonly fault: ImageFault };

export function readImageHeader(bytes: Uint8Array): HeaderOutcome {
  const format = sniffFormat(bytes);
  if (format === null) return { ok: false, fault: 'type' };
  const size = sizeOf(bytes, format);
  if (size === null) return { ok: false, fault: 'damaged' };
  const [widthPx, heightPx] = size;
  if (widthPx < 1 || heightPx < 1) return { ok: false, fault: 'damaged' };
  if (widthPx * heightPx > LIMITS.imagePixelsMax) return { ok: false, fault: 'pixels' };
  if (Math.max(widthPx, heightPx) > LIMITS.imageSidePxMax) return { ok: false, fault: 'side' };
  return {
    ok: true,
    value: { format, widthPx, heightPx, isReencoded: isReencoded(bytes, format) },
  };
}

/** Offsets of IHDR's colour type and interlace method in the file (PNG 3 §11.2.1). */
const COLOR_TYPE_AT = 25;
const INTERLACE_AT = 28;

function isReencoded(bytes: Uint8Array, format: ImageFormat): boolean {
  if (format === 'jpeg') return false;
  if (format !== 'png') return true;
  // Colour types 4 and 6 have alpha.
  return (bytes[COLOR_TYPE_AT] ?? 0) >= 4 || bytes[INTERLACE_AT] === 1;
}

/** Width and height. */
type PixelSize = readonly [number, number];

function sizeOf(bytes: Uint8Array, format: ImageFormat): PixelSize | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  switch (format) {
    case 'png':
      return pngSize(view);
    case 'jpeg':
      return jpegSize(view);
    case 'gif':
      return gifSize(view);
    case 'webp':
      return webpSize(view);
  }
}

const IHDR = 0x49484452;
/** The signature and the chunk IHDR. */
const PNG_HEADER_BYTES = 33;

/** IHDR comes first (PNG 3 §5.6). */
function pngSize(view: DataView): PixelSize | null {
  if (view.byteLength < PNG_HEADER_BYTES || view.getUint32(12) !== IHDR) return null;
  return [view.getUint32(16), view.getUint32(20)];
}

/** The first frame header (ITU-T T.81 B.2.2): SOF0…SOF15 without DHT, JPG and DAC. */
function jpegSize(view: DataView): PixelSize | null {
  let at = 2;
  while (at + 4 <= view.byteLength) {
    if (view.getUint8(at) !== 0xff) return null;
    const marker = view.getUint8(at + 1);
    if (marker === 0xff) {
      // A fill byte (B.1.1.2).
      at++;
      continue;
    }
    // Not before the frame: markers without a length (RST, SOI, EOI), SOS, and all below SOF0.
    if (marker < 0xc0 || (marker >= 0xd0 && marker <= 0xda)) return null;
    const length = view.getUint16(at + 2);
    if (length < 2) return null;
    const isFrame = marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) {
      if (length < 8 || at + 9 > view.byteLength) return null;
      return [view.getUint16(at + 7), view.getUint16(at + 5)];
    }
    at += 2 + length;
  }
  return null;
}

/** The logical screen, enlarged to hold the first frame (GIF89a §18, §20). */
function gifSize(view: DataView): PixelSize | null {
  if (view.byteLength < 13) return null;
  const screenWidth = view.getUint16(6, true);
  const screenHeight = view.getUint16(8, true);
  const flags = view.getUint8(10);
  // The global color table, if there is one, follows the header and the screen descriptor.
  let at = 13 + ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1));
  while (at < view.byteLength) {
    const block = view.getUint8(at);
    // An image descriptor.
    if (block === 0x2c) {
      if (at + 10 > view.byteLength) return null;
      const right = view.getUint16(at + 1, true) + view.getUint16(at + 5, true);
      const bottom = view.getUint16(at + 3, true) + view.getUint16(at + 7, true);
      return [Math.max(screenWidth, right), Math.max(screenHeight, bottom)];
    }
    if (block !== 0x21) return null;
    // An extension: label, then sub-blocks up to an empty one.
    at += 2;
    while (at < view.byteLength && view.getUint8(at) !== 0) at += 1 + view.getUint8(at);
    at++;
  }
  return null;
}

/** Types of the first chunk: `VP8X`, `VP8 ` and `VP8L`. */
const VP8X = 0x56503858;
const VP8 = 0x56503820;
const VP8L = 0x5650384c;

/** Canvas of VP8X, else the frame of VP8 (RFC 6386 §9.1) or VP8L (RFC 9649 §3.4). */
function webpSize(view: DataView): PixelSize | null {
  if (view.byteLength < 30 || view.getUint32(4, true) + 8 > view.byteLength) return null;
  switch (view.getUint32(12)) {
    case VP8X:
      return [uint24(view, 24) + 1, uint24(view, 27) + 1];
    case VP8: {
      if (view.getUint8(23) !== 0x9d || view.getUint16(24) !== 0x012a) return null;
      return [view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff];
    }
    case VP8L: {
      if (view.getUint8(20) !== 0x2f) return null;
      const bits = view.getUint32(21, true);
      return [(bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1];
    }
    default:
      return null;
  }
}

function uint24(view: DataView, at: number): number {
  return view.getUint16(at, true) + view.getUint8(at + 2) * 65_536;
}

function latin1(bytes: Uint8Array, start: number, end: number): string {
  return String.fromCharCode(...bytes.subarray(start, end));
}
