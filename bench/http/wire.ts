import { connect } from 'node:net';
import type { Socket } from 'node:net';

/**
 * Just enough of an HTTP/1.1 client to measure with: requests are ready bytes on kept connections,
 * one at a time or so many in a row (pipelined, RFC 9112 §9.3.2); of an answer it reads the status,
 * the length and how many bytes came.
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
const HEAD_BYTES_USUAL = 512;
const ANSWER_MS_MAX = 60_000;
const SWEEP_MS = 5_000;
/** The service ends a connection that nothing came over for 10 s: it is not used in that moment. */
const IDLE_MS_MAX = 5_000;
const HEAD_END = '\r\n\r\n';
/** As the service spells it; what a test's server spells in another way is found, too. */
const LENGTH_USUAL = '\r\nContent-Length: ';
const LENGTH = /\r\ncontent-length: *(\d+)\r\n/i;
const CLOSES = /\r\nconnection: *close\r\n/i;

/** All connections read into this: what came is counted before the next one is read. */
const ROOM = Buffer.allocUnsafe(256 * 1024);

/** Rows are put together here, one after the other: fresh memory for each costs more than copying. */
let desk = newDesk();

function newDesk(): Buffer {
  return Buffer.allocUnsafeSlow(256 * 1024);
}

/** One after the other; on the desk if there is room. */
function joined(row: readonly Buffer[]): Buffer {
  const length = row.reduce((sum, { byteLength }) => sum + byteLength, 0);
  if (length > desk.length) return Buffer.concat(row);
  let at = 0;
  for (const bytes of row) at += bytes.copy(desk, at);
  return desk.subarray(0, length);
}

class Connection {
  idleSinceMs = 0;
  readonly #socket: Socket;
  readonly #fleet: Fleet;
  /** Sent and not answered, in order; those before `#answered` are. */
  #sent: Sent[] = [];
  #answered = 0;
  /** Requests of a row that are still to be written. */
  #row: Buffer[] = [];
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

  /** Requests without an answer. */
  get depth(): number {
    return this.#sent.length - this.#answered;
  }

  /** When the oldest request without an answer was written; Infinity: there is none. */
  get waitsSinceMs(): number {
    return this.#sent[this.#answered]?.writtenMs ?? Number.POSITIVE_INFINITY;
  }

  /** One more in the row that `flush` writes. */
  add(sent: Sent): void {
    this.#sent.push(sent);
    this.#row.push(sent.bytes);
  }

  flush(): void {
    const row = this.#row;
    const now = performance.now();
    for (let i = this.#sent.length - row.length; i < this.#sent.length; i++) {
      const sent = this.#sent[i];
      if (sent !== undefined) sent.writtenMs = now;
    }
    this.#row = [];
    const [only] = row;
    if (only === undefined) return;
    const bytes = row.length === 1 ? only : joined(row);
    this.#socket.write(bytes);
    // What the kernel did not take at once stays in use.
    if (bytes.buffer === desk.buffer && this.#socket.writableLength > 0) desk = newDesk();
  }

  /** What will not be answered any more. */
  takeUnanswered(): readonly Sent[] {
    const unanswered = this.#sent.slice(this.#answered);
    this.#sent = [];
    this.#answered = 0;
    return unanswered;
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #read(count: number): void {
    let at = 0;
    do {
      if (this.depth === 0) {
        // Nobody asked: whatever it is, the next answer could not be told from it.
        this.destroy();
        return;
      }
      if (this.#left === -1) {
        const end = this.#findHead(at, count);
        if (end === -1) return;
        at = end;
      }
      const taken = Math.min(this.#left, count - at);
      this.#left -= taken;
      at += taken;
      if (this.#left > 0) return;
      if (at < count && this.depth === 1) {
        this.destroy();
        return;
      }
      this.#answer();
    } while (at < count);
  }

  #answer(): void {
    this.#left = -1;
    const sent = this.#sent[this.#answered++];
    if (sent === undefined) throw new Error('an answer belongs to a request');
    if (this.#answered === this.#sent.length) {
      this.#sent = [];
      this.#answered = 0;
    }
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

  /** False: an answer this client cannot read. The service sends a length with every one. */
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

/** The length that a head tells, in digits. */
function lengthIn(head: string): string | undefined {
  const at = head.indexOf(LENGTH_USUAL);
  if (at === -1) return LENGTH.exec(head)?.[1];
  const from = at + LENGTH_USUAL.length;
  return head.slice(from, head.indexOf('\r', from));
}

/** How a fleet sends. */
export interface FleetOptions {
  readonly connectionsMax: number;
  /** Requests that may wait for a connection. */
  readonly waitingMax: number;
  /** Requests in a row on one connection, written together; 1: each waits for the one before. */
  readonly pipeline: number;
}

/**
 * Kept connections to one address, opened as they are needed. When all are busy, requests wait
 * here: their time runs on. Rows begin on a connection that has nothing under way.
 */
export class Fleet {
  readonly #host: string;
  readonly #port: number;
  readonly #options: FleetOptions;
  readonly #onAnswer: OnAnswer;
  readonly #idle: Connection[] = [];
  readonly #all = new Set<Connection>();
  /** Its row is being filled; written by the next `flush`. */
  #filling: Connection | null = null;
  #waiting: Sent[] = [];
  /** Of `#waiting`, those before it are gone. */
  #first = 0;
  #whenDone: (() => void) | null = null;
  readonly #sweep: NodeJS.Timeout;

  constructor(url: string, options: FleetOptions, onAnswer: OnAnswer) {
    const { hostname, port } = new URL(url);
    this.#host = hostname;
    this.#port = Number(port);
    this.#options = options;
    this.#onAnswer = onAnswer;
    this.#sweep = setInterval(() => this.#endStuck(), SWEEP_MS);
  }

  /** False: too many wait already, and it was not taken. A row leaves when full, or at `flush`. */
  send(bytes: Buffer, dueMs: number, counts: boolean): boolean {
    const sent: Sent = { bytes, dueMs, writtenMs: dueMs, counts };
    const connection = this.#filling ?? this.#takeFree();
    if (connection !== null) this.#fill(connection, sent);
    else if (this.#waitingCount < this.#options.waitingMax) this.#waiting.push(sent);
    else return false;
    return true;
  }

  /** Writes the row that is not full. */
  flush(): void {
    this.#filling?.flush();
    this.#filling = null;
  }

  /** Resolves when every request is answered or lost. */
  async done(): Promise<void> {
    this.flush();
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

  /** The answer to `sent` has come to its last byte. */
  answered(
    connection: Connection,
    sent: Sent,
    status: number,
    bytes: number,
    closes: boolean,
  ): void {
    if (closes) connection.destroy();
    else if (connection.depth === 0) this.#free(connection);
    this.#settle(sent, status, bytes);
  }

  /** The connection has ended; what was on its way is lost with it. */
  lost(connection: Connection): void {
    this.#all.delete(connection);
    const at = this.#idle.indexOf(connection);
    if (at !== -1) this.#idle.splice(at, 1);
    if (this.#filling === connection) this.#filling = null;
    for (const sent of connection.takeUnanswered()) this.#settle(sent, 0, 0);
    if (this.#waitingCount > 0) this.#fillFromWaiting(this.#open());
  }

  get #waitingCount(): number {
    return this.#waiting.length - this.#first;
  }

  #open(): Connection {
    const connection = new Connection(this.#host, this.#port, this);
    this.#all.add(connection);
    return connection;
  }

  /** null: all are busy. */
  #takeFree(): Connection | null {
    const idle = this.#takeIdle();
    if (idle !== null) return idle;
    return this.#all.size < this.#options.connectionsMax ? this.#open() : null;
  }

  #fill(connection: Connection, sent: Sent): void {
    connection.add(sent);
    this.#filling = connection;
    if (connection.depth >= this.#options.pipeline) this.flush();
  }

  #free(connection: Connection): void {
    if (this.#waitingCount > 0) this.#fillFromWaiting(connection);
    else {
      connection.idleSinceMs = performance.now();
      this.#idle.push(connection);
    }
  }

  #fillFromWaiting(connection: Connection): void {
    while (connection.depth < this.#options.pipeline) {
      const next = this.#takeWaiting();
      if (next === undefined) break;
      connection.add(next);
    }
    connection.flush();
  }

  /** The one used last: where that is too old, so are all others. */
  #takeIdle(): Connection | null {
    const connection = this.#idle.pop();
    if (connection === undefined) return null;
    if (performance.now() - connection.idleSinceMs < IDLE_MS_MAX) return connection;
    this.#all.delete(connection);
    connection.destroy();
    return null;
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
      if (connection.waitsSinceMs < before) connection.destroy();
    }
  }
}
