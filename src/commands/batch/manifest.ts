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
  /** The expanded --name, with characters that file names cannot hold; '' without --name. */
  readonly name: string;
  /** Name of the PDF beside the manifest; '' when the record failed. */
  readonly file: string;
  readonly sha256: string;
  /** '' in mode sync, which stores nothing. */
  readonly documentId: string;
  /** Error code; '' when the record is done. */
  readonly code: string;
  readonly fields: readonly { readonly field: string; readonly reason: string }[];
}

/**
 * The journal of a batch: a JSON line for each record, appended after its PDF is in place, so that
 * an interrupted batch can resume. The last line about a record is valid; `compact` removes the
 * others.
 */
export class Manifest {
  readonly #path: string;
  /** The valid line of each record, by its number. */
  readonly #lines = new Map<number, string>();
  /** The input of each record that is done, by its number. */
  readonly #done = new Map<number, string>();
  /** Lines in the file that a later line has superseded. */
  #superseded = 0;

  constructor(path: string) {
    this.#path = path;
    if (existsSync(path)) this.#load(readFileSync(path));
    this.compact();
  }

  /** Whether the record was made before, from the same input. */
  has(number: number, input: string): boolean {
    return this.#done.get(number) === input;
  }

  add(entry: ManifestEntry): void {
    const line = JSON.stringify(entry);
    // A record that fails again in the same way needs no further line.
    if (this.#lines.get(entry.number) === line) return;
    appendFileSync(this.#path, `${line}\n`, { mode: 0o600 });
    this.#remember(entry, line);
  }

  /** If the file holds superseded lines, rewrites it without them, in the order of the records. */
  compact(): void {
    if (this.#superseded === 0) return;
    const numbers = [...this.#lines.keys()].toSorted((a, b) => a - b);
    const text = numbers.map((number) => `${this.#lines.get(number) ?? ''}\n`).join('');
    writeFileSync(`${this.#path}.part`, text, { mode: 0o600 });
    renameSync(`${this.#path}.part`, this.#path);
    this.#superseded = 0;
  }

  #remember(entry: ManifestEntry, line: string): void {
    if (this.#lines.has(entry.number)) this.#superseded += 1;
    this.#lines.set(entry.number, line);
    if (entry.status === 'done') this.#done.set(entry.number, entry.input);
    else this.#done.delete(entry.number);
  }

  #load(bytes: Buffer): void {
    const end = bytes.lastIndexOf('\n') + 1;
    // Drop a last line that was cut off when the batch was interrupted.
    if (end < bytes.length) truncateSync(this.#path, end);
    for (const line of bytes.toString('utf8', 0, end).split('\n')) {
      if (line === '') continue;
      // `add` wrote the line.
      this.#remember(JSON.parse(line) as ManifestEntry, line);
    }
  }
}
