import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { ApiError } from '../api/client.ts';
import { readPatiently } from '../api/patience.ts';
import { session } from './state.ts';

/** Names by identifier; '' for what has none. */
export type Names = Iterable<readonly [id: string, name: string]>;

interface Known {
  readonly name: string;
  readonly readAtMs: number;
}

/** After this time a name is read again when a page shows it: it may have changed. */
const FRESH_MS = 60_000;

/** Names of one kind of thing, kept for all pages: the records of lists have identifiers only. */
export class NameBook {
  /** By team and identifier. */
  readonly #names = signal<ReadonlyMap<string, Known>>(new Map());
  readonly #read: (ids: ReadonlySet<string>) => Promise<Names>;
  /** Identifiers that wait for the next request. */
  #wanted = new Set<string>();

  /** `read` gives names of these identifiers, and may give others. */
  constructor(read: (ids: ReadonlySet<string>) => Promise<Names>) {
    this.#read = read;
  }

  /** A hook: the name, which is read when it is not known; null: it has none, or is not known yet. */
  useName(id: string): string | null {
    useEffect(() => this.#want(id), [id]);
    return this.#names.value.get(keyOf(id))?.name || null;
  }

  /** A hook: as above, for several. */
  useNames(ids: readonly string[]): (id: string) => string | null {
    useEffect(() => {
      for (const id of ids) this.#want(id);
    }, [ids.join('\n')]);
    const names = this.#names.value;
    return (id) => names.get(keyOf(id))?.name || null;
  }

  /** Resolves when the names of these are known, as far as they can be read. */
  async load(ids: Iterable<string>): Promise<(id: string) => string | null> {
    const missing = [...ids].filter((id) => !this.#isFresh(id));
    if (missing.length > 0) await this.#readAll(new Set(missing));
    return (id) => this.#names.value.get(keyOf(id))?.name || null;
  }

  #isFresh(id: string): boolean {
    const readAtMs = this.#names.value.get(keyOf(id))?.readAtMs ?? -Infinity;
    return id === '' || performance.now() - readAtMs < FRESH_MS;
  }

  /** Asks once for all names that are wanted in this turn: a page of a list shows many. */
  #want(id: string): void {
    if (this.#isFresh(id)) return;
    if (this.#wanted.size === 0) queueMicrotask(() => void this.#readWanted());
    this.#wanted.add(id);
  }

  async #readWanted(): Promise<void> {
    const wanted = this.#wanted;
    this.#wanted = new Set();
    await this.#readAll(wanted);
  }

  async #readAll(ids: ReadonlySet<string>): Promise<void> {
    try {
      const found = await readPatiently(() => this.#read(ids));
      const readAtMs = performance.now();
      const next = new Map(this.#names.value);
      for (const id of ids) next.set(keyOf(id), { name: '', readAtMs });
      for (const [id, name] of found) next.set(keyOf(id), { name, readAtMs });
      this.#names.value = next;
    } catch (error) {
      // Identifiers are shown instead, and the next page asks again.
      if (!(error instanceof ApiError)) throw error;
    }
  }
}

function keyOf(id: string): string {
  return `${session.value.teamId}/${id}`;
}
