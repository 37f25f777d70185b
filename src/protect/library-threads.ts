import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { ThreadOrder, ThreadResult } from './library-thread.ts';
import type { RunNote } from './wire.ts';

/**
 * At least four, so that long documents do not hold up short ones on a machine with one or two
 * cores.
 */
const THREADS_MAX = Math.max(4, availableParallelism());

interface Task extends ThreadOrder {
  readonly onEnd: (result: ThreadResult) => void;
}

/**
 * The threads that call qpdf's library. A thread is added when all others are busy, up to
 * `THREADS_MAX`. A call blocks its thread for milliseconds and cannot be interrupted.
 */
export class LibraryThreads {
  readonly #idle: Worker[] = [];
  readonly #waiting: Task[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** Copies the bytes (passwords and document) and overwrites the originals. */
  run(order: RunNote, bytes: Uint8Array, onEnd: (result: ThreadResult) => void): void {
    const own = new Uint8Array(new ArrayBuffer(bytes.byteLength));
    own.set(bytes);
    bytes.fill(0);
    const task = { order, bytes: own, onEnd };
    const thread = this.#idle.pop() ?? this.#start();
    if (thread === null) this.#waiting.push(task);
    else this.#give(thread, task);
  }

  #give(thread: Worker, { order, bytes, onEnd }: Task): void {
    thread.once('message', (result: ThreadResult) => {
      const next = this.#waiting.shift();
      if (next === undefined) this.#idle.push(thread);
      else this.#give(thread, next);
      onEnd(result);
    });
    thread.postMessage({ order, bytes }, [bytes.buffer as ArrayBuffer]);
  }

  /**
   * Null if there are enough threads. Nothing listens for errors of a thread, so an error ends this
   * process.
   */
  #start(): Worker | null {
    if (this.#count >= THREADS_MAX) return null;
    this.#count++;
    return new Worker(new URL('library-thread.ts', import.meta.url));
  }
}
