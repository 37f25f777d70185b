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

/** Longest wait for a budget that no other thread shares. */
const OWN_WAIT_MS_MAX = 60_000;

/** A budget for one image of the largest size at a time, which no other thread shares. */
export function ownDecodeBudget(): DecodeBudget {
  return new DecodeBudget(createDecodeCells(LIMITS.imagePixelsMax), OWN_WAIT_MS_MAX);
}

/** Some of the budget, lent for one call to libvips. */
export interface PixelLoan {
  /** To be called before each further call to libvips. */
  renew(): void;
  release(): void;
}

/** Cells that this thread holds, and the time until which it does. */
interface HeldCells {
  cells: number[];
  end: number;
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
    const held: HeldCells = { cells: [], end: FREE };
    let lockEnd = FREE;
    for (;;) {
      lockEnd = this.#lock(lockEnd);
      if (lockEnd === FREE) {
        // Another thread has the lock, perhaps because this one stood still until its lock expired.
        this.#giveBack(held);
      } else {
        this.#renew(held);
        this.#gather(held, count);
      }
      const isEnough = held.cells.length === count;
      const isLate = this.#clock() - startMs > this.#waitMsMax;
      if (isEnough || isLate) {
        this.#unlock(lockEnd);
        if (isEnough) return this.#loanOf(held);
        this.#giveBack(held);
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

  #loanOf(held: HeldCells): PixelLoan {
    return { renew: () => this.#renew(held), release: () => this.#giveBack(held) };
  }

  /** Takes the lock, or renews it if it is held until `end`; FREE: another thread has it. */
  #lock(end: number): number {
    const next = this.#endOf(LOCK_MS);
    return this.#takeCell(LOCK, end, next) ? next : FREE;
  }

  #unlock(end: number): void {
    if (end !== FREE) Atomics.compareExchange(this.#cells, LOCK, end, FREE);
  }

  /** Takes free cells until there are `count`. */
  #gather(held: HeldCells, count: number): void {
    const { cells } = held;
    for (let index = CELLS; index < this.#cells.length && cells.length < count; index += 1) {
      if (this.#takeCell(index, FREE, held.end)) cells.push(index);
    }
  }

  /** Takes a cell that is free, expired or held here until `ownEnd`; true when it is held now. */
  #takeCell(index: number, ownEnd: number, end: number): boolean {
    const value = Atomics.load(this.#cells, index);
    const isMine = ownEnd !== FREE && value === ownEnd;
    if (!isMine && !this.#isFree(value)) return false;
    return Atomics.compareExchange(this.#cells, index, value, end) === value;
  }

  /** Extends the time of the cells; those that another thread took over are lost. */
  #renew(held: HeldCells): void {
    const end = this.#endOf(LOAN_MS);
    held.cells = held.cells.filter(
      (index) => Atomics.compareExchange(this.#cells, index, held.end, end) === held.end,
    );
    held.end = end;
  }

  #giveBack(held: HeldCells): void {
    for (const index of held.cells) {
      Atomics.compareExchange(this.#cells, index, held.end, FREE);
    }
    held.cells = [];
  }

  /** Times wrap at 2^32 ms, so only their difference counts. */
  #isFree(value: number): boolean {
    return value === FREE || ((value - this.#clock()) | 0) < 0;
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
