import { randomUUID } from 'node:crypto';
import { releaseBuffer } from '../runtime/release-buffer.ts';
import type { StoredFile } from '../store/store.ts';
import type { BodyReader } from './body/body.ts';
import { addressText, type TrustedProxies } from './callers/client-address.ts';
import type { RequestHeaders } from './http/headers.ts';
import type { Request } from './http/request.ts';
import { isLastOfConnection } from './http/request.ts';
import type { ResponseEvents } from './http/response.ts';
import { Response } from './http/response.ts';
import type { UwsResponse } from './http/uws.ts';
import type { FileSlice, Reply } from './reply/reply.ts';
import { headOf } from './reply/reply.ts';
import type { RequestTrace } from './tracing.ts';
import type { RateVerdict } from './types.ts';

/** Bytes of a stored file read at a time: the memory that a stalled reader costs. */
const READ_BYTES = 64 * 1024;

/** The part of an exchange that the sweep of slow readers looks at. */
export interface SlowWrite {
  /** Bytes of the body that the socket has taken. */
  readonly offset: number;
  /** Memory it holds until the socket has taken the rest. */
  readonly heldBytes: number;
  /** The caller's id; '' at a public address. */
  readonly caller: string;
  /** The response is still wanted although its reader is slow. */
  keepAlive(): void;
  cut(): void;
}

/** The server as an exchange sees it. */
export interface ExchangeWatch {
  readonly proxies: TrustedProxies;
  /** The gateway itself speaks HTTPS. */
  readonly isTls: boolean;
  /** The socket takes no more; `slow` until `done`. */
  slow(write: SlowWrite): void;
  /** Answered to the last byte, or the client disconnected (status 0). Once. */
  done(exchange: Exchange, status: number): void;
  /** A stored file could not be read to its end, and the connection was cut; or not be closed. */
  failed(exchange: Exchange, error: unknown): void;
}

/** One request, its response, and what is known of both on the way. */
export class Exchange implements SlowWrite, ResponseEvents {
  readonly requestId = randomUUID();
  readonly startedAtMs = performance.now();
  readonly method: string;
  readonly headers: RequestHeaders;
  /** Route of the response in metrics; '' for an unknown one. */
  route = '';
  /** Seconds for `Retry-After` of a refusal that knows better than its code; 0: none. */
  retryAfterSeconds = 0;
  /** Calls left to the caller by its rate limit; null where calls are not counted. */
  rate: RateVerdict | null = null;
  /** Headers of a refusal beyond those of its code: `Allow`, `Content-Range`. */
  extraHeaders: Readonly<Record<string, string>> | undefined = undefined;
  /** `Server-Timing` of the response; '' for none. */
  serverTiming = '';
  body: BodyReader | null = null;
  caller = '';
  /** The span of the request; null: it is not traced. */
  trace: RequestTrace | null = null;
  readonly #response: Response;
  readonly #watch: ExchangeWatch;
  #status = 0;
  #client: string | null = null;
  /** The response body, where the exchange owns its buffer; released once it is sent. */
  #owned: Uint8Array | null = null;

  /** To be made inside the handler of the request. */
  constructor(request: Request, res: UwsResponse, watch: ExchangeWatch) {
    this.method = request.method;
    this.headers = request.headers;
    this.#watch = watch;
    this.#response = new Response(res, isLastOfConnection(request), this);
  }

  /**
   * The client's address, as trusted proxies forward it; '' on a Unix socket without one. Looked up
   * when first asked for, because that costs 3 us; '' when that is after the response.
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

  /** The client speaks HTTPS, to the gateway or to a trusted proxy. */
  get isSecure(): boolean {
    const { proxies, isTls } = this.#watch;
    if (isTls || proxies.isEmpty || this.gone) return isTls;
    // With several proxies the first one talks to the client.
    const scheme = this.headers.forwardedProto.split(',')[0]?.trim().toLowerCase();
    return scheme === 'https' && proxies.trusts(addressText(this.#response.remoteAddress));
  }

  /** Answered, or the client disconnected: whatever is sent now reaches nobody. */
  get gone(): boolean {
    return this.#response.isOver;
  }

  get offset(): number {
    return this.#response.offset;
  }

  get heldBytes(): number {
    return this.#response.heldBytes;
  }

  /** The handler of the request returns: what is sent from here on is sent later. */
  leaveHandler(): void {
    this.#response.leaveHandler();
  }

  /** Reads the body with `reader`. Inside the handler of the request: nothing waits for it. */
  openBody(reader: BodyReader): void {
    this.body = reader;
    this.#response.onBody((bytes, isLast) => reader.take(bytes, isLast));
  }

  /** Calls `listener` when the client disconnects early; the result takes the listener away. */
  onAbort(listener: () => void): () => void {
    return this.#response.onAbort(listener);
  }

  /** Sends the response, once; `close` ends the connection with it. */
  send(reply: Reply, close: boolean): void {
    const { status, body } = reply;
    if (reply.ownsBody === true && body instanceof Uint8Array) this.#owned = body;
    if (this.gone) {
      if (isSlice(body)) void this.#closeFile(body.file);
      this.#releaseOwned();
      return;
    }
    if (close) this.#response.isLast = true;
    this.#status = status;
    const head = headOf(reply, this.requestId, this.serverTiming, this.rate);
    if (isSlice(body)) void this.#sendFile(head, body);
    else if (isPieces(body)) void this.#sendPieces(head, body);
    else if (status === 204) this.#response.sendHead(head, null);
    else if (this.method === 'HEAD') this.#response.sendHead(head, Buffer.byteLength(body));
    else this.#response.send(head, body);
  }

  keepAlive(): void {
    this.#response.keepAlive();
  }

  cut(): void {
    this.#response.abort();
  }

  /** For the response: the client reads slowly. */
  onSlow(): void {
    this.#watch.slow(this);
  }

  /** For the response: it is complete, or the client disconnected. */
  onOver(): void {
    const { isAborted } = this.#response;
    if (isAborted) this.body?.abandon();
    else this.body?.release();
    this.#releaseOwned();
    this.#watch.done(this, isAborted ? 0 : this.#status);
  }

  /** One piece is in memory at a time. A file that cannot be read to its end cuts the connection. */
  async #sendFile(head: ReturnType<typeof headOf>, slice: FileSlice): Promise<void> {
    const { file, from, to } = slice;
    const total = to - from;
    try {
      if (this.method === 'HEAD' || total === 0) this.#response.sendHead(head, total);
      let sent = 0;
      while (!this.gone && sent < total) {
        const piece = await file.read(from + sent, Math.min(READ_BYTES, total - sent));
        if (piece.byteLength === 0) throw new Error('a stored file is too short');
        await this.#response.write(sent === 0 ? head : null, piece, total);
        sent += piece.byteLength;
        releaseBuffer(piece);
      }
    } catch (error) {
      // The status line may be out already: a cut connection is the only honest sign left.
      this.cut();
      this.#watch.failed(this, error);
    } finally {
      await this.#closeFile(file);
    }
  }

  /** Keeps one piece in memory at a time. A failure closes the connection. */
  async #sendPieces(
    head: ReturnType<typeof headOf>,
    pieces: AsyncIterable<Uint8Array>,
  ): Promise<void> {
    try {
      if (this.method === 'HEAD') {
        this.#response.sendHead(head, null);
        return;
      }
      let first: typeof head | null = head;
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

  /** The response is out by now: that the file could not be closed is for the log. */
  async #closeFile(file: StoredFile): Promise<void> {
    try {
      await file.close();
    } catch (error) {
      this.#watch.failed(this, error);
    }
  }

  /** uWebSockets.js has a copy of what it has taken, and takes no more. */
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
