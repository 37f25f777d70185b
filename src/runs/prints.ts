import type { Outcome } from '../errors.ts';
import type { ManifestRow, PrintedDocument, PrintSegment, RunRecord } from '../store/runs/types.ts';
import type { Store } from '../store/store.ts';
import type { PrintedRows, PrintRowsJob, PrintState } from '../workers/job.ts';
import type { Pool } from '../workers/pool/pool.ts';
import { Abandoned } from './row-jobs.ts';
import type { RunTemplates } from './templates.ts';

/** Documents of one job, which takes some milliseconds. */
const JOB_DOCUMENTS = 50;
/** Size at which a segment is stored. */
const SEGMENT_BYTES = 4 * 1024 * 1024;
const READ_BYTES = 256 * 1024;

/** Thrown when the documents cannot be merged into a print file. */
class PrintFailed extends Error {
  override readonly name = 'PrintFailed';
}

export interface PrintMakerParts {
  readonly store: Store;
  readonly pool: Pool;
  readonly templates: RunTemplates;
  readonly owner: string;
  readonly isStopping: () => boolean;
}

/** Consecutive documents of one pack. */
interface Group {
  readonly packId: string;
  readonly rows: readonly ManifestRow[];
}

/**
 * Makes merged print files, segment by segment from start to end. The segments of a process that
 * died expire.
 */
export class PrintMaker {
  readonly #parts: PrintMakerParts;

  constructor(parts: PrintMakerParts) {
    this.#parts = parts;
  }

  /** Makes print file `number`; false: the lease was lost. */
  async make(run: RunRecord, number: number): Promise<boolean> {
    const { store, owner } = this.#parts;
    const file = new PrintFile(run, this.#parts);
    const documents: PrintedDocument[] = [];
    let page = 1;
    for await (const { packId, rows } of groupsOf(store, run, number)) {
      const pack = await store.runs.openPack(packId);
      try {
        for (let at = 0; at < rows.length; at += JOB_DOCUMENTS) {
          const some = rows.slice(at, at + JOB_DOCUMENTS);
          const from = some[0]?.offset ?? 0;
          const ends = some.map(({ offset, bytes = 0 }) => offset + bytes - from);
          const bytes = new Uint8Array(await readSpan(pack, from, ends.at(-1) ?? 0));
          const pages = await file.append(bytes, ends);
          for (const [index, { rowId, documentId = '' }] of some.entries()) {
            const to = page + (pages[index] ?? 0) - 1;
            documents.push({ rowId, documentId, fromPage: page, toPage: to });
            page = to + 1;
          }
        }
      } finally {
        await pack.close();
      }
    }
    const segments = await file.end(page - 1);
    return store.runPrints.finish(run, number, owner, { segments, documents, pages: page - 1 });
  }
}

/** Yields the bytes of a print file piece by piece. */
export async function* readSegments(
  store: Pick<Store['runs'], 'openPack'>,
  segments: readonly PrintSegment[],
): AsyncGenerator<Uint8Array> {
  for (const { fileId, bytes } of segments) {
    const file = await store.openPack(fileId);
    try {
      for (let at = 0; at < bytes;) {
        const piece = await file.read(at, Math.min(READ_BYTES, bytes - at));
        if (piece.byteLength === 0) throw new Error('a segment is shorter than when it was stored');
        yield piece;
        at += piece.byteLength;
      }
    } finally {
      await file.close();
    }
  }
}

/** The stored rows of print file `number`, by their packs. */
async function* groupsOf(store: Store, run: RunRecord, number: number): AsyncGenerator<Group> {
  const perFile = run.spec.documentsPerPrint ?? 0;
  let skip = (number - 1) * perFile;
  let left = perFile;
  for await (const some of store.runs.manifest(run.runId)) {
    const stored = some.filter(({ outcome }) => outcome === 'stored');
    const rows = stored.slice(skip, skip + left);
    skip = Math.max(0, skip - stored.length);
    left -= rows.length;
    const packId = rows[0]?.packId ?? null;
    if (packId !== null) yield { packId, rows };
    if (left === 0) return;
  }
}

/** A print file that is being made. */
class PrintFile {
  readonly #run: RunRecord;
  readonly #parts: PrintMakerParts;
  readonly #offsets: number[] = [];
  readonly #nodes: number[] = [];
  readonly #segments: PrintSegment[] = [];
  #state: PrintState | null = null;
  #pieces: Uint8Array[] = [];
  #bytes = 0;

  constructor(run: RunRecord, parts: PrintMakerParts) {
    this.#run = run;
    this.#parts = parts;
  }

  /** Adds documents; returns the page count of each. */
  async append(rows: Uint8Array, ends: readonly number[]): Promise<readonly number[]> {
    const printed = await this.#job({ rows, ends, end: null });
    for (const offset of printed.offsets) this.#offsets.push(offset);
    this.#nodes.push(printed.node);
    return printed.pages;
  }

  async end(pages: number): Promise<readonly PrintSegment[]> {
    const end = { offsets: this.#offsets, nodes: this.#nodes, pages };
    await this.#job({ rows: new Uint8Array(1), ends: [], end });
    await this.#store();
    return this.#segments;
  }

  async #job(job: Pick<PrintRowsJob, 'rows' | 'ends' | 'end'>): Promise<PrintedRows> {
    const { templates, isStopping } = this.#parts;
    const template = await templates.of(this.#run);
    for (;;) {
      if (isStopping()) throw new Abandoned();
      // The pool takes ownership of the bytes, and may return the job undone.
      const rows = new Uint8Array(job.rows);
      const outcome = await this.#submit({
        ...job,
        rows,
        kind: 'print_rows',
        template,
        state: this.#state,
      });
      if (!outcome.ok && outcome.code === 'overloaded') continue;
      if (!outcome.ok) throw new PrintFailed(outcome.code);
      const printed = outcome.value;
      this.#state = printed.state;
      this.#pieces.push(printed.bytes);
      this.#bytes += printed.bytes.byteLength;
      if (this.#bytes >= SEGMENT_BYTES) await this.#store();
      return printed;
    }
  }

  #submit(job: PrintRowsJob): Promise<Outcome<PrintedRows>> {
    return this.#parts.pool.rows(job, `run:${this.#run.runId}`).result;
  }

  async #store(): Promise<void> {
    if (this.#bytes === 0) return;
    const { runPrints } = this.#parts.store;
    this.#segments.push(await runPrints.putSegment(this.#run.runId, this.#pieces));
    this.#pieces = [];
    this.#bytes = 0;
  }
}

async function readSpan(
  file: { read(position: number, length: number): Promise<Uint8Array> },
  from: number,
  length: number,
): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  for (let at = 0; at < length;) {
    const piece = await file.read(from + at, length - at);
    if (piece.byteLength === 0) throw new Error('a pack is shorter than when it was stored');
    bytes.set(piece, at);
    at += piece.byteLength;
  }
  return bytes;
}
