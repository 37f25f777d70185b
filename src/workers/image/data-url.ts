import { LIMITS } from '../../limits.ts';
import type { ImageFormat } from './header.ts';
import type { ImageFault } from './fault.ts';

/** The bytes of a base64 data URL and the format it claims. */
export interface DataUrl {
  readonly format: ImageFormat;
  readonly bytes: Uint8Array;
}

const FORMATS: ReadonlyMap<string, ImageFormat> = new Map([
  ['image/png', 'png'],
  ['image/jpeg', 'jpeg'],
  // Not a registered type, yet what many programs write.
  ['image/jpg', 'jpeg'],
  ['image/gif', 'gif'],
  ['image/webp', 'webp'],
]);

/**
 * Parses `data:image/…;base64,…` (RFC 2397). Only the bounded header is parsed here; the payload,
 * up to a megabyte, goes through Node's decoder, whose leniency is undone by comparing lengths: it
 * skips what is not base64, so anything foreign makes the result shorter.
 */
export function parseDataUrl(url: string): DataUrl | ImageFault {
  const header = url.slice(0, LIMITS.dataUrlHeaderMax);
  const comma = header.indexOf(',');
  const isDataUrl = header.slice(0, 5).toLowerCase() === 'data:';
  if (!isDataUrl || comma < 0) return 'notDataUrl';
  const [type, ...parameters] = header.slice(5, comma).toLowerCase().split(';');
  if (parameters.at(-1) !== 'base64') return 'notDataUrl';
  const format = FORMATS.get(type ?? '');
  if (format === undefined) return 'type';
  const payload = url.slice(comma + 1);
  const bytes = decodeBase64(payload);
  return bytes === null || bytes.length === 0 ? 'base64' : { format, bytes };
}

/** Strict RFC 4648 §4 base64 with padding; null for anything else. */
function decodeBase64(payload: string): Uint8Array | null {
  // Node takes the URL alphabet as well.
  if (payload.length % 4 !== 0 || payload.includes('-') || payload.includes('_')) return null;
  const padding = payload.endsWith('==') ? 2 : payload.endsWith('=') ? 1 : 0;
  const bytes = Buffer.from(payload, 'base64');
  return bytes.length === (payload.length / 4) * 3 - padding ? bytes : null;
}
