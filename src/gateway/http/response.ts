import { STATUS_CODES } from 'node:http';
import type { UwsResponse } from './uws.ts';

/** Receives a piece of a body. The bytes are valid until it returns. */
export type TakeBody = (bytes: Uint8Array, isLast: boolean) => void;

/** Status and headers of a response. */
export interface ResponseHead {
  readonly status: number;
  /** `Name: value` lines with CRLF between two of them; '' for none. No value holds CR or LF. */
  readonly fields: string;
}

/** Events for the owner of a response. */
export interface ResponseEvents {
  /**
   * The socket takes no more bytes now, because the client reads slowly. May be called several
   * times.
   */
  onSlow(): void;
  /** Called once, when the last byte is written or the client disconnected. */
  onOver(): void;
}

/** Limit of a body that may be copied: characters of a text, or bytes. */
const SHORT_BODY_MAX = 16_384;

/**
 * The response to a request, and the source of the request's body. Every write waits for the
 * socket, so that no buffer grows when the client reads slowly. After the client has disconnected,
 * all methods do nothing.
 */
export class Response {
  /** The response is complete or the client disconnected: nothing can be written any more. */
  isOver = false;
  isAborted = false;
  /** Bytes of the body that the socket has taken. */
  offset = 0;
  /** Bytes in memory until the socket has taken the rest. */
  heldBytes = 0;
  /** Whether the connection closes after this response. */
  isLast: boolean;
  readonly #res: UwsResponse;
  readonly #events: ResponseEvents;
  /** Inside the handler, uWebSockets.js corks writes by itself. */
  #isInHandler = true;
  /** null: there are no listeners. */
  #onAbort: Set<() => void> | null = null;

  /** Must be called inside the request's handler. */
  constructor(res: UwsResponse, isLast: boolean, events: ResponseEvents) {
    this.#res = res;
    this.isLast = isLast;
    this.#events = events;
  }

  /**
   * Must be called last in the handler: uWebSockets.js requires an abort handler unless the
   * response is complete.
   */
  leaveHandler(): void {
    this.#isInHandler = false;
    if (!this.isOver) this.#watchAbort();
  }

  /** Bytes of the peer's address; empty on a Unix socket and after the response is over. */
  get remoteAddress(): Uint8Array {
    return this.isOver ? new Uint8Array(0) : new Uint8Array(this.#res.getRemoteAddress());
  }

  /**
   * Starts reading the body. Must be called inside the request's handler, because uWebSockets.js
   * drops data that comes before.
   */
  onBody(take: TakeBody): void {
    this.#res.onData((chunk, isLast) => take(new Uint8Array(chunk), isLast));
  }

  /** Reads no more from the connection, which does not time out meanwhile, until `resume`. */
  pause(): void {
    if (!this.isOver) this.#res.pause();
  }

  resume(): void {
    if (!this.isOver) this.#res.resume();
  }

  /** Calls `listener` when the client disconnects early; the result removes the listener. */
  onAbort(listener: () => void): () => void {
    const listeners = (this.#onAbort ??= new Set());
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  /** Sends the head and the whole body. */
  send(head: ResponseHead, body: string | Uint8Array): void {
    if (this.isLast) this.#afterParsing(() => this.#send(head, body));
    else if (!this.isOver) this.#send(head, body);
  }

  /**
   * Sends bytes that the caller reuses afterwards: status and header lines with CRLF between two of
   * them, and a short body. Must not be the last response of the connection, which is sent later.
   */
  sendReused(head: Uint8Array, body: Uint8Array): void {
    if (this.isOver) return;
    let isComplete = false;
    this.#cork(() => {
      this.#res.writeStatus(head);
      isComplete = this.#res.tryEnd(body, body.length)[1];
    });
    if (isComplete) this.#finish();
    // A copy: `slice` of a Buffer makes none.
    else this.#sendRest(new Uint8Array(body));
  }

  /**
   * Sends only a head. `bodyBytes` is the length that a GET would send; null for a status without a
   * body. uWebSockets.js takes a response whose head announces a body for unfinished and closes the
   * connection at the next request, so the client is told that no more requests are answered.
   */
  sendHead(head: ResponseHead, bodyBytes: number | null): void {
    const send = (): void => {
      if (this.#isInHandler) this.#watchAbort();
      this.#cork(() => {
        // uWebSockets.js takes any argument, even undefined, for a length. Without one it cannot be
        // told to close the connection.
        if (bodyBytes === null) {
          this.#writeHeadOfPieces(head);
          this.#res.endWithoutBody();
        } else {
          this.#writeHead(head);
          this.#res.endWithoutBody(bodyBytes, true);
        }
      });
      this.#finish();
    };
    if (this.isLast) this.#afterParsing(send);
    else if (!this.isOver) send();
  }

  /**
   * Sends a piece of a body of `totalBytes`; `head` comes with the first piece and is null
   * afterwards. Resolves when the socket has taken the piece, or the response is over.
   */
  async write(head: ResponseHead | null, piece: Uint8Array, totalBytes: number): Promise<void> {
    if (this.isOver) return;
    const start = this.offset;
    let isTaken = false;
    let isComplete = false;
    this.#cork(() => {
      if (head !== null) this.#writeHeadOfPieces(head);
      [isTaken, isComplete] = this.#res.tryEnd(piece, totalBytes);
    });
    if (isComplete) this.#finish();
    else if (isTaken) this.offset = start + piece.byteLength;
    else await this.#drain(piece, start, totalBytes);
  }

  /**
   * Sends a piece of a body of unknown length; `head` comes with the first piece and is null
   * afterwards. Resolves when the socket accepts more, or the response has ended.
   */
  async writeChunk(head: ResponseHead | null, piece: Uint8Array): Promise<void> {
    if (this.isOver) return;
    let isTaken = true;
    this.#cork(() => {
      if (head !== null) this.#writeHeadOfPieces(head);
      // An empty chunk would end the body.
      if (piece.byteLength > 0) isTaken = this.#res.write(piece);
    });
    this.offset += piece.byteLength;
    if (!isTaken) await this.#whenWritable(piece.byteLength);
  }

  /** Ends the body that `writeChunk` sent. */
  endChunks(): void {
    if (this.isOver) return;
    this.#cork(() => this.#res.end(undefined, this.isLast));
    this.#finish();
  }

  /**
   * Restarts the timeout of uWebSockets.js, which closes a connection that takes nothing for 10 s.
   */
  keepAlive(): void {
    if (this.isOver) return;
    // Together these calls restart the timeout.
    this.#res.pause();
    this.#res.resume();
  }

  /** Ends the connection at once. */
  abort(): void {
    if (this.isOver) return;
    this.#res.close();
    // Inside the handler, no abort handler is set yet.
    if (this.#isInHandler) this.#abort();
  }

  /**
   * Sends after the parser has returned. While uWebSockets.js parses a segment, it would handle the
   * next request in it even if this response closes the connection. When the response comes later,
   * a pipelined request makes uWebSockets.js close the connection at once, so that neither gets an
   * answer, as intended.
   */
  #afterParsing(send: () => void): void {
    setImmediate(() => {
      if (!this.isOver) send();
    });
  }

  #watchAbort(): void {
    this.#res.onAborted(() => this.#abort());
  }

  /** Sends everything that `write` writes in as few packets as possible. */
  #cork(write: () => void): void {
    if (this.#isInHandler) write();
    else this.#res.cork(write);
  }

  #send(head: ResponseHead, body: string | Uint8Array): void {
    if (this.isLast && body.length <= SHORT_BODY_MAX) this.#sendLast(head, body);
    else this.#sendBody(head, typeof body === 'string' ? Buffer.from(body) : body);
  }

  /**
   * Sends a body that uWebSockets.js copies if the socket does not take all of it. Nothing limits
   * these copies, so only the last response of a connection is sent so.
   */
  #sendLast(head: ResponseHead, body: string | Uint8Array): void {
    this.#cork(() => {
      this.#writeHead(head);
      this.#res.end(body, true);
    });
    this.#finish();
  }

  /** Sends a body without a copy; what the socket does not take now follows as it drains. */
  #sendBody(head: ResponseHead, bytes: Uint8Array): void {
    let isComplete = false;
    this.#cork(() => {
      this.#writeHeadOfPieces(head);
      isComplete = this.#res.tryEnd(bytes, bytes.byteLength)[1];
    });
    if (isComplete) this.#finish();
    else this.#sendRest(bytes);
  }

  /** Sends what the socket has not taken of a body as it drains. */
  #sendRest(bytes: Uint8Array): void {
    const total = bytes.byteLength;
    this.offset = this.#res.getWriteOffset();
    this.heldBytes = bytes.buffer.byteLength;
    this.#res.onWritable((offset) => {
      this.offset = offset;
      const [isTaken, isDone] = this.#res.tryEnd(bytes.subarray(offset), total);
      if (isDone) this.#finish();
      return isTaken;
    });
    // This must be last, because the owner may abort at once.
    this.#events.onSlow();
  }

  #drain(piece: Uint8Array, start: number, totalBytes: number): Promise<void> {
    this.offset = this.#res.getWriteOffset();
    this.heldBytes = piece.buffer.byteLength;
    const end = start + piece.byteLength;
    return new Promise((resolve) => {
      const forget = this.onAbort(resolve);
      this.#res.onWritable((offset) => {
        this.offset = offset;
        if (offset < end) {
          const [isTaken, isDone] = this.#res.tryEnd(piece.subarray(offset - start), totalBytes);
          if (isDone) this.#finish();
          else if (!isTaken) return false;
          this.offset = end;
        }
        forget();
        resolve();
        return true;
      });
      this.#events.onSlow();
    });
  }

  /** Waits until the socket has sent the bytes that it has taken. */
  #whenWritable(heldBytes: number): Promise<void> {
    this.heldBytes = heldBytes;
    return new Promise((resolve) => {
      const forget = this.onAbort(resolve);
      this.#res.onWritable(() => {
        this.heldBytes = 0;
        forget();
        resolve();
        return true;
      });
      this.#events.onSlow();
    });
  }

  /**
   * Writes status and fields in one call: uWebSockets.js copies the text after `HTTP/1.1`, and a
   * call per field would cost more.
   */
  #writeHead({ status, fields }: ResponseHead): void {
    const line = statusLine(status);
    this.#res.writeStatus(fields === '' ? line : `${line}\r\n${fields}`);
  }

  /**
   * The head of a body that `tryEnd` or `write` sends: these cannot close the connection after the
   * last response, so the client is asked to.
   */
  #writeHeadOfPieces(head: ResponseHead): void {
    this.#writeHead(head);
    if (this.isLast) this.#res.writeHeader('Connection', 'close');
  }

  #finish(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.#events.onOver();
  }

  #abort(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.isAborted = true;
    if (this.#onAbort !== null) for (const listener of this.#onAbort) listener();
    this.#events.onOver();
  }
}

const STATUS_LINES = new Map<number, string>();

/** Status and reason phrase. */
export function statusLine(status: number): string {
  let line = STATUS_LINES.get(status);
  if (line === undefined) {
    line = `${status} ${STATUS_CODES[status] ?? ''}`;
    STATUS_LINES.set(status, line);
  }
  return line;
}
