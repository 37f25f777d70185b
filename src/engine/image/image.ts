import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { LIMITS } from '../../limits.ts';
import type { DecodeBudget } from './decode-budget.ts';
import type { Decoded, Decoding, Effort } from './decode.ts';
import { decodeImage, verifyJpeg } from './decode.ts';
import type { ImageHeader } from './header.ts';
import { readImageHeader } from './header.ts';
import { packImage } from './pack.ts';
import { readJpeg } from './jpeg.ts';
import { readPng } from './png.ts';
import type { PreparedImage } from './prepared.ts';

export type { PreparedImage } from './prepared.ts';

/** The image, or why it is refused. */
export type ImageOutcome = Decoded<PreparedImage>;

/** Heap overhead of a cache entry, which exceeds the data of a tiny image. */
const IMAGE_OVERHEAD_BYTES = 8 * 1024;

/**
 * Prepared images by content hash: a logo that comes with 10,000 requests is decoded once. A value
 * depends on bytes and effort alone, so a hit changes nothing but the time.
 */
const cache = new LRUCache<string, PreparedImage>({
  maxSize: LIMITS.imageCacheBytesMax,
  sizeCalculation: ({ data, softMask }) =>
    IMAGE_OVERHEAD_BYTES + data.length + (softMask?.data.length ?? 0),
});

/** The image of these bytes if it was prepared before in this thread, else null. */
export function cachedImage(bytes: Uint8Array, effort: Effort = 'fast'): PreparedImage | null {
  return cache.get(cacheKey(bytes, effort)) ?? null;
}

/**
 * Prepares a PNG, JPEG, GIF or WebP file for embedding. It checks the header against the limits
 * before it decodes the whole image. JPEG and opaque PNG data are embedded as they came if they
 * decode without a fault; the rest is encoded again. With `effort` best, for images of templates,
 * the pixels are then packed into the fewest bytes. The result owns its bytes.
 */
export async function prepareImage(
  bytes: Uint8Array,
  budget: DecodeBudget,
  effort: Effort = 'fast',
): Promise<ImageOutcome> {
  const header = readImageHeader(bytes);
  if (!header.ok) return header;
  const key = cacheKey(bytes, effort);
  const known = cache.get(key);
  if (known !== undefined) return { ok: true, value: known };
  const outcome = await prepare(bytes, header.value, { effort, budget });
  if (!outcome.ok) return outcome;
  const prepared = effort === 'best' ? packImage(outcome.value) : outcome.value;
  const { softMask } = prepared;
  const image: PreparedImage = {
    ...prepared,
    softMask: softMask === null ? null : { ...softMask, key: `${key}m` },
    key,
  };
  cache.set(key, image);
  return { ok: true, value: image };
}

function cacheKey(bytes: Uint8Array, effort: Effort): string {
  const digest = hash('sha256', bytes, 'hex').slice(0, 32);
  return effort === 'best' ? `${digest}b` : digest;
}

async function prepare(
  bytes: Uint8Array,
  header: ImageHeader,
  decoding: Decoding,
): Promise<Decoded<Omit<PreparedImage, 'key'>>> {
  switch (header.format) {
    case 'png': {
      const verdict = await readPng(bytes, decoding.effort);
      if (verdict.kind === 'damaged') return { ok: false, fault: 'damaged' };
      if (verdict.kind === 'pass') return { ok: true, value: verdict.image };
      return decodeImage(bytes, header, false, decoding);
    }
    case 'jpeg': {
      const verdict = readJpeg(bytes);
      if (verdict.kind === 'damaged') return { ok: false, fault: 'damaged' };
      if (verdict.kind === 'decode') return decodeImage(bytes, header, true, decoding);
      const { image, isStreamed } = verdict;
      const verified = await verifyJpeg(image.data, header, isStreamed, decoding.budget);
      return verified.ok ? { ok: true, value: image } : verified;
    }
    case 'gif':
      return decodeImage(bytes, header, false, decoding);
    case 'webp':
      return decodeImage(bytes, header, isLossyWebp(bytes), decoding);
  }
}

/** Whether the file is a still image of lossy VP8, not of lossless VP8L (RFC 9649 §2.5). */
function isLossyWebp(bytes: Uint8Array): boolean {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 12; at + 8 <= head.length;) {
    const type = head.toString('latin1', at, at + 4);
    if (type === 'VP8 ') return true;
    if (type === 'VP8L' || type === 'ANMF') return false;
    const length = head.readUInt32LE(at + 4);
    at += 8 + length + (length % 2);
  }
  return false;
}
