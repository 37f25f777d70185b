import { LIMITS } from '../../limits.ts';
import type { PreparedImage } from './prepared.ts';

/**
 * JPEG files that a PDF can embed as they are (ISO 32000-2 §7.4.8): baseline and progressive, 8
 * bit, one, three or four components. Application segments that a reader of the PDF must not see
 * (EXIF with its places and names, thumbnails) are left out; the entropy-coded data is not touched.
 */

/** Decision about a JPEG; `decode`: sharp must convert it. */
export type JpegVerdict =
  | {
      readonly kind: 'pass';
      readonly image: Omit<PreparedImage, 'key'>;
      /** Sequential, with all components in the first scan: decoders need no more than a few rows. */
      readonly isStreamed: boolean;
    }
  | { readonly kind: 'decode' }
  | { readonly kind: 'damaged' };

const DAMAGED: JpegVerdict = { kind: 'damaged' };
const DECODE: JpegVerdict = { kind: 'decode' };

/** Markers (T.81 table B.1). */
const MARKER = {
  /** Start of a progressive frame. */
  SOF2: 0xc2,
  EOI: 0xd9,
  SOS: 0xda,
  APP0: 0xe0,
  APP1: 0xe1,
  APP2: 0xe2,
  APP14: 0xee,
  APP15: 0xef,
  COM: 0xfe,
} as const;

/** Facts from the segments before the first scan. */
interface Segments {
  frame: {
    marker: number;
    precision: number;
    heightPx: number;
    widthPx: number;
    components: readonly number[];
  } | null;
  orientation: number;
  /** A colour profile other than sRGB is embedded. */
  isForeignProfile: boolean;
  /** Adobe's transform flag, or null without an Adobe segment. */
  adobe: number | null;
  isJfif: boolean;
  /** The segments that are embedded. */
  kept: Uint8Array[];
}

/** Reads the segments up to the first scan. */
export function readJpeg(bytes: Uint8Array): JpegVerdict {
  const segments: Segments = {
    frame: null,
    orientation: 1,
    isForeignProfile: false,
    adobe: null,
    isJfif: false,
    kept: [bytes.subarray(0, 2)],
  };
  const scanAt = readSegments(bytes, segments);
  if (scanAt < 0 || segments.frame === null) return DAMAGED;
  if (!readScans(bytes, scanAt, segments)) return DAMAGED;
  if (!canPass(segments.frame, segments)) return DECODE;
  const { widthPx, heightPx, components } = segments.frame;
  const count = components.length;
  // The first scan names the number of its components (T.81 B.2.3).
  const isStreamed = segments.frame.marker !== MARKER.SOF2 && bytes[scanAt + 4] === count;
  return {
    kind: 'pass',
    isStreamed,
    image: {
      widthPx,
      heightPx,
      filter: 'DCTDecode',
      colorSpace: colorSpaceOf(count),
      bitsPerComponent: 8,
      predictor: null,
      // Adobe's programs store CMYK inverted, and mark the file with their segment.
      invert: count === 4 && segments.adobe !== null,
      data: Buffer.concat(segments.kept),
      softMask: null,
    },
  };
}

function colorSpaceOf(componentCount: number): PreparedImage['colorSpace'] {
  if (componentCount === 1) return 'DeviceGray';
  return componentCount === 3 ? 'DeviceRGB' : 'DeviceCMYK';
}

/** The index of the first SOS marker, or -1 when the segments are broken. */
function readSegments(bytes: Uint8Array, segments: Segments): number {
  let at = 2;
  while (at + 4 <= bytes.length) {
    if (bytes[at] !== 0xff) return -1;
    const marker = bytes[at + 1] ?? 0;
    if (marker === 0xff) {
      at++;
      continue;
    }
    if (marker === MARKER.SOS) return at;
    const length = uint16(bytes, at + 2);
    const end = at + 2 + length;
    if (length < 2 || end > bytes.length) return -1;
    const body = bytes.subarray(at + 4, end);
    const isFrame =
      marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
    if (isFrame) {
      const frame = parseFrame(marker, body);
      if (segments.frame !== null || frame === null) return -1;
      segments.frame = frame;
    } else {
      readApplication(marker, body, segments);
    }
    // Readers of PDF take the colours from Adobe's segment (ISO 32000-2, table 13).
    const isAdobe = marker === MARKER.APP14 && startsWith(body, 'Adobe');
    if (!isMetadata(marker) || isAdobe) segments.kept.push(bytes.subarray(at, end));
    at = end;
  }
  return -1;
}

/** Comments, and what applications add beyond JFIF: camera, place, names, previews. */
function isMetadata(marker: number): boolean {
  return marker === MARKER.COM || (marker >= MARKER.APP1 && marker <= MARKER.APP15);
}

function parseFrame(marker: number, body: Uint8Array): Segments['frame'] {
  const count = body[5] ?? 0;
  if (body.length !== 6 + 3 * count || count === 0) return null;
  const components = Array.from({ length: count }, (_, index) => body[6 + 3 * index] ?? 0);
  return {
    marker,
    precision: body[0] ?? 0,
    heightPx: uint16(body, 1),
    widthPx: uint16(body, 3),
    components,
  };
}

function readApplication(marker: number, body: Uint8Array, segments: Segments): void {
  if (marker === MARKER.APP0 && startsWith(body, 'JFIF\0')) segments.isJfif = true;
  if (marker === MARKER.APP1 && startsWith(body, 'Exif\0\0')) {
    segments.orientation = exifOrientation(body.subarray(6));
  }
  if (marker === MARKER.APP2 && startsWith(body, 'ICC_PROFILE\0')) {
    segments.isForeignProfile ||= !isSrgbProfile(body);
  }
  if (marker === MARKER.APP14 && startsWith(body, 'Adobe') && body.length >= 12) {
    segments.adobe = body[11] ?? 0;
  }
}

function startsWith(body: Uint8Array, name: string): boolean {
  const head = Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, name.length));
  return head.toString('latin1') === name;
}

/** Whether PDF readers decode the file as libjpeg does; if not, sharp converts it. */
function canPass(frame: NonNullable<Segments['frame']>, segments: Segments): boolean {
  const { components, marker, precision } = frame;
  // SOF0 baseline, SOF1 extended with 8 bit, SOF2 progressive.
  if (marker > MARKER.SOF2 || precision !== 8 || segments.orientation !== 1) return false;
  if (components.length === 1) return true;
  // A CMYK profile cannot be honoured without colour management, so the samples pass as they are.
  if (components.length === 4) return true;
  if (components.length !== 3 || segments.isForeignProfile) return false;
  // Components named R, G, B without a JFIF or Adobe segment are RGB for libjpeg, YCbCr for PDF.
  const isNamedRgb = components.join() === '82,71,66';
  return !isNamedRgb || segments.isJfif || segments.adobe !== null;
}

/** Whether a profile is sRGB by its description, which is in its first part; later parts pass. */
function isSrgbProfile(body: Uint8Array): boolean {
  const isFirstPart = body[12] === 1;
  if (!isFirstPart) return true;
  const profile = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  return profile.includes('sRGB', 0, 'latin1') || profile.includes('s\0R\0G\0B', 0, 'latin1');
}

/** Orientation 1 to 8 of IFD0 (Exif 3.0 §4.6.5); 1 when there is none or it cannot be read. */
function exifOrientation(tiff: Uint8Array): number {
  if (tiff.length < 14) return 1;
  const view = new DataView(tiff.buffer, tiff.byteOffset, tiff.byteLength);
  const order = view.getUint16(0);
  if (order !== 0x4949 && order !== 0x4d4d) return 1;
  const isLittle = order === 0x4949;
  const ifd = view.getUint32(4, isLittle);
  if (ifd + 2 > tiff.length) return 1;
  const count = view.getUint16(ifd, isLittle);
  for (let index = 0; index < count; index++) {
    const entry = ifd + 2 + index * 12;
    if (entry + 12 > tiff.length) return 1;
    if (view.getUint16(entry, isLittle) !== 0x0112) continue;
    const orientation = view.getUint16(entry + 8, isLittle);
    return orientation >= 1 && orientation <= 8 ? orientation : 1;
  }
  return 1;
}

/**
 * Keeps the scans up to the EOI marker, without the metadata between them; what follows EOI (a
 * phone's second picture) is left out. Inside entropy-coded data 0xFF is followed by 0 or a restart
 * marker (T.81 B.1.1.5). False: there is no EOI, a segment is broken, or there are too many scans.
 */
function readScans(bytes: Uint8Array, scanAt: number, { kept }: Segments): boolean {
  let at = scanAt;
  let keptTo = scanAt;
  let scans = 0;
  while (at + 1 < bytes.length) {
    at = bytes.indexOf(0xff, at);
    if (at < 0) return false;
    const marker = bytes[at + 1] ?? 0;
    if (marker === MARKER.EOI) {
      kept.push(bytes.subarray(keptTo, at + 2));
      return true;
    }
    if (marker === MARKER.SOS && ++scans > LIMITS.jpegScansMax) return false;
    const hasLength = marker >= 0xc0 && marker !== 0xff && !(marker >= 0xd0 && marker <= 0xd8);
    if (!hasLength) {
      at += marker === 0xff ? 1 : 2;
      continue;
    }
    const length = uint16(bytes, at + 2);
    if (length < 2) return false;
    const end = at + 2 + length;
    if (isMetadata(marker)) {
      kept.push(bytes.subarray(keptTo, at));
      keptTo = end;
    }
    at = end;
  }
  return false;
}

function uint16(bytes: Uint8Array, at: number): number {
  return ((bytes[at] ?? 0) << 8) | (bytes[at + 1] ?? 0);
}
