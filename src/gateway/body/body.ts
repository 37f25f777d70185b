import { createHash, type Hash } from 'node:crypto';
import { releaseBuffer } from '../../runtime/memory/release-buffer.ts';
import type { BodyBudget } from './body-budget.ts';
import { LongBody } from './long-body.ts';

const EMPTY = new Uint8Array(0);
const ROOM_BYTES_MIN = 4_096;
/** Bytes read before a route asks for the whole body; no route needs more to refuse it early. */
export const EAGER_BYTES_MAX = 128 * 1024;
/** A longer body is collected in blocks after its first bytes, and joined when it is complete. */
const GROWN_BYTES_MAX = 512 * 1024;

/** The connection that a body comes from. */
export interface BodySource {
  pause(): void;
  resume(): void;
}

/** Bounds of a body. */
export interface BodyBounds {
  /** -1: the request announced no length. */
  readonly contentLength: number;
  /** A longer body is not kept. */
  readonly bytesMax: number;
  /** A longer body is not read to its end. */
  readonly drainBytesMax: number;
  /** Only the digest of the bytes is computed. */
  readonly digests: boolean;
}

/**
 * The body of a request. Only its beginning is read until the route demands the rest: a request may
 * be refused while its caller, its limits or its run are looked up, and would have sent megabytes by
 * then. The body is kept while it may be needed and is within its bounds. Otherwise it is read and
 * dropped, because a client that is still sending when the connection closes loses the response.
 * Reading ends at the drain bound.
 */
export class BodyReader {
  /** Resolves when the body is demanded and complete, in one piece, or refused or abandoned. */
  readonly ended: Promise<void>;
  /** The last byte has arrived. */
  isComplete = false;
  /** The body is larger than allowed. */
  tooLarge = false;
  /** The memory for bodies, or the caller's share of it, is used up. */
  overBudget = false;
  /** The route judges the body while it arrives, and may refuse it before its end. */
  isJudgedEarly = false;
  /** The body exceeds the drain bound, so the connection must be closed with the response. */
  endless = false;
  readonly #bounds: BodyBounds;
  readonly #budget: BodyBudget;
  readonly #expected: number;
  #caller: string;
  #kept: Uint8Array = EMPTY;
  /** The rest of a long body, after `#kept`; null: the body is not long. */
  #long: LongBody | null = null;
  /** The route has the bytes, and may read them even after it has answered. */
  #isHandedOut = false;
  /** Bytes taken from the budget. */
  #charged = 0;
  #filled = 0;
  #count = 0;
  readonly #hash: Hash | null;
  #wanted = true;
  #end: () => void = () => undefined;
  #startBytes = Number.POSITIVE_INFINITY;
  #onStart: () => void = () => undefined;
  /** No more data comes or is read. */
  #isOver = false;
  #onDrained: (() => void) | null = null;
  #isJoining = false;
  /** All of the body is to be read, to be kept or to be dropped. */
  #isDemanded = false;
  #isPaused = false;
  #source: BodySource | null = null;

  constructor(bounds: BodyBounds, budget: BodyBudget, caller: string) {
    const { contentLength, bytesMax } = bounds;
    this.#expected = contentLength === -1 ? bytesMax : contentLength;
    this.#bounds = bounds;
    this.#hash = bounds.digests ? createHash('sha256') : null;
    this.#budget = budget;
    this.#caller = caller;
    this.ended = new Promise((resolve) => {
      this.#end = resolve;
    });
    if (contentLength > bytesMax) this.#outgrow();
  }

  /** Must be called before the first piece. */
  comesFrom(source: BodySource): void {
    this.#source = source;
  }

  /** Reads the body to its end. */
  demand(): void {
    this.#isDemanded = true;
    if (this.#isOver) this.#complete();
    if (!this.#isPaused) return;
    this.#isPaused = false;
    this.#source?.resume();
  }

  /**
   * The whole body, in a buffer that nothing else shares. Valid after `ended`, unless the body was
   * too large or discarded.
   */
  bytes(): Uint8Array {
    this.#isHandedOut = true;
    return this.#kept.subarray(0, this.#filled);
  }

  /**
   * The first `bytes` of the body, as soon as they have arrived; fewer: the body is shorter, or it is
   * refused or abandoned. May be called once; valid until the next event of the connection.
   */
  async start(bytes: number): Promise<Uint8Array> {
    if (this.#filled < bytes) {
      const arrived = new Promise<void>((resolve) => {
        this.#startBytes = bytes;
        this.#onStart = resolve;
      });
      await Promise.race([arrived, this.ended]);
    }
    return this.#kept.subarray(0, Math.min(bytes, this.#filled));
  }

  /** SHA-256 of the whole body in hex, '' unless `digests`. May be called once, after `ended`. */
  digest(): string {
    return this.#hash?.digest('hex') ?? '';
  }

  /** Charges the body to `caller` from now on, instead of the address that it came from. */
  chargeTo(caller: string): void {
    if (caller === this.#caller) return;
    const bytes = this.#charged;
    this.#budget.give(this.#caller, bytes);
    this.#caller = caller;
    this.#charged = 0;
    if (bytes > 0) this.#charge(bytes);
  }

  /**
   * Drops the body, because the request is refused anyway, and frees its memory at once: left to the
   * garbage collector, a flood of large bodies causes full collections.
   */
  discard(): void {
    this.#wanted = false;
    if (!this.#isHandedOut) releaseBuffer(this.#kept);
    this.release();
    this.#filled = 0;
    this.demand();
  }

  /** Returns the memory to the budget, after the response or when the body is not needed. */
  release(): void {
    this.#kept = EMPTY;
    this.#long?.drop();
    this.#long = null;
    if (this.#charged > 0) this.#budget.give(this.#caller, this.#charged);
    this.#charged = 0;
  }

  /** Must be called when the client disconnects. */
  abandon(): void {
    this.discard();
    this.#finish();
  }

  /**
   * Resolves when the client has sent everything, exceeded the drain bound or disconnected. Send a
   * refusal after that: many clients read no response earlier. May be called once.
   */
  async drained(): Promise<void> {
    if (this.#isOver) return;
    await new Promise<void>((resolve) => {
      this.#onDrained = resolve;
    });
  }

  /** Takes a piece of the body; `data` may be reused afterwards. */
  take(data: Uint8Array, isLast: boolean): void {
    this.#count += data.byteLength;
    if (this.#count > this.#bounds.bytesMax && !this.tooLarge) this.#outgrow();
    if (this.#wanted && this.#hash !== null) this.#hash.update(data);
    else if (this.#wanted) this.#keep(data);
    const { bytesMax, drainBytesMax } = this.#bounds;
    if (this.#count > Math.max(drainBytesMax, bytesMax)) this.endless = true;
    if (isLast) this.isComplete = true;
    if (isLast || this.endless) this.#finish();
    else if (!this.#isDemanded && this.#count >= EAGER_BYTES_MAX) this.#pause();
  }

  #pause(): void {
    if (this.#isPaused) return;
    this.#isPaused = true;
    this.#source?.pause();
  }

  #finish(): void {
    this.#isOver = true;
    this.#complete();
    this.#onDrained?.();
  }

  /** Joins a long body only once it is demanded, because most refusals come before that. */
  #complete(): void {
    const long = this.#long;
    if (long === null) this.#end();
    else if (this.#isDemanded && !this.#isJoining) void this.#join(long);
  }

  async #join(long: LongBody): Promise<void> {
    this.#isJoining = true;
    const joined = await long.join(this.#kept);
    if (joined !== null) {
      releaseBuffer(this.#kept);
      this.#kept = joined;
      this.#long = null;
    }
    this.#end();
  }

  #outgrow(): void {
    this.tooLarge = true;
    this.discard();
  }

  /** Moves the body into a larger buffer, which is allocated without writing zeros. */
  #grow(room: number): void {
    const grown = Buffer.allocUnsafeSlow(room);
    grown.set(this.#kept.subarray(0, this.#filled));
    releaseBuffer(this.#kept);
    this.#kept = grown;
  }

  /** Grows the buffer, or begins to collect a long body in blocks. */
  #makeRoom(room: number): void {
    if (room <= GROWN_BYTES_MAX) {
      this.#grow(room);
    } else {
      if (this.#kept.length < EAGER_BYTES_MAX) this.#grow(EAGER_BYTES_MAX);
      this.#long = new LongBody(this.#budget.spare);
    }
  }

  #spread(data: Uint8Array, room: number): void {
    if (room > 0) this.#kept.set(data.subarray(0, room), this.#filled);
    this.#long?.add(data.subarray(room));
  }

  #charge(bytes: number): boolean {
    if (this.#budget.take(this.#caller, bytes)) {
      this.#charged += bytes;
      return true;
    }
    this.overBudget = true;
    this.discard();
    this.#end();
    return false;
  }

  /**
   * Copies a piece. A body that comes in one piece is copied once. The buffer grows with what has
   * arrived, not with the announced length, so that slow senders hold little memory; a body of up to
   * 512 KB gets that length when a quarter has arrived, which spares a copy.
   */
  #keep(data: Uint8Array): void {
    const end = this.#filled + data.byteLength;
    if (end > this.#charged) {
      const wanted = end < this.#expected ? Math.max(2 * end, ROOM_BYTES_MIN) : end;
      const isNear = this.#expected <= Math.min(2 * wanted, GROWN_BYTES_MAX);
      const room = isNear ? this.#expected : Math.min(wanted, this.#expected);
      if (!this.#charge(room - this.#charged)) return;
      if (this.#long === null) this.#makeRoom(room);
    }
    const room = Math.max(0, this.#kept.length - this.#filled);
    if (room >= data.byteLength) this.#kept.set(data, this.#filled);
    else this.#spread(data, room);
    this.#filled = end;
    if (end >= this.#startBytes) this.#onStart();
  }
}
