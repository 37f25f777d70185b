import { RunFull } from '../../store/runs/bounds.ts';
import type {
  NewRunPart,
  NoRoom,
  RunReason,
  RunRecord,
  RunSource,
} from '../../store/runs/types.ts';
import { createHash, type Hash } from 'node:crypto';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { EncodingFault, TextToUtf8 } from '../../runtime/encoding/decoder.ts';
import { SourceChanged, type Store, type StoredFile } from '../../store/store.ts';
import { type CutPart, PartCutter, RowTooLong } from '../part-cutter.ts';
import { delimiterOf } from '../../runtime/csv/csv-format.ts';
import { readPartStart } from '../part-start.ts';
import { Abandoned } from '../row-jobs.ts';
import { SOURCE_REFUSALS } from './source-refusals.ts';

/** Size of a part without its CSV header; an uploaded part may be twice as large. */
const PART_BYTES = 8 * 1024 * 1024;
const PARTS_MAX = 100_000;
/** Parts read at a time. */
const PARTS_PAGE = 500;
/** Bytes handled in one turn of the event loop, which takes about 1 ms. */
const PIECE_BYTES = 256 * 1024;

/** The first two bytes of a gzip member (RFC 1952). */
const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);

export interface SourceReaderOptions {
  readonly store: Store;
  readonly owner: string;
  readonly isStopping: () => boolean;
  /** Called when a part was added and can be checked. */
  readonly onPartAdded: () => void;
}

/** The room that the source of a run lacked, as its reason states it. */
const ROOM: Readonly<Record<NoRoom, string>> = {
  run_full: 'no more bytes of rows than a run may have',
  team_full: "room for its rows beside those of the team's other runs",
  team_parts: "room for its parts beside those of the team's other runs",
};

/** Thrown inside the reader when the source makes the run stop. */
class SourceFault extends Error {
  override readonly name = 'SourceFault';
  readonly expected: string;

  constructor(expected: string, actual: string) {
    super(actual);
    this.expected = expected;
  }
}

/**
 * Reads the file of a run into parts, as if they were uploaded. After an interruption it starts
 * again at the beginning: the parts that exist must have the same digests, so each row enters the
 * run once.
 */
export class SourceReader {
  readonly #options: SourceReaderOptions;

  constructor(options: SourceReaderOptions) {
    this.#options = options;
  }

  /**
   * Reads to the end, or until the lease on the source is lost. Returns the reason why the run must
   * stop, or null. Throws `Abandoned` when the engine stops.
   */
  async read(run: RunRecord, source: RunSource, partsDone: number): Promise<RunReason | null> {
    const file = await this.#options.store.runSources.open(run.teamId, source.path);
    if (typeof file === 'string') {
      return reasonOf('a file that this instance can read', SOURCE_REFUSALS[file]);
    }
    try {
      await this.#readAll(run, source, file, partsDone);
      return null;
    } catch (error) {
      const fault = faultOf(error);
      if (fault === null) throw error;
      return reasonOf(fault.expected, fault.message);
    } finally {
      await file.close();
    }
  }

  async #readAll(
    run: RunRecord,
    { format, encoding }: RunSource,
    file: StoredFile,
    partsDone: number,
  ): Promise<void> {
    const { store, owner, isStopping } = this.#options;
    const digests = await digestsOf(store, run.runId, partsDone);
    const hash = createHash('sha256');
    const cutter = new PartCutter(format, PART_BYTES);
    let parts = 0;
    // Returns false when the lease was lost.
    const add = async ({ rows, firstLine }: CutPart): Promise<boolean> => {
      parts += 1;
      if (parts > PARTS_MAX) throw new SourceFault(`at most ${PARTS_MAX} parts`, 'more');
      const part = await describePart(run, format, parts, { rows, firstLine });
      if (parts > partsDone) return this.#add(run, part, rows);
      if (digests[parts - 1] === part.sha256) return true;
      throw new SourceFault(`the rows of part ${parts} as read before`, 'other rows');
    };
    const text = new TextToUtf8(encoding);
    for await (const piece of piecesOf(file, hash, isStopping)) {
      for (const cut of cutter.add(text.add(piece))) if (!(await add(cut))) return;
    }
    for (const cut of cutter.add(text.end())) if (!(await add(cut))) return;
    for (const cut of cutter.end()) if (!(await add(cut))) return;
    if (parts < partsDone) throw new SourceFault(`${partsDone} parts as read before`, `${parts}`);
    if (parts === 0) throw new SourceFault('at least one row', 'none');
    const read = { sha256: hash.digest('hex'), encoding: text.encoding };
    const whole = { parts, bytes: file.bytes, ...read };
    await store.runSources.finish(run, owner, whole);
  }

  async #add(run: RunRecord, part: NewRunPart, rows: Uint8Array): Promise<boolean> {
    const { store, owner, onPartAdded } = this.#options;
    const isAdded = await store.runSources.addPart(run, owner, part, rows);
    if (isAdded) onPartAdded();
    return isAdded;
  }
}

/** Digests of the first parts of a run, which are read page by page. */
async function digestsOf(store: Store, runId: string, count: number): Promise<readonly string[]> {
  const digests: string[] = [];
  for (let after = 0; digests.length < count;) {
    const page = await store.runs.parts(runId, Math.min(PARTS_PAGE, count - digests.length), after);
    for (const { part, sha256 } of page) {
      digests.push(sha256);
      after = part;
    }
    if (page.length === 0) break;
  }
  return digests;
}

function reasonOf(expected: string, actual: string): RunReason {
  return { name: 'source', expected, actual };
}

/** The fault of the file that an error stands for; null: the error has another cause. */
function faultOf(error: unknown): SourceFault | null {
  if (error instanceof SourceFault) return error;
  if (error instanceof RunFull) return new SourceFault(ROOM[error.why], 'more');
  if (error instanceof SourceChanged) {
    return new SourceFault('a file that stays as it is', 'it changed while it was read');
  }
  if (error instanceof EncodingFault) {
    return new SourceFault(
      'rows in UTF-8, UTF-16 with a byte order mark or windows-874',
      error.message,
    );
  }
  if (error instanceof RowTooLong) {
    return new SourceFault(`rows of at most ${PART_BYTES} bytes`, 'a longer row, or an open quote');
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return code.startsWith('Z_') ? new SourceFault('a whole gzip file', 'a damaged one') : null;
}

async function describePart(
  { spec }: RunRecord,
  format: RunSource['format'],
  part: number,
  { rows, firstLine }: CutPart,
): Promise<NewRunPart> {
  const start = readPartStart(rows, format, spec.idField, delimiterOf(spec.csv));
  if (!start.ok) throw new SourceFault('rows as docs/runs.md says', start.message);
  // This hashes in libuv's thread pool.
  const digest = await crypto.subtle.digest('SHA-256', new Uint8Array(rows));
  const sha256 = Buffer.from(digest).toString('hex');
  return { part, sha256, format, headerBytes: start.value.headerBytes, firstLine };
}

/** Yields the rows of a file, decompressed if it is gzip; `hash` gets the stored bytes. */
async function* piecesOf(
  file: StoredFile,
  hash: Hash,
  isStopping: () => boolean,
): AsyncGenerator<Uint8Array> {
  const start = await file.read(0, Math.min(GZIP_MAGIC.length, file.bytes));
  const storedPieces = readPieces(file, hash, isStopping);
  if (!GZIP_MAGIC.equals(start)) {
    yield* storedPieces;
    return;
  }
  const input = Readable.from(storedPieces, { objectMode: false, highWaterMark: PIECE_BYTES });
  const unpacked = createGunzip({ chunkSize: PIECE_BYTES });
  input.once('error', (error) => unpacked.destroy(error));
  try {
    // Without an encoding, the stream yields buffers.
    for await (const piece of input.pipe(unpacked)) yield piece as Buffer;
    // Bytes after the last gzip member are ignored, as gzip does, but belong to the digest.
    await finished(input.unpipe().resume());
  } finally {
    input.destroy();
    unpacked.destroy();
  }
}

/** Yields the stored bytes. */
async function* readPieces(
  file: StoredFile,
  hash: Hash,
  isStopping: () => boolean,
): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < file.bytes;) {
    if (isStopping()) throw new Abandoned();
    const piece = await file.read(at, PIECE_BYTES);
    hash.update(piece);
    at += piece.byteLength;
    yield piece;
  }
}
