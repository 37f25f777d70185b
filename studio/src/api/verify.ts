import { callJson } from './client.ts';
import type { Verification } from './types.ts';

/** A file and what the service says of its digest. */
export interface CheckedFile {
  readonly name: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly result: Verification;
  /** The answer for the part of the file that was issued, from its start; null: no such part. */
  readonly changedFrom: Verification | null;
}

/** Verifies a file, of which only digests are sent. Throws a DOMException when it cannot be read. */
export async function checkFile(file: File): Promise<CheckedFile> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const sha256 = await digestOf(bytes);
  const result = await verify({ sha256 });
  const changedFrom = isKnown(result) ? null : await findOriginal(bytes);
  return { name: file.name, bytes: file.size, sha256, result, changedFrom };
}

export function verify(body: { sha256: string } | { reference: string }): Promise<Verification> {
  return callJson<Verification>('/v1/verify', { method: 'POST', body });
}

function isKnown({ issued, madeHere, drafts }: Verification): boolean {
  return issued || madeHere.length + drafts.length > 0;
}

/** Limit of the beginnings that are looked up: each is a request, and a digest of up to the file. */
const ENDS_MAX = 8;

/**
 * Finds the document that the file begins with: programs that add something, such as a comment, leave
 * the bytes before it as they are (ISO 32000-2 §7.5.6).
 */
async function findOriginal(bytes: Uint8Array<ArrayBuffer>): Promise<Verification | null> {
  for (const end of earlierEnds(bytes).slice(0, ENDS_MAX).toReversed()) {
    const found = await verify({ sha256: await digestOf(bytes.subarray(0, end)) });
    if (found.issued || found.madeHere.length > 0) return found;
  }
  return null;
}

/** The end of each file that the service makes. */
const FILE_END = new TextEncoder().encode('%%EOF\n');
const PERCENT = 0x25;

/** Where shorter files end that the file begins with, the shortest first. */
export function earlierEnds(bytes: Uint8Array): readonly number[] {
  const ends: number[] = [];
  for (let at = bytes.indexOf(PERCENT); at !== -1; at = bytes.indexOf(PERCENT, at + 1)) {
    const end = at + FILE_END.length;
    if (end >= bytes.length) break;
    if (FILE_END.every((byte, offset) => bytes[at + offset] === byte)) ends.push(end);
  }
  return ends;
}

async function digestOf(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', bytes);
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
