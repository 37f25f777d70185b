import { connect } from 'node:net';
import type { Socket } from 'node:net';

/**
 * Just enough of an HTTP/1.1 client to measure with: requests are ready bytes on kept connections,
 * one at a time on each; it reads the status and the length of a response and counts its bytes.
 */

/** A request on its way. Times are of performance.now(). */
export interface Sent {
  /** When it was due: latency counted from here includes the delays of this client. */
  readonly dueMs: number;
  /** When it was written to a connection. */
  readonly writtenMs: number;
  /** Whether it belongs to the measured part. */
  readonly counts: boolean;
}

/** `status` 0: the connection broke, or the response could not be read. `bytes` of the body. */
export type OnAnswer = (sent: Sent, status: number, bytes: number) => void;

const HEAD_BYTES_MAX = 16_384;
const HEAD_BYTES_USUAL = 512;
const ANSWER_MS_MAX = 60_000;
const SWEEP_MS = 5_000;
/** The service closes a connection after 10 s of idleness; none is reused close to that. */
const IDLE_MS_MAX = 5_000;
const HEAD_END = '\r\n\r\n';
/** The service's spelling, searched for first; other spellings cost a regular expression. */
const LENGTH_USUAL = '\r\nContent-Length: ';
const LENGTH = /\r\ncontent-length: *(\d+)\r\n/i;
const CLOSES = /\r\nconnection: *close\r\n/i;

/** All connections read into this buffer; each chunk is handled before the next one is read. */
const ROOM = Buffer.allocUnsafe(256 * 1024);

class Connection {
  idleSinceMs = 0;
  readonly #socket: Socket;
  readonly #fleet: Fleet;
  /** The request whose response is not complete yet. */
  #sent: Sent | null = null;
  /** The part received so far of a response head that spans several chunks. */
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

  /** When its request was written; Infinity: none is under way. */
  get waitsSinceMs(): number {
    return this.#sent?.writtenMs ?? Number.POSITIVE_INFINITY;
  }

  /** Writes a request; none may be under way. */
  send(bytes: Buffer, sent: Sent): void {
    this.#sent = sent;
    this.#socket.write(bytes);
  }

  /** The request that will not be answered any more. */
  takeUnanswered(): Sent | null {
    const sent = this.#sent;
    this.#sent = null;
    return sent;
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #read(count: number): void {
    let at = 0;
    if (this.#left === -1) {
      at = this.#findHead(0, count);
      if (at === -1) return;
    }
    this.#left -= count - at;
    if (this.#left > 0) return;
    const sent = this.takeUnanswered();
    if (sent === null || this.#left < 0) {
      // Surplus bytes: they would be mistaken for the beginning of the next response.
      this.#sent = sent;
      this.destroy();
      return;
    }
    this.#left = -1;
    this.#fleet.answered(this, sent, this.#status, this.#length, this.#closes);
  }

  /** Where the body begins; -1: not yet, or never. */
  #findHead(at: number, count: number): number {
    const before = this.#head;
    const piece = ROOM.toString('latin1', at, Math.min(count, at + HEAD_BYTES_USUAL));
    let text = before + piece;
    let end = text.indexOf(HEAD_END);
    if (end === -1 && count - at > HEAD_BYTES_USUAL) {
      text = before + ROOM.toString('latin1', at, Math.min(count, at + HEAD_BYTES_MAX));
      end = text.indexOf(HEAD_END);
    }
    if (end === -1) {
      if (text.length > HEAD_BYTES_MAX) this.destroy();
      this.#head = text;
      return -1;
    }
    this.#head = '';
    if (!this.#readHead(text.slice(0, end + 2))) {
      this.destroy();
      return -1;
    }
    return at + end + HEAD_END.length - before.length;
  }

  /** False: a response without a length, or none at all. The service always sends a length. */
  #readHead(head: string): boolean {
    const length = lengthIn(head);
    this.#status = head.startsWith('HTTP/1.1 ') ? Number(head.slice(9, 12)) : Number.NaN;
    this.#length = Number(length);
    if (!Number.isInteger(this.#length) || !Number.isInteger(this.#status)) return false;
    this.#left = this.#length;
    this.#closes = head.includes('close') && CLOSES.test(head);
    return true;
  }
}

/** The value of Content-Length, in digits. */
function lengthIn(head: string): string | undefined {
  const at = head.indexOf(LENGTH_USUAL);
  if (at === -1) return LENGTH.exec(head)?.[1];
  const from = at + LENGTH_USUAL.length;
  return head.slice(from, head.indexOf('\r', from));
}

/**
 * Kept connections to one address, opened as they are needed up to a bound. There is no queue: a
 * request that finds all of them busy is not sent.
 */
export class Fleet {
  readonly #host: string;
  readonly #port: number;
  readonly #connectionsMax: number;
  readonly #onAnswer: OnAnswer;
  readonly #idle: Connection[] = [];
  readonly #all = new Set<Connection>();
  #underWay = 0;
  #whenDone: (() => void) | null = null;
  readonly #sweep: NodeJS.Timeout;

  constructor(url: string, connectionsMax: number, onAnswer: OnAnswer) {
    const { hostname, port } = new URL(url);
    this.#host = hostname;
    this.#port = Number(port);
    this.#connectionsMax = connectionsMax;
    this.#onAnswer = onAnswer;
    this.#sweep = setInterval(() => this.#endStuck(), SWEEP_MS);
  }

  /** False: all connections are busy, and the request was not sent. */
  send(bytes: Buffer, dueMs: number, counts: boolean): boolean {
    const connection = this.#takeIdle() ?? this.#open();
    if (connection === null) return false;
    this.#underWay += 1;
    connection.send(bytes, { dueMs, writtenMs: performance.now(), counts });
    return true;
  }

  /** Resolves when every request is answered or lost. */
  async done(): Promise<void> {
    while (this.#underWay > 0) {
      await new Promise<void>((resolve) => {
        this.#whenDone = resolve;
      });
    }
  }

  close(): void {
    clearInterval(this.#sweep);
    for (const connection of this.#all) connection.destroy();
  }

  /** The response to `sent` has come to its last byte. */
  answered(
    connection: Connection,
    sent: Sent,
    status: number,
    bytes: number,
    closes: boolean,
  ): void {
    if (closes) this.#drop(connection);
    else {
      connection.idleSinceMs = performance.now();
      this.#idle.push(connection);
    }
    this.#settle(sent, status, bytes);
  }

  /** The connection has ended; the request on it is lost. */
  lost(connection: Connection): void {
    this.#all.delete(connection);
    const at = this.#idle.indexOf(connection);
    if (at !== -1) this.#idle.splice(at, 1);
    const sent = connection.takeUnanswered();
    if (sent !== null) this.#settle(sent, 0, 0);
  }

  /** Opens a connection; null: the bound is reached. */
  #open(): Connection | null {
    if (this.#all.size >= this.#connectionsMax) return null;
    const connection = new Connection(this.#host, this.#port, this);
    this.#all.add(connection);
    return connection;
  }

  #drop(connection: Connection): void {
    this.#all.delete(connection);
    connection.destroy();
  }

  /** Takes the connection used most recently: if it is idle for too long, so are all others. */
  #takeIdle(): Connection | null {
    const connection = this.#idle.pop();
    if (connection === undefined) return null;
    if (performance.now() - connection.idleSinceMs < IDLE_MS_MAX) return connection;
    this.#drop(connection);
    return null;
  }

  #settle(sent: Sent, status: number, bytes: number): void {
    this.#underWay -= 1;
    this.#onAnswer(sent, status, bytes);
    const done = this.#whenDone;
    this.#whenDone = null;
    done?.();
  }

  #endStuck(): void {
    const before = performance.now() - ANSWER_MS_MAX;
    for (const connection of this.#all) {
      if (connection.waitsSinceMs < before) connection.destroy();
    }
  }
}
