import aws4 from 'aws4';
import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Dispatcher, Pool } from 'undici';
import { Outage } from '../outage.ts';
import { reasonOf } from '../reason.ts';
import { StorageUnavailable } from '../terms.ts';
import { type S3Address, s3AddressFault, s3AddressOf } from './s3-address.ts';

export interface S3Request {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'DELETE';
  /** '' addresses the bucket. */
  readonly key: string;
  /** Without the question mark. */
  readonly query?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Absent: an empty body. */
  readonly body?: Uint8Array;
  /** The longest answer that is a success; the text of an error is always short. */
  readonly bytesMax?: number;
}

export interface S3Response {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly body: Buffer;
}

const CONNECTIONS = 64;
const TRIES_MAX = 3;
/** Unit of the random delay between two attempts, which doubles with each attempt. */
const RETRY_DELAY_MS = 50;
const NO_BYTES = new Uint8Array();
/** An answer without content, or one that says what went wrong, is at most this long. */
const SHORT_BYTES_MAX = 64 * 1024;

/**
 * Signed requests to one bucket of S3-compatible object storage. The signature covers the SHA-256
 * of the body, so the server refuses a body that was damaged in transit.
 */
export class S3Client {
  readonly #address: S3Address;
  readonly #timeoutMs: number;
  #pool: Promise<Pool> | undefined;
  readonly #outage = new Outage('the object store');

  /** `url`: `s3://accessKey:secret@host[:port]/bucket[/prefix][?region=…][&tls=off]`. */
  constructor(url: string, timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
    this.#address = addressOf(url);
  }

  get bucket(): string {
    return this.#address.bucket;
  }

  /** Prefix of all keys: '', or a text that ends in `/`. */
  get prefix(): string {
    return this.#address.prefix;
  }

  async close(): Promise<void> {
    await (await this.#pool)?.close();
  }

  /** Sends a request, with retries: writing or removing an object twice has the same result. */
  request(request: S3Request): Promise<S3Response> {
    return this.#outage.guard(async () => {
      const endMs = performance.now() + this.#timeoutMs;
      for (let tries = 1; ; tries += 1) {
        const leftMs = endMs - performance.now();
        const isLast = tries >= TRIES_MAX || leftMs <= 0;
        const response = await this.#attempt(request, leftMs, isLast);
        if (response !== null) return response;
        await delay(Math.random() * RETRY_DELAY_MS * 2 ** tries);
      }
    });
  }

  /** Makes one attempt; null: it failed and is not the last. */
  async #attempt(request: S3Request, leftMs: number, isLast: boolean): Promise<S3Response | null> {
    const { method, body = NO_BYTES } = request;
    const path = this.#pathOf(request);
    try {
      this.#pool ??= openPool(this.#address.origin, this.#timeoutMs);
      const response = await (
        await this.#pool
      ).request({
        method,
        path,
        headers: this.#signedHeaders(request, path),
        body: body.byteLength === 0 ? null : body,
        signal: AbortSignal.timeout(Math.max(1, Math.ceil(leftMs))),
      });
      const isSuccess = response.statusCode < 300;
      const bytesMax = isSuccess ? (request.bytesMax ?? SHORT_BYTES_MAX) : SHORT_BYTES_MAX;
      const bytes = await readUpTo(response.body, bytesMax);
      if (response.statusCode >= 500 && !isLast) return null;
      return { status: response.statusCode, headers: response.headers, body: bytes };
    } catch (error) {
      if (error instanceof StorageUnavailable) throw error;
      if (!isLast) return null;
      this.#outage.begin();
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
      throw new StorageUnavailable(`the object store did not answer: ${reasonOf(code)}`, {
        cause: error,
      });
    }
  }

  #pathOf({ key, query }: S3Request): string {
    const path = `/${this.#address.bucket}/${key.split('/').map(encodeURIComponent).join('/')}`;
    return query === undefined ? path : `${path}?${query}`;
  }

  #signedHeaders(
    { method, headers: extra, body = NO_BYTES }: S3Request,
    path: string,
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

/** Throws StorageUnavailable, and closes the connection, when the body is longer. */
/** Loads undici, whose hundred modules would make every start slower, with or without a bucket. */
async function openPool(origin: string, timeoutMs: number): Promise<Pool> {
  const undici = await import('undici');
  return new undici.Pool(origin, {
    connections: CONNECTIONS,
    pipelining: 1,
    connect: { timeout: timeoutMs },
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    keepAliveTimeout: 10_000,
  });
}

async function readUpTo(body: Dispatcher.ResponseData['body'], bytesMax: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let length = 0;
  for await (const piece of body as AsyncIterable<Buffer>) {
    length += piece.byteLength;
    if (length > bytesMax) {
      throw new StorageUnavailable('the answer of the object store is longer than was asked for');
    }
    pieces.push(piece);
  }
  const [only] = pieces;
  return pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces, length);
}

function addressOf(url: string): S3Address {
  const fault = s3AddressFault(url);
  if (fault === null) return s3AddressOf(url);
  throw new StorageUnavailable(
    'an S3 address is s3://accessKey:secret@host[:port]/bucket[/prefix][?region=…][&tls=off]; ' +
      fault,
  );
}
