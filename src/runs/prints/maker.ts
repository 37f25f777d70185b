import { createHash } from 'node:crypto';
import type { Outcome } from '../../errors.ts';
import { hashInSlices } from '../../runtime/hash-in-slices.ts';
import type {
  NewPrint,
  PrintedDocument,
  PrintPlan,
  PrintSegment,
} from '../../store/runs/prints/types.ts';
import type { ManifestRow, RunRecord } from '../../store/runs/types.ts';
import type { Store } from '../../store/store.ts';
import type { PrintedRows, PrintRowsJob, PrintState } from '#engine';
import type { Pool } from '../../workers/pool/pool.ts';
import { DocumentLost } from '../losses.ts';
import { Abandoned } from '../row-jobs.ts';
import { readDocuments } from '../stored-documents.ts';
import type { RunTemplates } from '../templates.ts';

/** Documents of one job, so that it takes some milliseconds. */
const JOB_DOCUMENTS = 50;
/** Size at which a segment is stored. */
const SEGMENT_BYTES = 4 * 1024 * 1024;

/** Thrown when the documents cannot be merged into a print file. */
class PrintFailed extends Error {
  override readonly name = 'PrintFailed';
}

export interface PrintMakerOptions {
  readonly store: Store;
  readonly pool: Pool;
  readonly templates: RunTemplates;
  readonly owner: string;
  readonly isStopping: () => boolean;
}

/** Consecutive stored rows of a run whose documents are in one pack. */
interface PackRows {
  readonly packId: string;
  readonly rows: readonly ManifestRow[];
}

/**
 * Makes merged print files, segment by segment from start to end. The segments of a process that
 * died expire.
 */
export class PrintMaker {
  readonly #options: PrintMakerOptions;

  constructor(options: PrintMakerOptions) {
    this.#options = options;
  }

  /** Makes a print file; false: the lease was lost. */
  async make(run: RunRecord, plan: PrintPlan): Promise<boolean> {
    const { store, owner } = this.#options;
    const file = new PrintFile(run, this.#options);
    const documents: PrintedDocument[] = [];
    const packIds = new Set<string>();
    let pages = 0;
    for await (const { packId, rows } of rowsOfPrint(store, run, plan)) {
      packIds.add(packId);
      for (let at = 0; at < rows.length; at += JOB_DOCUMENTS) {
        const batch = rows.slice(at, at + JOB_DOCUMENTS);
        const pageCounts = await append(file, store, packId, batch);
        for (const [index, { rowId, documentId = '' }] of batch.entries()) {
          const fromPage = pages + 1;
          pages += pageCounts[index] ?? 0;
          documents.push({ rowId, documentId, fromPage, toPage: pages });
        }
      }
    }
    const whole = await file.end(pages);
    const print = { ...whole, documents, packIds: [...packIds], pages };
    return store.runPrints.finish(run, plan.number, owner, print);
  }
}

/**
 * Appends the documents of some rows, which follow each other in a pack; returns page counts. Throws
 * when a document differs from what was stored, so that no damaged page goes to the printer.
 */
async function append(
  file: PrintFile,
  store: Store,
  packId: string,
  rows: readonly ManifestRow[],
): Promise<readonly number[]> {
  const pieces: Uint8Array[] = [];
  const ends: number[] = [];
  for await (const { row, file: bytes, finding } of readDocuments(store, packId, rows)) {
    if (bytes === null) throw new DocumentLost(row.rowId, row.documentId ?? '', finding);
    pieces.push(bytes);
    ends.push((ends.at(-1) ?? 0) + bytes.byteLength);
  }
  return file.append(Buffer.concat(pieces), ends);
}

/** Yields the stored rows of a print file, pack by pack. */
async function* rowsOfPrint(
  store: Store,
  run: RunRecord,
  plan: PrintPlan,
): AsyncGenerator<PackRows> {
  let { skip, documents: left } = plan;
  // The manifest yields the rows of one chunk, and so of one pack, at a time.
  for await (const chunkRows of store.runs.manifest(run.runId, plan.place)) {
    const stored = chunkRows.filter(({ outcome }) => outcome === 'stored');
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
  readonly #options: PrintMakerOptions;
  /** What the jobs returned for the end of the file: offsets of objects, and nodes of its pages. */
  readonly #offsets: number[] = [];
  readonly #nodes: number[] = [];
  readonly #segments: PrintSegment[] = [];
  readonly #digest = createHash('sha256');
  /** What the next job needs from the one before; null: there was none. */
  #state: PrintState | null = null;
  /** Bytes that belong to no stored segment yet. */
  #pieces: Uint8Array[] = [];
  #bytes = 0;

  constructor(run: RunRecord, options: PrintMakerOptions) {
    this.#run = run;
    this.#options = options;
  }

  /** Appends documents, which end at `ends` in `rows`; returns the page count of each. */
  async append(rows: Uint8Array, ends: readonly number[]): Promise<readonly number[]> {
    const printed = await this.#job({ rows, ends, end: null });
    for (const offset of printed.offsets) this.#offsets.push(offset);
    this.#nodes.push(printed.node);
    return printed.pages;
  }

  /** Ends the file and returns its segments, with the digest of the whole. */
  async end(pages: number): Promise<Pick<NewPrint, 'segments' | 'sha256'>> {
    const end = { offsets: this.#offsets, nodes: this.#nodes, pages };
    await this.#job({ rows: new Uint8Array(1), ends: [], end });
    await this.#store();
    return { segments: this.#segments, sha256: this.#digest.digest('hex') };
  }

  async #job(job: Pick<PrintRowsJob, 'rows' | 'ends' | 'end'>): Promise<PrintedRows> {
    const { templates, isStopping } = this.#options;
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
      await hashInSlices(this.#digest, printed.bytes);
      this.#pieces.push(printed.bytes);
      this.#bytes += printed.bytes.byteLength;
      if (this.#bytes >= SEGMENT_BYTES) await this.#store();
      return printed;
    }
  }

  #submit(job: PrintRowsJob): Promise<Outcome<PrintedRows>> {
    return this.#options.pool.rows(job, `run:${this.#run.runId}`, this.#run.teamId).result;
  }

  async #store(): Promise<void> {
    if (this.#bytes === 0) return;
    const { runPrints } = this.#options.store;
    this.#segments.push(await runPrints.putSegment(this.#run.runId, this.#pieces));
    this.#pieces = [];
    this.#bytes = 0;
  }
}
