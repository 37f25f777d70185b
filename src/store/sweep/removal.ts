import { StorageUnavailable } from '../store.ts';

/** Files removed at the same time; each batch shares its directory syncs. */
const REMOVALS = 32;

/** Steps of one sweep that the file store refused. The sweep goes on without those files. */
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
 * Runs `work` over all items, a few at a time. An item that the file store refuses is added to
 * `failures` and does not stop the others. Returns the items that went well.
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
  await Promise.all(Array.from({ length: Math.min(REMOVALS, items.length) }, lane));
  return done;
}
