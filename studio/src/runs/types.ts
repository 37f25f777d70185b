// Made from the schemas of the service by `npm run generate`.

import type { CsvFormat, FieldError, Metadata, Watermark } from '../api/types.ts';

/** Control totals of the rows of the file, and of the documents at the end. */
export interface RunTotals {
  readonly rows?: number;
  /** Sums of number fields by name: decimals in strings, compared exactly. */
  readonly sums?: Readonly<Record<string, string>>;
}

/**
 * A file, plain or packed with gzip, from which the service reads the rows when the run starts.
 * Parts can be uploaded after it was read.
 */
export interface CreateRunRequestSource {
  /** `/folder/…/file` or `s3://bucket/…/key`, below a place that the operator allows. */
  readonly path: string;
  /** Derived from the name of the file when omitted. */
  readonly format?: 'ndjson' | 'csv';
  /** Recognised when omitted: UTF-8, UTF-16 with a byte order mark, or windows-874. */
  readonly encoding?: 'utf-8' | 'windows-874';
}

export interface RunOptionsProtectionPermission {
  readonly print?: boolean;
  readonly copy?: boolean;
  readonly modify?: boolean;
}

export interface RunOptionsProtection {
  readonly userPassword?: unknown;
  readonly ownerPassword?: unknown;
  readonly permissions?: RunOptionsProtectionPermission;
}

/**
 * metadata and watermark of every document, as in POST /v1/generate. protection with fields of the
 * row in its passwords: {"userPassword": "{{birthDate}}"}, or with a format {"userPassword":
 * {"text": "{{birthDate}}", "format": {"pattern": "ddMMyyyy"}}}. signature: true has every document
 * signed by the signer of the team.
 */
export interface RunOptions {
  /** Embedded in the PDF and never encrypted: references only, no personal data. */
  readonly metadata?: Metadata;
  readonly watermark?: Watermark;
  readonly protection?: RunOptionsProtection;
  /**
   * Sign the document (PAdES) with the signer of the team, last of all: with protection, the
   * protected file is signed.
   */
  readonly signature?: boolean;
}

/** A run to make. */
export interface CreateRunRequest {
  /** Template identifier. */
  readonly templateId: string;
  /** Published version. The latest now when omitted; fixed from here on. */
  readonly version?: number;
  /** For people. No personal data. */
  readonly name?: string;
  /** Key of a row that holds its id, which is unique in the run. */
  readonly idField: string;
  /** Life of the documents from the moment they are stored. The service's own when omitted. */
  readonly retentionSeconds?: number;
  /** Control totals of the rows of the file, and of the documents at the end. */
  readonly expected?: RunTotals;
  /**
   * `stop`: no document is made while rows are invalid; `skip`: these rows are left out, up to
   * invalidShareMax. When omitted: skip if invalidShareMax above 0 was given, else stop.
   */
  readonly onInvalid?: 'stop' | 'skip';
  /** Share of invalid and failed rows over which the run stops. 0.05 when omitted. */
  readonly invalidShareMax?: number;
  /**
   * Documents in each merged print file; more, if there would be more than 20,000 files. No print
   * files are made when omitted.
   */
  readonly documentsPerPrint?: number;
  /**
   * A file, plain or packed with gzip, from which the service reads the rows when the run starts.
   * Parts can be uploaded after it was read.
   */
  readonly source?: CreateRunRequestSource;
  /**
   * How CSV rows write what the field contract has as 1250.50 and 2026-12-31; a cell that is not in
   * this format is invalid. Without it, cells are as the contract has them.
   */
  readonly csv?: CsvFormat;
  /**
   * metadata and watermark of every document, as in POST /v1/generate. protection with fields of
   * the row in its passwords: {"userPassword": "{{birthDate}}"}, or with a format {"userPassword":
   * {"text": "{{birthDate}}", "format": {"pattern": "ddMMyyyy"}}}. signature: true has every
   * document signed by the signer of the team.
   */
  readonly options?: RunOptions;
}

export type RunState =
  'receiving' | 'checking' | 'running' | 'paused' | 'stopped' | 'done' | 'cancelled';

export interface RunCounts {
  /** Rows checked so far: the sum of the next six, each row once. */
  readonly received: number;
  readonly stored: number;
  /** Valid rows that are not stored yet. */
  readonly pending: number;
  readonly invalid: number;
  readonly failed: number;
  readonly withdrawn: number;
  /** Rows that are identical to an earlier one. */
  readonly identical: number;
  /** Corrections that the last check refused: no rows. */
  readonly refused: number;
  readonly pages: number;
  /** Size of the stored documents. */
  readonly bytes: number;
  readonly bytesReceived: number;
  readonly bytesChecked: number;
}

export interface RunExpected {
  readonly rows: number | null;
  readonly sums: Readonly<Record<string, string>>;
}

export interface RunSource {
  readonly path: string;
  readonly format: 'ndjson' | 'csv';
  /** The encoding that was named; null: it is recognised. */
  readonly encoding: 'utf-8' | 'windows-874' | null;
}

export interface RunReason {
  readonly name: string;
  readonly expected: string;
  readonly actual: string;
  /** Advice for a run that has all its expected documents and has got further rows since. */
  readonly advice?: string;
  /** Faulty rows whose amount cannot be read: it counts as 0 in actual. */
  readonly unread?: number;
  /**
   * The same of withdrawn rows, which cannot be corrected: the total must be lower by their
   * amounts.
   */
  readonly unreadWithdrawn?: number;
}

/** A run. */
export interface Run {
  readonly runId: string;
  readonly name: string;
  readonly templateId: string;
  readonly version: number;
  readonly idField: string;
  readonly state: RunState;
  readonly dryRun: boolean;
  readonly counts: RunCounts;
  readonly expected: RunExpected;
  readonly onInvalid: 'stop' | 'skip';
  readonly invalidShareMax: number;
  readonly retentionSeconds: number;
  readonly documentsPerPrint: number | null;
  /** Each document opens with a password of its row. */
  readonly passwordsByRow: boolean;
  /** The documents are signed. */
  readonly signed: boolean;
  /** The file that its rows are read from. */
  readonly source: RunSource | null;
  /** How its CSV rows are written; null: as the contract has them. */
  readonly csv: CsvFormat | null;
  /**
   * Why it stopped or was cancelled: rows, invalid, corrections, not_started, …, or a field whose
   * sum does not match. While it is under way, what it waits for: signer, key (of its rows) or
   * protection (qpdf). Empty in the state stopped: what stopped it holds no more since rows were
   * withdrawn, and a start goes on.
   */
  readonly reasons: readonly RunReason[];
  /** Who created it: user:<userId> or key:<keyId>. */
  readonly createdBy: string;
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
}

/** Runs, newest first. */
export interface RunList {
  readonly runs: readonly Run[];
  /** The value of after for the next page; null: this is the last page. */
  readonly next: string | null;
}

export interface RunSourceProgress {
  readonly path: string;
  readonly format: 'ndjson' | 'csv';
  /** How its text was read, once read; before, the encoding that was named. */
  readonly encoding: 'utf-8' | 'windows-874' | 'utf-16le' | 'utf-16be' | null;
  /** Whether it was read to its end. */
  readonly read: boolean;
  /** Parts made of it so far. */
  readonly parts: number;
  /** Size of the stored file, once read. */
  readonly bytes: number | null;
  /** SHA-256 of the stored file, once read. */
  readonly sha256: string | null;
}

/** A part of the rows of a run. */
export interface RunPart {
  readonly part: number;
  /** Digest of the rows, unpacked and in UTF-8. */
  readonly sha256: string;
  readonly format: 'ndjson' | 'csv';
  readonly bytes: number;
  readonly checked: boolean;
}

/** A run with its parts. */
export interface RunWithParts {
  readonly runId: string;
  readonly name: string;
  readonly templateId: string;
  readonly version: number;
  readonly idField: string;
  readonly state: RunState;
  readonly dryRun: boolean;
  readonly counts: RunCounts;
  readonly expected: RunExpected;
  readonly onInvalid: 'stop' | 'skip';
  readonly invalidShareMax: number;
  readonly retentionSeconds: number;
  readonly documentsPerPrint: number | null;
  /** Each document opens with a password of its row. */
  readonly passwordsByRow: boolean;
  /** The documents are signed. */
  readonly signed: boolean;
  /** The file that its rows are read from. */
  readonly source: RunSourceProgress | null;
  /** How its CSV rows are written; null: as the contract has them. */
  readonly csv: CsvFormat | null;
  /**
   * Why it stopped or was cancelled: rows, invalid, corrections, not_started, …, or a field whose
   * sum does not match. While it is under way, what it waits for: signer, key (of its rows) or
   * protection (qpdf). Empty in the state stopped: what stopped it holds no more since rows were
   * withdrawn, and a start goes on.
   */
  readonly reasons: readonly RunReason[];
  /** Who created it: user:<userId> or key:<keyId>. */
  readonly createdBy: string;
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  /**
   * Displayed name of the user, or name of the key, that created it. Only users of the Studio get
   * it.
   */
  readonly createdByName?: string;
  /** Sums of the valid rows, then of the stored documents. */
  readonly sums?: Readonly<Record<string, string>>;
  /** Sums of all rows of the file, identical ones once. */
  readonly fileSums?: Readonly<Record<string, string>>;
  /** Stored documents that were found damaged or missing: the ZIP is without them. */
  readonly damagedDocuments: number;
  /** It has stored documents, and all of them have expired. */
  readonly documentsExpired: boolean;
  /** How many parts the run has. */
  readonly partCount: number;
  /** The highest number of a part; 0: there is none. */
  readonly lastPart: number;
  /** In the order of their numbers, at most 500. */
  readonly parts: readonly RunPart[];
  /** The value of `after` that gives the next parts. */
  readonly nextPart: number | null;
}

export interface RunPrint {
  readonly number: number;
  readonly documents: number;
  readonly pages: number;
  readonly bytes: number;
  /** SHA-256 of the file; null: an earlier version made it. */
  readonly sha256: string | null;
}

/** Merged print files of a run. */
export interface RunPrintList {
  readonly prints: readonly RunPrint[];
  /** The value of after for the next page; null: this is the last page. */
  readonly next: string | null;
}

export interface RunException {
  readonly part: number;
  /** Line of the file, from 1. */
  readonly line: number;
  readonly outcome: 'invalid' | 'failed' | 'identical' | 'refused' | 'withdrawn';
  /** Empty where the row has none. */
  readonly rowId: string;
  readonly code?: string;
  readonly message?: string;
  readonly fields?: readonly FieldError[];
  /**
   * By column or member; null: the row cannot be read, or its part is not stored any more. Where
   * text is not empty, cells may be in the wrong columns.
   */
  readonly data: Readonly<Record<string, unknown>> | null;
  /** Cells beyond the header. */
  readonly extra: readonly string[];
  /** The row as uploaded, if it does not fit the columns; else empty. */
  readonly text: string;
  /**
   * Fields with a control sum whose amount in this row cannot be read: it counts as 0, also once
   * the row is withdrawn.
   */
  readonly unread?: readonly string[];
}

export interface RunExceptionList {
  readonly rows: readonly RunException[];
  /** The value of `after` that gives more rows. */
  readonly next: string | null;
}
