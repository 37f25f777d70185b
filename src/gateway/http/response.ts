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
  /** The socket takes no more for now: the client reads slowly. Perhaps several times. */
  onSlow(): void;
  /** Written to the last byte, or the client disconnected. Once. */
  onOver(): void;
}

/** A longer text is written like bytes, as the socket drains. */
const TEXT_BYTES_MAX = 16_384;

/**
 * The response to one request, and where its body arrives. It knows HTTP and the socket, nothing of
 * routes. Every write waits for the socket: nothing is copied into a buffer that the client's
 * reading speed decides the size of. After the client disconnected every method does nothing.
 */
export class Response {
  /** Complete, or the client disconnected: nothing can be written any more. */
  isOver = false;
  isAborted = false;
  /** Bytes of the body that the socket has taken. */
  offset = 0;
  /** Memory held until the socket has taken the rest. */
  heldBytes = 0;
  /** The connection ends with this response. */
  isLast: boolean;
  readonly #res: UwsResponse;
  readonly #events: ResponseEvents;
  /** Inside the handler uWebSockets.js gathers what is written by itself. */
  #isInHandler = true;
  /** null: nobody asked to be told. */
  #onAbort: Set<() => void> | null = null;

  /** To be made inside the handler of the request. */
  constructor(res: UwsResponse, isLast: boolean, events: ResponseEvents) {
    this.#res = res;
    this.isLast = isLast;
    this.#events = events;
  }

  /** To be called last in the handler: uWebSockets.js asks for an abort handler unless all is sent. */
  leaveHandler(): void {
    this.#isInHandler = false;
    if (!this.isOver) this.#res.onAborted(() => this.#abort());
  }

  /** Bytes of the other end's address; empty on a Unix socket, and once the response is over. */
  get remoteAddress(): Uint8Array {
    return this.isOver ? new Uint8Array(0) : new Uint8Array(this.#res.getRemoteAddress());
  }

  /** Asks for the body. Inside the handler of the request: what comes earlier is dropped. */
  onBody(take: TakeBody): void {
    this.#res.onData((chunk, isLast) => take(new Uint8Array(chunk), isLast));
  }

  /** Calls `listener` when the client disconnects early; the result takes the listener away. */
  onAbort(listener: () => void): () => void {
    const listeners = (this.#onAbort ??= new Set());
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  /** Sends head and body. */
  send(head: ResponseHead, body: string | Uint8Array): void {
    if (this.isLast) this.#afterParsing(() => this.#send(head, body));
    else if (!this.isOver) this.#send(head, body);
  }

  /** Sends a head alone. `bodyBytes`: what a GET would have brought; null for a status without one. */
  sendHead(head: ResponseHead, bodyBytes: number | null): void {
    const send = (): void => {
      this.#cork(() => {
        // An argument, undefined too, is taken for a length.
        this.#writeHead(head, bodyBytes === null);
        if (bodyBytes === null) this.#res.endWithoutBody();
        else this.#res.endWithoutBody(bodyBytes, this.isLast);
      });
      this.#finish();
    };
    if (this.isLast) this.#afterParsing(send);
    else if (!this.isOver) send();
  }

  /**
   * Sends a piece of a body of `totalBytes`; `head` with the first one, then null. Resolves when the
   * socket has taken the whole piece, or the response is over.
   */
  async write(head: ResponseHead | null, piece: Uint8Array, totalBytes: number): Promise<void> {
    if (this.isOver) return;
    const start = this.offset;
    let isTaken = false;
    let isComplete = false;
    this.#cork(() => {
      if (head !== null) this.#writeHead(head, true);
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
      if (head !== null) this.#writeHead(head, true);
      // Skipped, because an empty chunk would end the body.
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

  /** Tells uWebSockets.js, which ends a connection that takes nothing for 10 s, to wait on. */
  keepAlive(): void {
    if (this.isOver) return;
    // The pair restarts its timeout.
    this.#res.pause();
    this.#res.resume();
  }

  /** Ends the connection at once. */
  abort(): void {
    if (this.isOver) return;
    this.#res.close();
    // In the handler there is no abort handler yet.
    if (this.#isInHandler) this.#abort();
  }

  /**
   * While uWebSockets.js parses a segment, it goes on with the next request in it although the
   * response to this one ends the connection. When that response comes later, a request behind this
   * one makes it end the connection at once, and neither is answered: that is what is wanted.
   */
  #afterParsing(send: () => void): void {
    setImmediate(() => {
      if (!this.isOver) send();
    });
  }

  /** Everything that `write` writes leaves in as few packets as possible. */
  #cork(write: () => void): void {
    if (this.#isInHandler) write();
    else this.#res.cork(write);
  }

  #send(head: ResponseHead, body: string | Uint8Array): void {
    if (typeof body !== 'string') {
      this.#sendBytes(head, body);
      return;
    }
    if (body.length > TEXT_BYTES_MAX) {
      this.#sendBytes(head, Buffer.from(body));
      return;
    }
    this.#cork(() => {
      this.#writeHead(head);
      this.#res.end(body, this.isLast);
    });
    this.#finish();
  }

  #sendBytes(head: ResponseHead, bytes: Uint8Array): void {
    const total = bytes.byteLength;
    let isComplete = false;
    this.#cork(() => {
      if (this.isLast && total <= TEXT_BYTES_MAX) {
        this.#writeHead(head);
        this.#res.end(bytes, true);
        isComplete = true;
        return;
      }
      this.#writeHead(head, true);
      isComplete = this.#res.tryEnd(bytes, total)[1];
    });
    if (isComplete) {
      this.#finish();
      return;
    }
    this.offset = this.#res.getWriteOffset();
    this.heldBytes = bytes.buffer.byteLength;
    this.#res.onWritable((offset) => {
      this.offset = offset;
      const [isTaken, isDone] = this.#res.tryEnd(bytes.subarray(offset), total);
      if (isDone) this.#finish();
      return isTaken;
    });
    // Last: the owner may abort at once.
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

  /** The socket has the written bytes; this only waits until it has sent them. */
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
   * Writes status and fields in one call: uWebSockets.js copies what it is given behind `HTTP/1.1`,
   * and a call for each field costs more than all their bytes. Where the call that follows cannot
   * end the connection, `Connection: close` asks the client to.
   */
  #writeHead({ status, fields }: ResponseHead, saysClose = false): void {
    const line = statusLine(status);
    this.#res.writeStatus(fields === '' ? line : `${line}\r\n${fields}`);
    if (saysClose && this.isLast) this.#res.writeHeader('Connection', 'close');
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

function statusLine(status: number): string {
  let line = STATUS_LINES.get(status);
  if (line === undefined) {
    line = `${status} ${STATUS_CODES[status] ?? ''}`;
    STATUS_LINES.set(status, line);
  }
  return line;
}
