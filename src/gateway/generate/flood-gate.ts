import type { Pool } from '../../workers/pool/pool.ts';

/** Number of refusals of a caller in a window that count as a flood. */
const FLOOD_REFUSALS_MIN = 32;
const WINDOW_MS = 100;
/** A flood that lasts for this many windows is not caused by a stall of the machine. */
const LASTING_WINDOWS = 3;
/**
 * Jobs per thread that a flooding caller may have in the pool: enough to keep the renderers busy.
 * Further jobs would only wait, and delay the refusals behind them on the same connection.
 */
const FLOOD_JOBS = 16;

/**
 * Refuses the requests of a flood before their bodies are read. A refusal after parsing the body
 * and looking up the template costs twice as much; at ten times the peak load, the service would do
 * little else. Occasional callers are never refused here: their requests reach the fair queue,
 * which makes room for them.
 */
export class FloodGate {
  readonly #pool: Pick<Pool, 'stats'>;
  /** Jobs of each caller in the pool. */
  readonly #underWay = new Map<string, number>();
  /** The longest queue at which the pool refused a job, which soon is the queue's limit. */
  #queueMax = 0;
  #windowEndsAtMs = 0;
  readonly #refusals = new Map<string, number>();
  /** Callers that flooded in the previous window, with the number of windows of their flood. */
  #flooding = new Map<string, number>();

  constructor(pool: Pick<Pool, 'stats'>) {
    this.#pool = pool;
  }

  /** Call this when a job of `caller` enters the pool, and `leave` when it has ended. */
  enter(caller: string): void {
    this.#underWay.set(caller, (this.#underWay.get(caller) ?? 0) + 1);
  }

  leave(caller: string): void {
    const left = (this.#underWay.get(caller) ?? 0) - 1;
    if (left > 0) this.#underWay.set(caller, left);
    else this.#underWay.delete(caller);
  }

  /** Call this when the full pool refused a job of `caller`. */
  refused(caller: string, nowMs: number): void {
    this.#queueMax = Math.max(this.#queueMax, this.#pool.stats().queued);
    this.#count(caller, nowMs);
  }

  /**
   * Whether to refuse a request unread, because its flooding caller has its share of jobs or the
   * pool would refuse it anyway.
   */
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

  /** Starts a new window when the current one is over; floods of that one count as ongoing. */
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
