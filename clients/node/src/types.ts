// Made from the schemas of the service by `npm run generate`.

export type ErrorCode =
  | 'bad_request'
  | 'invalid_data'
  | 'unauthenticated'
  | 'insufficient_scope'
  | 'draft_requires_user'
  | 'forbidden'
  | 'not_found'
  | 'method_not_allowed'
  | 'idempotency_conflict'
  | 'run_conflict'
  | 'gone'
  | 'precondition_failed'
  | 'payload_too_large'
  | 'range_not_satisfiable'
  | 'render_failed'
  | 'rate_limited'
  | 'internal_error'
  | 'not_implemented'
  | 'protection_unavailable'
  | 'signing_unavailable'
  | 'overloaded'
  | 'storage_unavailable';

export interface FieldError {
  readonly field: string;
  readonly reason: string;
}

/** The body of every error. */
export interface ErrorBody {
  /** The fault, its place, and how to correct it. */
  readonly error: string;
  readonly code: ErrorCode;
  readonly requestId: string;
  /** Every defective field of data, with code invalid_data. */
  readonly fields?: readonly FieldError[];
}

/** Embedded in the PDF and never encrypted: references only, no personal data. */
export interface Metadata {
  readonly title?: string;
  readonly subject?: string;
}

/** Allowed unless false. */
export interface Permissions {
  readonly print?: boolean;
  readonly copy?: boolean;
  readonly modify?: boolean;
}

/** AES-256. At least one password that is not empty. */
export interface Protection {
  /** Opens the document. */
  readonly userPassword?: string;
  /** Manages permissions. The user password when omitted. */
  readonly ownerPassword?: string;
  /** Allowed unless false. */
  readonly permissions?: Permissions;
}

export interface Watermark {
  /** Drawn over every page, attached ones too, from corner to corner. */
  readonly text: string;
  /** 0.15 when omitted. */
  readonly opacity?: number;
}

export interface DocumentOptions {
  /** Embedded in the PDF and never encrypted: references only, no personal data. */
  readonly metadata?: Metadata;
  /** AES-256. At least one password that is not empty. */
  readonly protection?: Protection;
  /**
   * documentIds of own async documents that are not protected, merged behind the new one in this
   * order. Page numbers count the merged total: {{pages}} in the footer of the new document counts
   * their pages, too, and their own page numbers are replaced.
   */
  readonly attach?: readonly string[];
  readonly watermark?: Watermark;
  /**
   * Sign the document (PAdES) with the signer of the team, last of all. Not together with
   * protection.
   */
  readonly signature?: boolean;
}

/** A document to make. */
export interface GenerateRequest {
  /** Template identifier. */
  readonly templateId: string;
  /** Published version to pin. The latest when omitted. */
  readonly version?: number;
  /** sync: the PDF in the response, not stored. async: stored, with a link. */
  readonly mode: 'sync' | 'async';
  /** The current draft instead of a published version: browser users, sync only. */
  readonly draft?: boolean;
  /** Keys and values per the field contract. Other keys are ignored. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly options?: DocumentOptions;
}

/** A document that was stored. */
export interface Acknowledgement {
  readonly documentId: string;
  /** Fresh, time-limited link. Keep the documentId, not the link. */
  readonly url: string;
  readonly sha256: string;
  readonly expiresAt: string;
}

/** A stored document. */
export interface DocumentRecord {
  readonly documentId: string;
  readonly templateId: string;
  readonly version: number;
  readonly sha256: string;
  readonly createdAt: string;
  readonly expiresAt: string;
  /** Fresh, time-limited link. Keep the documentId, not the link. */
  readonly url: string;
}

/** How the template prints the value; for callers to show the same. */
export interface FieldFormat {
  /** number */
  readonly decimals?: number;
  /** number */
  readonly thousandsSeparator?: boolean;
  /** number */
  readonly prefix?: string;
  /** number */
  readonly suffix?: string;
  /** number */
  readonly style?: 'bahttext';
  /** number: spelled out */
  readonly words?: boolean;
  /** number: ISO 4217 code of the money in words */
  readonly currency?: string;
  /** text, number, date */
  readonly case?: 'upper' | 'lower' | 'title';
  /** text, number, date: BCP 47 tag */
  readonly language?: string;
  /** number, date */
  readonly digits?: 'latin' | 'thai';
  /** text: signs shown and hidden, such as XXX-X-Xxxxx-x */
  readonly mask?: string;
  /** date */
  readonly calendar?: 'gregory' | 'buddhist';
  /** date: such as d MMMM yyyy */
  readonly pattern?: string;
}

/** Conditions on the value beyond its type. */
export interface FieldValidation {
  /** number: inclusive; date: YYYY-MM-DD */
  readonly min?: number | string;
  /** number: inclusive; date: YYYY-MM-DD */
  readonly max?: number | string;
  /** text: Unicode code points */
  readonly minLength?: number;
  /** text: Unicode code points */
  readonly maxLength?: number;
  /** text: regular expression */
  readonly pattern?: string;
}

/** A field of a template. */
export interface Field {
  /** Key to use inside data. */
  readonly name: string;
  readonly type: 'text' | 'number' | 'date' | 'image' | 'qrcode' | 'table' | 'svg';
  readonly required: boolean;
  /** How the template prints the value; for callers to show the same. */
  readonly format?: FieldFormat;
  /** Conditions on the value beyond its type. */
  readonly validation?: FieldValidation;
}

/** The fields of a template version. */
export interface FieldContract {
  readonly templateId: string;
  readonly version: number;
  readonly status: 'published' | 'draft';
  readonly fields: readonly Field[];
}

export interface VerifiedDocument {
  readonly documentId: string;
  readonly templateId: string;
  readonly version: number;
  readonly createdAt: string;
  readonly expiresAt: string;
  /** false: it has expired, its file is gone. */
  readonly available: boolean;
}

export interface UnstoredAnswer {
  readonly at: string;
  readonly requestId: string;
  readonly templateId: string;
  readonly version: number;
}

export interface DraftAnswer {
  readonly at: string;
  readonly requestId: string;
  readonly templateId: string;
}

/** Whether a file was made for the team. */
export interface Verification {
  /** A stored document of the caller's team has these bytes. */
  readonly issued: boolean;
  readonly sha256?: string;
  readonly documentId?: string;
  readonly templateId?: string;
  readonly version?: number;
  readonly createdAt?: string;
  readonly expiresAt?: string;
  /** false: it has expired, its file is gone. */
  readonly available?: boolean;
  /**
   * Every such document, the oldest first, at most 20. The members above are those of the first.
   */
  readonly documents: readonly VerifiedDocument[];
  /** Responses in mode sync with these bytes, which were not stored, at most 20. */
  readonly madeHere: readonly UnstoredAnswer[];
  /** Previews of drafts with these bytes. They were made from no published version. */
  readonly drafts: readonly DraftAnswer[];
}

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

/** metadata and watermark of every document, as in POST /v1/generate. */
export interface RunOptions {
  /** Embedded in the PDF and never encrypted: references only, no personal data. */
  readonly metadata?: Metadata;
  readonly watermark?: Watermark;
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
  /** metadata and watermark of every document, as in POST /v1/generate. */
  readonly options?: RunOptions;
}

/** How a run starts. */
export interface StartRunRequest {
  /** Check all rows, and render nothing. */
  readonly dryRun?: boolean;
  /** Replaces the run's own from now on. */
  readonly onInvalid?: 'stop' | 'skip';
  /** Control totals of the rows of the file, and of the documents at the end. */
  readonly expected?: RunTotals;
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

export interface RunReason {
  readonly name: string;
  readonly expected: string;
  readonly actual: string;
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
  /** The file that its rows are read from. */
  readonly source: unknown;
  /**
   * Why it stopped or was cancelled: rows, invalid, corrections, not_started, …, or a field whose
   * sum does not match.
   */
  readonly reasons: readonly RunReason[];
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
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
  /** The file that its rows are read from. */
  readonly source: unknown;
  /**
   * Why it stopped or was cancelled: rows, invalid, corrections, not_started, …, or a field whose
   * sum does not match.
   */
  readonly reasons: readonly RunReason[];
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  /** Sums of the valid rows, then of the stored documents. */
  readonly sums?: Readonly<Record<string, string>>;
  /** Sums of all rows of the file, identical ones once. */
  readonly fileSums?: Readonly<Record<string, string>>;
  /** How many parts the run has. */
  readonly partCount: number;
  /** The highest number of a part; 0: there is none. */
  readonly lastPart: number;
  /** In the order of their numbers, at most 500. */
  readonly parts: readonly RunPart[];
  /** The value of `after` that gives the next parts. */
  readonly nextPart: unknown;
}

/** Runs, newest first. */
export interface RunList {
  readonly runs: readonly Run[];
  /** The value of after for the next page; null: this is the last page. */
  readonly next: string | null;
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

export interface SyncIdentitiesRequestTeam {
  readonly teamId: string;
  readonly name: string;
  readonly active?: boolean;
}

export interface SyncIdentitiesRequestUser {
  readonly userId: string;
  readonly teamId: string;
  readonly role: 'Editor' | 'Admin' | 'Viewer';
  readonly displayName?: string;
  readonly email?: string;
  readonly active?: boolean;
}

/** Teams and users as they should be. */
export interface SyncIdentitiesRequest {
  readonly teams?: readonly SyncIdentitiesRequestTeam[];
  readonly users?: readonly SyncIdentitiesRequestUser[];
  /**
   * Deactivate every team that teams does not list, and every user that users does not. Concerns
   * only the lists that are sent; each must name somebody.
   */
  readonly full?: boolean;
  /**
   * Refuse the sync when it would deactivate more teams and users than this. Lifts the share that
   * the operator may have set.
   */
  readonly deactivatesAtMost?: number;
}

export interface IdentitiesTeam {
  readonly teamId: string;
  readonly name: string;
  readonly active: boolean;
}

export type Role = 'Editor' | 'Admin' | 'Viewer';

export interface IdentitiesUser {
  readonly userId: string;
  readonly teamId: string;
  readonly role: Role;
  readonly displayName: string;
  readonly email: string;
  readonly active: boolean;
}

/** Teams and users as they are. */
export interface Identities {
  readonly teams: readonly IdentitiesTeam[];
  readonly users: readonly IdentitiesUser[];
}

export interface ChangeCounts {
  readonly created: number;
  readonly updated: number;
  readonly deactivated: number;
  readonly unchanged: number;
}

/** Numbers of changes. */
export interface IdentityCounts {
  readonly teams: ChangeCounts;
  readonly users: ChangeCounts;
}
