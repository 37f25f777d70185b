import type { Sharer } from '../workers/pool/pool.ts';
import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Failure } from '../errors.ts';
import { entryAt } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { KeyedSemaphore } from '../runtime/keyed-semaphore.ts';
import type { PackedDocument, RenderedChunk } from '../store/runs/rendered.ts';
import type { CheckedChunkRow, RunChunk, RunPart, RunRecord } from '../store/runs/types.ts';
import type { NewAudit, Store } from '../store/store.ts';
import type { CheckRowsJob, CsvHeader, RenderedRows, RenderRowsJob } from '#engine';
import { Secrets } from '#engine/light';
import { FaultyRows, withLacks } from './exceptions.ts';
import { LeaseLost, RowsLost } from './losses.ts';
import { passwordsOf, type RunProtector } from './protection.ts';
import { asRowsLost, columnsOf, readPart, readSpan } from './part-file.ts';
import { readBlocks, type RowBlock } from './row-reader.ts';
import { type Slab, Slabs } from './slabs.ts';
import type { RowJobs, Rows } from './row-jobs.ts';
import type { FinishedRows, RowSigner } from './signatures/row-signer.ts';
import type { RunTemplates } from './templates.ts';

const CHUNK_BOUNDS = { rowsMax: LIMITS.chunkRowsMax, bytesMax: LIMITS.chunkBytesMax };

/** A rendered chunk; the store does not keep how many characters its documents lack. */
export interface MadeChunk extends RenderedChunk {
  readonly missingCharacters: number;
}

/** Parts whose columns are kept, so that each is compared and read once, not with each chunk. */
const COLUMNS_KEPT_MAX = 1_000;

export interface ChunksOptions {
  readonly store: Store;
  readonly jobs: RowJobs;
  readonly templates: RunTemplates;
  readonly protector: RunProtector;
  readonly signer: RowSigner;
  readonly owner: string;
  readonly nowMs: () => number;
  /** Chunks of one run that are rendered at the same time. */
  readonly rendersMax: number;
}

interface CheckedBlock {
  readonly block: RowBlock;
  readonly rows: readonly CheckedChunkRow[];
  /** The line of the file on which the block begins; null: not known. */
  readonly firstLine: number | null;
}

/** The rows of a chunk that are to be rendered, and their positions in it. */
interface PendingRows {
  readonly rows: Rows;
  readonly positions: readonly number[];
  readonly header: CsvHeader | null;
}

/**
 * The two steps for the rows of a run: a part becomes checked chunks, a chunk becomes stored
 * documents.
 */
export class Chunks {
  readonly #options: ChunksOptions;
  /** Bounds the chunks that are rendered at a time, run by run. */
  readonly #renders: KeyedSemaphore;
  readonly #slabs = new Slabs();
  /** Columns of CSV parts that were compared with their digests, by file. */
  readonly #columns = new LRUCache<string, CsvHeader>({ max: COLUMNS_KEPT_MAX });

  constructor(options: ChunksOptions) {
    this.#options = options;
    this.#renders = new KeyedSemaphore(options.rendersMax);
  }

  /**
   * Checks the rest of a part, chunk by chunk. Each chunk is added while the next is checked. Returns
   * the number of added rows. Throws `LeaseLost` when none could be added.
   */
  async checkPart(run: RunRecord, part: RunPart): Promise<number> {
    const file = await readPart(this.#options.store, part);
    let count = 0;
    const add = async (checked: CheckedBlock | null): Promise<boolean> => {
      if (checked === null) return true;
      const isAdded = await this.#add(run, part, checked);
      if (isAdded) count += checked.rows.length;
      return isAdded;
    };
    const header = await columnsOf(file, part, run.spec);
    const faulty = new FaultyRows(this.#options.store, run, Secrets.none);
    let previous: CheckedBlock | null = null;
    let firstLine = part.checkedLine;
    for await (const block of readBlocks(file, part.format, part.checkedTo, CHUNK_BOUNDS)) {
      const [isPreviousAdded, rows]: [boolean, readonly CheckedChunkRow[]] = await Promise.all([
        add(previous),
        this.#check(run, block, header, firstLine).then((all) => withLacks(faulty, all)),
      ]);
      if (!isPreviousAdded) return orLost(count);
      previous = { block, rows, firstLine };
      if (firstLine !== null) firstLine += block.lines.end;
    }
    const isLastAdded = await add(previous);
    return isLastAdded ? count : orLost(count);
  }

  #add(run: RunRecord, part: RunPart, { block, rows, firstLine }: CheckedBlock): Promise<boolean> {
    const { fromByte, toByte, bytes, lines } = block;
    const toLine = firstLine === null ? null : firstLine + lines.end;
    const chunk = { toByte, toLine, sha256: hash('sha256', bytes, 'hex'), rows };
    const { store, owner } = this.#options;
    return store.runWork.addChunk(run, { ...part, checkedTo: fromByte }, owner, chunk);
  }

  async #check(
    run: RunRecord,
    block: RowBlock,
    header: CsvHeader | null,
    firstLine: number | null,
  ): Promise<readonly CheckedChunkRow[]> {
    const { jobs, templates, signer } = this.#options;
    const { idField, expectedSums, watermark, protection } = run.spec;
    const sumFields = Object.keys(expectedSums);
    const template = await templates.of(run);
    const rows: CheckedChunkRow[] = [];
    const passwords = passwordsOf(protection);
    const signature = signer.requestFor(run);
    const shared = { template, header, cells: run.spec.csv, passwords, signature } as const;
    const job = { kind: 'check_rows', ...shared, idField, sumFields, watermark } as const;
    for await (const answer of jobs.run<CheckRowsJob>(job, block, sharerOf(run))) {
      const checked =
        answer.failure === null
          ? answer.result.rows
          : [{ ...NOTHING, failure: answer.failure, amounts: sumFields.map(() => '') }];
      for (const { failure, unnamed: lacks, ...row } of checked) {
        const position = rows.length;
        const length = lengthOf(block, position);
        const line = firstLine === null ? null : firstLine + entryAt(block.lines.begins, position);
        rows.push({ ...row, lacks, length, line, failure: failure && reported(failure) });
      }
    }
    return rows;
  }

  /** Renders the pending rows of a chunk and stores the documents; null: the lease was lost. */
  async renderChunk(run: RunRecord, chunk: RunChunk): Promise<MadeChunk | null> {
    const { store, owner, nowMs } = this.#options;
    const part = await store.runWork.part(run.runId, chunk.part);
    if (part === null) throw new Error('the part of a chunk is missing');
    const { bytes, header } = await this.#read(run, part, chunk);
    const positions: number[] = [];
    for (const [position, { outcome }] of chunk.rows.entries()) {
      if (outcome === 'pending') positions.push(position);
    }
    const pending = { positions, rows: select(bytes, chunk, positions), header };
    return this.#slabs.with(async (slab) => {
      // At most `rendersMax` at a time: chunks that shared a renderer job by job would end together,
      // and nothing would be rendered while all of them are stored.
      const render = (): Promise<MadeChunk> => this.#render(run, pending, slab);
      const rendered = await this.#renders.run(run.runId, render);
      const atMs = nowMs();
      const audit = (documentId: string, document: PackedDocument): NewAudit =>
        auditOf(run, documentId, document, atMs);
      const isStored = await store.runWork.finishChunk(run, chunk, owner, rendered, audit);
      return isStored ? rendered : null;
    });
  }

  async #read(
    run: RunRecord,
    part: RunPart,
    chunk: RunChunk,
  ): Promise<{ bytes: Uint8Array; header: CsvHeader | null }> {
    const { store } = this.#options;
    try {
      const file = await store.runWork.openPart({ ...part, checkedTo: chunk.fromByte });
      try {
        const bytes = await readSpan(file, part.part, chunk.fromByte, chunk.toByte);
        const isIntact = hash('sha256', bytes, 'hex') === chunk.sha256;
        if (!isIntact) throw new RowsLost(part.part, 'damaged');
        return { bytes, header: await this.#columnsOf(run, part) };
      } finally {
        await file.close();
      }
    } catch (error) {
      throw asRowsLost(error, part.part);
    }
  }

  /** The columns of a part whose rows are in no chunk's digest: the part is compared as a whole. */
  async #columnsOf(run: RunRecord, part: RunPart): Promise<CsvHeader | null> {
    const kept = this.#columns.get(part.fileId);
    if (kept !== undefined || part.format !== 'csv') return kept ?? null;
    const columns = await columnsOf(await readPart(this.#options.store, part), part, run.spec);
    if (columns !== null) this.#columns.set(part.fileId, columns);
    return columns;
  }

  /** Protects and signs rendered documents, as far as the run asks for it. */
  async #finish(run: RunRecord, result: RenderedRows): Promise<FinishedRows> {
    const { protector, signer } = this.#options;
    return signer.sign(run, await protector.protect(run.spec.protection, result));
  }

  async #render(
    run: RunRecord,
    { rows, positions, header }: PendingRows,
    slab: Slab,
  ): Promise<MadeChunk> {
    const { jobs, templates, signer } = this.#options;
    const { watermark, metadata, protection } = run.spec;
    const template = await templates.of(run);
    const documents: PackedDocument[] = [];
    const failures = new Map<number, ReturnType<typeof reported>>();
    const pieces: Uint8Array[] = [];
    let missingCharacters = 0;
    const atMs = run.startedAtMs ?? run.createdAtMs;
    const passwords = passwordsOf(protection);
    const signature = signer.requestFor(run);
    const shared = { template, header, cells: run.spec.csv, passwords, signature } as const;
    const job = { kind: 'render_rows', ...shared, atMs, watermark, metadata } as const;
    const add = (from: number, { rows: made, files, signedBy }: FinishedRows): void => {
      if (files.byteLength > 0) pieces.push(files);
      for (const [index, row] of made.entries()) {
        const { failure, passwords: _passwords, signature: _signature, ...document } = row;
        const position = entryAt(positions, from + index);
        missingCharacters += row.missingCharacters;
        if (failure === null) documents.push({ position, ...document, signedBy });
        else failures.set(position, reported(failure));
      }
    };
    // One answer is protected or signed while the next one is rendered, and no more are: what is
    // slower, a renderer or a signer, sets the rate, and memory holds two answers.
    let finishing = Promise.resolve();
    // Files that are protected or signed are written anew.
    const isFinal = protection === null && signature === undefined;
    const place = isFinal ? slab : null;
    for await (const answer of jobs.run<RenderRowsJob>(job, rows, sharerOf(run), place)) {
      await finishing;
      if (answer.failure !== null) {
        failures.set(entryAt(positions, answer.from), reported(answer.failure));
        continue;
      }
      const { from, result } = answer;
      finishing = this.#finish(run, result).then((finished) => add(from, finished));
      // A failure is thrown at the next `await`.
      finishing.catch(() => undefined);
    }
    await finishing;
    return { documents, failures, pieces, missingCharacters };
  }
}

/** Fields of a row that no renderer could check. */
const NOTHING = { rowId: '', digest: '', isEmpty: false, corrects: null, unnamed: [] } as const;

/** The number of rows that were added; throws LeaseLost when there are none. */
function orLost(count: number): number {
  if (count === 0) throw new LeaseLost();
  return count;
}

/** The run and its team, for which the pool counts the jobs. */
function sharerOf({ teamId, runId }: RunRecord): Sharer {
  return { key: `run:${runId}`, team: teamId };
}

/** What the manifest says of a failure. */
function reported({ code, message, fields }: Failure): {
  code: string;
  message: string;
  fields?: NonNullable<Failure['fields']>;
} {
  return fields === undefined ? { code, message } : { code, message, fields };
}

function lengthOf({ ends }: Rows, index: number): number {
  return entryAt(ends, index) - (index === 0 ? 0 : entryAt(ends, index - 1));
}

/** Selects the rows at these positions of a chunk, and concatenates their bytes. */
function select(bytes: Uint8Array, { rows }: RunChunk, positions: readonly number[]): Rows {
  const selected = new Set(positions);
  const pieces: Uint8Array[] = [];
  const ends: number[] = [];
  let at = 0;
  for (const [position, { length }] of rows.entries()) {
    if (selected.has(position)) {
      pieces.push(bytes.subarray(at, at + length));
      ends.push((ends.at(-1) ?? 0) + length);
    }
    at += length;
  }
  return { bytes: Buffer.concat(pieces), ends };
}

function auditOf(
  run: RunRecord,
  documentId: string,
  { pages, bytes, sha256, signedBy }: PackedDocument,
  atMs: number,
): NewAudit {
  const { templateId, version } = run.spec;
  return {
    atMs,
    requestId: run.runId,
    teamId: run.teamId,
    principal: run.principal,
    action: 'generate',
    outcome: 'succeeded',
    code: '',
    templateId,
    version,
    documentId,
    mode: 'async',
    pages,
    bytes,
    durationMs: null,
    sha256,
    signer: signedBy?.subject ?? '',
    certificateSerial: signedBy?.serialNumber ?? '',
    draft: false,
    contributors: [],
    detail: '',
  };
}
