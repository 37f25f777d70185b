/** How a clock's two hands are read; tests give their own. */
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

/** A difference that slewing or a pause of the process can explain: this much, plus 0.1 %. */
const SLEW_MS = 2_000;
/** A clock that stays where it jumped to is believed after this long. */
const BELIEVE_MS = 3_600_000;

/**
 * The time by which documents expire. It follows the wall clock, but not its jumps: when the wall
 * clock is set by more than slewing can explain, time goes on by the monotonic clock until the wall
 * clock comes back or has stood by its new time for an hour. A clock set forward by mistake thus
 * destroys nothing, one set back revives nothing.
 */
export class SteadyClock {
  readonly #source: ClockSource;
  #wallMs: number;
  #monotonicMs: number;
  /** Monotonic time at which the wall clock jumped; null while both agree. */
  #jumpedAtMs: number | null = null;

  constructor(source: ClockSource) {
    this.#source = source;
    this.#wallMs = source.wallMs();
    this.#monotonicMs = source.monotonicMs();
  }

  /** The wall clock itself, for records. */
  wallMs(): number {
    return this.#source.wallMs();
  }

  monotonicMs(): number {
    return this.#source.monotonicMs();
  }

  /** True while the wall clock is not believed: nothing may be destroyed by it. */
  jumped(): boolean {
    this.nowMs();
    return this.#jumpedAtMs !== null;
  }

  nowMs(): number {
    const monotonic = this.#source.monotonicMs();
    const wall = this.#source.wallMs();
    const elapsed = monotonic - this.#monotonicMs;
    const steady = this.#wallMs + elapsed;
    const agrees = Math.abs(wall - steady) <= SLEW_MS + elapsed / 1000;
    if (!agrees) {
      this.#jumpedAtMs ??= monotonic;
      if (monotonic - this.#jumpedAtMs < BELIEVE_MS) return steady;
    }
    this.#jumpedAtMs = null;
    this.#wallMs = wall;
    this.#monotonicMs = monotonic;
    return wall;
  }
}
