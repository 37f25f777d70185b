import { StorageUnavailable } from './store.ts';

/** How long callers are refused at once before one of them may try again. */
const REFUSE_MS = 500;

/**
 * Knows that something cannot be reached, so that callers are refused at once instead of each
 * waiting for its own time limit: after `begin` they are, but for one at a time that tries.
 */
export class Outage {
  readonly #what: string;
  #down = false;
  #retryAtMs = 0;
  #trying = false;

  constructor(what: string) {
    this.#what = what;
  }

  /** The thing did not answer, or could not be reached. */
  begin(): void {
    this.#down = true;
    this.#retryAtMs = performance.now() + REFUSE_MS;
  }

  /** Does the work, or refuses. During an outage, work that succeeds ends it. */
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
  // Success of the work is proof enough.
}
