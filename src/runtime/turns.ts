/** The turns of one key. */
interface Line {
  /** Number of turns that are taken. */
  taken: number;
  /** Starts the work that waits, in order of arrival. */
  readonly waiting: (() => void)[];
}

/** Runs at most `countMax` pieces of work of one key at a time, the others in order of arrival. */
export class Turns {
  readonly #countMax: number;
  readonly #lines = new Map<string, Line>();

  constructor(countMax: number) {
    this.#countMax = countMax;
  }

  async hold<T>(key: string, work: () => Promise<T>): Promise<T> {
    const line = this.#lines.get(key) ?? { taken: 0, waiting: [] };
    this.#lines.set(key, line);
    if (line.taken < this.#countMax) line.taken += 1;
    else await new Promise<void>((resolve) => line.waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = line.waiting.shift();
      // A turn that is passed on stays taken, so that nobody can come between.
      if (next !== undefined) next();
      else line.taken -= 1;
      if (line.taken === 0) this.#lines.delete(key);
    }
  }
}
