/** Longest time that a long piece of work keeps the event loop from others. */
const TURN_MS_MAX = 3;

/** Cuts a long piece of work into turns, between which the event loop serves everybody else. */
export class Turns {
  #startedAtMs = performance.now();

  /** True when it is time for `next`. */
  get isOver(): boolean {
    return performance.now() - this.#startedAtMs > TURN_MS_MAX;
  }

  /** Resolves at the beginning of the next turn. */
  async next(): Promise<void> {
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
    this.#startedAtMs = performance.now();
  }
}

/** Work that can be left off and taken up again: it yields where it may be. */
export type Pausing<T> = Generator<undefined, T, undefined>;

/** Does it without a pause. */
export function atOnce<T>(work: Pausing<T>): T {
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
  }
}

/** Does it in turns. */
export async function inTurns<T>(work: Pausing<T>): Promise<T> {
  const turns = new Turns();
  for (;;) {
    const step = work.next();
    if (step.done === true) return step.value;
    if (turns.isOver) await turns.next();
  }
}
