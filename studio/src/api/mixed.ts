import { readBody } from './client.ts';

/** A reply of JSON, or of JSON and a file (multipart/mixed, RFC 2046 §5.1.3). */
export interface Mixed<T> {
  readonly json: T;
  readonly file: Uint8Array | null;
}

const BOUNDARY = /^multipart\/mixed; *boundary="?([^";]+)/i;

/** Reads a reply whose JSON part is a `T` and whose second part, if any, is a file. */
export async function readMixed<T>(response: Response): Promise<Mixed<T>> {
  const [, boundary] = BOUNDARY.exec(response.headers.get('content-type') ?? '') ?? [];
  if (boundary === undefined) return { json: (await readBody(response.json())) as T, file: null };
  const bytes = new Uint8Array(await readBody(response.arrayBuffer()));
  const [json, file] = splitParts(bytes, boundary);
  if (json === undefined || file === undefined) throw new SyntaxError('a part is missing');
  return { json: JSON.parse(new TextDecoder().decode(json)) as T, file: file.slice() };
}

/** The contents of the parts. */
export function splitParts(bytes: Uint8Array, boundary: string): readonly Uint8Array[] {
  const encoder = new TextEncoder();
  const delimiter = encoder.encode(`\r\n--${boundary}`);
  const headEnd = encoder.encode('\r\n\r\n');
  const parts: Uint8Array[] = [];
  // The first delimiter has no line before it.
  let at = delimiter.length - 2;
  for (;;) {
    const contentAt = indexOf(bytes, headEnd, at);
    const end = contentAt === -1 ? -1 : indexOf(bytes, delimiter, contentAt + headEnd.length - 2);
    if (end === -1) return parts;
    parts.push(
      bytes.subarray(contentAt + headEnd.length, Math.max(end, contentAt + headEnd.length)),
    );
    at = end + delimiter.length;
  }
}

/** Where `wanted` begins, at or after `from`; -1: nowhere. */
function indexOf(bytes: Uint8Array, wanted: Uint8Array, from: number): number {
  const [first = 0] = wanted;
  for (let at = bytes.indexOf(first, from); at !== -1; at = bytes.indexOf(first, at + 1)) {
    if (wanted.every((byte, index) => bytes[at + index] === byte)) return at;
  }
  return -1;
}
