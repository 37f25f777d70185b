import { createHash, randomUUID } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';

import { DigestError } from './errors.ts';
import type { Answer } from './transport.ts';

/** A PDF in memory. */
export interface Pdf {
  readonly bytes: Uint8Array;
  /** SHA-256 in hexadecimal, computed while the file came in. */
  readonly sha256: string;
  /** Request id of the call that gave it. */
  readonly requestId: string;
}

/** A file that was written whole. */
export interface WrittenFile {
  readonly path: string;
  readonly bytes: number;
  /** SHA-256 in hexadecimal, computed while the file came in. */
  readonly sha256: string;
  /** Request id of the call that gave it. */
  readonly requestId: string;
}

/** Reads a body into memory. Throws DigestError when the answer names another digest. */
export async function readPdf(answer: Answer): Promise<Pdf> {
  const hash = createHash('sha256');
  const chunks: Uint8Array[] = [];
  for await (const chunk of answer.chunks()) {
    hash.update(chunk);
    chunks.push(chunk);
  }
  return { bytes: Buffer.concat(chunks), ...told(answer, hash.digest('hex')) };
}

/**
 * Writes a body beside `path` and renames it when it is whole and has its digest, so that a reader
 * of `path` never finds a part. A failure leaves nothing behind.
 */
export async function writeBody(answer: Answer, path: string): Promise<WrittenFile> {
  const hash = createHash('sha256');
  const partial = `${path}.${randomUUID()}.part`;
  let bytes = 0;
  const file = await open(partial, 'wx');
  try {
    try {
      for await (const chunk of answer.chunks()) {
        hash.update(chunk);
        bytes += chunk.byteLength;
        await file.writeFile(chunk);
      }
    } finally {
      await file.close();
    }
    const written = { path, bytes, ...told(answer, hash.digest('hex')) };
    await rename(partial, path);
    return written;
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

/** A stored document's ETag is its SHA-256; other answers have none. */
function told({ headers }: Answer, sha256: string): { sha256: string; requestId: string } {
  const expected = /^"([0-9a-f]{64})"$/.exec(headers.get('etag') ?? '')?.[1];
  if (expected !== undefined && expected !== sha256) throw new DigestError(expected, sha256);
  return { sha256, requestId: headers.get('x-request-id') ?? '' };
}
