import type { Socket } from 'node:net';
import { Answer } from './answer.ts';
import { ChunkReader } from './chunks.ts';
import type { RequestHead } from './head.ts';
import { faultyHead, HEAD_BYTES_MAX, readHead } from './head.ts';

/** What a connection needs of its listener. */
export interface ConnectionHost {
  /** A head has come. What of the body is wanted is asked for before this returns. */
  request(head: RequestHead, answer: Answer): void;
  ended(connection: Connection): void;
  /** Calls `flush` when everything has been read that came meanwhile. */
  flushSoon(connection: Connection): void;
  /** Seconds by a clock that only goes forward. */
  readonly seconds: number;
}

/** Requests of one connection that may be under way at once (RFC 9112 §9.3.2). */
const PIPELINE_MAX = 32;
/** Answers that their caller has not taken: with more, no further request of it is begun. */
const UNTAKEN_BYTES_MAX = 256 * 1024;
/** Between requests: longer than the minute for which proxies keep theirs. */
const KEPT_SECONDS_MAX = 75;
/** Between two pieces of a request, and for its head as a whole. */
const IDLE_SECONDS_MAX = 10;
/** Short answers that nobody takes. */
const UNTAKEN_SECONDS_MAX = 60;
/** A body has as long as this and what it brings buy it: who drips is cut in the end. */
const BODY_SECONDS_MIN = 10;
const BODY_BYTES_PER_SECOND = 1_024;
/** After the last answer, for the caller to read it before the connection is reset. */
const LINGER_SECONDS_MAX = 2;
const LINGER_BYTES_MAX = 16 * 1_048_576;
/** The next head is as long as the last one, or a little longer: so much is looked through first. */
const HEAD_BYTES_MORE = 32;
const HEAD_BYTES_USUAL = 512;
const HEAD_END = '\r\n\r\n';
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';
const CR = 0x0d;
const LF = 0x0a;

/** `closed`: no further request is read, what still comes is dropped. */
type Stage = 'head' | 'body' | 'closed';

/**
 * One connection of a caller (HTTP/1.1, RFC 9112): reads requests, also those sent before the
 * earlier ones are answered, and writes the answers in their order. One socket, no second copy.
 */
export class Connection {
  readonly #socket: Socket;
  readonly #host: ConnectionHost;
  #stage: Stage = 'head';
  /** Bytes that came and are not understood yet. */
  #rest: Buffer | null = null;
  /** Of the body that comes: bytes still to come, or its chunks. */
  #left = 0;
  #chunks: ChunkReader | null = null;
  #receiving: Answer | null = null;
  /** Answers due, in the order of their requests. */
  readonly #turns: Answer[] = [];
  /** Its caller waits for `100 Continue` (RFC 9110 §10.1.1), which has to wait for its turn. */
  #continues: Answer | null = null;
  /** Short answers of this turn of the event loop: they leave together. */
  #text = '';
  #headBytes = HEAD_BYTES_USUAL;
  #isReading = false;
  #isPaused = false;
  #activeAt: number;
  /** When the head that has not come to its end began; -1: none has. */
  #headAt = -1;
  #bodyAt = 0;
  #bodyBytes = 0;
  #lingerBytes = 0;

  constructor(socket: Socket, host: ConnectionHost) {
    this.#socket = socket;
    this.#host = host;
    this.#activeAt = host.seconds;
    socket.on('data', (chunk: Buffer) => this.#take(chunk));
    socket.on('drain', () => this.#goOn());
    // A caller that has gone, and one that only ends its side, look the same until we write.
    socket.on('end', () => socket.destroy());
    socket.on('error', () => socket.destroy());
    socket.on('close', () => this.#end());
  }

  /** Everything handed over has left for the kernel. */
  get isDrained(): boolean {
    const { destroyed, writableLength } = this.#socket;
    return !destroyed && this.#text === '' && writableLength === 0;
  }

  destroy(): void {
    this.#stage = 'closed';
    this.#rest = null;
    this.#receiving = null;
    this.#socket.destroy();
  }

  /** Ends what takes too long, by the host's clock. */
  sweep(): void {
    if (this.#isExpired()) this.destroy();
  }

  #isExpired(): boolean {
    const { seconds } = this.#host;
    const idle = seconds - this.#activeAt;
    const isHeldUp = this.#isPaused || this.#continues !== null;
    if (this.#stage === 'body' && !isHeldUp) {
      const allowed = BODY_SECONDS_MIN + this.#bodyBytes / BODY_BYTES_PER_SECOND;
      return idle > IDLE_SECONDS_MAX || seconds - this.#bodyAt > allowed;
    }
    // Who waits for an answer is not idle; who does not read it is watched elsewhere.
    if (this.#turns.length > 0) return false;
    if (!this.isDrained) return idle > UNTAKEN_SECONDS_MAX;
    if (this.#stage === 'closed') return idle > LINGER_SECONDS_MAX;
    if (this.#headAt !== -1) return seconds - this.#headAt > IDLE_SECONDS_MAX;
    return idle > KEPT_SECONDS_MAX;
  }

  isFirst(answer: Answer): boolean {
    return this.#turns[0] === answer;
  }

  /** For the answer whose turn it is. Text of one byte a character. */
  writeText(text: string): void {
    if (this.#text === '') this.#host.flushSoon(this);
    this.#text += text;
  }

  /** Writes the short answers that have gathered. */
  flush(): void {
    const text = this.#text;
    if (text === '') return;
    this.#text = '';
    this.#socket.write(text, 'latin1');
    this.#goOn();
  }

  /** For the answer whose turn it is. `whenTaken` is called when the kernel has the bytes. */
  writeBytes(head: string, bytes: Uint8Array, whenTaken: () => void): void {
    const onWritten = (error?: Error | null): void => {
      if (error === undefined || error === null) whenTaken();
    };
    const text = this.#text + head;
    this.#text = '';
    if (text === '') {
      this.#socket.write(bytes, onWritten);
      return;
    }
    this.#socket.cork();
    this.#socket.write(text, 'latin1');
    this.#socket.write(bytes, onWritten);
    this.#socket.uncork();
  }

  /** The first answer has been handed over to its last byte. */
  finished(closes: boolean): void {
    this.#turns.shift();
    this.#activeAt = this.#host.seconds;
    if (closes) {
      this.#close();
      return;
    }
    this.#letContinue();
    this.#turns[0]?.begin();
    if (!this.#isReading) this.#goOn();
  }

  #take(chunk: Buffer): void {
    this.#activeAt = this.#stage === 'closed' ? this.#activeAt : this.#host.seconds;
    const rest = this.#rest;
    this.#rest = null;
    this.#read(rest === null ? chunk : Buffer.concat([rest, chunk]));
  }

  /** There is room for further requests, or something to do about the lack of it. */
  #goOn(): void {
    if (this.#isReading || this.#stage === 'closed') return;
    const rest = this.#rest;
    this.#rest = null;
    if (rest !== null) this.#read(rest);
    if (this.#isPaused && !this.#isFull()) {
      this.#isPaused = false;
      this.#activeAt = this.#host.seconds;
      this.#bodyAt = this.#host.seconds;
      this.#socket.resume();
    }
  }

  #isFull(): boolean {
    const untaken = this.#text.length + this.#socket.writableLength;
    return this.#turns.length >= PIPELINE_MAX || untaken > UNTAKEN_BYTES_MAX;
  }

  #read(bytes: Buffer): void {
    this.#isReading = true;
    let at = 0;
    while (at < bytes.length) {
      let next: number;
      if (this.#stage === 'head') next = this.#isFull() ? at : this.#readHead(bytes, at);
      else if (this.#stage === 'body') next = this.#readBody(bytes, at);
      else next = this.#drop(bytes, at);
      if (next === at) break;
      at = next;
    }
    this.#isReading = false;
    if (at < bytes.length) {
      this.#rest = at === 0 ? bytes : bytes.subarray(at);
      if (this.#headAt === -1) this.#headAt = this.#host.seconds;
      if (!this.#isPaused && this.#isFull()) {
        this.#isPaused = true;
        this.#socket.pause();
      }
    }
  }

  /** Where the head ends; `at` when it has not come to its end. */
  #readHead(bytes: Buffer, at: number): number {
    const start = skipEmptyLines(bytes, at);
    if (start === bytes.length) return start;
    if (bytes[start] === CR && start + 1 === bytes.length) return start;
    if (!isVisible(bytes[start] ?? 0)) {
      this.#begin(faultyHead('This is no request of HTTP/1.1 without TLS.'));
      return bytes.length;
    }
    let text = bytes.toString('latin1', start, start + this.#headBytes);
    let end = text.indexOf(HEAD_END);
    if (end === -1 && bytes.length - start > this.#headBytes) {
      text = bytes.toString('latin1', start, start + HEAD_BYTES_MAX);
      end = text.indexOf(HEAD_END);
    }
    if (end === -1) {
      if (bytes.length - start < HEAD_BYTES_MAX) return start;
      this.#begin(faultyHead(`The headers are longer than ${HEAD_BYTES_MAX} bytes.`));
      return bytes.length;
    }
    this.#headBytes = Math.min(end + HEAD_BYTES_MORE, HEAD_BYTES_MAX);
    this.#begin(readHead(text.slice(0, end)));
    return start + end + HEAD_END.length;
  }

  #begin(head: RequestHead): void {
    this.#headAt = -1;
    const { contentLength, chunked, expect } = head.headers;
    const answer = new Answer(this, head.closes || head.fault !== '');
    this.#turns.push(answer);
    if (head.fault !== '') this.#stage = 'closed';
    else if (chunked || contentLength > 0) {
      this.#stage = 'body';
      this.#chunks = chunked ? new ChunkReader() : null;
      this.#left = chunked ? 0 : contentLength;
      this.#receiving = answer;
      this.#bodyAt = this.#host.seconds;
      this.#bodyBytes = 0;
    }
    this.#host.request(head, answer);
    if (expect === '100-continue' && this.#receiving === answer && answer.wantsBody) {
      this.#continues = answer;
      this.#letContinue();
    }
    if (head.closes && this.#stage === 'head') this.#stage = 'closed';
  }

  /** Asks for a body that its caller holds back, once the answers before are out. */
  #letContinue(): void {
    const answer = this.#continues;
    if (answer === null || !this.isFirst(answer)) return;
    this.#continues = null;
    this.#bodyAt = this.#host.seconds;
    if (this.#receiving === answer) this.writeText(CONTINUE);
  }

  #readBody(bytes: Buffer, at: number): number {
    const answer = this.#receiving;
    if (answer?.isOver === true && this.#bodyBytes > LINGER_BYTES_MAX) {
      this.destroy();
      return bytes.length;
    }
    if (this.#chunks === null) {
      const end = Math.min(bytes.length, at + this.#left);
      this.#left -= end - at;
      this.#bodyBytes += end - at;
      this.#bodyEnded(this.#left === 0, answer?.closes === true);
      answer?.take(bytes.subarray(at, end), this.#left === 0);
      return end;
    }
    const next = this.#chunks.read(bytes, at, (data) => answer?.take(data, false));
    if (next === -1) {
      // Earlier answers have not left yet.
      this.flush();
      this.destroy();
      return bytes.length;
    }
    this.#bodyBytes += next - at;
    const isDone = this.#chunks.isDone;
    this.#bodyEnded(isDone, answer?.closes === true);
    if (isDone) answer?.take(NOTHING, true);
    return next;
  }

  #bodyEnded(isDone: boolean, closes: boolean): void {
    if (!isDone || this.#stage !== 'body') return;
    this.#receiving = null;
    this.#chunks = null;
    this.#stage = closes ? 'closed' : 'head';
  }

  /** Takes what nobody wants any more, so that the caller is not reset before it has read. */
  #drop(bytes: Buffer, at: number): number {
    this.#lingerBytes += bytes.length - at;
    if (this.#lingerBytes > LINGER_BYTES_MAX) this.destroy();
    return bytes.length;
  }

  /** The answer just finished is the last one of this connection. */
  #close(): void {
    this.#stage = 'closed';
    this.#receiving = null;
    this.#rest = null;
    this.flush();
    for (const answer of this.#turns.splice(0)) answer.lose();
    this.#socket.end();
    // What comes is read on, and dropped.
    this.#socket.resume();
  }

  #end(): void {
    this.#stage = 'closed';
    this.#rest = null;
    this.#receiving = null;
    for (const answer of this.#turns.splice(0)) answer.lose();
    this.#host.ended(this);
  }
}

const NOTHING = new Uint8Array(0);

/** RFC 9112 §2.2: empty lines before a request are read over. */
function skipEmptyLines(bytes: Buffer, at: number): number {
  let start = at;
  while (bytes[start] === CR && bytes[start + 1] === LF) start += 2;
  return start;
}

function isVisible(byte: number): boolean {
  return byte > 0x20 && byte < 0x7f;
}
