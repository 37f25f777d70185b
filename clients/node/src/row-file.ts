import { createReadStream } from 'node:fs';

import { FileError, fileError } from './errors.ts';
import type { RunRows } from './runs.ts';

/** Size of a part; the service takes 16 MB. */
const PART_BYTES = 8 * 1024 ** 2;
const [LINE_FEED, QUOTE] = [0x0a, 0x22];
const MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/**
 * Cuts a file in UTF-8 into parts at the ends of rows. The same file is always cut in the same way, so
 * an upload that was interrupted goes on. Memory use does not grow with the file. Throws FileError.
 */
export async function* partsOf(
  path: string,
  format: RunRows['format'],
): AsyncGenerator<RunRows, void, undefined> {
  const cutter = new Cutter(format);
  try {
    for await (const piece of createReadStream(path, { highWaterMark: 1024 ** 2 })) {
      yield* cutter.add(piece as Buffer);
    }
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) throw fileError(path, error, 'read');
    throw error;
  }
  yield* cutter.end();
}

/** Keeps rows until they make a part. */
class Cutter {
  readonly #format: RunRows['format'];
  /** The header of CSV, which every part begins with; null: its end has not been read. */
  #header: Buffer | null = null;
  #isAtStart = true;
  #pieces: Buffer[] = [];
  #length = 0;
  /** The line on which the kept rows begin. */
  #firstLine = 1;
  #line = 1;
  #isQuoted = false;

  constructor(format: RunRows['format']) {
    this.#format = format;
    if (format === 'ndjson') this.#header = Buffer.alloc(0);
  }

  *add(piece: Buffer): Generator<RunRows, void, undefined> {
    let start = 0;
    if (this.#isAtStart && piece.subarray(0, MARK.length).equals(MARK)) start = MARK.length;
    this.#isAtStart = false;
    for (let at = start; at < piece.length; at += 1) {
      const byte = piece[at];
      if (byte === QUOTE) this.#isQuoted = !this.#isQuoted && this.#format === 'csv';
      if (byte !== LINE_FEED) continue;
      this.#line += 1;
      const length = this.#length + at + 1 - start;
      if (this.#isQuoted || (this.#header !== null && length < PART_BYTES)) continue;
      this.#keep(piece.subarray(start, at + 1));
      start = at + 1;
      if (this.#header === null) this.#header = this.#take();
      else yield this.#part();
    }
    this.#keep(piece.subarray(start));
  }

  *end(): Generator<RunRows, void, undefined> {
    if (this.#length > 0 && this.#header !== null) yield this.#part();
  }

  #keep(piece: Buffer): void {
    this.#pieces.push(piece);
    this.#length += piece.length;
  }

  #part(): RunRows {
    const firstLine = this.#firstLine;
    const rows = Buffer.concat([this.#header ?? Buffer.alloc(0), this.#take()]);
    return { format: this.#format, rows, firstLine };
  }

  /** The kept bytes; those that follow begin on the line that is reached. */
  #take(): Buffer {
    const bytes = Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#length = 0;
    this.#firstLine = this.#line;
    return bytes;
  }
}

const CHANGED =
  'the file was changed since its upload began: the run has rows of both. Cancel the run, and upload' +
  ' the file to a new one';

/**
 * Compares the parts of a file with those that a run has. An upload that was interrupted has sent the
 * first parts of its file, and nothing was sent after them. So the parts at the end of the run are the
 * first ones of the file; otherwise the file is not the same one any more.
 */
export class ResumedUpload {
  readonly #there: readonly string[];
  readonly #known: ReadonlySet<string>;
  readonly #seen = new Set<string>();
  #hasSent = false;
  skipped = 0;

  constructor(there: readonly string[]) {
    this.#there = there;
    this.#known = new Set(there);
  }

  /** Parts of the run that were not seen in the file. */
  get others(): number {
    return this.#there.filter((sha256) => !this.#seen.has(sha256)).length;
  }

  /** Whether the run has this next part of the file. Throws FileError for a file that was changed. */
  skips(sha256: string): boolean {
    const isThere = this.#known.has(sha256);
    if (isThere ? this.#hasSent : !this.#hasSent && !this.#isEnd) throw new FileError(CHANGED);
    if (isThere) {
      this.skipped += 1;
      this.#seen.add(sha256);
    } else this.#hasSent = true;
    return isThere;
  }

  /** Whether the parts that were seen so far are the last ones of the run. */
  get #isEnd(): boolean {
    return (
      this.#there.slice(-this.#seen.size).every((sha256) => this.#seen.has(sha256)) ||
      this.#seen.size === 0
    );
  }
}
