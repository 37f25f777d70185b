/**
 * The order in which one signer signs: requests at once, rows of runs after them. A row begins only
 * while requests and rows together are fewer than the signer does at a time, so a request never waits
 * for more rows than that.
 */
export class SignerQueue {
  readonly #atOnceMax: number;
  #active = 0;
  /** Rows that wait for their turn, the first to come first. */
  readonly #waiting: (() => void)[] = [];

  constructor(atOnceMax: number) {
    this.#atOnceMax = atOnceMax;
  }

  /** Signs for a request: at once. */
  request<T>(sign: () => Promise<T>): Promise<T> {
    this.#active += 1;
    return this.#run(sign);
  }

  /** Signs for a row: when the signer has nothing better to do. */
  async row<T>(sign: () => Promise<T>): Promise<T> {
    // `#next` counts a row that it wakes, so that none that comes meanwhile takes its place.
    if (this.#active < this.#atOnceMax) this.#active += 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return this.#run(sign);
  }

  async #run<T>(sign: () => Promise<T>): Promise<T> {
    try {
      return await sign();
    } finally {
      this.#active -= 1;
      this.#next();
    }
  }

  #next(): void {
    if (this.#active >= this.#atOnceMax) return;
    const wake = this.#waiting.shift();
    if (wake === undefined) return;
    this.#active += 1;
    wake();
  }
}
