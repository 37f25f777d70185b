import { appendFileSync, existsSync, readFileSync, truncateSync } from 'node:fs';

/** What became of one record; a line of the manifest. */
export interface ManifestEntry {
  readonly number: number;
  /** SHA-256 over template, options and data: a changed record is made again. */
  readonly input: string;
  readonly status: 'done' | 'failed';
  /** Beside the manifest; '' when it failed. */
  readonly file: string;
  readonly sha256: string;
  /** '' in mode sync, which stores nothing. */
  readonly documentId: string;
  /** '' when it is done. */
  readonly code: string;
  readonly fields: readonly { readonly field: string; readonly reason: string }[];
}

/**
 * The journal of a batch: one JSON line for each record, appended after its PDF is in place, so
 * that a batch that was cut off goes on where it stopped. The last line about a record counts.
 */
export class Manifest {
  readonly #path: string;
  readonly #done = new Map<number, string>();

  constructor(path: string) {
    this.#path = path;
    if (existsSync(path)) this.#load(readFileSync(path));
  }

  /** Whether this very record was made before. */
  has(number: number, input: string): boolean {
    return this.#done.get(number) === input;
  }

  add(entry: ManifestEntry): void {
    appendFileSync(this.#path, `${JSON.stringify(entry)}\n`);
    if (entry.status === 'done') this.#done.set(entry.number, entry.input);
  }

  #load(bytes: Buffer): void {
    const end = bytes.lastIndexOf(0x0a) + 1;
    // A line that was being written when the batch was cut off.
    if (end < bytes.length) truncateSync(this.#path, end);
    for (const line of bytes.toString('utf8', 0, end).split('\n')) {
      if (line === '') continue;
      // Written by add().
      const entry = JSON.parse(line) as ManifestEntry;
      if (entry.status === 'done') this.#done.set(entry.number, entry.input);
      else this.#done.delete(entry.number);
    }
  }
}
