import { setTimeout as delay } from 'node:timers/promises';
import { LIMITS } from '../../limits.ts';

/**
 * The pixels that may be decoded at the same time, whatever the number of threads: one image of 30
 * million pixels takes 120 to 240 MB while libvips works on it.
 *
 * A thread may be ended at any instruction, so no count is kept that a dead thread could leave
 * wrong. The budget is a row of cells in shared memory, each worth `PIXELS_PER_CELL`; a cell is free
 * (0) or holds the time until which it is lent. Whoever finds a cell past its time takes it over:
 *
 *     lock │ cell cell cell cell …
 *     ─────┼─────────────────────
 *       0  │  t1   t1   0    t2          t1, t2: ends of two loans
 *
 * Only the holder of the lock takes cells, and it keeps its cells while it waits for more. So two
 * threads that each have half of what they need cannot block each other, and small images cannot
 * overtake a large one for ever. libvips ends a call after `imageDecodeSecondsMax`, even one whose
 * thread has died: until then the memory is in use, and afterwards the loan expires.
 */

const PIXELS_PER_CELL = 250_000;
const LOCK = 0;
const CELLS = 1;
const FREE = 0;
/** Interval at which a waiting thread tries again. */
const RETRY_MS = 4;
/** How long the lock is held at most; each try renews it. */
const LOCK_MS = 1_000;
/** A loan lasts for the time limit of a call to libvips, and what a busy machine may add. */
export const LOAN_MS = (LIMITS.imageDecodeSecondsMax + 1) * 1_000;

/** Shared memory for a budget of `pixelsMax`, to be handed to every thread that decodes. */
export function createDecodeCells(pixelsMax: number): Int32Array {
  const count = Math.floor(pixelsMax / PIXELS_PER_CELL);
  const bytes = (CELLS + count) * Int32Array.BYTES_PER_ELEMENT;
  return new Int32Array(new SharedArrayBuffer(bytes));
}

/** Some of the budget, lent for one call to libvips. */
export interface PixelLoan {
  /** To be called before each further call to libvips. */
  renew(): void;
  release(): void;
}

export class DecodeBudget {
  readonly #cells: Int32Array;
  readonly #waitMsMax: number;
  readonly #clock: () => number;

  /** `clock` gives ms, the same in all threads; wrapped to 32 bits here. */
  constructor(cells: Int32Array, waitMsMax: number, clock: () => number = sharedClockMs) {
    this.#cells = cells;
    this.#waitMsMax = waitMsMax;
    this.#clock = clock;
  }

  /** Waits until `pixels` are free and takes them; null when that takes too long. */
  async take(pixels: number): Promise<PixelLoan | null> {
    const count = Math.min(Math.ceil(pixels / PIXELS_PER_CELL), this.#cells.length - CELLS);
    const startMs = this.#clock();
    let taken: number[] = [];
    let lockTerm = FREE;
    let term = FREE;
    for (;;) {
      const nextLock = this.#endOf(LOCK_MS);
      if (this.#lend(LOCK, lockTerm, nextLock)) {
        lockTerm = nextLock;
        const nextTerm = this.#endOf(LOAN_MS);
        taken = this.#renew(taken, term, nextTerm);
        term = nextTerm;
        this.#gather(taken, count, term);
      } else if (lockTerm !== FREE) {
        // This thread stood still until its lock expired, and another thread took the lock.
        lockTerm = FREE;
        this.#return(taken, term);
        taken = [];
      }
      const isEnough = taken.length === count;
      if (isEnough || this.#clock() - startMs > this.#waitMsMax) {
        if (lockTerm !== FREE) Atomics.compareExchange(this.#cells, LOCK, lockTerm, FREE);
        if (isEnough) return this.#loan(taken, term);
        this.#return(taken, term);
        return null;
      }
      await delay(RETRY_MS);
    }
  }

  /** Pixels on loan. */
  get pixels(): number {
    let count = 0;
    for (let index = CELLS; index < this.#cells.length; index += 1) {
      if (!this.#isFree(Atomics.load(this.#cells, index))) count += 1;
    }
    return count * PIXELS_PER_CELL;
  }

  #loan(first: readonly number[], firstTerm: number): PixelLoan {
    let taken = first;
    let term = firstTerm;
    return {
      renew: () => {
        const next = this.#endOf(LOAN_MS);
        taken = this.#renew(taken, term, next);
        term = next;
      },
      release: () => this.#return(taken, term),
    };
  }

  /** Takes free cells until there are `count`. */
  #gather(taken: number[], count: number, term: number): void {
    for (let index = CELLS; index < this.#cells.length && taken.length < count; index += 1) {
      if (this.#lend(index, FREE, term)) taken.push(index);
    }
  }

  /** Takes a cell that is free, expired or held here until `own`; true when it is held now. */
  #lend(index: number, own: number, term: number): boolean {
    const held = Atomics.load(this.#cells, index);
    const isMine = own !== FREE && held === own;
    if (!isMine && !this.#isFree(held)) return false;
    return Atomics.compareExchange(this.#cells, index, held, term) === held;
  }

  /**
   * Renews the loan; gives the cells that are still held, not those that another thread took over.
   */
  #renew(taken: readonly number[], term: number, next: number): number[] {
    return taken.filter(
      (index) => Atomics.compareExchange(this.#cells, index, term, next) === term,
    );
  }

  #return(taken: readonly number[], term: number): void {
    for (const index of taken) Atomics.compareExchange(this.#cells, index, term, FREE);
  }

  /** Times wrap at 2^32 ms, so only their difference counts. */
  #isFree(held: number): boolean {
    return held === FREE || ((held - this.#clock()) | 0) < 0;
  }

  #endOf(ms: number): number {
    const end = (this.#clock() + ms) | 0;
    return end === FREE ? 1 : end;
  }
}

/** A clock that all threads of the process share. */
function sharedClockMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1_000 + Math.floor(nanoseconds / 1e6);
}
