import aws4 from 'aws4';
import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { SaxesParser } from 'saxes';
import { Pool } from 'undici';
import {
  EXTENSIONS,
  type FileEntry,
  type FileKind,
  type FileStore,
  readFileName,
} from './files.ts';
import { isUuid } from '../ids.ts';
import { Outage } from '../outage.ts';
import { reasonOf } from '../reason.ts';
import { FileMissing, type StoredFile, StorageUnavailable } from '../store.ts';

export interface S3Settings {
  /** `s3://accessKey:secret@host[:port]/bucket[/prefix][?region=…][&tls=off]`. */
  readonly url: string;
  readonly timeoutMs: number;
  readonly putsMax: number;
}

interface Address {
  readonly origin: string;
  readonly host: string;
  readonly region: string;
  readonly bucket: string;
  readonly prefix: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

interface S3Response {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly body: Buffer;
}

const CONNECTIONS = 64;
const TRIES_MAX = 3;
const LIST_BATCH = 500;
/** Bytes read by one request: most documents whole. */
const WINDOW_BYTES = 1024 * 1024;
const LIST_BYTES_MAX = 4 * 1024 * 1024;
const EMPTY = Buffer.alloc(0);

/**
 * Files in S3-compatible object storage, for several machines: `prefix/<id>.pdf`. An object is
 * there whole or not at all, and durable when the server says 200. The signature covers the
 * SHA-256 of the body, so the server refuses one that was damaged on its way.
 */
export class S3Files implements FileStore {
  readonly #address: Address;
  readonly #settings: S3Settings;
  readonly #pool: Pool;
  readonly #outage = new Outage('the object store');
  #puts = 0;

  constructor(settings: S3Settings) {
    this.#settings = settings;
    this.#address = addressOf(settings.url);
    this.#pool = new Pool(this.#address.origin, {
      connections: CONNECTIONS,
      pipelining: 1,
      connect: { timeout: settings.timeoutMs },
      headersTimeout: settings.timeoutMs,
      bodyTimeout: settings.timeoutMs,
      keepAliveTimeout: 10_000,
    });
  }

  async put(
    id: string,
    bytes: Uint8Array | readonly Uint8Array[],
    kind: FileKind = 'document',
  ): Promise<void> {
    if (this.#puts >= this.#settings.putsMax) {
      throw new StorageUnavailable('too many files are being written');
    }
    this.#puts += 1;
    try {
      const whole = bytes instanceof Uint8Array ? bytes : Buffer.concat(bytes);
      const answer = await this.#request('PUT', this.#key(id, kind), '', whole);
      expectStatus(answer, [200], 'store a file');
    } finally {
      this.#puts -= 1;
    }
  }

  async open(id: string, kind: FileKind = 'document', position = 0): Promise<StoredFile> {
    const first = await this.#range(id, kind, position, WINDOW_BYTES);
    return new S3File(first, (from, length) => this.#range(id, kind, from, length));
  }

  async #range(id: string, kind: FileKind, position: number, length: number): Promise<Window> {
    const key = this.#key(id, kind);
    const range = { range: `bytes=${position}-${position + length - 1}` };
    const answer = await this.#request('GET', key, '', EMPTY, range);
    if (answer.status === 404) throw new FileMissing(id);
    expectStatus(answer, [206], 'read a file');
    const total = /\/(\d+)$/.exec(String(answer.headers['content-range']))?.[1];
    if (total === undefined) throw new StorageUnavailable('the object store gave no content-range');
    return { position, bytes: answer.body, total: Number(total) };
  }

  async remove(id: string, kind: FileKind = 'document'): Promise<void> {
    await this.#remove(this.#key(id, kind));
  }

  async removeEntry(entry: FileEntry): Promise<void> {
    await this.#remove(this.#address.prefix + entry.name);
  }

  async #remove(key: string): Promise<void> {
    const answer = await this.#request('DELETE', key, '', EMPTY);
    expectStatus(answer, [200, 204, 404], 'remove a file');
  }

  async modifiedAtMs(entry: FileEntry): Promise<number | null> {
    const answer = await this.#request('HEAD', this.#address.prefix + entry.name, '', EMPTY);
    if (answer.status === 404) return null;
    expectStatus(answer, [200], 'look at a file');
    const atMs = Date.parse(String(answer.headers['last-modified']));
    if (Number.isNaN(atMs)) throw new StorageUnavailable('the object store gave no last-modified');
    return atMs;
  }

  async *list(): AsyncGenerator<readonly FileEntry[]> {
    const { prefix } = this.#address;
    let token = '';
    do {
      const query =
        (token === '' ? '' : `continuation-token=${encodeURIComponent(token)}&`) +
        `list-type=2&max-keys=${LIST_BATCH}&prefix=${encodeURIComponent(prefix)}`;
      const answer = await this.#request('GET', '', query, EMPTY);
      expectStatus(answer, [200], 'list files');
      const page = parseList(answer.body.toString('utf8'));
      yield page.keys.flatMap((key) => asEntry(key.slice(prefix.length)));
      token = page.next;
    } while (token !== '');
  }

  async probe(): Promise<void> {
    const answer = await this.#request('PUT', `${this.#address.prefix}.probe`, '', EMPTY);
    expectStatus(answer, [200], 'write a probe');
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }

  #key(id: string, kind: FileKind): string {
    return `${this.#address.prefix}${id}${EXTENSIONS[kind]}`;
  }

  /** All our requests may be repeated: an object is only ever written with the same bytes. */
  #request(
    method: 'GET' | 'HEAD' | 'PUT' | 'DELETE',
    key: string,
    query: string,
    body: Uint8Array,
    headers: Record<string, string> = {},
  ): Promise<S3Response> {
    return this.#outage.guard(async () => {
      const endsAt = performance.now() + this.#settings.timeoutMs;
      for (let tries = 1; ; tries += 1) {
        const answer = await this.#once(method, key, query, body, headers, endsAt, tries);
        if (answer !== null) return answer;
        await delay(Math.random() * 50 * 2 ** tries);
      }
    });
  }

  /** null: worth another try. */
  async #once(
    method: 'GET' | 'HEAD' | 'PUT' | 'DELETE',
    key: string,
    query: string,
    body: Uint8Array,
    headers: Record<string, string>,
    endsAt: number,
    tries: number,
  ): Promise<S3Response | null> {
    const leftMs = endsAt - performance.now();
    const again = tries < TRIES_MAX && leftMs > 0;
    try {
      const path = `/${this.#address.bucket}/${key}${query === '' ? '' : `?${query}`}`;
      const response = await this.#pool.request({
        method,
        path,
        headers: this.#sign(method, path, body, headers),
        body: body.byteLength === 0 ? null : body,
        signal: AbortSignal.timeout(Math.max(1, Math.ceil(leftMs))),
      });
      const bytes = Buffer.from(await response.body.arrayBuffer());
      if (response.statusCode >= 500 && again) return null;
      return { status: response.statusCode, headers: response.headers, body: bytes };
    } catch (error) {
      if (again) return null;
      this.#outage.begin();
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
      throw new StorageUnavailable(`the object store did not answer: ${reasonOf(code)}`, {
        cause: error,
      });
    }
  }

  #sign(
    method: string,
    path: string,
    body: Uint8Array,
    extra: Record<string, string>,
  ): Record<string, string> {
    const { host, region, accessKeyId, secretAccessKey } = this.#address;
    const headers: Record<string, string> = {
      ...extra,
      'x-amz-content-sha256': createHash('sha256').update(body).digest('hex'),
      ...(method === 'PUT' ? { 'content-type': 'application/pdf' } : {}),
      ...(method === 'PUT' ? { 'content-length': String(body.byteLength) } : {}),
    };
    const signed = aws4.sign(
      { service: 's3', region, method, host, path, headers },
      { accessKeyId, secretAccessKey },
    );
    return Object.fromEntries(
      Object.entries(signed.headers ?? {}).map(([name, value]) => [name, String(value)]),
    );
  }
}

function addressOf(url: string): Address {
  const parsed = new URL(url.replace(/^s3:/, 'https:'));
  const [bucket = '', ...rest] = parsed.pathname.slice(1).split('/');
  const prefix = rest.filter((part) => part !== '').join('/');
  const fits = /^[a-z0-9][a-z0-9.-]{1,62}$/.test(bucket) && /^[A-Za-z0-9/_.-]*$/.test(prefix);
  if (!fits || parsed.username === '') {
    throw new StorageUnavailable(
      'an S3 address is s3://accessKey:secret@host[:port]/bucket[/prefix][?region=…][&tls=off]',
    );
  }
  const secure = parsed.searchParams.get('tls') !== 'off';
  return {
    origin: `${secure ? 'https' : 'http'}://${parsed.host}`,
    host: parsed.host,
    region: parsed.searchParams.get('region') ?? 'us-east-1',
    bucket,
    prefix: prefix === '' ? '' : `${prefix}/`,
    accessKeyId: decodeURIComponent(parsed.username),
    secretAccessKey: decodeURIComponent(parsed.password),
  };
}

function expectStatus(answer: S3Response, allowed: readonly number[], step: string): void {
  if (allowed.includes(answer.status)) return;
  throw new StorageUnavailable(`the object store answered ${answer.status}, asked to ${step}`);
}

/** Keys of one page of ListObjectsV2, and the token of the next, '' when it was the last. */
function parseList(text: string): { keys: readonly string[]; next: string } {
  if (text.length > LIST_BYTES_MAX) throw new StorageUnavailable('a list of files is too long');
  const keys: string[] = [];
  let next = '';
  let value = '';
  const parser = new SaxesParser();
  parser.on('error', () => {
    throw new StorageUnavailable('the object store gave a list that is not XML');
  });
  parser.on('opentag', () => {
    value = '';
  });
  parser.on('text', (chunk) => {
    value += chunk;
  });
  parser.on('closetag', (tag) => {
    if (tag.name === 'Key') keys.push(value);
    if (tag.name === 'NextContinuationToken') next = value;
    value = '';
  });
  parser.write(text).close();
  return { keys, next };
}

function asEntry(name: string): FileEntry[] {
  const read = readFileName(name);
  if (read === null || !isUuid(read.id)) return [];
  return [{ documentId: read.id, kind: read.kind, name, temporary: false }];
}

interface Window {
  readonly position: number;
  readonly bytes: Uint8Array;
  readonly total: number;
}

/** Reads through a window that moves forward; most documents fit in the first. */
class S3File implements StoredFile {
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
    if (wanted === 0) return EMPTY;
    const { position: from, bytes } = this.#window;
    if (position < from || position + wanted > from + bytes.length) {
      const reach = Math.min(Math.max(wanted, WINDOW_BYTES), this.bytes - position);
      this.#window = await this.#fetch(position, reach);
      if (this.#window.bytes.length < wanted) {
        throw new StorageUnavailable('the object store sent less than was asked for');
      }
    }
    const start = position - this.#window.position;
    return this.#window.bytes.subarray(start, start + wanted);
  }

  async close(): Promise<void> {
    this.#window = { position: 0, bytes: EMPTY, total: this.bytes };
  }
}
