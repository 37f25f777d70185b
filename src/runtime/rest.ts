/** Lets loops rest for a while, or until they are woken. */
export class Rest {
  readonly #ms: number;
  readonly #wakers = new Set<() => void>();

  constructor(ms: number) {
    this.#ms = ms;
  }

  /** Resolves after the time of the rest, or at the next call of `wake`. */
  async take(): Promise<void> {
    await new Promise<void>((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        this.#wakers.delete(end);
        resolve();
      };
      const timer = setTimeout(end, this.#ms);
      timer.unref();
      this.#wakers.add(end);
    });
  }

  /** Ends the rest of all that rest now. */
  wake(): void {
    for (const end of this.#wakers) end();
  }
}
