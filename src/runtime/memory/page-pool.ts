import { pageMemory } from './page-memory.ts';

/** Memory that is unused for this long is released. */
const KEPT_MS = 5_000;

/**
 * Page memory of one size that is used again and again: the system supplies fresh pages more slowly
 * than the processor fills them.
 */
export class PagePool {
  readonly #byteLength: number;
  readonly #free: Uint8Array[] = [];
  #release: NodeJS.Timeout | null = null;

  /** `byteLength`: of each memory. Only pages that are written to take real memory. */
  constructor(byteLength: number) {
    this.#byteLength = byteLength;
  }

  /** Memory with any content. Whoever does not give it back leaves it to the garbage collector. */
  take(): Uint8Array {
    return this.#free.pop() ?? pageMemory(this.#byteLength);
  }

  /** Call when neither a thread nor the disk can still read or write the memory. */
  giveBack(memory: Uint8Array): void {
    this.#free.push(memory);
    if (this.#release === null) {
      this.#release = setTimeout(() => {
        this.#release = null;
        this.#free.length = 0;
      }, KEPT_MS).unref();
    } else this.#release.refresh();
  }
}
