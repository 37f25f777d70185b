import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import { StorageUnavailable, StoreBusy } from '../../store/store.ts';

/** Results that are told in one turn of the event loop. */
const ANSWERED_MAX = 32;

export interface LookupsLimits {
  /** Texts in one look-up. */
  readonly batchMax: number;
  /** Least time between the beginnings of two batches: texts that come meanwhile share the next. */
  readonly batchMs: number;
  /** Texts that wait, of one address; more are refused. */
  readonly waitingEachMax: number;
  /** Texts that wait, of all together; more are refused. */
  readonly waitingMax: number;
}

/** A text that waits for its look-up. */
interface Entry<V> {
  readonly text: string;
  readonly resolve: (value: V) => void;
  readonly reject: (error: unknown) => void;
}

/** Looks texts up; the results are in the order of the texts. */
type FindAll<V> = (texts: readonly string[]) => Promise<readonly V[]>;

/**
 * Looks up the keys or sessions of strangers, one batch at a time, so that thousands of them cost
 * the database as much as a few. Addresses have turns in each batch: however many one of them
 * sends, that of another is in the next batch.
 */
export class Lookups<V> {
  readonly #limits: LookupsLimits;
  readonly #findAll: FindAll<V>;
  /** The waiting entries of each address; the address whose turn is next comes first. */
  readonly #waiting = new Map<string, Entry<V>[]>();
  #count = 0;
  #isUnderWay = false;
  /** When the last batch began, by the monotonic clock. */
  #begunAtMs = Number.NEGATIVE_INFINITY;

  constructor(limits: LookupsLimits, findAll: FindAll<V>) {
    this.#limits = limits;
    this.#findAll = findAll;
  }

  /** Looks a text up in its turn. Throws StoreBusy when too many wait already. */
  async find(address: string, text: string): Promise<V> {
    const own = this.#waiting.get(address) ?? [];
    const { waitingEachMax, waitingMax } = this.#limits;
    if (own.length >= waitingEachMax || this.#count >= waitingMax) {
      throw new StoreBusy('too many unknown keys or sessions wait for their look-up');
    }
    this.#waiting.set(address, own);
    this.#count += 1;
    const found = new Promise<V>((resolve, reject) => own.push({ text, resolve, reject }));
    if (!this.#isUnderWay) void this.#run();
    return found;
  }

  /** Never rejects. */
  async #run(): Promise<void> {
    this.#isUnderWay = true;
    while (this.#count > 0) {
      const restMs = this.#begunAtMs + this.#limits.batchMs - performance.now();
      if (restMs > 0) await pause(restMs);
      this.#begunAtMs = performance.now();
      await this.#lookUp(this.#takeBatch());
    }
    this.#isUnderWay = false;
  }

  /** Takes one text of each address after the other until the batch is full. */
  #takeBatch(): Entry<V>[] {
    const batch: Entry<V>[] = [];
    // An address that is set again comes last in this very loop.
    for (const [address, own] of this.#waiting) {
      if (batch.length === this.#limits.batchMax) break;
      this.#waiting.delete(address);
      const entry = own.shift();
      if (entry !== undefined) batch.push(entry);
      if (own.length > 0) this.#waiting.set(address, own);
    }
    this.#count -= batch.length;
    return batch;
  }

  async #lookUp(batch: readonly Entry<V>[]): Promise<void> {
    try {
      const values = await this.#findAll(batch.map(({ text }) => text));
      for (const [index, { resolve, reject }] of batch.entries()) {
        const value = values[index];
        if (value === undefined) reject(new Error('a look-up without a result'));
        else resolve(value);
        // The responses follow at once: hundreds of them would hold up everybody else's requests.
        if (index % ANSWERED_MAX === ANSWERED_MAX - 1) await turn();
      }
    } catch (error) {
      // A damaged row, for one, fails its own look-up, not those of others.
      const isCommon = error instanceof StorageUnavailable || batch.length === 1;
      if (isCommon) for (const { reject } of batch) reject(error);
      else for (const entry of batch) await this.#lookUp([entry]);
    }
  }
}
