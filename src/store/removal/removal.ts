import { StorageUnavailable } from '../terms.ts';

/** Items worked on at the same time. Removals that run together share their directory syncs. */
const LANES_MAX = 32;

/** The files that one sweep could not handle. It goes on without them. */
export class Failures {
  count = 0;
  #first = '';

  /** Rethrows errors other than StorageUnavailable, which are bugs. */
  add(error: unknown): void {
    if (!(error instanceof StorageUnavailable)) throw error;
    if (this.count === 0) this.#first = error.message;
    this.count += 1;
  }

  /** The message of the first failure. */
  get first(): string {
    return this.#first;
  }
}

/**
 * Runs `work` over all items, several at a time. An item that fails is added to `failures` and does
 * not stop the others. Returns the items that succeeded.
 */
export async function eachByItself<T>(
  items: readonly T[],
  failures: Failures,
  work: (item: T) => Promise<void>,
): Promise<readonly T[]> {
  const done: T[] = [];
  const queue = items.values();
  const lane = async (): Promise<void> => {
    for (const item of queue) {
      try {
        await work(item);
        done.push(item);
      } catch (error) {
        failures.add(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(LANES_MAX, items.length) }, lane));
  return done;
}
