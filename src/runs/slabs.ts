/*
 * Slabs: memory for the documents of chunks. A renderer writes the documents of a job into it, and the main
 * thread stores them from there: the memory is shared, so nothing is moved, and it is used again for
 * the next chunk. Eight megabytes of documents in buffers of the main thread are as much as the rest
 * of its heap: V8 counted them in, and collected all of that heap for every second chunk.
 */

/** A chunk of 250 receipts needs 8 MB. The system gives only the pages that are written to. */
const SLAB_BYTES = 16 * 1024 * 1024;
/** Slabs that nobody needs for this long are given back to the system. */
const KEPT_MS = 5_000;

/** The memory for the documents of one chunk, which are written one job after the other. */
export class Slab {
  readonly #bytes: Uint8Array;
  #usedBytes = 0;
  #isClosed = false;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Where the next job writes; undefined: nowhere. */
  get left(): Uint8Array | undefined {
    return this.#isClosed ? undefined : this.#bytes.subarray(this.#usedBytes);
  }

  /** No thread may still write to it. */
  get isReusable(): boolean {
    return !this.#isClosed;
  }

  /** A job has answered with these files; they are in the slab unless they did not fit. */
  add(files: Uint8Array): void {
    if (files.buffer instanceof SharedArrayBuffer) this.#usedBytes += files.byteLength;
  }

  /** A job failed: its thread may still write to what was left. What others have written stays. */
  close(): void {
    this.#isClosed = true;
  }
}

/** Slabs that are used again. */
export class Slabs {
  readonly #free: Uint8Array[] = [];
  #release: NodeJS.Timeout | null = null;

  /** Gives `use` a slab; it is used again unless `use` throws: then something may still read it. */
  async with<T>(use: (slab: Slab) => Promise<T>): Promise<T> {
    const bytes = this.#free.pop() ?? new Uint8Array(new SharedArrayBuffer(SLAB_BYTES));
    const slab = new Slab(bytes);
    const result = await use(slab);
    if (slab.isReusable) this.#giveBack(bytes);
    return result;
  }

  #giveBack(bytes: Uint8Array): void {
    this.#free.push(bytes);
    if (this.#release === null) {
      this.#release = setTimeout(() => {
        this.#release = null;
        this.#free.length = 0;
      }, KEPT_MS).unref();
    } else this.#release.refresh();
  }
}
