/** Longest time that sliced work, all of it together, blocks one turn of the event loop. */
const SLICE_MS_MAX = 3;

/** When sliced work began in this turn of the event loop; null: none has yet. */
let turnBeganAtMs: number | null = null;
/** Work that waits for a slice, the longest waiting first. */
const waiting: (() => void)[] = [];

function endTurn(): void {
  turnBeganAtMs = null;
}

/** Tells since when sliced work holds this turn; `atMs` if it has only begun then. */
function turnSince(atMs: number): number {
  if (turnBeganAtMs === null) {
    turnBeganAtMs = atMs;
    // It was added before all immediates of this turn that resume work, so the next turn begins anew.
    setImmediate(endTurn);
  }
  return turnBeganAtMs;
}

/** Gives a slice to the work that has waited longest; the next turn goes on when this one is full. */
function resume(): void {
  const nowMs = performance.now();
  if (nowMs - turnSince(nowMs) > SLICE_MS_MAX) setImmediate(resume);
  else waiting.shift()?.();
}

/**
 * Splits long work on the main thread into slices, between which the event loop serves other
 * requests. All such work shares the time of a turn: a hundred bodies that come at once delay others
 * by one slice at a time, not by a hundred. Work that ends before its first pause never waits.
 */
export class TimeSlice {
  #startedAtMs = performance.now();

  /** Whether the slice is used up, so that `next` should be awaited. */
  get isOver(): boolean {
    return performance.now() - turnSince(this.#startedAtMs) > SLICE_MS_MAX;
  }

  /** Resolves when the next slice begins. */
  async next(): Promise<void> {
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      setImmediate(resume);
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
