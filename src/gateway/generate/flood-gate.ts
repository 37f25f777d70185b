import type { Pool } from '../../workers/pool/pool.ts';

/** Refusals of one caller in a window that make a flood. */
const FLOOD_REFUSALS_MIN = 32;
const WINDOW_MS = 100;
/** Windows after which a flood cannot be the echo of a stall of the machine. */
const LASTING_WINDOWS = 3;
/**
 * Jobs for each thread that a caller keeps while its flood lasts: enough to keep the renderers busy.
 * More would only wait, and so would the refusals behind them on the same connection.
 */
const FLOOD_JOBS = 16;

/**
 * Refuses the requests of a flood before their bodies are read. A refusal after parsing the body and
 * looking up the template costs twice as much; at ten times the peak load, the service would do
 * little else. A caller that sends now and then is never refused here: its request reaches the fair
 * queue, which makes room for it.
 */
export class FloodGate {
  readonly #pool: Pick<Pool, 'stats'>;
  /** Jobs of each caller in the pool. */
  readonly #underWay = new Map<string, number>();
  /** The longest queue that the pool refused at: soon its bound. */
  #queueMax = 0;
  #windowEndsAtMs = 0;
  readonly #refusals = new Map<string, number>();
  /** Callers that flooded in the previous window, and for how many windows. */
  #flooding = new Map<string, number>();

  constructor(pool: Pick<Pool, 'stats'>) {
    this.#pool = pool;
  }

  /** A job of `caller` goes to the pool; call `leave` when it has ended. */
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

  /** True: refuse this request unread. The caller has its share, or the pool would refuse it anyway. */
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

  /** True when no caller has so many jobs that one of them would be displaced (FairQueue.displace). */
  #isLongest(caller: string): boolean {
    const own = this.#underWay.get(caller) ?? 0;
    for (const count of this.#underWay.values()) if (count >= own + 2) return false;
    return true;
  }

  #floods(caller: string, nowMs: number): boolean {
    this.#rotateWindow(nowMs);
    if (this.#flooding.has(caller)) return true;
    return (this.#refusals.get(caller) ?? 0) >= FLOOD_REFUSALS_MIN;
  }

  #count(caller: string, nowMs: number): void {
    this.#rotateWindow(nowMs);
    this.#refusals.set(caller, (this.#refusals.get(caller) ?? 0) + 1);
  }

  /** Starts a new window when it is time; a flood of the previous one counts as going on. */
  #rotateWindow(nowMs: number): void {
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
