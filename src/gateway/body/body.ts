import { createHash, type Hash } from 'node:crypto';
import type { BodyBudget } from './body-budget.ts';

const EMPTY = new Uint8Array(0);
const ROOM_BYTES_MIN = 4_096;

/** Bounds of a body. */
export interface BodyBounds {
  /** -1: not announced. */
  readonly contentLength: number;
  /** More is not kept. */
  readonly bytesMax: number;
  /** More is not even read. */
  readonly drainBytesMax: number;
  /** The bytes are digested and not kept. */
  readonly digests: boolean;
}

/**
 * The body of one request: kept while it may still be wanted and is within its bounds, otherwise
 * only counted, so that the client gets to read the response (a connection closed on a client that
 * still sends loses the response). Past the drain bound nobody waits any longer.
 */
export class BodyReader {
  /** Resolves when nothing more of the body can matter: whole, refused, or abandoned. */
  readonly ended: Promise<void>;
  /** The last byte has come. */
  isComplete = false;
  /** Larger than allowed. */
  tooLarge = false;
  /** The memory for bodies is used up, or the caller's share of it. */
  overBudget = false;
  /** More came than is ever read: the connection has to be closed with the response. */
  endless = false;
  readonly #bounds: BodyBounds;
  readonly #budget: BodyBudget;
  readonly #expected: number;
  #caller: string;
  #kept: Uint8Array<ArrayBuffer> = EMPTY;
  /** Bytes asked of the budget. */
  #charged = 0;
  #filled = 0;
  #count = 0;
  readonly #hash: Hash | null;
  #wanted = true;
  #end: () => void = () => undefined;
  /** Nothing more comes, or nothing more is read. */
  #isOver = false;
  #onDrained: (() => void) | null = null;

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

  /** The whole body, in a buffer of its own. After `ended`, unless too large or discarded. */
  bytes(): Uint8Array {
    return this.#kept.subarray(0, this.#filled);
  }

  /** SHA-256 of the whole body in hex, once; '' unless it digests. After `ended`, as `bytes`. */
  digest(): string {
    return this.#hash?.digest('hex') ?? '';
  }

  /** From here on `caller` is charged for the body, not whoever was before. */
  chargeTo(caller: string): void {
    if (caller === this.#caller) return;
    const bytes = this.#charged;
    this.#budget.give(this.#caller, bytes);
    this.#caller = caller;
    this.#charged = 0;
    if (bytes > 0) this.#charge(bytes);
  }

  /** The request is refused anyway: from here on bytes are counted, not kept. */
  discard(): void {
    this.#wanted = false;
    this.release();
    this.#filled = 0;
  }

  /** Gives the memory back to the budget: the response is over, or the body is not wanted. */
  release(): void {
    this.#kept = EMPTY;
    if (this.#charged > 0) this.#budget.give(this.#caller, this.#charged);
    this.#charged = 0;
  }

  /** The client disconnected. */
  abandon(): void {
    this.discard();
    this.#finish();
  }

  /**
   * Resolves when the client has sent everything, or more than is ever read, or disconnected: only
   * then does it read a response. Once.
   */
  async drained(): Promise<void> {
    if (this.#isOver) return;
    await new Promise<void>((resolve) => {
      this.#onDrained = resolve;
    });
  }

  /** Takes a piece; `data` may be reused when this returns. */
  take(data: Uint8Array, isLast: boolean): void {
    this.#count += data.byteLength;
    if (this.#count > this.#bounds.bytesMax && !this.tooLarge) this.#outgrow();
    if (this.#wanted && this.#hash !== null) this.#hash.update(data);
    else if (this.#wanted) this.#keep(data);
    const { bytesMax, drainBytesMax } = this.#bounds;
    if (this.#count > Math.max(drainBytesMax, bytesMax)) this.endless = true;
    if (isLast) this.isComplete = true;
    if (isLast || this.endless) this.#finish();
  }

  #finish(): void {
    this.#isOver = true;
    this.#end();
    this.#onDrained?.();
  }

  #outgrow(): void {
    this.tooLarge = true;
    this.discard();
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
   * A body that comes in one piece is copied once. Room grows with what has come, not with what was
   * announced: slow senders hold next to nothing.
   */
  #keep(data: Uint8Array): void {
    const end = this.#filled + data.byteLength;
    if (end > this.#kept.length) {
      const wanted = end < this.#expected ? Math.max(2 * end, ROOM_BYTES_MIN) : end;
      const room = Math.min(wanted, this.#expected);
      if (!this.#charge(room - this.#kept.length)) return;
      const grown = new Uint8Array(room);
      grown.set(this.#kept.subarray(0, this.#filled));
      this.#kept = grown;
    }
    this.#kept.set(data, this.#filled);
    this.#filled = end;
  }
}
