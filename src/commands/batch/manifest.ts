import {
  appendFileSync,
  existsSync,
  readFileSync,
  renameSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { basename } from 'node:path';

import { CommandFailed, unreadable } from '../console/failure.ts';

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

/** Questions of a resumed batch about a record that is done. */
export type MadeRecord = Pick<ManifestEntry, 'number' | 'input' | 'name' | 'file'>;

export const MANIFEST_FILE = 'manifest.ndjson';

/** How `add` begins each line. */
const LINE_START = '{"number":';

/**
 * The journal of a batch: a JSON line for each record, appended after its PDF is in place, so that
 * an interrupted batch can resume. The last line about a record is valid; `compact` removes the
 * others.
 */
export class Manifest {
  readonly #path: string;
  /** The valid line of each record, by its number. */
  readonly #lines = new Map<number, string>();
  /** Records that are done, by their number. */
  readonly #done = new Map<number, MadeRecord>();
  /** Lines in the file that a later line has superseded, or whose record was forgotten. */
  #superseded = 0;

  /** Throws `CommandFailed` when the file cannot be read or no batch wrote it. */
  constructor(path: string) {
    this.#path = path;
    if (existsSync(path)) this.#load(readWhole(path));
    this.compact();
  }

  /** The records that are done. */
  get made(): Iterable<MadeRecord> {
    return this.#done.values();
  }

  /** Whether any record is done. */
  get hasMade(): boolean {
    return this.#done.size > 0;
  }

  /** Whether no record has a line. */
  get isEmpty(): boolean {
    return this.#lines.size === 0;
  }

  /** How a record was made before; undefined: it is not done. */
  find(number: number): MadeRecord | undefined {
    return this.#done.get(number);
  }

  add(entry: ManifestEntry): void {
    const line = JSON.stringify(entry);
    // A record that fails again in the same way needs no further line.
    if (this.#lines.get(entry.number) === line) return;
    appendFileSync(this.#path, `${line}\n`, { mode: 0o600 });
    this.#remember(entry, line);
  }

  /** Drops the lines of the records for which `isDropped` returns true. */
  drop(isDropped: (number: number) => boolean): void {
    for (const number of this.#lines.keys()) {
      if (!isDropped(number)) continue;
      this.#lines.delete(number);
      this.#done.delete(number);
      this.#superseded += 1;
    }
    this.compact();
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

  #remember({ number, input, status, name, file }: ManifestEntry, line: string): void {
    if (this.#lines.has(number)) this.#superseded += 1;
    this.#lines.set(number, line);
    if (status === 'done') this.#done.set(number, { number, input, name, file });
    else this.#done.delete(number);
  }

  #load(bytes: Buffer): void {
    const end = bytes.lastIndexOf('\n') + 1;
    const lines = bytes.toString('utf8', 0, end).split('\n');
    for (const [index, line] of lines.entries()) {
      if (line === '') continue;
      const entry = readEntry(line);
      if (entry === null) {
        throw new CommandFailed(
          `${this.#path}: line ${index + 1} is not of a batch: give another --out`,
        );
      }
      this.#remember(entry, line);
    }
    const rest = bytes.toString('utf8', end);
    if (rest === '') return;
    if (!rest.startsWith(LINE_START) && !LINE_START.startsWith(rest)) {
      throw new CommandFailed(`${this.#path}: the last line is not of a batch: give another --out`);
    }
    // Drop a last line that was cut off when the batch was interrupted.
    truncateSync(this.#path, end);
  }
}

function readWhole(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw unreadable(path, error);
  }
}

/** The entry of a line; null: no batch wrote it. */
function readEntry(line: string): ManifestEntry | null {
  try {
    const value: unknown = JSON.parse(line);
    if (typeof value !== 'object' || value === null) return null;
    const { number, input, status, name, file } = value as Partial<ManifestEntry>;
    const isEntry =
      Number.isSafeInteger(number) &&
      (status === 'done' || status === 'failed') &&
      [input, name, file].every((text) => typeof text === 'string') &&
      // A PDF that is replaced is removed by this name, so it never leads out of the folder.
      basename(String(file)) === file;
    // The properties that a resumed batch uses have their types.
    return isEntry ? (value as ManifestEntry) : null;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return null;
  }
}
