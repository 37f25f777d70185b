/** The permits of one key. */
interface Permits {
  held: number;
  /** Starts the tasks that wait, in order of arrival. */
  readonly waiting: (() => void)[];
}

/** For each key, runs at most `permitsMax` tasks at a time; the others wait in order of arrival. */
export class KeyedSemaphore {
  readonly #permitsMax: number;
  /** Only keys with a running task are here. */
  readonly #permits = new Map<string, Permits>();

  constructor(permitsMax: number) {
    this.#permitsMax = permitsMax;
  }

  /** Runs the task when the key has a permit for it; returns its result or throws its error. */
  async run<T>(key: string, task: () => Promise<T>): Promise<T> {
    const permits = this.#permits.get(key) ?? { held: 0, waiting: [] };
    this.#permits.set(key, permits);
    if (permits.held < this.#permitsMax) permits.held += 1;
    else await new Promise<void>((resolve) => permits.waiting.push(resolve));
    try {
      return await task();
    } finally {
      const next = permits.waiting.shift();
      // A permit goes to the next task without being freed, so that no later task can take it.
      if (next !== undefined) next();
      else permits.held -= 1;
      if (permits.held === 0) this.#permits.delete(key);
    }
  }
}
