import {
  type FileEntry,
  type FileKind,
  type FileStore,
  readFileName,
  storedName,
} from './files.ts';
import { copyBytes } from '../../runtime/memory/copy-bytes.ts';
import { releaseBuffer } from '../../runtime/memory/release-buffer.ts';
import { isUuid } from '../ids.ts';
import {
  expectStatus,
  isNoSuchKey,
  parseList,
  provesBody,
  type Window,
  windowOf,
} from './s3-answers.ts';
import { S3Client } from './s3-client.ts';
import { FileMissing } from './faults.ts';
import { type StoredFile, StorageUnavailable } from '../terms.ts';

export interface S3Settings {
  /** `s3://accessKey:secret@host[:port]/bucket[/prefix][?region=…][&tls=off]`. */
  readonly url: string;
  readonly timeoutMs: number;
  readonly putsMax: number;
}

const LIST_BATCH = 500;
/** Bytes that one request reads: enough for most documents. */
export const WINDOW_BYTES = 1024 * 1024;
const NOTE_BYTES_MAX = 64 * 1024;
const PROBE = Buffer.from('probe');
const LIST_BYTES_MAX = 4 * 1024 * 1024;
/** Limit of consecutive empty pages: a server that filters keys sends some, a faulty one no end. */
const EMPTY_PAGES_MAX = 1_000;

/**
 * Files in S3-compatible object storage, for several machines: `prefix/<id>.pdf`. A PUT is atomic.
 * The status 200 alone does not prove that it is durable, because a proxy may send it: the ETag, or
 * a read, must show that the server holds the bytes.
 */
export class S3Files implements FileStore {
  readonly #client: S3Client;
  readonly #putsMax: number;
  #puts = 0;

  constructor({ url, timeoutMs, putsMax }: S3Settings) {
    this.#client = new S3Client(url, timeoutMs);
    this.#putsMax = putsMax;
  }

  async put(
    id: string,
    bytes: Uint8Array | readonly Uint8Array[],
    kind: FileKind = 'document',
  ): Promise<void> {
    if (this.#puts >= this.#putsMax) {
      throw new StorageUnavailable('too many files are being written');
    }
    this.#puts += 1;
    try {
      const body = bytes instanceof Uint8Array ? bytes : joinAndFree(bytes);
      await this.#write(this.#key(id, kind), body, 'store a file');
    } finally {
      this.#puts -= 1;
    }
  }

  async #write(key: string, body: Uint8Array, step: string): Promise<void> {
    const answer = await this.#client.request({ method: 'PUT', key, body });
    expectStatus(answer, [200], step);
    if (!(await provesBody(answer, body))) await this.#compare(key, body);
  }

  /** Reads back what was written. Throws StorageUnavailable unless it is the same. */
  async #compare(key: string, body: Uint8Array): Promise<void> {
    for (let at = 0; at < body.byteLength; at += WINDOW_BYTES) {
      const wanted = body.subarray(at, at + WINDOW_BYTES);
      const answer = await this.#client.request({
        method: 'GET',
        key,
        headers: { range: `bytes=${at}-${at + wanted.byteLength - 1}` },
        bytesMax: wanted.byteLength,
      });
      expectStatus(answer, [206], 'read back what was written');
      const { bytes, total } = windowOf(answer, at);
      if (total !== body.byteLength || Buffer.compare(bytes, wanted) !== 0) {
        throw new StorageUnavailable('the object store holds other bytes than were written');
      }
    }
  }

  async open(id: string, kind: FileKind = 'document', position = 0): Promise<StoredFile> {
    const first = await this.#range(id, kind, position, WINDOW_BYTES);
    return new S3File(first, (from, length) => this.#range(id, kind, from, length));
  }

  async #range(id: string, kind: FileKind, position: number, length: number): Promise<Window> {
    const answer = await this.#client.request({
      method: 'GET',
      key: this.#key(id, kind),
      headers: { range: `bytes=${position}-${position + length - 1}` },
      bytesMax: length,
    });
    if (isNoSuchKey(answer)) throw new FileMissing(id);
    expectStatus(answer, [206], 'read a file');
    return windowOf(answer, position);
  }

  async remove(id: string, kind: FileKind = 'document'): Promise<void> {
    await this.#remove(this.#key(id, kind));
  }

  async removeEntry(entry: FileEntry): Promise<void> {
    await this.#remove(this.#client.prefix + entry.name);
  }

  async #remove(key: string): Promise<void> {
    const answer = await this.#client.request({ method: 'DELETE', key });
    if (!isNoSuchKey(answer)) expectStatus(answer, [204], 'remove a file');
  }

  async modifiedAtMs(entry: FileEntry): Promise<number | null> {
    const key = this.#client.prefix + entry.name;
    const answer = await this.#client.request({ method: 'HEAD', key });
    if (answer.status === 404) return null;
    expectStatus(answer, [200], 'look at a file');
    const atMs = Date.parse(String(answer.headers['last-modified']));
    if (Number.isNaN(atMs)) throw new StorageUnavailable('the object store gave no last-modified');
    return atMs;
  }

  async *list(): AsyncGenerator<readonly FileEntry[]> {
    const { prefix } = this.#client;
    const seen = new Set<string>();
    let emptyPages = 0;
    let token = '';
    do {
      seen.add(token);
      const query =
        (token === '' ? '' : `continuation-token=${encodeURIComponent(token)}&`) +
        `list-type=2&max-keys=${LIST_BATCH}&prefix=${encodeURIComponent(prefix)}`;
      const answer = await this.#client.request({
        method: 'GET',
        key: '',
        query,
        bytesMax: LIST_BYTES_MAX,
      });
      expectStatus(answer, [200], 'list files');
      const page = parseList(answer.body.toString('utf8'));
      yield page.keys.flatMap((key) => entryOf(key.slice(prefix.length)) ?? []);
      token = page.next;
      emptyPages = page.keys.length === 0 ? emptyPages + 1 : 0;
      if (token !== '' && (seen.has(token) || emptyPages > EMPTY_PAGES_MAX)) {
        throw new StorageUnavailable('the object store names the same page twice in a list');
      }
    } while (token !== '');
  }

  async writeNote(name: string, bytes: Uint8Array): Promise<void> {
    const key = this.#client.prefix + name;
    await this.#write(key, bytes, 'write a note');
  }

  async readNote(name: string): Promise<Buffer | null> {
    const key = this.#client.prefix + name;
    const headers = { range: `bytes=0-${NOTE_BYTES_MAX - 1}` };
    const answer = await this.#client.request({
      method: 'GET',
      key,
      headers,
      bytesMax: NOTE_BYTES_MAX,
    });
    if (isNoSuchKey(answer)) return null;
    expectStatus(answer, [206], 'read a note');
    return answer.body;
  }

  async probe(): Promise<void> {
    await this.#write(`${this.#client.prefix}.probe`, PROBE, 'write a probe');
  }

  async close(): Promise<void> {
    await this.#client.close();
  }

  #key(id: string, kind: FileKind): string {
    return `${this.#client.prefix}${storedName(id, kind)}`;
  }
}

/** Joins the pieces, because the signature covers the whole body, and frees them. */
function joinAndFree(pieces: readonly Uint8Array[]): Buffer {
  const whole = Buffer.allocUnsafeSlow(pieces.reduce((sum, piece) => sum + piece.byteLength, 0));
  let at = 0;
  for (const piece of pieces) {
    // Documents of a run are in shared memory.
    copyBytes(piece, whole, at);
    at += piece.byteLength;
    releaseBuffer(piece);
  }
  return whole;
}

/** The entry of a file; null: the store did not write it. */
function entryOf(name: string): FileEntry | null {
  const file = readFileName(name);
  if (file === null || !isUuid(file.id)) return null;
  return { documentId: file.id, kind: file.kind, name, temporary: false };
}

/** Reads through a window that moves forward; most documents fit in the first. */
export class S3File implements StoredFile {
  readonly bytes: number;
  readonly #fetch: (position: number, length: number) => Promise<Window>;
  #window: Window;

  constructor(first: Window, fetch: (position: number, length: number) => Promise<Window>) {
    this.bytes = first.total;
    this.#window = first;
    this.#fetch = fetch;
  }

  async read(position: number, length: number): Promise<Uint8Array> {
    const wanted = Math.max(0, Math.min(length, this.bytes - position));
    if (wanted === 0) return new Uint8Array();
    const windowEnd = this.#window.position + this.#window.bytes.length;
    if (position < this.#window.position || position + wanted > windowEnd) {
      const windowBytes = Math.min(Math.max(wanted, WINDOW_BYTES), this.bytes - position);
      this.#window = await this.#fetch(position, windowBytes);
      if (this.#window.bytes.length < wanted) {
        throw new StorageUnavailable('the object store sent less than was asked for');
      }
    }
    const start = position - this.#window.position;
    return this.#window.bytes.subarray(start, start + wanted);
  }

  async close(): Promise<void> {
    this.#window = { position: 0, bytes: new Uint8Array(), total: this.bytes };
  }
}
