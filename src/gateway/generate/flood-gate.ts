import type { Pool } from '../../workers/pool/pool.ts';

/** Refusals of one caller in a window from which on they are a flood. */
const FLOOD_REFUSALS_MIN = 32;
const WINDOW_MS = 100;
/** A flood that has lasted so long is no echo of a pause of the machine. */
const LASTING_WINDOWS = 3;
/**
 * Jobs of one caller whose flood lasts, by thread: they keep a renderer busy until the next ones come.
 * More would only wait, and what is refused behind them on the same connection with them.
 */
const FLOOD_JOBS = 16;

/**
 * Turns a flood away before its bodies are read. A refusal after the body was parsed and its
 * template looked up costs twice as much, and at ten times the peak the service would do little
 * else. Who sends now and then is never turned away here: its request goes the whole way, and the
 * fair queue makes room for it.
 */
export class Door {
  readonly #pool: Pick<Pool, 'stats'>;
  /** Jobs of each caller in the pool. */
  readonly #underWay = new Map<string, number>();
  /** The longest queue that the pool refused at: soon its bound. */
  #queueMax = 0;
  #windowEndsAtMs = 0;
  readonly #refusals = new Map<string, number>();
  /** Who flooded in the window before, and for how many windows. */
  #flooding = new Map<string, number>();

  constructor(pool: Pick<Pool, 'stats'>) {
    this.#pool = pool;
  }

  /** A job of `caller` goes to the pool. `leave` when it has come back. */
  enter(caller: string): void {
    this.#underWay.set(caller, (this.#underWay.get(caller) ?? 0) + 1);
  }

  leave(caller: string): void {
    const left = (this.#underWay.get(caller) ?? 0) - 1;
    if (left > 0) this.#underWay.set(caller, left);
    else this.#underWay.delete(caller);
  }

  /** The pool was full for a job of `caller`. */
  refused(caller: string, nowMs: number): void {
    this.#queueMax = Math.max(this.#queueMax, this.#pool.stats().queued);
    this.#count(caller, nowMs);
  }

  /** True: refuse this one unread. The caller has its share, or the pool would refuse it, too. */
  refuses(caller: string, nowMs: number): boolean {
    if (!this.#floods(caller, nowMs)) return false;
    const { queued, threads } = this.#pool.stats();
    if (queued === 0) return false;
    const lasts = (this.#flooding.get(caller) ?? 0) >= LASTING_WINDOWS;
    const hasEnough = lasts && (this.#underWay.get(caller) ?? 0) >= FLOOD_JOBS * threads;
    if (!hasEnough && (queued < this.#queueMax || !this.#isLongest(caller))) return false;
    this.#count(caller, nowMs);
    return true;
  }

  /** Nobody has so many more jobs that one of them would give way (FairQueue.displace). */
  #isLongest(caller: string): boolean {
    const own = this.#underWay.get(caller) ?? 0;
    for (const count of this.#underWay.values()) if (count >= own + 2) return false;
    return true;
  }

  #floods(caller: string, nowMs: number): boolean {
    this.#turn(nowMs);
    if (this.#flooding.has(caller)) return true;
    return (this.#refusals.get(caller) ?? 0) >= FLOOD_REFUSALS_MIN;
  }

  #count(caller: string, nowMs: number): void {
    this.#turn(nowMs);
    this.#refusals.set(caller, (this.#refusals.get(caller) ?? 0) + 1);
  }

  /** A flood of the window before goes on in this one until it turns out to be over. */
  #turn(nowMs: number): void {
    if (nowMs < this.#windowEndsAtMs) return;
    const before = this.#flooding;
    this.#flooding = new Map();
    if (nowMs < this.#windowEndsAtMs + WINDOW_MS) {
      for (const [caller, count] of this.#refusals) {
        if (count < FLOOD_REFUSALS_MIN) continue;
        this.#flooding.set(caller, (before.get(caller) ?? 0) + 1);
      }
    }
    this.#refusals.clear();
    this.#windowEndsAtMs = nowMs + WINDOW_MS;
  }
}
