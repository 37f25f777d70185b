import type { SlowWrite } from './exchange.ts';

/** uWebSockets.js cuts a connection that took nothing for 10 s; the sweep comes before that. */
const SWEEP_MS = 4_000;
/**
 * A reader that takes nothing for so long is cut. The kernel tells of progress in steps of a third
 * of its send buffer (1 to 2 MB), so this is a rate of some 20 KB/s, not a pause.
 */
const STALLED_MS_MAX = 60_000;

interface Watched {
  offset: number;
  sinceMs: number;
}

/** Callers that read slower than the service writes. */
export class SlowWrites {
  readonly #writes = new Map<SlowWrite, Watched>();
  #timer: NodeJS.Timeout | null = null;

  add(write: SlowWrite): void {
    const known = this.#writes.get(write);
    if (known !== undefined) return;
    this.#writes.set(write, { offset: write.offset, sinceMs: performance.now() });
    this.#timer ??= setInterval(() => this.sweep(performance.now()), SWEEP_MS).unref();
  }

  remove(write: SlowWrite): void {
    if (!this.#writes.delete(write) || this.#writes.size > 0) return;
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  get size(): number {
    return this.#writes.size;
  }

  /** Cuts who stalls, keeps the others. */
  sweep(nowMs: number): void {
    for (const [write, watched] of this.#writes) {
      if (write.offset > watched.offset) {
        watched.offset = write.offset;
        watched.sinceMs = nowMs;
      }
      if (nowMs - watched.sinceMs >= STALLED_MS_MAX) write.cut();
      else write.keepAlive();
    }
  }
}
