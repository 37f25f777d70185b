import { StorageUnavailable } from './terms.ts';

/** How long callers fail at once before one of them may try again. */
const REFUSE_MS = 500;

/**
 * A circuit breaker: after `begin`, callers fail at once instead of each waiting for a timeout.
 * After a pause, one caller at a time may try, and ends the outage if it succeeds.
 */
export class Outage {
  readonly #serviceName: string;
  #isDown = false;
  #retryAtMs = 0;
  #isTrying = false;

  constructor(serviceName: string) {
    this.#serviceName = serviceName;
  }

  /** Call this when no answer came or nothing could be reached. */
  begin(): void {
    this.#isDown = true;
    this.#retryAtMs = performance.now() + REFUSE_MS;
  }

  /**
   * Runs the work, or throws StorageUnavailable during an outage. The outage ends when a try has
   * succeeded and `verify`, if given, does not throw.
   */
  async guard<T>(work: () => Promise<T>, verify?: (value: T) => Promise<void>): Promise<T> {
    if (!this.#isDown) return work();
    if (this.#isTrying || performance.now() < this.#retryAtMs) {
      throw new StorageUnavailable(`${this.#serviceName} could not be reached a moment ago`);
    }
    this.#isTrying = true;
    try {
      const value = await work();
      await verify?.(value);
      this.#isDown = false;
      return value;
    } finally {
      this.#isTrying = false;
    }
  }
}
