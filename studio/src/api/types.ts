// Made from the schemas of the service by `npm run generate`.

export type Role = 'Editor' | 'Admin' | 'Viewer';

export interface SignInLinkUser {
  readonly userId: string;
  readonly displayName: string;
  readonly teamId: string;
}

export interface SignInLink {
  readonly user: SignInLinkUser;
  /** Who is signed in in this browser; null: nobody. */
  readonly current: SignInLinkUser | null;
}

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

export interface Session {
  readonly userId: string;
  readonly displayName: string;
  readonly teamId: string;
  readonly role: Role;
  readonly expiresAt: string;
  /** A draft must be published by an Admin other than its last editor. */
  readonly publishApprovals: boolean;
}

export interface CreateUserRequest {
  readonly userId: string;
  readonly displayName?: string;
  readonly email?: string;
  readonly role: Role;
}

export interface User {
  readonly userId: string;
  readonly displayName: string;
  readonly email: string;
  readonly role: Role;
  /** false: the user cannot sign in. */
  readonly active: boolean;
  /** null: never since this is recorded. */
  readonly lastSignInAt: string | null;
}

export interface UserList {
  readonly users: readonly User[];
  /** The value of after for the next page; null: this is the last page. */
  readonly next: string | null;
}

export interface UserName {
  readonly userId: string;
  readonly displayName: string;
  /** false: the user cannot sign in. */
  readonly active: boolean;
}

export interface CreatedKey {
  readonly keyId: string;
  readonly name: string;
  readonly scopes: readonly ('generate' | 'documents:read' | 'templates:read' | 'runs')[];
  /** Calls per minute. null: the service's default. */
  readonly rateLimitPerMinute: number | null;
  readonly createdAt: string;
  readonly revokedAt: string | null;
  readonly expiresAt: string | null;
  /** Exact to a minute. */
  readonly lastUsedAt: string | null;
  readonly apiKey: string;
}

export interface Key {
  readonly keyId: string;
  readonly name: string;
  readonly scopes: readonly ('generate' | 'documents:read' | 'templates:read' | 'runs')[];
  /** Calls per minute. null: the service's default. */
  readonly rateLimitPerMinute: number | null;
  readonly createdAt: string;
  readonly revokedAt: string | null;
  readonly expiresAt: string | null;
  /** Exact to a minute. */
  readonly lastUsedAt: string | null;
}

export interface KeyList {
  readonly keys: readonly Key[];
  /** The value of after for the next page; null: this is the last page. */
  readonly next: string | null;
}

export interface TemplateSummary {
  readonly templateId: string;
  readonly name: string;
  /** null: nothing is published. */
  readonly latestVersion: number | null;
  readonly hasDraft: boolean;
  readonly updatedAt: string;
  /** null: it is in use. */
  readonly archivedAt: string | null;
}

export interface TemplateList {
  readonly templates: readonly TemplateSummary[];
  /** The value of after for the next page; null: this is the last page. */
  readonly next: string | null;
}

export interface TemplateDraft {
  /** Its name, which the template takes when it is published. */
  readonly name: string;
  readonly hash: string;
  readonly version: number;
  readonly savedBy: string;
  readonly savedAt: string;
  /** Who changed it since the last version. */
  readonly contributors: readonly string[];
  /**
   * Whether an active Admin of the team may publish it. Where INTAGLIO_PUBLISH_APPROVALS is on, who
   * changed the draft may not. Admins whom only the identity provider knows do not count.
   */
  readonly hasApprover: boolean;
}

export interface Approval {
  readonly templateId: string;
  /** Hash of the draft that was asked about. */
  readonly draft: string;
  /** outdated: the draft was changed since. */
  readonly state: 'open' | 'outdated' | 'sent_back' | 'withdrawn' | 'published';
  /** Whether the draft is still the one that was asked about. */
  readonly current: boolean;
  readonly askedBy: string;
  readonly askedAt: string;
  readonly note: string;
  /** Who sent it back, withdrew it or published the draft. */
  readonly decidedBy: string;
  readonly decidedAt: string | null;
  /** Why it was sent back. */
  readonly comment: string;
}

export interface TemplateVersion {
  readonly version: number;
  readonly hash: string;
  readonly bytes: number;
  readonly publishedAt: string;
  readonly publishedBy: string;
  readonly withdrawnAt: string | null;
  /** Why it was published; empty: nobody said. */
  readonly note: string;
  /** Who wrote it; empty: not recorded. */
  readonly authors: readonly string[];
}

export interface Template {
  readonly templateId: string;
  readonly name: string;
  /** null: nothing is published. */
  readonly latestVersion: number | null;
  readonly updatedAt: string;
  /** null: it is in use. */
  readonly archivedAt: string | null;
  readonly draft: TemplateDraft | null;
  /** The last request for approval, while there is a draft; null: none. */
  readonly approval: Approval | null;
  readonly versions: readonly TemplateVersion[];
}

export interface PublishedVersion {
  readonly templateId: string;
  readonly version: number;
}

export interface DiscardedDraft {
  readonly templateId: string;
  /** The template was never published, so nothing is left of it. */
  readonly removed: boolean;
}

export interface Finding {
  readonly severity: 'error' | 'warning';
  readonly path: string;
  readonly message: string;
  /** Line in the file; absent: it is about the whole file. */
  readonly line?: number;
  /** Column in that line. */
  readonly column?: number;
  /** The sample whose pages show it; absent: it was found without rendering. */
  readonly sample?: string;
}

export interface DraftCheckSample {
  readonly name: string;
  readonly pages: number;
}

export interface DraftChange {
  /** Confirms the change in publishTemplate. */
  readonly id: string;
  /** JSON path; empty: the whole file is new. */
  readonly path: string;
  readonly change: 'added' | 'removed' | 'changed';
  /** The value as JSON, shortened; empty: none. */
  readonly before: string;
  readonly after: string;
  /** The new text, if it is printed as it stands; else empty. */
  readonly words: string;
  /** Line in the draft. */
  readonly line: number | null;
  /** Line in the version in use. */
  readonly lineBefore: number | null;
}

export interface DraftCheck {
  readonly templateId: string;
  readonly version: number;
  readonly findings: readonly Finding[];
  readonly samples: readonly DraftCheckSample[];
  /** Hash of the version in use; null: none. */
  readonly published: string | null;
  readonly changes: readonly DraftChange[];
}

export interface ListedApproval {
  readonly templateId: string;
  /** Hash of the draft that was asked about. */
  readonly draft: string;
  /** outdated: the draft was changed since. */
  readonly state: 'open' | 'outdated' | 'sent_back' | 'withdrawn' | 'published';
  /** Whether the draft is still the one that was asked about. */
  readonly current: boolean;
  readonly askedBy: string;
  readonly askedAt: string;
  readonly note: string;
  /** Who sent it back, withdrew it or published the draft. */
  readonly decidedBy: string;
  readonly decidedAt: string | null;
  /** Why it was sent back. */
  readonly comment: string;
  readonly name: string;
  /** The number that the draft would get. */
  readonly version: number;
  /** Who changed the draft since the last version. */
  readonly contributors: readonly string[];
  /**
   * Whether an active Admin of the team may publish it. Where INTAGLIO_PUBLISH_APPROVALS is on, who
   * changed the draft may not. Admins whom only the identity provider knows do not count.
   */
  readonly hasApprover: boolean;
  /**
   * Whether the caller may both publish it and send it back. Who changed the draft may not send it
   * back, and publishes it only where INTAGLIO_PUBLISH_APPROVALS is off.
   */
  readonly mayDecide: boolean;
}

export interface ApprovalList {
  readonly approvals: readonly ListedApproval[];
  /** The value of after for the next page; null: this is the last page. */
  readonly next: string | null;
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

export interface DocumentSummary {
  readonly documentId: string;
  readonly templateId: string;
  readonly version: number;
  readonly sha256: string;
  readonly bytes: number;
  readonly pages: number;
  readonly protected: boolean;
  readonly createdAt: string;
  readonly expiresAt: string;
  /** false: expired, or its file is damaged or lost. */
  readonly available: boolean;
  /** Its reference, if the template keeps it as a text. */
  readonly reference?: string;
  /** The name of its file, if the template declares one. */
  readonly fileName?: string;
}

export interface DocumentPage {
  readonly documents: readonly DocumentSummary[];
  /** The value of after for the next page; null: this is the last page. */
  readonly next: string | null;
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

export interface AuditRecord {
  readonly auditId: string;
  readonly at: string;
  readonly requestId: string;
  readonly teamId: string;
  readonly principal: string;
  readonly action: string;
  readonly outcome: 'succeeded' | 'failed' | 'denied';
  /** Error code; empty on success. */
  readonly code: string;
  readonly templateId: string;
  readonly version: number | null;
  readonly documentId: string;
  readonly mode: '' | 'sync' | 'async';
  readonly pages: number | null;
  readonly bytes: number | null;
  readonly durationMs: number | null;
  readonly sha256: string;
  /** Subject of the certificate that signed; empty: none. */
  readonly signer: string;
  /** Its serial number in hexadecimal digits. */
  readonly certificateSerial: string;
  /** The document came from a draft; version is the number that it would have got. */
  readonly draft: boolean;
  /** Of a publication: who changed the draft since the version before. */
  readonly contributors: readonly string[];
  /** What it concerned beyond that: a key with its scopes, a user with a role. */
  readonly detail: string;
}

export interface AuditPage {
  readonly records: readonly AuditRecord[];
  /** The value of after for the next page; null: this is the last page. */
  readonly next: string | null;
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

/** Embedded in the PDF and never encrypted: references only, no personal data. */
export interface Metadata {
  readonly title?: string;
  readonly subject?: string;
}

export interface Watermark {
  /** Drawn over every page, attached ones too, from corner to corner. */
  readonly text: string;
  /** 0.15 when omitted. */
  readonly opacity?: number;
}
