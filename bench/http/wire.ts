import { connect } from 'node:net';
import type { Socket } from 'node:net';

/**
 * Just enough of an HTTP/1.1 client to measure with: requests are ready bytes, one at a time on a
 * kept connection; of an answer it reads the status, the length and how many bytes came.
 */

/** A request on its way. Times are of performance.now(). */
export interface Sent {
  /** When it should have gone: what a caller who waits in no queue of ours would feel. */
  readonly dueMs: number;
  /** When it was written to a connection. */
  writtenMs: number;
  /** It belongs to the measured part. */
  readonly counts: boolean;
  readonly bytes: Buffer;
}

/** `status` 0: the connection broke, or the answer could not be read. `bytes` of the body. */
export type OnAnswer = (sent: Sent, status: number, bytes: number) => void;

const HEAD_BYTES_MAX = 16_384;
const ANSWER_MS_MAX = 60_000;
const SWEEP_MS = 5_000;
/** The service ends a connection that nothing came over for 10 s: it is not used in that moment. */
const IDLE_MS_MAX = 5_000;
const HEAD_END = '\r\n\r\n';
const LENGTH = /\r\ncontent-length: *(\d+)\r\n/i;
const CLOSES = /\r\nconnection: *close\r\n/i;

/** All connections read into this: what came is counted before the next one is read. */
const ROOM = Buffer.allocUnsafe(256 * 1024);

class Connection {
  sent: Sent | null = null;
  idleSinceMs = 0;
  readonly #socket: Socket;
  readonly #fleet: Fleet;
  /** A head that did not come in one piece. */
  #head = '';
  #status = 0;
  /** Bytes of the body still to come; -1: the head has not ended. */
  #left = -1;
  #length = 0;
  #closes = false;

  constructor(host: string, port: number, fleet: Fleet) {
    this.#fleet = fleet;
    const onread = {
      buffer: ROOM,
      callback: (count: number): boolean => {
        this.#read(count);
        return true;
      },
    };
    this.#socket = connect({ host, port, noDelay: true, onread });
    this.#socket.on('error', () => this.#socket.destroy());
    this.#socket.on('close', () => fleet.lost(this));
  }

  write(sent: Sent): void {
    this.sent = sent;
    this.#left = -1;
    this.#head = '';
    sent.writtenMs = performance.now();
    this.#socket.write(sent.bytes);
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #read(count: number): void {
    if (this.sent === null) {
      // Nobody asked: whatever it is, the next answer could not be told from it.
      this.destroy();
      return;
    }
    let bodyBytes = count;
    if (this.#left === -1) {
      const text = this.#head + ROOM.toString('latin1', 0, Math.min(count, HEAD_BYTES_MAX));
      const end = text.indexOf(HEAD_END);
      if (end === -1) {
        if (text.length > HEAD_BYTES_MAX) this.destroy();
        this.#head = text;
        return;
      }
      if (!this.#readHead(text.slice(0, end + 2))) {
        this.destroy();
        return;
      }
      bodyBytes = count - (end + HEAD_END.length - this.#head.length);
    }
    this.#left -= bodyBytes;
    if (this.#left > 0) return;
    if (this.#left < 0) this.destroy();
    else this.#fleet.answered(this, this.#status, this.#length, this.#closes);
  }

  /** False: an answer this client cannot read. The service sends a length with every one. */
  #readHead(head: string): boolean {
    const length = LENGTH.exec(head)?.[1];
    this.#status = head.startsWith('HTTP/1.1 ') ? Number(head.slice(9, 12)) : Number.NaN;
    if (length === undefined || !Number.isInteger(this.#status)) return false;
    this.#length = Number(length);
    this.#left = this.#length;
    this.#closes = CLOSES.test(head);
    return true;
  }
}

/**
 * Kept connections to one address, opened as they are needed. When all are busy, requests wait
 * here: their time runs on.
 */
export class Fleet {
  readonly #host: string;
  readonly #port: number;
  readonly #connectionsMax: number;
  readonly #waitingMax: number;
  readonly #onAnswer: OnAnswer;
  readonly #idle: Connection[] = [];
  readonly #all = new Set<Connection>();
  #waiting: Sent[] = [];
  /** Of `#waiting`, those before it are gone. */
  #first = 0;
  #whenDone: (() => void) | null = null;
  readonly #sweep: NodeJS.Timeout;

  constructor(url: string, connectionsMax: number, waitingMax: number, onAnswer: OnAnswer) {
    const { hostname, port } = new URL(url);
    this.#host = hostname;
    this.#port = Number(port);
    this.#connectionsMax = connectionsMax;
    this.#waitingMax = waitingMax;
    this.#onAnswer = onAnswer;
    this.#sweep = setInterval(() => this.#endStuck(), SWEEP_MS);
  }

  /** False: too many wait already, and it was not taken. */
  send(bytes: Buffer, dueMs: number, counts: boolean): boolean {
    const sent: Sent = { bytes, dueMs, writtenMs: dueMs, counts };
    const connection = this.#takeIdle();
    if (connection !== undefined) connection.write(sent);
    else if (this.#all.size < this.#connectionsMax) this.#open().write(sent);
    else if (this.#waitingCount < this.#waitingMax) this.#waiting.push(sent);
    else return false;
    return true;
  }

  /** Resolves when every request is answered or lost. */
  async done(): Promise<void> {
    while (this.#idle.length < this.#all.size || this.#waitingCount > 0) {
      await new Promise<void>((resolve) => {
        this.#whenDone = resolve;
      });
    }
  }

  close(): void {
    clearInterval(this.#sweep);
    for (const connection of this.#all) connection.destroy();
  }

  /** The answer to what `connection` carried has come to its last byte. */
  answered(connection: Connection, status: number, bytes: number, closes: boolean): void {
    const { sent } = connection;
    if (sent === null) throw new Error('an answer belongs to a request');
    connection.sent = null;
    if (closes) {
      this.#all.delete(connection);
      connection.destroy();
    } else {
      const next = this.#takeWaiting();
      if (next === undefined) {
        connection.idleSinceMs = performance.now();
        this.#idle.push(connection);
      } else connection.write(next);
    }
    this.#settle(sent, status, bytes);
  }

  /** The connection has ended; a request on it is lost with it. */
  lost(connection: Connection): void {
    this.#all.delete(connection);
    const at = this.#idle.indexOf(connection);
    if (at !== -1) this.#idle.splice(at, 1);
    const { sent } = connection;
    connection.sent = null;
    if (sent !== null) this.#settle(sent, 0, 0);
    const next = this.#takeWaiting();
    if (next !== undefined) this.#open().write(next);
  }

  get #waitingCount(): number {
    return this.#waiting.length - this.#first;
  }

  #open(): Connection {
    const connection = new Connection(this.#host, this.#port, this);
    this.#all.add(connection);
    return connection;
  }

  /** The one used last: where that is too old, so are all others. */
  #takeIdle(): Connection | undefined {
    const connection = this.#idle.pop();
    if (connection === undefined) return undefined;
    if (performance.now() - connection.idleSinceMs < IDLE_MS_MAX) return connection;
    this.#all.delete(connection);
    connection.destroy();
    return undefined;
  }

  #takeWaiting(): Sent | undefined {
    const next = this.#waiting[this.#first];
    if (next === undefined) return undefined;
    this.#first += 1;
    if (this.#first * 2 > this.#waiting.length) {
      this.#waiting = this.#waiting.slice(this.#first);
      this.#first = 0;
    }
    return next;
  }

  #settle(sent: Sent, status: number, bytes: number): void {
    this.#onAnswer(sent, status, bytes);
    const done = this.#whenDone;
    this.#whenDone = null;
    done?.();
  }

  #endStuck(): void {
    const before = performance.now() - ANSWER_MS_MAX;
    for (const connection of this.#all) {
      if (connection.sent !== null && connection.sent.writtenMs < before) connection.destroy();
    }
  }
}
