import type { FieldDefect } from '../../errors.ts';
import type { PackedDocument, RenderedChunk } from './rendered.ts';
import type { RowAddress } from '../../runtime/contract/correction.ts';
import type { CsvFormat } from '../../runtime/csv/csv-format.ts';
import type { NamedEncoding } from '../../runtime/encoding/decoder.ts';
import type { ScrubResult } from '../documents/types.ts';
import type { AuditRecord } from '../audit.ts';

import type { RunFilter } from './run-filter.ts';
import type { ExceptionSums } from './sums/exception-sums.ts';
import type { Found, ListPage, SourceRefusal, StoredFile } from '../terms.ts';
import type { IdempotencyClaim } from '../idempotency.ts';

export type { PrintedDocument, RunPrint } from './prints/types.ts';

/**
 * receiving → checking → running → done. Callers can pause, resume and cancel a run, or restart a
 * stopped or finished one with more parts. The stop rule, or wrong control totals, make it `stopped`.
 */
export const RUN_STATES = [
  'receiving',
  'checking',
  'running',
  'paused',
  'stopped',
  'done',
  'cancelled',
] as const;
export type RunState = (typeof RUN_STATES)[number];

/** Format of a part: one JSON object a line, or CSV with a header. */
export type RowFormat = 'ndjson' | 'csv';

/** The file that a run reads its rows from, when it is started. */
export interface RunSource {
  /** `/folder/…/file` or `s3://bucket/…/key`. */
  readonly path: string;
  readonly format: RowFormat;
  /** null: it is recognised. */
  readonly encoding: NamedEncoding | null;
}

/** A password of the documents of a run: a text with fields of the row, and how they are written. */
export interface RunPassword {
  readonly text: string;
  readonly format: Readonly<Record<string, string>>;
}

/** How the documents of a run are protected. */
export interface RunProtection {
  /** null: it opens without a password. */
  readonly user: RunPassword | null;
  /** null: that of the user; 'random': each document gets another one, which is not kept. */
  readonly owner: RunPassword | 'random' | null;
  readonly permissions: Readonly<Record<string, boolean>>;
}

/** The specification of a run, fixed when it is created. */
export interface RunSpec {
  readonly name: string;
  readonly templateId: string;
  readonly version: number;
  /** Options of every document. */
  readonly watermark: { readonly text: string; readonly opacity: number } | null;
  readonly metadata: { readonly title?: string; readonly subject?: string } | null;
  /** Field of a row that holds its id. */
  readonly idField: string;
  readonly retentionSeconds: number;
  /** null: the caller gave none. */
  readonly expectedRows: number | null;
  /** Expected sums of number fields, exact decimals. */
  readonly expectedSums: Readonly<Record<string, string>>;
  /** Whether documents are made while rows are invalid: `skip` leaves these rows out. */
  readonly onInvalid: 'stop' | 'skip';
  /** Share of invalid and failed rows, 0 to 1, over which the run stops. */
  readonly invalidShareMax: number;
  /** Documents in one merged print file; null: no print files are made. */
  readonly documentsPerPrint: number | null;
  /** null: its documents have no passwords. Its rows are stored encrypted or not at all. */
  readonly protection: RunProtection | null;
  /** Its documents are signed by the signer of the team. */
  readonly signature: boolean;
  /** null: the rows are uploaded. */
  readonly source: RunSource | null;
  /** How CSV rows are written; absent: cells are as the contract has them. */
  readonly csv?: CsvFormat;
}

/** What a run has done so far. */
export interface RunCounts {
  /**
   * Rows checked so far: the sum of `stored`, `pending`, `invalid`, `failed`, `withdrawn` and
   * `identical`. A correction takes the place of the row that it corrects.
   */
  readonly received: number;
  readonly stored: number;
  /** Valid rows whose documents are not stored yet. */
  readonly pending: number;
  readonly invalid: number;
  readonly failed: number;
  /** Rows that a person took out of the run. */
  readonly withdrawn: number;
  /** Rows that are identical to an earlier one, for which no other document is made. */
  readonly identical: number;
  /** Corrections that the last check refused. They are no rows of the run. */
  readonly refused: number;
  readonly pages: number;
  /** Size of the stored documents. */
  readonly bytes: number;
  readonly bytesReceived: number;
  readonly bytesChecked: number;
}

/**
 * Why a run stopped. `name` is 'rows', 'invalid', 'invalid_share', 'corrections', 'source', 'input',
 * 'documents', 'service', or a summed field.
 */
export interface RunReason {
  readonly name: string;
  readonly expected: string;
  readonly actual: string;
  /** Of a sum: faulty rows whose amount cannot be read, so that it counts as 0 in `actual`. */
  readonly unread?: number;
  /** The same of withdrawn rows. */
  readonly unreadWithdrawn?: number;
}

export interface RunRecord {
  readonly runId: string;
  readonly teamId: string;
  /** The creator, `key:<keyId>` or `user:<userId>`. */
  readonly principal: string;
  readonly spec: RunSpec;
  readonly state: RunState;
  /** The run checks its rows and renders nothing. */
  readonly isDryRun: boolean;
  readonly reasons: readonly RunReason[];
  readonly counts: RunCounts;
  readonly createdAtMs: number;
  /** Creation time of its documents; null: never started. */
  readonly startedAtMs: number | null;
  readonly endedAtMs: number | null;
  /** How often a check of it was started: an instance that is late must not end a later one. */
  readonly starts: number;
}

/** A change of a run's state, made only if the run is in one of the states `from`. */
export interface RunMove {
  readonly from: readonly RunState[];
  readonly to: RunState;
  readonly reasons?: readonly RunReason[];
  readonly isDryRun?: boolean;
  /** Only if the run was not started again since. */
  readonly starts?: number;
  /** Replaces the specification. */
  readonly spec?: RunSpec;
}

/** A part of the rows of a run, as it was received. */
export interface RunPart {
  readonly runId: string;
  readonly part: number;
  readonly sha256: string;
  readonly format: RowFormat;
  readonly fileId: string;
  readonly bytes: number;
  readonly headerBytes: number;
  /** Rows before this byte are checked. */
  readonly checkedTo: number;
  /** The line of the file on which `checkedTo` lies; null: an earlier version stored the part. */
  readonly checkedLine: number | null;
}

export interface NewRunPart extends Pick<RunPart, 'part' | 'sha256' | 'format' | 'headerBytes'> {
  /** The line of its file on which the rows after the header begin. */
  readonly firstLine: number;
}

/**
 * - `added`: the rows are stored.
 * - `there`: the run has the same part already.
 * - `conflict`: the run has a different part of this number.
 * - `closed`: the run takes no parts in its state.
 */
export type PartOutcome = 'added' | 'there' | 'conflict' | PartRefusal;

/** Why no part can be added now; `closed`: the run takes no rows. */
export type PartRefusal = 'closed' | NoRoom;

/**
 * - `closed`: the run is in none of the states from which it can be started.
 * - `team_busy`: the team has as many active runs as it may.
 */
export type StartOutcome = 'started' | 'closed' | 'team_busy';

/**
 * - `repeated`: the run has the same row already.
 * - `refused`: a correction of a row that cannot be corrected.
 * - `empty`: all cells are empty, or the same correction was made before; it counts for nothing.
 */
export type RowOutcome =
  'pending' | 'stored' | 'invalid' | 'failed' | 'repeated' | 'refused' | 'empty';

/** One row of a chunk, as the chunk's results hold it. */
export interface ChunkRow {
  readonly rowId: string;
  /** Bytes of the row in its part. */
  readonly length: number;
  readonly outcome: RowOutcome;
  readonly code?: string;
  readonly message?: string;
  readonly fields?: readonly FieldDefect[];
  readonly documentId?: string;
  readonly sha256?: string;
  readonly pages?: number;
  readonly bytes?: number;
  readonly crc32?: number;
  /** Characters of a stored document that no font has; absent: none. */
  readonly missingCharacters?: number;
  /** Serial number of the certificate that signed the document, in hex; absent: it is not signed. */
  readonly certificateSerial?: string;
  /** Amounts of a pending row, in the order of the summed fields in the spec. */
  readonly amounts?: readonly string[];
  /** Its line in its file, or that of the row whose place it takes; absent: not known. */
  readonly line?: number;
  /** The part of the row whose place it takes. */
  readonly correctedPart?: number;
}

/** A row that was just checked. */
export interface CheckedChunkRow {
  readonly rowId: string;
  readonly length: number;
  /** null: not known, because an earlier version stored the part. */
  readonly line: number | null;
  /** The row whose place it takes; null: it is a row of its own. */
  readonly corrects: RowAddress | null;
  /** Fields that the row in that place has and this one does not name: it is refused for them. */
  readonly lacks: readonly string[];
  readonly isEmpty: boolean;
  /** 32 hex digits. */
  readonly digest: string;
  readonly failure: Pick<ChunkRow, 'code' | 'message' | 'fields'> | null;
  readonly amounts: readonly string[];
}

/** Consecutive rows that were just checked. */
export interface CheckedRows {
  /** Where they end in their part: the byte, and the line of the file. */
  readonly toByte: number;
  readonly toLine: number | null;
  readonly sha256: string;
  readonly rows: readonly CheckedChunkRow[];
}

/** Consecutive checked rows of a part, which are rendered and stored together. */
export interface RunChunk {
  readonly chunkId: string;
  readonly runId: string;
  readonly part: number;
  readonly fromByte: number;
  readonly toByte: number;
  readonly sha256: string;
  readonly rows: readonly ChunkRow[];
}

/** Sums by field: of the valid rows after the check, of the stored rows at the end. */
export type RunSums = Readonly<Record<string, string>>;

/** How many parts must still be checked, and how many chunks rendered. */
export interface RunWorkLeft {
  readonly parts: number;
  readonly chunks: number;
}

/** Where a chunk begins: its part, and the byte in it. */
export interface ChunkPlace {
  readonly part: number;
  readonly fromByte: number;
}

/** A row of the manifest, in the order of parts and rows. */
export interface ManifestRow extends Omit<ChunkRow, 'outcome' | 'correctedPart'> {
  readonly outcome: RowOutcome | 'withdrawn';
  /** Its part, or that of the row whose place it takes. */
  readonly part: number;
  /** The pack that holds its file; null: the row has no document. */
  readonly packId: string | null;
  /** Where its file begins in the pack. */
  readonly offset: number;
}

/** Rows that need a person's eye, and what became of them. */
export const EXCEPTION_OUTCOMES = [
  'invalid',
  'failed',
  'identical',
  'refused',
  'withdrawn',
] as const;
export type ExceptionOutcome = (typeof EXCEPTION_OUTCOMES)[number];

/** A row of the exceptions of a run: where it is, and where its data lie. */
export interface RowException extends RowAddress {
  readonly outcome: ExceptionOutcome;
  /** The part with its data: its own, or that of its last correction. */
  readonly heldPart: number;
  /** The begin of its chunk there, and its position in the chunk. */
  readonly fromByte: number;
  readonly position: number;
  /** In the order of the summed fields in the spec; '': it cannot be read. */
  readonly amounts: readonly string[];
}

/** A chunk as the rows in it are read again. */
export interface ChunkOfRows extends Pick<RunChunk, 'fromByte' | 'toByte' | 'sha256' | 'rows'> {}

/**
 * - `withdrawn`: none of the rows counts for the documents any more.
 * - `closed`: the run is under way, or cancelled.
 * - otherwise the first row that is neither invalid nor failed, so that none was withdrawn.
 */
export type WithdrawOutcome = 'withdrawn' | 'closed' | RowAddress;

/** Rows of runs that are invalid, failed, identical to others, refused or withdrawn. */
export interface RunExceptions {
  /** Lists exceptions of some outcomes in the order of parts and lines, after `after`. */
  list(
    runId: string,
    outcomes: readonly ExceptionOutcome[],
    countMax: number,
    after: RowAddress | null,
  ): Promise<readonly RowException[]>;
  /** Those of these addresses that are exceptions of some outcome but `corrected`. */
  at(runId: string, addresses: readonly RowAddress[]): Promise<readonly RowException[]>;
  /** The addresses of the invalid and failed rows on this line, of whichever part. */
  onLine(runId: string, line: number): Promise<readonly RowAddress[]>;
  chunk(runId: string, part: number, fromByte: number): Promise<ChunkOfRows | null>;
  sums(run: RunRecord): Promise<ExceptionSums>;
  /** Takes invalid and failed rows out of a run that is not under way. */
  withdraw(run: RunRecord, rows: readonly RowAddress[]): Promise<WithdrawOutcome>;
}

/** How far a run has read its source. */
export interface SourceProgress {
  /** Number of parts that were made of it; they are numbered from 1. */
  readonly parts: number;
  readonly isRead: boolean;
  /** Size and digest of the stored file; 0 and null until it is read. */
  readonly bytes: number;
  readonly sha256: string | null;
  /** How the text of the file was read; null until it is. */
  readonly encoding: string | null;
}

/** A source that was read to its end. */
export interface WholeSource {
  readonly parts: number;
  readonly bytes: number;
  readonly sha256: string;
  readonly encoding: string;
}

/** The source files of runs. One instance at a time reads the file of a run. */
export interface RunSources {
  /** Opens a file for a team; reading throws `SourceChanged` when it changes meanwhile. */
  open(teamId: string, path: string): Promise<StoredFile | SourceRefusal>;
  progress(runId: string): Promise<SourceProgress>;
  /** Leases the source of a run and returns the number of parts made so far; null: not free. */
  lease(runId: string, owner: string): Promise<number | null>;
  renew(owner: string): Promise<void>;
  release(owner: string, runId: string): Promise<void>;
  /** Releases all leases of `owner`. */
  releaseAll(owner: string): Promise<void>;
  /**
   * Adds the next part. Resolves when its rows are durable; takes ownership of them. False: the lease
   * was lost, or the run is no longer checked.
   */
  addPart(run: RunRecord, owner: string, part: NewRunPart, rows: Uint8Array): Promise<boolean>;
  /** Records that the file was read to its end. False: the lease was lost. */
  finish(run: RunRecord, owner: string, whole: WholeSource): Promise<boolean>;
}

/** What a scrub found in a run: in a print file or in a part. */
export interface RunFinding {
  readonly runId: string;
  readonly file: 'part' | 'print';
  readonly number: number;
  readonly finding: 'damaged' | 'missing' | 'unread';
}

export interface RunScrub {
  /** The average rate of reading. */
  readonly bytesPerSecond: number;
  readonly onFinding: (found: RunFinding) => void;
}

/** Runs for callers. */
export interface RunStore {
  /**
   * Creates a run and settles the `claim` that the request holds. Throws when the claim was lost.
   */
  create(
    teamId: string,
    principal: string,
    spec: RunSpec,
    claim?: IdempotencyClaim | null,
  ): Promise<RunRecord>;
  find(teamId: string, runId: string): Promise<Found<RunRecord>>;
  /** Whether no stored document of the run is left: all have expired, or none was stored. */
  haveDocumentsExpired(runId: string): Promise<boolean>;
  /** Whether, beyond that, no part of the run is left whose rows could be corrected. */
  haveRowsExpired(runId: string): Promise<boolean>;
  /** Lists a page of a team's runs, newest first. */
  list(filter: RunFilter): Promise<ListPage<RunRecord>>;
  /** Lists at most `countMax` parts whose numbers are above `after`, in their order. */
  parts(runId: string, countMax: number, after: number): Promise<readonly RunPart[]>;
  /** How many parts the run has, and the highest number of one; 0: it has none. */
  countParts(runId: string): Promise<{ readonly count: number; readonly last: number }>;
  /**
   * Why a part of this number with at least `bytes` bytes cannot be added, which is asked before its
   * rows are here; null: it may be, or it was added before.
   */
  refusePart(run: RunRecord, number: number, bytes: number): Promise<PartRefusal | null>;
  /** Resolves when the rows are durable. Takes ownership of the bytes. */
  addPart(run: RunRecord, part: NewRunPart, rows: Uint8Array): Promise<PartOutcome>;
  /** Whether a team that was refused a start lately still has as many active runs as it may. */
  isCrowded(teamId: string): Promise<boolean>;
  /** Starts a run, unless its team has as many active runs as it may. */
  start(run: RunRecord, move: RunMove): Promise<StartOutcome>;
  /** False: the run was in none of the states `from`. */
  move(runId: string, move: RunMove): Promise<boolean>;
  /** Writes why a run waits or rests. With `owner`, only if no other instance works on the run. */
  noteReasons(run: RunRecord, reasons: readonly RunReason[], owner: string | null): Promise<void>;
  /** Returns a paused run to the state before; false: it was not paused. */
  resume(runId: string): Promise<boolean>;
  sums(run: RunRecord): Promise<RunSums>;
  /**
   * Yields rows in the order of parts and rows, some hundred at a time, without superseded ones; with
   * `from` only those of that chunk and the chunks after it.
   */
  manifest(runId: string, from?: ChunkPlace): AsyncIterable<readonly ManifestRow[]>;
  /** How many stored documents of the run were found damaged or missing. */
  countDamaged(runId: string): Promise<number>;
  /** Opens the pack with a chunk's documents; throws `FileExpired` when they have expired. */
  openPack(packId: string): Promise<StoredFile>;
  /** Reads print files and uploaded parts, at a bounded rate, and compares them with their digests. */
  scrub(scrub: RunScrub): Promise<ScrubResult>;
}

/** A run that is being checked or rendered. */
export interface ActiveRun {
  readonly runId: string;
  readonly teamId: string;
}

/** Runs for the engine. Each lease has one owner until it expires or is released. */
export interface RunWork {
  /** Runs that are being checked or rendered, the oldest first; at most 10,000. */
  activeIds(): Promise<readonly ActiveRun[]>;
  /** null: the run is being neither checked nor rendered. */
  activeOne(runId: string): Promise<RunRecord | null>;
  /** Chunks that can be leased now. */
  freeChunks(runId: string, countMax: number): Promise<readonly string[]>;
  leasePart(runId: string, owner: string): Promise<RunPart | null>;
  /** Leases one chunk of the run, or exactly `chunkId`; null: none is free. */
  leaseChunk(runId: string, owner: string, chunkId?: string): Promise<RunChunk | null>;
  /** Renews all leases of `owner`. */
  renew(owner: string): Promise<void>;
  releasePart(owner: string, runId: string, part: number): Promise<void>;
  releaseChunk(owner: string, chunkId: string): Promise<void>;
  /** Releases all leases of `owner`. */
  releaseAll(owner: string): Promise<void>;
  openPart(part: RunPart): Promise<StoredFile>;
  part(runId: string, part: number): Promise<RunPart | null>;
  /**
   * Adds a chunk of checked rows that ends at `toByte` of its part. False: the lease was lost, or the
   * run is no longer checked.
   */
  addChunk(run: RunRecord, part: RunPart, owner: string, chunk: CheckedRows): Promise<boolean>;
  /** Makes the pack durable first, then commits all rows in one transaction. False: as `addChunk`. */
  finishChunk(
    run: RunRecord,
    chunk: RunChunk,
    owner: string,
    rendered: RenderedChunk,
    audit: (documentId: string, document: PackedDocument) => Omit<AuditRecord, 'auditId'>,
  ): Promise<boolean>;
  workLeft(runId: string): Promise<RunWorkLeft>;
}

/** `gone`: the sweep has removed the file, as is right. */
export type RunFileVerdict = RunFinding['finding'] | 'intact' | 'gone';

/**
 * Why a part was not added.
 * - `run_full`: the run has received as much as a run may.
 * - `team_full`, `team_parts`: the parts of the team have as many bytes, or are as many, as they may.
 */
export type NoRoom = 'run_full' | 'team_full' | 'team_parts';
