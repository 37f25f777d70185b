import { StorageUnavailable } from './store.ts';

/** How long callers fail at once before one of them may try again. */
const REFUSE_MS = 500;

/**
 * A circuit breaker: after `begin`, callers fail at once instead of each waiting for a timeout.
 * After a pause, one caller at a time may try, and ends the outage if it succeeds.
 */
export class Outage {
  readonly #what: string;
  #down = false;
  #retryAtMs = 0;
  #trying = false;

  constructor(what: string) {
    this.#what = what;
  }

  /** Call this when no answer came or nothing could be reached. */
  begin(): void {
    this.#down = true;
    this.#retryAtMs = performance.now() + REFUSE_MS;
  }

  /**
   * Runs the work, or throws StorageUnavailable during an outage. `proof` decides whether work that
   * succeeded during an outage ends it.
   */
  async guard<T>(work: () => Promise<T>, proof: (value: T) => Promise<void> = passes): Promise<T> {
    if (!this.#down) return work();
    if (this.#trying || performance.now() < this.#retryAtMs) {
      throw new StorageUnavailable(`${this.#what} could not be reached a moment ago`);
    }
    this.#trying = true;
    try {
      const value = await work();
      await proof(value);
      this.#down = false;
      return value;
    } finally {
      this.#trying = false;
    }
  }
}

async function passes(): Promise<void> {
  // The success of the work is proof enough.
}
