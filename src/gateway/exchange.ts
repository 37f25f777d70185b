import { releaseBuffer } from '../runtime/memory/release-buffer.ts';
import type { StoredFile } from '../store/store.ts';
import type { BodyReader } from './body/body.ts';
import { addressText, type TrustedProxies } from './callers/client-address.ts';
import type { RequestHeaders } from './http/headers.ts';
import type { Request } from './http/request.ts';
import { makeRequestId } from './http/request-id.ts';
import { isLastOfConnection } from './http/request.ts';
import type { ResponseEvents, ResponseHead } from './http/response.ts';
import { Response } from './http/response.ts';
import type { UwsResponse } from './http/uws.ts';
import type { SlowWrite } from './reply/slow.ts';
import type { PlainRefusal } from './reply/plain-refusal.ts';
import type { FileSlice, Reply } from './reply/reply.ts';
import { headOf } from './reply/reply.ts';
import type { RequestTrace } from './tracing.ts';
import type { RateVerdict } from './types.ts';

/** A stored file is read in pieces of this size, so a stalled client costs no more memory. */
const READ_BYTES = 64 * 1024;

/** The server as an exchange sees it. */
export interface ExchangeWatch {
  readonly proxies: TrustedProxies;
  /** Whether the gateway itself serves HTTPS. */
  readonly isTls: boolean;
  /** Whether the service's address is one of HTTPS. */
  readonly isHttps: boolean;
  /** The socket takes no more bytes now; the exchange counts as slow until `done`. */
  slow(write: SlowWrite): void;
  /** Called once, when the response is complete or the client disconnected (status 0). */
  done(exchange: Exchange, status: number): void;
  /**
   * A stored file or the pieces of a body could not be sent to the end, so the connection was cut;
   * or a file could not be closed.
   */
  failed(exchange: Exchange, error: unknown): void;
}

/** Whether the connection stays open for further requests after a response. */
export type AfterResponse = 'keep' | 'close';

/** A request with its response. */
export class Exchange implements SlowWrite, ResponseEvents {
  readonly requestId = makeRequestId();
  readonly startedAtMs = performance.now();
  readonly method: string;
  readonly headers: RequestHeaders;
  /** Route of the response in metrics; '' for an unknown one. */
  route = '';
  /** Seconds of `Retry-After`; 0: those of the error code, if it has any. */
  retryAfterSeconds = 0;
  /** The caller's rate limit; null when calls are not counted. */
  rate: RateVerdict | null = null;
  /** Further headers of a refusal: `Allow`, `Content-Range`. */
  extraHeaders: Readonly<Record<string, string>> | undefined = undefined;
  /** `Server-Timing` of the response; '' for none. */
  serverTiming = '';
  body: BodyReader | null = null;
  caller = '';
  /** Whether what a person is still writing may be refused: see `Guarded.takesUnfinished`. */
  takesUnfinished = false;
  /** The error code of a refusal; '' for any other response. */
  code = '';
  /** The span of the request; null: it is not traced. */
  trace: RequestTrace | null = null;
  readonly #response: Response;
  readonly #watch: ExchangeWatch;
  #status = 0;
  #client: string | null = null;
  /** The response body, if the exchange must free its buffer after sending. */
  #owned: Uint8Array | null = null;

  /** Must be called inside the request's handler. */
  constructor(request: Request, res: UwsResponse, watch: ExchangeWatch) {
    this.method = request.method;
    this.headers = request.headers;
    this.#watch = watch;
    this.#response = new Response(res, isLastOfConnection(request), this);
  }

  /**
   * The client's address, as trusted proxies forward it; '' on a Unix socket without a proxy. Looking
   * it up costs 3 µs, so this is done at the first use, which must come before the end of the
   * response: later it gives ''.
   */
  get client(): string {
    if (this.#client !== null) return this.#client;
    if (this.gone) return '';
    const peer = addressText(this.#response.remoteAddress);
    return (this.#client = this.#watch.proxies.clientOf(peer, this.headers.forwardedFor));
  }

  /** Fields that identify the request in lines of the log. */
  get ids(): { requestId: string; client: string; route: string; trace_id?: string } {
    const { requestId, client, route, trace } = this;
    const ids = { requestId, client, route };
    return trace === null ? ids : { ...ids, trace_id: trace.traceId };
  }

  /** Whether the client uses HTTPS, to the gateway or to a trusted proxy. */
  get isSecure(): boolean {
    const { proxies, isTls } = this.#watch;
    if (isTls || proxies.isEmpty || this.gone) return isTls;
    // With several proxies, the first entry is of the one that the client is connected to.
    const scheme = this.headers.forwardedProto.split(',')[0]?.trim().toLowerCase();
    return scheme === 'https' && proxies.trusts(addressText(this.#response.remoteAddress));
  }

  /** The response is complete or the client disconnected: nothing sent now would arrive. */
  get gone(): boolean {
    return this.#response.isOver;
  }

  get offset(): number {
    return this.#response.offset;
  }

  get heldBytes(): number {
    return this.#response.heldBytes;
  }

  /** Must be called last in the request's handler; see `Response.leaveHandler`. */
  leaveHandler(): void {
    this.#response.leaveHandler();
  }

  /**
   * Reads the body with `reader`. Must be called inside the request's handler: a later call loses
   * data.
   */
  openBody(reader: BodyReader): void {
    this.body = reader;
    reader.comesFrom(this.#response);
    this.#response.onBody((bytes, isLast) => reader.take(bytes, isLast));
  }

  /** Calls `listener` when the client disconnects early; the result removes the listener. */
  onAbort(listener: () => void): () => void {
    return this.#response.onAbort(listener);
  }

  /** Sends the response, only once. */
  send(reply: Reply, connection: AfterResponse): void {
    const { status, body } = reply;
    if (reply.ownsBody === true && body instanceof Uint8Array) this.#owned = body;
    if (this.gone) {
      if (isSlice(body)) void this.#closeFile(body.file);
      this.#releaseOwned();
      return;
    }
    if (connection === 'close') this.#response.isLast = true;
    this.#status = status;
    const { requestId, serverTiming, rate } = this;
    const isHttps = this.#watch.isHttps || (this.headers.forwardedProto !== '' && this.isSecure);
    const head = headOf(reply, requestId, serverTiming, rate, isHttps);
    if (isSlice(body)) void this.#sendFile(head, body);
    else if (isPieces(body)) void this.#sendPieces(head, body);
    else if (status === 204) this.#response.sendHead(head, null);
    else if (this.method === 'HEAD') this.#response.sendHead(head, Buffer.byteLength(body));
    else this.#response.send(head, body);
  }

  /**
   * Sends a refusal, only once, and keeps the connection. False: nothing was sent, because the
   * response has more than the refusal's own headers or must end the connection.
   */
  sendPlain(refusal: PlainRefusal, totalMs: number | null): boolean {
    if (this.gone || this.#response.isLast || this.method === 'HEAD') return false;
    if (this.extraHeaders !== undefined || this.serverTiming !== '') return false;
    const { requestId, rate, retryAfterSeconds } = this;
    if (retryAfterSeconds > 0 && refusal.hasRetryAfter) return false;
    this.#status = refusal.status;
    const head = refusal.write({ requestId, totalMs, rate, retryAfterSeconds });
    this.#response.sendReused(head, refusal.body);
    return true;
  }

  keepAlive(): void {
    this.#response.keepAlive();
  }

  cut(): void {
    this.#response.abort();
  }

  /** Called by the response when the client reads slowly. */
  onSlow(): void {
    this.#watch.slow(this);
  }

  /** Called by the response when it is complete or the client disconnected. */
  onOver(): void {
    const { isAborted } = this.#response;
    if (isAborted) this.body?.abandon();
    else this.body?.release();
    this.#releaseOwned();
    this.#watch.done(this, isAborted ? 0 : this.#status);
  }

  /**
   * Sends a file with one piece in memory at a time. When it cannot be read to its end, the
   * connection is cut.
   */
  async #sendFile(head: ResponseHead, slice: FileSlice): Promise<void> {
    const { file, from, to } = slice;
    const total = to - from;
    try {
      if (this.method === 'HEAD' || total === 0) {
        this.#response.sendHead(head, total);
        return;
      }
      let sent = 0;
      while (!this.gone && sent < total) {
        const piece = await file.read(from + sent, Math.min(READ_BYTES, total - sent));
        if (piece.byteLength === 0) throw new Error('a stored file is too short');
        await this.#response.write(sent === 0 ? head : null, piece, total);
        sent += piece.byteLength;
        releaseBuffer(piece);
      }
    } catch (error) {
      // The status line may have been sent, so only cutting the connection can show the failure.
      this.cut();
      this.#watch.failed(this, error);
    } finally {
      await this.#closeFile(file);
    }
  }

  /** Sends pieces with one in memory at a time. A failure cuts the connection. */
  async #sendPieces(head: ResponseHead, pieces: AsyncIterable<Uint8Array>): Promise<void> {
    try {
      if (this.method === 'HEAD') {
        // A generator that has not begun could not close what was opened for it.
        for await (const _ of pieces) break;
        this.#response.sendHead(head, null);
        return;
      }
      let first: ResponseHead | null = head;
      for await (const piece of pieces) {
        await this.#response.writeChunk(first, piece);
        first = null;
        if (this.gone) return;
      }
      if (first !== null) await this.#response.writeChunk(first, new Uint8Array(0));
      this.#response.endChunks();
    } catch (error) {
      this.cut();
      this.#watch.failed(this, error);
    }
  }

  /** Closes the file; a failure is only logged, because the response has been sent. */
  async #closeFile(file: StoredFile): Promise<void> {
    try {
      await file.close();
    } catch (error) {
      this.#watch.failed(this, error);
    }
  }

  /** Frees the response body. uWebSockets.js has its own copy of what it took, and takes no more. */
  #releaseOwned(): void {
    if (this.#owned !== null) releaseBuffer(this.#owned);
    this.#owned = null;
  }
}

function isSlice(body: Reply['body']): body is FileSlice {
  return typeof body !== 'string' && 'file' in body;
}

function isPieces(body: Reply['body']): body is AsyncIterable<Uint8Array> {
  return typeof body !== 'string' && Symbol.asyncIterator in body;
}
