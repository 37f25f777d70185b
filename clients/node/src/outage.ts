import type { Clock, Outage } from './options.ts';

/** What a client is told of outages. */
interface OutageOptions {
  readonly clock: Clock;
  readonly unansweredMsMax: number;
  readonly onOutage?: ((outage: Outage) => void) | undefined;
  readonly onOutageEnd?: (() => void) | undefined;
}

/** Knows whether the service answers, and since when it does not. */
export class Reachability {
  readonly #options: OutageOptions;
  #wasAnswered = false;
  #isOut = false;
  /** Start of the first try; null before. */
  #sinceMs: number | null = null;

  constructor(options: OutageOptions) {
    this.#options = options;
  }

  /** Whether the service has ever answered. */
  get wasAnswered(): boolean {
    return this.#wasAnswered;
  }

  /** When calls give up because nothing has ever answered. */
  get endMs(): number {
    if (this.#wasAnswered || this.#sinceMs === null) return Infinity;
    return this.#sinceMs + this.#options.unansweredMsMax;
  }

  begin(): void {
    this.#sinceMs ??= this.#options.clock.nowMs();
  }

  answered(): void {
    this.#wasAnswered = true;
    if (!this.#isOut) return;
    this.#isOut = false;
    this.#options.onOutageEnd?.();
  }

  /** A try got no answer, and will be repeated. */
  lost(outage: Outage): void {
    if (this.#isOut) return;
    this.#isOut = true;
    this.#options.onOutage?.(outage);
  }
}
