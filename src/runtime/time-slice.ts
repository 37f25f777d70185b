/** Longest time that one slice of work may block the event loop. */
const SLICE_MS_MAX = 3;

/**
 * Splits long work on the main thread into slices, between which the event loop serves other
 * requests.
 */
export class TimeSlice {
  #startedAtMs = performance.now();

  /** Whether the slice is used up, so that `next` should be awaited. */
  get isOver(): boolean {
    return performance.now() - this.#startedAtMs > SLICE_MS_MAX;
  }

  /** Resolves when the next slice begins. */
  async next(): Promise<void> {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    this.#startedAtMs = performance.now();
  }
}

/** Work that can pause: it yields at each place where it may be interrupted. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Runs the work without a pause. */
export function runAtOnce<T>(work: Steps<T>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** Runs the work in time slices. */
export async function runInSlices<T>(work: Steps<T>): Promise<T> {
  const slice = new TimeSlice();
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    if (slice.isOver) await slice.next();
  }
}
