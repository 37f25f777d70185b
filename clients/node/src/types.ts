// Made from the schemas of the service by `npm run generate`.

export type * from './run-types.ts';

/** Codes with a status that asks for a repetition, which would change nothing. */
export const FINAL_CODES: ReadonlySet<string> = new Set(['protection_unavailable']);

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
  | 'approval_conflict'
  | 'session_changed'
  | 'template_archived'
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
  /**
   * The same request may be sent again later after rate_limited, signing_unavailable, overloaded,
   * storage_unavailable: when Retry-After has passed, or after a back-off where the response has
   * none. After every other code, the same request gets the same response.
   */
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
   * Sign the document (PAdES) with the signer of the team, last of all: with protection, the
   * protected file is signed.
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

/** The maker of the document, where the audit has it. Only users of the Studio receive it. */
export interface DocumentMaker {
  /** user:<userId> or key:<keyId>; of a run, its creator. */
  readonly principal: string;
  /** Displayed name of the user, or name of the key. */
  readonly name?: string;
  /** The run that made the document. */
  readonly runId?: string;
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
  /** Its reference, if the template keeps it as a text. */
  readonly reference?: string;
  /** The name of its file, if the template declares one. */
  readonly fileName?: string;
  /** The maker of the document, where the audit has it. Only users of the Studio receive it. */
  readonly madeBy?: DocumentMaker;
}

/** How people are asked for the value, in the languages of the template. */
export interface FieldPresentation {
  /** A text by language tag, such as { "th": "…", "en": "…" }. */
  readonly label?: Readonly<Record<string, string>>;
  /** A text by language tag, such as { "th": "…", "en": "…" }. */
  readonly help?: Readonly<Record<string, string>>;
  /** A text by language tag, such as { "th": "…", "en": "…" }. */
  readonly group?: Readonly<Record<string, string>>;
  /** A text by language tag, such as { "th": "…", "en": "…" }. */
  readonly example?: Readonly<Record<string, string>>;
  /** Labels of validation.choices, by value. */
  readonly choices?: Readonly<Record<string, Readonly<Record<string, string>>>>;
  /** table: headings of the columns */
  readonly columns?: readonly Readonly<Record<string, string>>[];
  /** text, date: the service shows the value to nobody again */
  readonly secret?: boolean;
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
  /** How people are asked for the value, in the languages of the template. */
  readonly presentation?: FieldPresentation;
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
  /** text, number, date: the only values that are taken */
  readonly choices?: readonly string[];
  /** text, number, date, qrcode: the template computes it; callers cannot send it */
  readonly computed?: boolean;
  /** list: entries of each array */
  readonly minItems?: number;
  /** list: entries of each array */
  readonly maxItems?: number;
  /** list: entries of all its arrays, with those of lists inside it */
  readonly maxItemsTotal?: number;
}

/** A field of a template. */
export interface Field {
  /** Key to use inside data. */
  readonly name: string;
  readonly type:
    'text' | 'number' | 'date' | 'image' | 'qrcode' | 'table' | 'svg' | 'record' | 'list';
  readonly required: boolean;
  /** How the template prints the value; for callers to show the same. */
  readonly format?: FieldFormat;
  /** Conditions on the value beyond its type. */
  readonly validation?: FieldValidation;
  /** record, list: the fields of the object, or of each entry; they have the same keys. */
  readonly fields?: readonly Readonly<Record<string, unknown>>[];
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
  /** false: it has expired and its file is gone, or its file is damaged or lost. */
  readonly available: boolean;
  /** Its reference, if the template keeps it as a text. */
  readonly reference?: string;
  /** The name of its file, if the template declares one. */
  readonly fileName?: string;
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
  /**
   * A stored document of the caller's team has these bytes, or this reference. false for a
   * reference does not prove that none was issued: the reference of a document is forgotten when
   * the document expires. Its file can still be verified.
   */
  readonly issued: boolean;
  readonly sha256?: string;
  /** The reference that was asked for; in capitals if only these were found. */
  readonly reference?: string;
  readonly documentId?: string;
  readonly templateId?: string;
  readonly version?: number;
  readonly createdAt?: string;
  readonly expiresAt?: string;
  /** false: it has expired and its file is gone, or its file is damaged or lost. */
  readonly available?: boolean;
  /**
   * Every such document, at most 20: the oldest first, by reference the newest. The members above
   * are those of the first, without its reference and file name.
   */
  readonly documents: readonly VerifiedDocument[];
  /** Responses in mode sync with these bytes, which were not stored, at most 20. */
  readonly madeHere: readonly UnstoredAnswer[];
  /** Previews of drafts with these bytes. They were made from no published version. */
  readonly drafts: readonly DraftAnswer[];
}

/**
 * How CSV rows write what the field contract has as 1250.50 and 2026-12-31; a cell that is not in
 * this format is invalid. Without it, cells are as the contract has them.
 */
export interface CsvFormat {
  /** Between cells. Comma, semicolon and tab are recognised when omitted. */
  readonly delimiter?: ',' | ';' | '|' | 'tab';
  /** Before the decimals of numbers, whose digits may be in groups of three. */
  readonly decimal?: '.' | ',';
  /** Order in dates, with /, . or - between; the year has four digits. */
  readonly date?: 'd/m/y' | 'm/d/y' | 'y/m/d';
  /** Calendar of the years; gregory when omitted. It needs date. */
  readonly calendar?: 'gregory' | 'buddhist';
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

export interface IdentitiesUser {
  readonly userId: string;
  readonly teamId: string;
  readonly role: 'Editor' | 'Admin' | 'Viewer';
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
