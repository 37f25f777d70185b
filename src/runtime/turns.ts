interface Line {
  held: number;
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
    const line = this.#lines.get(key) ?? { held: 0, waiting: [] };
    this.#lines.set(key, line);
    if (line.held < this.#countMax) line.held += 1;
    else await new Promise<void>((resolve) => line.waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = line.waiting.shift();
      // A turn that is passed on counts as held meanwhile, so nobody can come between.
      if (next !== undefined) next();
      else line.held -= 1;
      if (line.held === 0) this.#lines.delete(key);
    }
  }
}
