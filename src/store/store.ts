import type { Scrub, ScrubResult } from './integrity.ts';
import type { Seals } from './seals/types.ts';
import type { FileKeys } from './encryption/types.ts';
import type { Outcome } from '../errors.ts';
import type { KeyStore } from './key-store.ts';
import type { RunPrints, RunSources, RunStore, RunWork } from './runs/types.ts';
import type { DraftSaving } from './templates/drafts.ts';

/**
 * The store as the gateway and the commands see it: rows and files. One implementation over kysely
 * (MySQL/MariaDB and SQLite) and a file store; nothing here knows HTTP or PDF.
 * Times are ms since the epoch. A method throws `StorageUnavailable` when database or files cannot
 * serve; the gateway answers 503 `storage_unavailable`.
 */

export const SCOPES = [
  'generate',
  'documents:read',
  'templates:read',
  'runs',
  'identity-sync',
] as const;
export type Scope = (typeof SCOPES)[number];

export const ROLES = ['Editor', 'Admin', 'Viewer'] as const;
export type Role = (typeof ROLES)[number];

export interface KeyRecord {
  readonly keyId: string;
  readonly teamId: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Calls per minute; null: the service's default. */
  readonly rateLimitPerMinute: number | null;
  readonly createdAtMs: number;
  readonly revokedAtMs: number | null;
  /** null: never. */
  readonly expiresAtMs: number | null;
  /** Exact to a minute; null: the key was not used yet. */
  readonly lastUsedAtMs: number | null;
}

/** The look-up of a key that a caller sent. Only a `valid` key admits the caller. */
export type KeyLookup =
  | { readonly state: 'valid'; readonly record: KeyRecord }
  | { readonly state: 'revoked' | 'expired'; readonly record: KeyRecord }
  /** The key was never issued, or its team is inactive. */
  | { readonly state: 'unknown' };

export interface SessionRecord {
  readonly userId: string;
  readonly teamId: string;
  readonly role: Role;
  readonly expiresAtMs: number;
}

export interface UserRecord {
  readonly userId: string;
  readonly teamId: string;
  readonly role: Role;
  readonly displayName: string;
  readonly email: string;
  readonly active: boolean;
}

export interface TeamRecord {
  readonly teamId: string;
  readonly name: string;
  readonly active: boolean;
}

export type TemplateStatus = 'draft' | 'published';

export interface TemplateVersion {
  readonly teamId: string;
  readonly templateId: string;
  /** For a draft, the number that it would get. */
  readonly version: number;
  readonly status: TemplateStatus;
  /** Lowercase hex SHA-256 of the source. */
  readonly hash: string;
  /** The template file, UTF-8 JSON. */
  readonly source: Uint8Array;
}

export interface DraftHash {
  readonly hash: string;
  readonly version: number;
}

/** Narrows a list of templates. */
export interface TemplateSearch {
  /** Part of the identifier or the name, in upper or lower case; '' for all. */
  readonly text: string;
  /** Selects only templates that have a version in use. */
  readonly isPublished: boolean;
}

export interface TemplateSummary {
  readonly templateId: string;
  readonly name: string;
  /** The version that is used when the caller names none; null: no version is in use. */
  readonly latestVersion: number | null;
  readonly hasDraft: boolean;
  readonly updatedAtMs: number;
}

/** A template without its sources. */
export interface TemplateState {
  readonly name: string;
  readonly latestVersion: number | null;
  readonly updatedAtMs: number;
  /** `savedBy`: `user:<userId>`, or '' when it was not recorded. */
  readonly draft: (DraftHash & { readonly savedBy: string }) | null;
}

/** One published version in a template's history. */
export interface VersionSummary {
  readonly version: number;
  readonly hash: string;
  readonly bytes: number;
  readonly publishedAtMs: number;
  /** `user:<userId>` or `command:<account>`; '' when it was not recorded. */
  readonly publishedBy: string;
  /** null: the version can be used. */
  readonly unpublishedAtMs: number | null;
}

/** Why a look-up found nothing. Callers see 404 for both; the audit distinguishes them. */
export type Missing = 'absent' | 'foreign';

export type Found<T> =
  { readonly found: true; readonly value: T } | { readonly found: false; readonly why: Missing };

export interface DocumentRecord {
  /** UUIDv7. */
  readonly documentId: string;
  readonly teamId: string;
  readonly templateId: string;
  readonly version: number;
  readonly sha256: string;
  readonly bytes: number;
  readonly pages: number;
  readonly protected: boolean;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  /**
   * Expired or destroyed, by the store's clock, which ignores jumps of the wall clock. Then call
   * `documents.expire` and answer 410.
   */
  readonly gone: boolean;
  /** Its file no longer has the digest it was stored with, so it is not delivered. */
  readonly damaged: boolean;
  /** The pack of a run that holds its file, and the offset; null: the document has a separate file. */
  readonly pack: { readonly packId: string; readonly offset: number } | null;
  /** The wrapped key of its separate file; null: the file is not encrypted, or in a pack. */
  readonly wrappedKey: Uint8Array | null;
}

/** The part of a document's record that opens its file. */
export type DocumentFile = Pick<
  DocumentRecord,
  'documentId' | 'bytes' | 'sha256' | 'damaged' | 'pack' | 'wrappedKey'
>;

/**
 * `through` reads once from beginning to end and checks the file on the way; `parts` reads any
 * part, any number of times, and checks the file before.
 */
export type Reading = 'through' | 'parts';

export type AuditOutcome = 'succeeded' | 'failed' | 'denied';

export interface AuditRecord {
  readonly auditId: string;
  readonly atMs: number;
  readonly requestId: string;
  readonly teamId: string;
  /** `key:<keyId>` or `user:<userId>`. */
  readonly principal: string;
  readonly action: string;
  readonly outcome: AuditOutcome;
  /** Error code, or '' on success. */
  readonly code: string;
  readonly templateId: string;
  readonly version: number | null;
  readonly documentId: string;
  readonly mode: '' | 'sync' | 'async';
  readonly pages: number | null;
  readonly bytes: number | null;
  readonly durationMs: number | null;
  readonly sha256: string;
  /** Subject and serial number (in hexadecimal) of the certificate that signed, or ''. */
  readonly signer: string;
  readonly certificateSerial: string;
}

/** A new document without its id, which the store adds. */
export interface NewDocument {
  readonly teamId: string;
  readonly templateId: string;
  readonly version: number;
  readonly sha256: string;
  readonly pages: number;
  readonly protected: boolean;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
}

export type NewAudit = Omit<AuditRecord, 'auditId'>;

/** Readable bytes of one stored file. The caller closes it. */
export interface StoredFile {
  readonly bytes: number;
  /**
   * Reads at most `length` bytes from `position`; fewer only at the end of the file. The bytes are
   * the caller's.
   */
  read(position: number, length: number): Promise<Uint8Array>;
  close(): Promise<void>;
}

export interface IdempotencyClaim {
  readonly teamId: string;
  readonly key: string;
  /** SHA-256 of the request body. */
  readonly bodyHash: string;
}

export type IdempotencyState =
  /** The caller must run the request, and settle or release the claim. */
  | { readonly state: 'claimed' }
  | { readonly state: 'running' }
  | { readonly state: 'done'; readonly documentId: string }
  | { readonly state: 'conflict' };

export interface IdentityTeam {
  readonly teamId: string;
  readonly name: string;
  readonly active: boolean;
}

export interface IdentitySync {
  /** null: not part of this sync. */
  readonly teams: readonly IdentityTeam[] | null;
  readonly users: readonly UserRecord[] | null;
  /** Deactivates everything that a list does not name; a list that is null changes nothing. */
  readonly full: boolean;
}

export interface SyncCounts {
  readonly created: number;
  readonly updated: number;
  readonly deactivated: number;
  readonly unchanged: number;
}

export interface DocumentFilter {
  readonly teamId: string;
  readonly templateId?: string | undefined;
  /** Only documents created at or after this time. */
  readonly sinceMs?: number | undefined;
  /** Only documents created before this time. */
  readonly untilMs?: number | undefined;
  /** For paging: only documents older than this id. */
  readonly after?: string | undefined;
  readonly countMax: number;
}

/** A part of a list. */
export interface ListPage<T> {
  readonly items: readonly T[];
  /** Cursor of the next page; null: the list ends here. */
  readonly next: string | null;
}

/** May hold fewer documents than requested though more follow: a call scans a bounded number. */
export interface DocumentPage {
  readonly documents: readonly DocumentRecord[];
  /** `after` of the next page; null: this is the last. */
  readonly next: string | null;
}

export interface AuditFilter {
  readonly teamId?: string;
  readonly sinceMs?: number;
  readonly untilMs?: number;
  readonly outcome?: AuditOutcome;
  /** `key:<keyId>` or `user:<userId>`. */
  readonly principal?: string;
  readonly action?: string;
  readonly templateId?: string;
  readonly documentId?: string;
  readonly requestId?: string;
  /** Absent or false: the oldest first. */
  readonly newestFirst?: boolean;
  /** For paging: only records after this id in the requested order. */
  readonly after?: string;
  readonly countMax: number;
}

/** Figures that the operator should watch. */
export interface StoreFigures {
  /** Files that the last sweep of this process could not remove, inspect or list. */
  readonly unremovableFiles: number;
  /** Living documents whose file was found damaged or missing, by any process. */
  readonly damagedDocuments: number;
  readonly missingDocuments: number;
  /** The wall clock jumped further than slewing explains: nothing expires by it yet. */
  readonly isClockDoubted: boolean;
  /** Ids of keys that stored files need and that are not available. */
  readonly missingKeys: readonly string[];
}

/** The version that came into use; null: nothing changed. */
type Published = { readonly version: number } | null;

export interface Store {
  migrate(): Promise<void>;
  /** Cheap check that rows and files can be written; throws `StorageUnavailable`. */
  probe(): Promise<void>;
  close(): Promise<void>;
  figures(): StoreFigures;

  readonly teams: {
    add(team: { teamId: string; name: string }): Promise<Outcome<TeamRecord>>;
    list(): Promise<readonly TeamRecord[]>;
  };
  readonly keys: KeyStore;
  readonly users: {
    add(user: {
      userId: string;
      teamId: string;
      role: Role;
      displayName?: string;
      email?: string;
    }): Promise<Outcome<UserRecord>>;
    find(userId: string): Promise<UserRecord | null>;
    list(teamId: string | null): Promise<readonly UserRecord[]>;
    /** Yields what `list` returns, page by page, so that other events are handled in between. */
    pages(teamId: string | null): AsyncIterable<readonly UserRecord[]>;
    sync(sync: IdentitySync): Promise<Outcome<{ teams: SyncCounts; users: SyncCounts }>>;
  };
  readonly sessions: {
    /** Returns the token, only this once: its SHA-256 is stored. */
    add(
      userId: string,
      expiresAtMs: number,
    ): Promise<Outcome<{ token: string; expiresAtMs: number }>>;
    /** null when the session is unknown or expired, or its user or team is inactive. */
    find(token: string, nowMs: number): Promise<SessionRecord | null>;
    remove(token: string): Promise<void>;
  };
  readonly signInLinks: {
    /**
     * Returns the token, only this once: its SHA-256 is stored. A user keeps the five newest links.
     */
    add(userId: string, expiresAtMs: number): Promise<Outcome<{ token: string }>>;
    /** Uses the link and returns its user; null when it is unknown, used or expired. */
    redeem(token: string, nowMs: number): Promise<string | null>;
  };
  readonly templates: {
    list(teamId: string): Promise<readonly TemplateSummary[]>;
    /**
     * A part of `list` after the template `after`, '' for the start. A page of a search may be
     * short though more follow: a call scans at most 5,000 templates.
     */
    page(
      teamId: string,
      after: string,
      countMax: number,
      search?: TemplateSearch,
    ): Promise<ListPage<TemplateSummary>>;
    /** A published version; `version` null selects the latest. */
    published(
      teamId: string,
      templateId: string,
      version: number | null,
    ): Promise<Found<TemplateVersion>>;
    draft(teamId: string, templateId: string): Promise<Found<TemplateVersion>>;
    /** Hash of the draft and the version number that it would get, without reading its source. */
    draftHash(teamId: string, templateId: string): Promise<Found<DraftHash>>;
    find(teamId: string, templateId: string): Promise<Found<TemplateState>>;
    /**
     * Saves a draft. With `replaces`, a hash or null for no draft, it returns false and changes
     * nothing unless that is the present draft.
     */
    saveDraft(
      teamId: string,
      templateId: string,
      name: string,
      source: Uint8Array,
      saving?: DraftSaving,
    ): Promise<boolean>;
    /** Field descriptors of a source, a JSON array in UTF-8; null: not stored, compute them. */
    fields(hash: string): Promise<Uint8Array | null>;
    /** Stores them for `fields`; they are removed after a month, or with their draft. */
    keepFields(hash: string, fields: Uint8Array): Promise<void>;
    /**
     * Publishes the draft with this hash as the next version; null: that is no longer the draft.
     */
    publish(
      teamId: string,
      templateId: string,
      hash: string,
      by?: string,
      /** When given and not equal to `publishedHash`, nothing is published: the result is null. */
      replaces?: string | null,
    ): Promise<Published>;
    /** Hash of the newest version in use; null: no version is in use. */
    publishedHash(teamId: string, templateId: string): Promise<string | null>;
    /** Every published version, the newest first; empty for an unknown template. */
    history(teamId: string, templateId: string): Promise<readonly VersionSummary[]>;
    /** A published version, also one that was unpublished. */
    version(teamId: string, templateId: string, version: number): Promise<TemplateVersion | null>;
    /** Publishes the source of `version` as the next version; null: `version` does not exist. */
    rollBack(teamId: string, templateId: string, version: number, by: string): Promise<Published>;
    /** Bars a version from new documents; false: it was not published. */
    unpublish(teamId: string, templateId: string, version: number): Promise<boolean>;
  };
  readonly documents: {
    /**
     * Writes the file, then commits row, audit record and claim together; resolves when all are
     * durable. Takes ownership of the bytes.
     */
    add(
      document: NewDocument,
      pdf: Uint8Array,
      audit: (documentId: string) => NewAudit,
      claim: IdempotencyClaim | null,
    ): Promise<DocumentRecord>;
    find(teamId: string, documentId: string): Promise<Found<DocumentRecord>>;
    /** Finds a document of any team, for signed links. */
    findAny(documentId: string): Promise<DocumentRecord | null>;
    /** Documents with these bytes, the oldest first. */
    findBySha256(
      teamId: string,
      sha256: string,
      countMax: number,
    ): Promise<readonly DocumentRecord[]>;
    /** Lists a team's documents, newest first. */
    list(filter: DocumentFilter): Promise<DocumentPage>;
    /**
     * Opens a file. Throws `FileMissing` when it does not exist (any more) and `FileDamaged` when
     * it does not match its digest; for a long file read `through`, its last read throws that.
     */
    open(document: DocumentFile, reading: Reading): Promise<StoredFile>;
    /** Reads the files of all living documents and records those that are damaged or missing. */
    scrub(scrub: Scrub): Promise<ScrubResult>;
    /**
     * Destroys a document if it has expired. Takes at most a second; the sweep does what is left.
     */
    expire(documentId: string, nowMs: number): Promise<void>;
    /**
     * Destroys expired documents, and files without a row that are older than the grace period.
     * Does nothing while the wall clock is not trusted. Several instances may sweep at once. Throws
     * StorageUnavailable at the end when files could not be removed; the rest is swept.
     */
    sweep(nowMs: number): Promise<{ expired: number; orphans: number }>;
  };
  readonly audit: {
    /** Resolves when durable. Concurrent calls share a commit. */
    add(record: NewAudit): Promise<void>;
    list(filter: AuditFilter): Promise<readonly AuditRecord[]>;
    /**
     * Lists records, newest first; `next` is the `after` of the next page, null at the end. A page
     * may be short though more follow: a call scans a bounded number.
     */
    page(
      filter: Omit<AuditFilter, 'newestFirst'>,
    ): Promise<{ records: readonly AuditRecord[]; next: string | null }>;
    /** Records of requests in mode sync that returned these bytes, the oldest first. */
    findBySha256(teamId: string, sha256: string, countMax: number): Promise<readonly AuditRecord[]>;
  };
  readonly runs: RunStore;
  readonly runWork: RunWork;
  readonly runPrints: RunPrints;
  readonly runSources: RunSources;
  readonly seals: Seals;
  readonly fileKeys: FileKeys;
  readonly idempotency: {
    claim(claim: IdempotencyClaim, nowMs: number): Promise<IdempotencyState>;
    release(claim: IdempotencyClaim): Promise<void>;
  };
}

/** Database or files cannot serve at the moment. The message is for the operator's log. */
export class StorageUnavailable extends Error {
  override readonly name: string = 'StorageUnavailable';
}

/** Why a file that a caller named for a run cannot be read. */
export type SourceRefusal = 'off' | 'outside' | 'absent' | 'no_file' | 'unreadable';

/** Thrown by a read when the file of a run has changed since it was opened. */
export class SourceChanged extends Error {
  override readonly name = 'SourceChanged';
}

export { FileDamaged, FileKeyMissing, FileMissing } from './files/faults.ts';
