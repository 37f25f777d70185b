/** The two clocks that `SteadyClock` reads; tests supply fakes. */
export interface ClockSource {
  /** ms since the epoch; may jump. */
  readonly wallMs: () => number;
  /** ms of a clock that only runs forward. */
  readonly monotonicMs: () => number;
}

export const SYSTEM_CLOCK: ClockSource = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
};

/** A difference up to this plus 0.1 % of the elapsed time is slewing or a paused process, no jump. */
const SLEW_MS = 2_000;
/** A wall clock that has kept its new time for this long is trusted again. */
const TRUSTED_AFTER_MS = 3_600_000;

/**
 * The clock by which documents expire. It follows the wall clock except when that jumps, that is,
 * moves further than slewing can explain. From then on it follows the monotonic clock, until the
 * wall clock returns or has kept its new time for an hour. So a clock set forward by mistake
 * destroys no document, and a clock set back revives none.
 */
export class SteadyClock {
  readonly #source: ClockSource;
  /** Both clocks at the last time at which they agreed. */
  #wallMs: number;
  #monotonicMs: number;
  /** Monotonic time at which the wall clock jumped; null while both agree. */
  #jumpedAtMs: number | null = null;

  constructor(source: ClockSource) {
    this.#source = source;
    this.#wallMs = source.wallMs();
    this.#monotonicMs = source.monotonicMs();
  }

  /** The time of the wall clock, jumps included, for records. */
  wallMs(): number {
    return this.#source.wallMs();
  }

  monotonicMs(): number {
    return this.#source.monotonicMs();
  }

  /** True while the wall clock is not trusted; nothing may be destroyed then. */
  jumped(): boolean {
    this.nowMs();
    return this.#jumpedAtMs !== null;
  }

  /** The time by which documents expire. */
  nowMs(): number {
    const monotonicMs = this.#source.monotonicMs();
    const wallMs = this.#source.wallMs();
    const elapsedMs = monotonicMs - this.#monotonicMs;
    const steadyMs = this.#wallMs + elapsedMs;
    const agrees = Math.abs(wallMs - steadyMs) <= SLEW_MS + elapsedMs / 1000;
    if (!agrees) {
      this.#jumpedAtMs ??= monotonicMs;
      if (monotonicMs - this.#jumpedAtMs < TRUSTED_AFTER_MS) return steadyMs;
    }
    this.#jumpedAtMs = null;
    this.#wallMs = wallMs;
    this.#monotonicMs = monotonicMs;
    return wallMs;
  }
}
