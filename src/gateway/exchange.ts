import { randomUUID } from 'node:crypto';
import { giveBack } from '../memory.ts';
import type { BodyReader } from './body.ts';
import type { StoredFile } from '../store/store.ts';
import type { RequestHeaders } from './headers.ts';
import type { FileSlice, Reply } from './reply.ts';
import { statusLine } from './reply.ts';
import type { UwsResponse } from './uws.ts';

/** Bytes of a stored file read at a time: what a stalled reader costs. */
const READ_BYTES = 64 * 1024;
const NO_COOKIES: readonly string[] = [];

/** What the sweep of slow readers needs of an exchange. */
export interface SlowWrite {
  /** Bytes the socket has taken. */
  readonly offset: number;
  /** Memory it holds until the socket has taken the rest. */
  readonly heldBytes: number;
  /** Whose request it is; '' at a public address. */
  readonly caller: string;
  /** Tells uWebSockets.js that this connection is still wanted. */
  keepAlive(): void;
  cut(): void;
}

/** What an exchange tells its server. */
export interface ExchangeWatch {
  /** The socket took no more; `slow` until `done`. */
  slow(write: SlowWrite): void;
  /** Answered to the last byte, or the caller went away (status 0). Once. */
  done(exchange: Exchange, status: number): void;
  /** A stored file could not be read to its end, and the connection was cut; or not be closed. */
  failed(exchange: Exchange, error: unknown): void;
}

/** One request and its answer. After the caller went away every method does nothing. */
export class Exchange implements SlowWrite {
  readonly requestId = randomUUID();
  readonly startedAtMs = performance.now();
  readonly method: string;
  readonly headers: RequestHeaders;
  /** Route of the answer in metrics; '' for an unknown one. */
  route = '';
  /** Seconds for `Retry-After` of a refusal that knows better than its code; 0: none. */
  retryAfterSeconds = 0;
  /** Headers of a refusal beyond those of its code: `Allow`, `Content-Range`. */
  extraHeaders: Readonly<Record<string, string>> | undefined = undefined;
  /** `Server-Timing` of the answer; '' for none. */
  serverTiming = '';
  body: BodyReader | null = null;
  /** Called when the caller goes away before the answer. */
  onGone: (() => void) | null = null;
  gone = false;
  caller = '';
  offset = 0;
  heldBytes = 0;
  readonly #res: UwsResponse;
  readonly #watch: ExchangeWatch;
  /** Memory of the answer, to be given back with it. */
  #passing: Uint8Array | null = null;
  #finished = false;

  constructor(res: UwsResponse, method: string, headers: RequestHeaders, watch: ExchangeWatch) {
    this.method = method;
    this.headers = headers;
    this.#res = res;
    this.#watch = watch;
    res.onAborted(() => this.#leave());
  }

  /** Sends the answer, once; `close` ends the connection after a text. */
  send(reply: Reply, close: boolean): void {
    const { body } = reply;
    if (reply.isPassing === true && body instanceof Uint8Array) this.#passing = body;
    if (this.gone) {
      if (isSlice(body)) void this.#closeFile(body.file);
      this.#giveBack();
      return;
    }
    if (this.method === 'HEAD') this.#sendHead(reply, close);
    else if (isSlice(body)) void this.#sendFile(reply, body);
    else if (typeof body === 'string') this.#sendText(reply, body, close);
    else this.#sendBytes(reply, body);
  }

  keepAlive(): void {
    if (this.#finished) return;
    // The pair restarts the idle time-out, which counts from the last write that went through.
    this.#res.pause();
    this.#res.resume();
  }

  cut(): void {
    if (!this.#finished) this.#res.close();
  }

  #sendHead(reply: Reply, close: boolean): void {
    const { body } = reply;
    const length = isSlice(body) ? body.to - body.from : Buffer.byteLength(body);
    if (isSlice(body)) void this.#closeFile(body.file);
    this.#res.cork(() => {
      this.#writeHead(reply);
      this.#res.endWithoutBody(length, close);
    });
    this.#finish(reply.status);
  }

  #sendText(reply: Reply, body: string, close: boolean): void {
    this.#res.cork(() => {
      this.#writeHead(reply);
      this.#res.end(body, close);
    });
    this.#finish(reply.status);
  }

  /** One write when the socket takes it all; otherwise as it drains, without a second copy. */
  #sendBytes(reply: Reply, bytes: Uint8Array): void {
    const total = bytes.byteLength;
    let complete = false;
    this.#res.cork(() => {
      this.#writeHead(reply);
      complete = this.#res.tryEnd(bytes, total)[1];
    });
    if (complete) {
      this.#finish(reply.status);
      return;
    }
    this.offset = this.#res.getWriteOffset();
    this.heldBytes = bytes.buffer.byteLength;
    this.#res.onWritable((offset) => {
      this.offset = offset;
      const [taken, done] = this.#res.tryEnd(bytes.subarray(offset), total);
      if (done) this.#finish(reply.status);
      return taken;
    });
    // Last: it may be cut at once.
    this.#watch.slow(this);
  }

  /** Reads ahead one piece at most. A file that cannot be read to its end cuts the connection. */
  async #sendFile(reply: Reply, slice: FileSlice): Promise<void> {
    const { file, from, to } = slice;
    const total = to - from;
    try {
      let piece = await file.read(from, Math.min(READ_BYTES, total));
      let started = false;
      let sent = 0;
      while (!this.gone) {
        if (piece.byteLength === 0 && total > 0) throw new Error('a stored file is too short');
        const [taken, done] = this.#writePiece(started ? null : reply, piece, total);
        started = true;
        if (done) this.#finish(reply.status);
        else if (!taken) await this.#takePiece(piece, sent, total, reply.status);
        sent += piece.byteLength;
        giveBack(piece);
        if (this.#finished) return;
        piece = await file.read(from + sent, Math.min(READ_BYTES, total - sent));
      }
    } catch (error) {
      // The status line may be out already: a cut connection is the only honest sign left.
      this.cut();
      this.#watch.failed(this, error);
    } finally {
      await this.#closeFile(file);
    }
  }

  /** The answer is out by now: that the file could not be closed is for the log. */
  async #closeFile(file: StoredFile): Promise<void> {
    try {
      await file.close();
    } catch (error) {
      this.#watch.failed(this, error);
    }
  }

  #writePiece(head: Reply | null, piece: Uint8Array, total: number): [boolean, boolean] {
    let result: [boolean, boolean] = [false, false];
    this.#res.cork(() => {
      if (head !== null) this.#writeHead(head);
      result = this.#res.tryEnd(piece, total);
    });
    return result;
  }

  /** Resolves when the socket has taken the whole piece, or the caller went away. */
  #takePiece(piece: Uint8Array, at: number, total: number, status: number): Promise<void> {
    this.offset = this.#res.getWriteOffset();
    this.heldBytes = piece.buffer.byteLength;
    return new Promise((resolve) => {
      this.onGone = resolve;
      this.#res.onWritable((offset) => {
        this.offset = offset;
        if (offset >= at + piece.byteLength) {
          resolve();
          return true;
        }
        const [taken, done] = this.#res.tryEnd(piece.subarray(offset - at), total);
        if (done) this.#finish(status);
        if (taken || done) resolve();
        return taken;
      });
      this.#watch.slow(this);
    });
  }

  #writeHead(reply: Reply): void {
    const res = this.#res;
    res.writeStatus(statusLine(reply.status));
    const { headers } = reply;
    for (const name in headers) res.writeHeader(name, headers[name] ?? '');
    for (const cookie of reply.cookies ?? NO_COOKIES) res.writeHeader('Set-Cookie', cookie);
    res.writeHeader('X-Request-Id', this.requestId);
    res.writeHeader('X-Content-Type-Options', 'nosniff');
    if (!('Cache-Control' in headers)) res.writeHeader('Cache-Control', 'no-store');
    if (this.serverTiming !== '') res.writeHeader('Server-Timing', this.serverTiming);
  }

  #finish(status: number): void {
    if (this.#finished) return;
    this.#finished = true;
    this.gone = true;
    this.#giveBack();
    this.#watch.done(this, status);
  }

  /** uWebSockets.js has a copy of what it has taken, and takes no more. */
  #giveBack(): void {
    if (this.#passing !== null) giveBack(this.#passing);
    this.#passing = null;
  }

  #leave(): void {
    this.gone = true;
    this.body?.abandon();
    this.onGone?.();
    this.#finish(0);
  }
}

function isSlice(body: Reply['body']): body is FileSlice {
  return typeof body !== 'string' && 'file' in body;
}
