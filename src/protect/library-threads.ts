import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { ThreadOrder, ThreadResult } from './library-thread.ts';
import type { RunNote } from './wire.ts';

/** Long documents shall not hold up short ones on a machine of one or two cores. */
const THREADS_MAX = Math.max(4, availableParallelism());

interface Task extends ThreadOrder {
  readonly onEnd: (result: ThreadResult) => void;
}

/**
 * The threads that call qpdf's library, as many as documents at a time so far. A call blocks its
 * thread for milliseconds and cannot be interrupted.
 */
export class LibraryThreads {
  readonly #idle: Worker[] = [];
  readonly #waiting: Task[] = [];
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** Takes the bytes, passwords and document, and overwrites them in the caller's memory. */
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

  /** Null: there are enough. An error of a thread has no listener, so it ends this process. */
  #start(): Worker | null {
    if (this.#count >= THREADS_MAX) return null;
    this.#count++;
    return new Worker(new URL('library-thread.ts', import.meta.url));
  }
}
