import { inflateSync } from 'node:zlib';

/** The parts of a file that are readable without a key. */
export interface OpenBytes {
  /** The bytes of the file as text, with its streams as they are. */
  readonly raw: string;
  /** Contents of the streams that inflate. */
  readonly inflated: readonly string[];
  /** The XMP packet as UTF-8; '' when it cannot be read. */
  readonly xmp: string;
}

const STREAM = /stream\r?\n/g;

/** Searches a file without a password: byte by byte, inflating every stream that it can. */
export function openBytes(pdf: Buffer): OpenBytes {
  const raw = pdf.toString('latin1');
  const inflated: string[] = [];
  for (const match of raw.matchAll(STREAM)) {
    if (raw.startsWith('end', match.index - 3)) continue;
    const from = match.index + match[0].length;
    const content = inflate(pdf.subarray(from));
    if (content !== null) inflated.push(content);
  }
  const start = pdf.indexOf('<?xpacket begin=');
  const end = pdf.indexOf('<?xpacket end="r"?>');
  return { raw, inflated, xmp: start < 0 ? '' : pdf.toString('utf8', start, end) };
}

/** The content of the zlib stream that begins the bytes; null when there is none. */
function inflate(bytes: Buffer): string | null {
  // RFC 1950 §2.2: method 8, and a header that is a multiple of 31.
  const [method = 0, flags = 0] = bytes;
  if ((method & 0x0f) !== 8 || (method * 256 + flags) % 31 !== 0) return null;
  try {
    return inflateSync(bytes).toString('latin1');
  } catch (error) {
    if (error instanceof Error && 'code' in error) return null;
    throw error;
  }
}
