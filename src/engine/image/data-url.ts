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

/** The content of a data URL, or why it is refused. */
type DataUrlOutcome =
  | { readonly ok: true; readonly value: DataUrl }
  | { readonly ok: false; readonly fault: ImageFault };

/**
 * Parses `data:image/…;base64,…` (RFC 2397). Only the header, which is bounded, is parsed here; Node
 * decodes the payload, which may fill the request. Node's decoder skips characters that are not
 * base64, so a result shorter than the length of the payload promises means that it had some.
 */
export function parseDataUrl(url: string): DataUrlOutcome {
  const header = url.slice(0, LIMITS.dataUrlHeaderMax);
  const comma = header.indexOf(',');
  const isDataUrl = header.slice(0, 5).toLowerCase() === 'data:';
  if (!isDataUrl || comma < 0) return { ok: false, fault: 'notDataUrl' };
  const [type, ...parameters] = header.slice(5, comma).toLowerCase().split(';');
  if (parameters.at(-1) !== 'base64') return { ok: false, fault: 'notDataUrl' };
  const format = FORMATS.get(type ?? '');
  if (format === undefined) return { ok: false, fault: 'type' };
  const payload = url.slice(comma + 1);
  const bytes = decodeBase64(payload);
  if (bytes === null || bytes.length === 0) return { ok: false, fault: 'base64' };
  return { ok: true, value: { format, bytes } };
}

/** Number of `=` at the end. */
function paddingOf(payload: string): number {
  if (payload.endsWith('==')) return 2;
  return payload.endsWith('=') ? 1 : 0;
}

/** Strict RFC 4648 §4 base64 with padding; null for anything else. */
function decodeBase64(payload: string): Uint8Array | null {
  // Node takes the URL alphabet as well.
  if (payload.length % 4 !== 0 || payload.includes('-') || payload.includes('_')) return null;
  const bytes = Buffer.from(payload, 'base64');
  return bytes.length === (payload.length / 4) * 3 - paddingOf(payload) ? bytes : null;
}
