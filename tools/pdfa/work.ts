/** A file that the checker does not read to its end; the message names what it cannot read. */
export class UnreadableFile extends Error {}

/** Bytes and objects that the reader may look at in one file; its own files need a hundredth. */
const WORK_MAX = 20_000_000;
/** Bytes of all streams after their filters. */
const INFLATED_MAX = 1 << 27;

/** Counts what the reader does, so that it ends on files that lead it in circles. */
export class Work {
  #done = 0;
  #inflated = 0;

  spend(count: number): void {
    this.#done += count;
    if (this.#done > WORK_MAX)
      throw new UnreadableFile('its objects lead in circles, or are too many');
  }

  /** Bytes that the next stream may have; a filter that gives more fails. */
  get inflatedMax(): number {
    return Math.max(1, INFLATED_MAX - this.#inflated);
  }

  inflated(bytes: number): void {
    this.#inflated += bytes;
    this.spend(bytes >> 3);
  }
}
