import { createHash, randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';

import { checkPath } from './arguments.ts';
import { BadAnswerError, DigestError, FileError, fileError, NoDocumentError } from './errors.ts';
import { type Answer, cutOff, Lines, NDJSON, parseRow, type RowKind } from './reading.ts';

/** Checks the path that a call writes to: a folder, device, pipe or socket there is not replaced. */
export function checkTarget(path: string): void {
  checkPath(path);
  let found;
  try {
    found = statSync(path, { throwIfNoEntry: false });
  } catch (error) {
    throw fileError(path, error);
  }
  if (found === undefined || found.isFile()) return;
  const kind = found.isDirectory() ? 'a folder' : 'a device, a pipe or a socket';
  throw new FileError(`${path} cannot be written: it is ${kind}, not a file`);
}

/** A PDF in memory. */
export interface Pdf {
  readonly bytes: Uint8Array;
  /** SHA-256 in hexadecimal, computed while the file came in. */
  readonly sha256: string;
  /**
   * Whether it was compared with the SHA-256 that the caller gave, or else with that of the answer. If
   * not, only the shape of the file was checked: documents that are not stored have none.
   */
  readonly verified: boolean;
  /** Request id of the call that gave it. */
  readonly requestId: string;
}

/** A file that was written whole. */
export interface WrittenFile {
  readonly path: string;
  readonly bytes: number;
  /** SHA-256 in hexadecimal, computed while the file came in. */
  readonly sha256: string;
  /**
   * Whether it was compared with the SHA-256 that the caller gave, or else with that of the answer. If
   * not, only the shape of the file was checked: documents that are not stored have none.
   */
  readonly verified: boolean;
  /** Request id of the call that gave it. */
  readonly requestId: string;
}

/** How a file says what it is: its media type, its first bytes, and bytes near its end. */
const KINDS = {
  // ISO 32000-2 §7.5.2 and §7.5.5.
  pdf: { name: 'PDF', type: 'application/pdf', first: '%PDF-', last: '%%EOF' },
  // The record that ends the directory of a ZIP archive (APPNOTE 4.3.16).
  zip: { name: 'ZIP archive', type: 'application/zip', first: 'PK', last: 'PK\u0005\u0006' },
  // Each line is checked.
  manifest: { name: 'manifest', type: NDJSON, first: '', last: '' },
  printIndex: { name: 'print index', type: NDJSON, first: '', last: '' },
  // It has no marks: HTTP alone tells whether it is whole.
  csv: { name: 'CSV', type: 'text/csv', first: '', last: '' },
} as const;
/** Longest PDF in memory; the service's have at most 64 MB. */
const PDF_BYTES_MAX = 128 * 1024 ** 2;
/** `last` stands within this many bytes of the end. */
const END_BYTES = 1_024;

/** What a file is compared with. */
export interface Demand {
  /** null: with the digest that the answer tells. */
  readonly sha256: string | null;
  /** Whether a file is refused that can be compared with nothing. */
  readonly requireDigest: boolean;
}

const NO_DEMAND: Demand = { sha256: null, requireDigest: false };

/** The kind of file that a call gives. */
export type FileKind = keyof typeof KINDS;

/**
 * Reads a PDF into memory. Throws NoDocumentError when the answer is no whole PDF, and DigestError
 * when it names another digest.
 */
export async function readPdf(answer: Answer, demand: Demand = NO_DEMAND): Promise<Pdf> {
  const hash = createHash('sha256');
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of wholeFile(answer, 'pdf')) {
    bytes += chunk.byteLength;
    if (bytes > PDF_BYTES_MAX)
      throw new NoDocumentError('the PDF is longer than any of the service');
    hash.update(chunk);
    chunks.push(chunk);
  }
  return { bytes: joined(chunks), ...told(answer, demand, hash.digest('hex')) };
}

/**
 * Writes a body beside `path`, readable by its owner alone, and renames it when it is whole and has
 * its digest, so that a reader of `path` never finds a part. A failure leaves nothing behind.
 */
export async function writeBody(
  answer: Answer,
  path: string,
  kind: FileKind = 'pdf',
  demand: Demand = NO_DEMAND,
): Promise<WrittenFile> {
  const hash = createHash('sha256');
  const partial = `${path}.${randomUUID()}.part`;
  let bytes = 0;
  const file = await open(partial, 'wx', 0o600).catch((error: unknown) => fileFault(path, error));
  try {
    try {
      for await (const chunk of wholeFile(answer, kind)) {
        hash.update(chunk);
        bytes += chunk.byteLength;
        await file.writeFile(chunk).catch((error: unknown) => fileFault(path, error));
      }
    } finally {
      await file.close();
    }
    const written = { path, bytes, ...told(answer, demand, hash.digest('hex')) };
    await rename(partial, path).catch((error: unknown) => fileFault(path, error));
    return written;
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}

function fileFault(path: string, error: unknown): never {
  throw fileError(path, error);
}

/**
 * The chunks of a file. Throws NoDocumentError as soon as it is none of its kind: a proxy may answer
 * 200 with a page for people, and a body without a length may break off unseen.
 */
async function* wholeFile(
  answer: Answer,
  kind: FileKind,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { name, type, first, last } = KINDS[kind];
  // 206, for one, is a part of the file, for which nobody asked.
  if (answer.status !== 200) {
    answer.leave();
    throw new NoDocumentError(`the answer is no whole ${name}: status ${answer.status}`);
  }
  const rows = kind === 'manifest' || kind === 'printIndex' ? new Rows(kind) : null;
  const given = answer.header('content-type').split(';', 1)[0]?.trim().toLowerCase();
  let begin = '';
  let end: Uint8Array = new Uint8Array(0);
  for await (const chunk of answer.chunks()) {
    // Leaving the loop ends the request.
    if (given !== type) break;
    if (begin.length < first.length) {
      begin += latin1(chunk.subarray(0, first.length - begin.length));
      if (!first.startsWith(begin)) break;
    }
    const tail = chunk.subarray(-END_BYTES);
    end = tail.length === END_BYTES ? tail : Buffer.concat([end, tail]).subarray(-END_BYTES);
    rows?.check(chunk);
    yield chunk;
  }
  rows?.checkEnd();
  if (given !== type || begin !== first) {
    throw new NoDocumentError(`the answer is no ${name}; does a proxy answer?`);
  }
  const ending = latin1(end);
  const at = ending.lastIndexOf(last);
  if (at === -1) throw new NoDocumentError(`the ${name} was cut off`);
  if (kind === 'pdf' && !/^[\s\0]*$/.test(ending.slice(at + last.length))) {
    throw new NoDocumentError('something else stands behind the end of the PDF');
  }
}

/** Checks the rows of a list while it is written. Throws NoDocumentError. */
class Rows {
  readonly #lines = new Lines();
  readonly #kind: RowKind;

  constructor(kind: RowKind) {
    this.#kind = kind;
  }

  check(chunk: Uint8Array): void {
    try {
      for (const line of this.#lines.of(chunk)) parseRow(line, this.#kind);
    } catch (error) {
      throw error instanceof BadAnswerError ? new NoDocumentError(error.message) : error;
    }
  }

  checkEnd(): void {
    if (!this.#lines.isEnded) throw new NoDocumentError(cutOff().message);
  }
}

function latin1({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('latin1');
}

/** One piece of bytes, of which most documents are, is not copied unless it would keep others alive. */
function joined(chunks: readonly Uint8Array[]): Uint8Array {
  const [only, ...more] = chunks;
  const isWhole = only !== undefined && only.buffer.byteLength < 2 * only.byteLength;
  return isWhole && more.length === 0 ? only : Buffer.concat(chunks);
}

/**
 * The SHA-256 that stands in an ETag, which a stored document has. A proxy that compresses makes a weak
 * tag of it (RFC 9110 §8.8.1) or adds how it does so: the bytes are the same once they are unpacked.
 */
const TAG = /^(?:W\/)?"([0-9a-f]{64})(?:-(?:gzip|br|zstd))?"$/i;

/** Throws DigestError for another file than the one that is expected. */
function told(
  { header }: Answer,
  { sha256: given, requireDigest }: Demand,
  sha256: string,
): Pick<Pdf, 'sha256' | 'verified' | 'requestId'> {
  const expected = given ?? TAG.exec(header('etag'))?.[1]?.toLowerCase() ?? null;
  const verified = expected === sha256;
  if (!verified && (expected !== null || requireDigest)) throw new DigestError(expected, sha256);
  return { sha256, verified, requestId: header('x-request-id') };
}
