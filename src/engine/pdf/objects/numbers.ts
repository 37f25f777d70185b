const CAPACITY = 1_024;
const KEPT_MAX = 1 << 16;

/** A list of whole numbers below 2^31. Its memory is kept when it is cleared. */
export class Numbers {
  #values = new Int32Array(CAPACITY);
  length = 0;

  push(value: number): void {
    if (this.length === this.#values.length) this.#reserve(1);
    this.#values[this.length++] = value;
  }

  /** Adds the same number `count` times. */
  pushTimes(count: number, value: number): void {
    this.#reserve(count);
    this.#values.fill(value, this.length, this.length + count);
    this.length += count;
  }

  pushAll(values: ArrayLike<number>): void {
    this.#reserve(values.length);
    this.#values.set(values, this.length);
    this.length += values.length;
  }

  #reserve(count: number): void {
    const needed = this.length + count;
    if (needed <= this.#values.length) return;
    const grown = new Int32Array(Math.max(needed, 2 * this.#values.length));
    grown.set(this.view());
    this.#values = grown;
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

  /** Valid until the list changes. */
  view(): Int32Array {
    return this.#values.subarray(0, this.length);
  }
}
