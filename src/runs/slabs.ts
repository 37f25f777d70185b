import { PagePool } from '../runtime/memory/page-pool.ts';
import { StillWriting, StorageUnavailable } from '../store/store.ts';

/*
 * A slab is shared memory for the documents of a chunk. Renderers write documents into it and the
 * main thread stores them from there, so they are never copied, and the slab is used again for the
 * next chunk. It begins on a page, so a disk can take its bytes directly. In ordinary buffers, the 8
 * MB of documents of a chunk would be as large as the rest of the main thread's heap; V8 counts them,
 * and would collect the whole heap for every second chunk.
 */

/** A chunk of 250 receipts needs 8 MB. Only pages that are written to take memory. */
const SLAB_BYTES = 16 * 1024 * 1024;

/** The memory for the documents of one chunk, whose jobs write one after the other. */
export class Slab {
  readonly #bytes: Uint8Array;
  #usedBytes = 0;
  #isClosed = false;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** The part that the next job may write to; undefined if none. */
  get left(): Uint8Array | undefined {
    return this.#isClosed ? undefined : this.#bytes.subarray(this.#usedBytes);
  }

  /** Whether no thread can still write to the slab. */
  get isReusable(): boolean {
    return !this.#isClosed;
  }

  /**
   * Call when a job has returned these files; returns them as a part of the slab. Files that did not
   * fit come in a separate buffer and are returned as they are.
   */
  add(files: Uint8Array): Uint8Array {
    if (!(files.buffer instanceof SharedArrayBuffer)) return files;
    // The answer of a thread has another object for the same memory.
    const start = this.#usedBytes;
    this.#usedBytes += files.byteLength;
    return this.#bytes.subarray(start, this.#usedBytes);
  }

  /**
   * Call when a job has failed: its thread may still write to `left`. Files of other jobs stay
   * valid.
   */
  close(): void {
    this.#isClosed = true;
  }
}

/** Hands out slabs and keeps them for reuse. */
export class Slabs {
  readonly #memories = new PagePool(SLAB_BYTES);

  /**
   * Calls `use` with a slab. The slab is reused when `use` has ended well, or because the store
   * refused the documents: a disk that is full for an hour must not fill the memory as well. After
   * another failure, something may still read or write it.
   */
  async with<T>(use: (slab: Slab) => Promise<T>): Promise<T> {
    const memory = this.#memories.take();
    const slab = new Slab(memory);
    let isFree = true;
    try {
      return await use(slab);
    } catch (error) {
      isFree = error instanceof StorageUnavailable && !(error instanceof StillWriting);
      throw error;
    } finally {
      if (isFree && slab.isReusable) this.#memories.giveBack(memory);
    }
  }
}
