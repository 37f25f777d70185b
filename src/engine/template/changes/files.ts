import { hash } from 'node:crypto';
import { readImageHeader } from '../../image/header.ts';

/** A data URL of base64 (RFC 2397) with its media type; parameters of the type are left out. */
const DATA_URL = /^data:([a-z]+\/[a-z0-9.+-]+)[^,]{0,200};base64,/iu;
/** Hexadecimal digits that tell one content from another. */
const DIGEST_LENGTH = 12;

/**
 * A data URL with its content's size and digest in place of the base64, as
 * `data:image/png;base64,[240x240 px, 5120 bytes, sha256 0123456789ab]`; null for any other text.
 */
export function describeFile(text: string): string | null {
  const head = DATA_URL.exec(text.slice(0, 300));
  if (head === null) return null;
  const bytes = Buffer.from(text.slice(head[0].length), 'base64');
  const header = readImageHeader(bytes);
  const size = header.ok ? `${header.value.widthPx}x${header.value.heightPx} px, ` : '';
  // The digest is of the base64 text: another encoding of the same bytes counts as a change, too.
  const digest = hash('sha256', text, 'hex').slice(0, DIGEST_LENGTH);
  const type = head[1]?.toLowerCase() ?? '';
  return `data:${type};base64,[${size}${bytes.length} bytes, sha256 ${digest}]`;
}
