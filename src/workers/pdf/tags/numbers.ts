const CAPACITY = 1_024;
const KEPT_MAX = 1 << 16;

/** Whole numbers below 2^31 in a row. Their memory is kept when they are cleared. */
export class Numbers {
  #values = new Int32Array(CAPACITY);
  length = 0;

  push(value: number): void {
    if (this.length === this.#values.length) {
      const grown = new Int32Array(this.length * 2);
      grown.set(this.#values);
      this.#values = grown;
    }
    this.#values[this.length++] = value;
  }

  at(index: number): number {
    return this.#values[index]!;
  }

  set(index: number, value: number): void {
    this.#values[index] = value;
  }

  clear(): void {
    if (this.#values.length > KEPT_MAX) this.#values = new Int32Array(CAPACITY);
    this.length = 0;
  }

  /** Valid until the numbers are cleared. */
  view(): Int32Array {
    return this.#values.subarray(0, this.length);
  }
}
