import { randomUUID } from 'node:crypto';
import { giveBack } from '../memory.ts';
import type { Answer } from './http/answer.ts';
import type { BodyReader } from './body.ts';
import type { StoredFile } from '../store/store.ts';
import type { RequestHeaders } from './http/headers.ts';
import type { RequestHead } from './http/head.ts';
import type { FileSlice, Reply } from './reply.ts';
import { replyHead } from './reply.ts';

/** Bytes of a stored file read at a time: what a stalled reader costs. */
const READ_BYTES = 64 * 1024;
/** Bytes of an answer in memory that are handed over at a time: progress is seen in such steps. */
const WRITE_BYTES = 256 * 1024;
/** An answer that waits for earlier ones of its connection is watched when it holds this much. */
const HELD_BYTES_MIN = 64 * 1024;

/** What the sweep of slow readers needs of an exchange. */
export interface SlowWrite {
  /** Bytes of the body that the socket has taken. */
  readonly offset: number;
  /** Memory it holds until the socket has taken the rest. */
  readonly heldBytes: number;
  /** Whose request it is; '' at a public address. */
  readonly caller: string;
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
  readonly #answer: Answer;
  readonly #watch: ExchangeWatch;
  /** Memory of the answer, to be given back with it. */
  #passing: Uint8Array | null = null;
  /** A file whose turn to be sent has not come. */
  #waitingFile: StoredFile | null = null;
  #finished = false;

  constructor(answer: Answer, { method, headers }: RequestHead, watch: ExchangeWatch) {
    this.method = method;
    this.headers = headers;
    this.#answer = answer;
    this.#watch = watch;
    answer.onLost = () => this.#leave();
  }

  /** Sends the answer, once; `close` ends the connection after it. */
  send(reply: Reply, close: boolean): void {
    const { body } = reply;
    if (reply.isPassing === true && body instanceof Uint8Array) this.#passing = body;
    if (this.gone) {
      if (isSlice(body)) void this.#closeFile(body.file);
      this.#giveBack();
      return;
    }
    if (close) this.#answer.closes = true;
    const head = replyHead(reply, this.requestId, this.serverTiming, this.#answer.closes);
    const { status } = reply;
    if (isSlice(body)) {
      this.#waitingFile = body.file;
      this.#answer.whenTurn(() => void this.#sendFile(head, status, body));
    } else if (this.method === 'HEAD') this.#answer.whenTurn(() => this.#sendText(head, status));
    else if (typeof body === 'string') {
      const text = head + oneByteText(body);
      this.#answer.whenTurn(() => this.#sendText(text, status));
    } else this.#whenTurnForBytes(head, status, body);
  }

  cut(): void {
    if (!this.#finished) this.#answer.cut();
  }

  #sendText(text: string, status: number): void {
    this.#answer.writeText(text);
    this.#finish(status);
  }

  #whenTurnForBytes(head: string, status: number, bytes: Uint8Array): void {
    let waits = true;
    this.#answer.whenTurn(() => {
      waits = false;
      this.#sendBytes(head, status, bytes);
    });
    if (!waits || bytes.byteLength < HELD_BYTES_MIN) return;
    this.heldBytes = bytes.buffer.byteLength;
    this.#watch.slow(this);
  }

  /** What the kernel takes at once, then piece by piece as it drains, without a second copy. */
  #sendBytes(head: string, status: number, bytes: Uint8Array): void {
    let text = head;
    let isTaken = true;
    const goOn = (): void => {
      do {
        if (this.#finished) return;
        if (!isTaken) this.offset = Math.min(this.offset + WRITE_BYTES, bytes.byteLength);
        if (this.offset === bytes.byteLength && text === '') {
          this.#finish(status);
          return;
        }
        const piece = bytes.subarray(this.offset, this.offset + WRITE_BYTES);
        isTaken = this.#answer.writeBytes(text, piece, goOn);
        text = '';
        if (isTaken) this.offset += piece.byteLength;
      } while (isTaken);
      this.heldBytes = bytes.buffer.byteLength;
      // Last: it may be cut at once.
      this.#watch.slow(this);
    };
    goOn();
  }

  /** One piece is in memory at a time. A file that cannot be read to its end cuts the connection. */
  async #sendFile(head: string, status: number, slice: FileSlice): Promise<void> {
    const { file, from, to } = slice;
    this.#waitingFile = null;
    const total = this.method === 'HEAD' ? 0 : to - from;
    try {
      if (total === 0) this.#answer.writeText(head);
      let text = head;
      while (!this.gone && this.offset < total) {
        const wanted = Math.min(READ_BYTES, total - this.offset);
        const piece = await file.read(from + this.offset, wanted);
        if (piece.byteLength === 0) throw new Error('a stored file is too short');
        if (this.gone) return;
        await this.#takePiece(text, piece);
        text = '';
      }
      this.#finish(status);
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

  /** Resolves when the socket has taken the whole piece, or the caller went away. */
  async #takePiece(head: string, piece: Uint8Array): Promise<void> {
    const { byteLength } = piece;
    await new Promise<void>((resolve) => {
      if (this.#answer.writeBytes(head, piece, resolve)) {
        resolve();
        return;
      }
      this.heldBytes = piece.buffer.byteLength;
      this.onGone = resolve;
      this.#watch.slow(this);
    });
    if (this.gone) return;
    this.offset += byteLength;
    giveBack(piece);
  }

  #finish(status: number): void {
    if (this.#finished) return;
    this.#finished = true;
    this.gone = true;
    this.#giveBack();
    // Before the next answer of the connection begins.
    this.#watch.done(this, status);
    this.#answer.finish();
  }

  #giveBack(): void {
    if (this.#passing !== null) giveBack(this.#passing);
    this.#passing = null;
  }

  /** The socket is closed, or was never given any of the answer: nobody reads it any more. */
  #leave(): void {
    this.gone = true;
    this.body?.abandon();
    this.onGone?.();
    const file = this.#waitingFile;
    this.#waitingFile = null;
    if (file !== null) void this.#closeFile(file);
    this.#finish(0);
  }
}

/** UTF-8, one character a byte. */
function oneByteText(text: string): string {
  if (Buffer.byteLength(text) === text.length) return text;
  return Buffer.from(text).toString('latin1');
}

function isSlice(body: Reply['body']): body is FileSlice {
  return typeof body !== 'string' && 'file' in body;
}
