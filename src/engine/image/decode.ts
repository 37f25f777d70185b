import type { Sharp } from 'sharp';
import { LIMITS } from '../../limits.ts';
import type { DecodeBudget, PixelLoan } from './decode-budget.ts';
import type { PreparedImage } from './prepared.ts';
import { readJpeg } from './jpeg.ts';
import type { PngOptions, RawPixels } from './png-choice.ts';
import {
  FILTERED_9,
  choosePng,
  FILTERED_6,
  FILTERED_1,
  UNFILTERED_2,
  sampleOf,
} from './png-choice.ts';
import { readOwnPng } from './png.ts';
import type { ImageFault } from './fault.ts';

/**
 * The only file that calls libvips. Its threads cannot be ended from outside, so each call carries a
 * limit of pixels and time, and takes its pixels from a budget that several threads may share. Every
 * loader is blocked except those of the four formats, whatever a file claims to be.
 */

type SharpModule = typeof import('sharp').default;

/** How much time deflating may take: `fast` for a request's images, `best` for a template's. */
export type Effort = 'fast' | 'best';

/** How an image is decoded. */
export interface Decoding {
  readonly effort: Effort;
  readonly budget: DecodeBudget;
}

export type Decoded<T> = { readonly ok: true; readonly value: T } | DecodeFailure;
export interface DecodeFailure {
  readonly ok: false;
  /** `busy`: the image was not examined, because others used the decoding budget for too long. */
  readonly fault: ImageFault | 'busy';
}

/**
 * Larger images are encoded for speed. Optimised Huffman tables would make a JPEG smaller, but take
 * 11 more bytes of memory per pixel; a request's PNG is written as `choosePng` says, or with a lower
 * level.
 */
const OPTIMISED_PIXELS_MAX = 4_000_000;

export interface Size {
  readonly widthPx: number;
  readonly heightPx: number;
}

/** A fault after this time is taken for a timeout of libvips. */
const LATE_MS = LIMITS.imageDecodeSecondsMax * 1_000 - 100;

let loading: Promise<SharpModule> | null = null;

/** Loads sharp when the first image needs it; most documents never do. */
function loadSharp(): Promise<SharpModule> {
  loading ??= import('sharp').then(({ default: sharp }) => {
    sharp.block({ operation: ['VipsForeignLoad'] });
    sharp.unblock({
      operation: [
        'VipsForeignLoadPngBuffer',
        'VipsForeignLoadJpegBuffer',
        'VipsForeignLoadWebpBuffer',
        'VipsForeignLoadNsgifBuffer',
      ],
    });
    sharp.cache(false);
    sharp.concurrency(1);
    return sharp;
  });
  return loading;
}

function open(sharp: SharpModule, bytes: Uint8Array): Sharp {
  return sharp(bytes, {
    failOn: 'warning',
    limitInputPixels: LIMITS.imagePixelsMax,
    pages: 1,
    sequentialRead: true,
  }).timeout({ seconds: LIMITS.imageDecodeSecondsMax });
}

/** Runs `step` with a loan for all pixels of the image, which it holds in memory at once. */
async function borrow<T>(
  budget: DecodeBudget,
  { widthPx, heightPx }: Size,
  step: (loan: PixelLoan) => Promise<Decoded<T> | null>,
): Promise<Decoded<T>> {
  const loan = await budget.take(widthPx * heightPx);
  if (loan === null) return { ok: false, fault: 'busy' };
  try {
    return await guard(() => step(loan));
  } finally {
    loan.release();
  }
}

/**
 * Decodes a whole JPEG that will be passed through, and discards the pixels. Decoding at an eighth
 * of the size reads all entropy-coded data but skips most of the other work. A file with one scan
 * (`isStreamed`) needs a few rows in memory at a time, hence no loan.
 */
export async function verifyJpeg(
  bytes: Uint8Array,
  size: Size,
  isStreamed: boolean,
  budget: DecodeBudget,
): Promise<Decoded<null>> {
  const sharp = await loadSharp();
  const verify = async (): Promise<Decoded<null> | null> => {
    const { width, height } = await open(sharp, bytes).metadata();
    if (width !== size.widthPx || height !== size.heightPx) return null;
    await open(sharp, bytes)
      .resize({ width: eighth(width), height: eighth(height), fit: 'fill', kernel: 'nearest' })
      .raw()
      .toBuffer();
    return { ok: true, value: null };
  };
  return isStreamed ? guard(verify) : borrow(budget, size, verify);
}

/**
 * Decodes any of the four formats and re-encodes it as the PDF embeds it: upright, first frame,
 * sRGB or grey, 8 bit, alpha as a soft mask. `isLossy` sources become JPEG, others Flate.
 */
export async function decodeImage(
  bytes: Uint8Array,
  size: Size,
  isLossy: boolean,
  { effort, budget }: Decoding,
): Promise<Decoded<Omit<PreparedImage, 'key'>>> {
  const sharp = await loadSharp();
  return borrow(budget, size, async (loan) => {
    const { hasAlpha, space } = await open(sharp, bytes).metadata();
    const isGrey = space === 'b-w' || space === 'grey16';
    const colors = isGrey ? 'b-w' : 'srgb';
    const upright = open(sharp, bytes).autoOrient();
    const canChoose = effort === 'fast' && isLarge(size) && !isLossy;
    if (!hasAlpha && !canChoose) {
      const image = upright.toColourspace(colors);
      return embed(await encode(image, isLossy, usualPng(effort, size), size), null);
    }

    // Raw grey output would lose its alpha, so ask for four channels in any case.
    const { data, info } = await upright
      .toColourspace('srgb')
      .ensureAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    if (info.channels !== 4) return null;
    const decoded: DecodedPixels = {
      sharp,
      loan,
      raw: { data, width: info.width, height: info.height, channels: info.channels },
      fileBytesPerPixel: bytes.length / (info.width * info.height),
    };
    const encodePlane = async (plane: Plane, lossy: boolean): Promise<Buffer> => {
      const png = canChoose ? await chooseBySample(decoded, plane) : usualPng(effort, size);
      return encode(planeOf(decoded, decoded.raw, plane), lossy, png, size);
    };
    const color = await encodePlane(isGrey ? 'grey' : 'color', isLossy);
    if (!hasAlpha || isOpaque(data, info.channels)) return embed(color, null);
    return embed(color, await encodePlane('alpha', false));
  });
}

/** An eighth of a side, but at least one pixel. */
function eighth(sidePx: number): number {
  return Math.max(1, Math.ceil(sidePx / 8));
}

/** An image of four channels in memory. */
interface DecodedPixels {
  readonly sharp: SharpModule;
  readonly loan: PixelLoan;
  readonly raw: RawPixels;
  /** Size of the file that it was decoded from. */
  readonly fileBytesPerPixel: number;
}

/** The channels that become one image of the PDF. */
type Plane = 'color' | 'grey' | 'alpha';

/** One plane of the decoded pixels, or of a sample of them. */
function planeOf(
  { sharp, loan }: DecodedPixels,
  { data, width, height, channels }: RawPixels,
  plane: Plane,
): Sharp {
  loan.renew();
  const pixels = sharp(data, {
    raw: { width, height, channels },
    limitInputPixels: LIMITS.imagePixelsMax,
  }).timeout({ seconds: LIMITS.imageDecodeSecondsMax });
  switch (plane) {
    case 'color':
      return pixels.removeAlpha();
    case 'grey':
      // The first of the four channels is the grey; converting the colour would cost four times as
      // much.
      return pixels.extractChannel(0);
    case 'alpha':
      return pixels.extractChannel(3);
  }
}

/** Chooses how to write a plane of a large image, after writing a sample of it in two ways. */
async function chooseBySample(decoded: DecodedPixels, plane: Plane): Promise<PngOptions> {
  const sample = sampleOf(decoded.raw);
  const plain = await planeOf(decoded, sample, plane).png(UNFILTERED_2).toBuffer();
  const filtered = await planeOf(decoded, sample, plane).png(FILTERED_1).toBuffer();
  const pixels = sample.width * sample.height;
  const raw = pixels * (plane === 'color' ? 3 : 1);
  const bytes = { pixels, raw, plain: plain.length, filtered: filtered.length };
  return choosePng(bytes, decoded.fileBytesPerPixel);
}

function isLarge({ widthPx, heightPx }: Size): boolean {
  return widthPx * heightPx > OPTIMISED_PIXELS_MAX;
}

function usualPng(effort: Effort, size: Size): PngOptions {
  if (effort === 'best') return FILTERED_9;
  return isLarge(size) ? FILTERED_1 : FILTERED_6;
}

function encode(image: Sharp, isLossy: boolean, png: PngOptions, size: Size): Promise<Buffer> {
  if (!isLossy) return image.png(png).toBuffer();
  const optimiseCoding = !isLarge(size);
  return image.jpeg({ quality: 92, chromaSubsampling: '4:4:4', optimiseCoding }).toBuffer();
}

/** Reads back what libvips wrote. */
function embed(color: Buffer, alpha: Buffer | null): Decoded<Omit<PreparedImage, 'key'>> | null {
  const image = readEncoded(color);
  if (image === null) return null;
  if (alpha === null) return { ok: true, value: image };
  const mask = readEncoded(alpha);
  if (mask === null) return null;
  return { ok: true, value: { ...image, softMask: { ...mask, key: '' } } };
}

function readEncoded(bytes: Buffer): Omit<PreparedImage, 'key'> | null {
  if (bytes[0] === 0x89) return readOwnPng(bytes);
  const verdict = readJpeg(bytes);
  return verdict.kind === 'pass' ? verdict.image : null;
}

/** True when every alpha sample is 255. */
function isOpaque(data: Uint8Array, channels: number): boolean {
  for (let at = channels - 1; at < data.length; at += channels) {
    if (data[at] !== 255) return false;
  }
  return true;
}

/**
 * libvips reports every fault of a file as a plain Error with a free text. A timeout is recognised
 * by the elapsed time, not by that text. Errors of this service's code (TypeError, RangeError, …)
 * do not come from libvips and are rethrown.
 */
async function guard<T>(step: () => Promise<Decoded<T> | null>): Promise<Decoded<T>> {
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
  }, LATE_MS);
  try {
    return (await step()) ?? { ok: false, fault: 'damaged' };
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'Error') throw error;
    return { ok: false, fault: isLate ? 'slow' : 'damaged' };
  } finally {
    clearTimeout(timer);
  }
}
