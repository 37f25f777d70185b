import {
  appendFileSync,
  existsSync,
  readFileSync,
  renameSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';

/** Outcome of one record; a line of the manifest. */
export interface ManifestEntry {
  readonly number: number;
  /** SHA-256 over template, options and data: a changed record is made again. */
  readonly input: string;
  readonly status: 'done' | 'failed';
  /** As --name gave it, before what no file name can hold was replaced; '' without --name. */
  readonly name: string;
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
 * that a batch that was cut off goes on where it stopped. The last line about a record counts;
 * `compact` leaves no other.
 */
export class Manifest {
  readonly #path: string;
  /** The line that counts, by record. */
  readonly #lines = new Map<number, string>();
  readonly #done = new Map<number, string>();
  #superseded = 0;

  constructor(path: string) {
    this.#path = path;
    if (existsSync(path)) this.#load(readFileSync(path));
    this.compact();
  }

  /** Whether this very record was made before. */
  has(number: number, input: string): boolean {
    return this.#done.get(number) === input;
  }

  add(entry: ManifestEntry): void {
    const line = JSON.stringify(entry);
    // A record that failed again in the same way adds nothing.
    if (this.#lines.get(entry.number) === line) return;
    appendFileSync(this.#path, `${line}\n`);
    this.#take(entry, line);
  }

  /** Writes the file anew, in the order of the records, when it holds lines that no longer count. */
  compact(): void {
    if (this.#superseded === 0) return;
    const numbers = [...this.#lines.keys()].toSorted((a, b) => a - b);
    const text = numbers.map((number) => `${this.#lines.get(number) ?? ''}\n`).join('');
    writeFileSync(`${this.#path}.part`, text);
    renameSync(`${this.#path}.part`, this.#path);
    this.#superseded = 0;
  }

  #take(entry: ManifestEntry, line: string): void {
    if (this.#lines.has(entry.number)) this.#superseded += 1;
    this.#lines.set(entry.number, line);
    if (entry.status === 'done') this.#done.set(entry.number, entry.input);
    else this.#done.delete(entry.number);
  }

  #load(bytes: Buffer): void {
    const end = bytes.lastIndexOf(0x0a) + 1;
    // A line that was being written when the batch was cut off.
    if (end < bytes.length) truncateSync(this.#path, end);
    for (const line of bytes.toString('utf8', 0, end).split('\n')) {
      if (line === '') continue;
      // Written by add().
      this.#take(JSON.parse(line) as ManifestEntry, line);
    }
  }
}
