import type { NewAudit } from '../audit.ts';
import type { Naming } from '../../runtime/naming/naming.ts';
import type { IdempotencyClaim } from '../idempotency.ts';
import type { Found, StoredFile } from '../terms.ts';

/** A stored document: its row. */
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
  /**
   * Its file or its row no longer has the digest it was made with, so it is not delivered; or its file
   * was found missing.
   */
  readonly damaged: boolean;
  /** Its file was found missing. It is delivered when the file has come back. */
  readonly missing: boolean;
  /** The pack that holds its file, and the offset; null: the document has a separate file. */
  readonly pack: { readonly packId: string; readonly offset: number } | null;
  /** The wrapped key of its separate file; null: the file is not encrypted, or in a pack. */
  readonly wrappedKey: Uint8Array | null;
}

/** Who made a document. */
export interface DocumentMaker {
  /** `key:<keyId>` or `user:<userId>`; of a run, its creator. */
  readonly principal: string;
  /** '': a request made the document. */
  readonly runId: string;
}

/** The part of a document's record that opens its file. */
export type DocumentFile = Pick<
  DocumentRecord,
  'documentId' | 'bytes' | 'sha256' | 'damaged' | 'missing' | 'pack' | 'wrappedKey'
>;

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

/**
 * `through` reads once from beginning to end and checks the file on the way; `parts` reads any
 * part, any number of times, and checks the file before.
 */
export type Reading = 'through' | 'parts';

/** Selects documents of a team. */
export interface DocumentFilter {
  readonly teamId: string;
  readonly templateId?: string | undefined;
  /** Only documents with this reference; if there are none, those that have it in capitals. */
  readonly reference?: string | undefined;
  /** Only documents with the reference of this one, and the document itself. */
  readonly sameReferenceAs?: string | undefined;
  /** Only documents created at or after this time. */
  readonly sinceMs?: number | undefined;
  /** Only documents created before this time. */
  readonly untilMs?: number | undefined;
  /** For paging: only documents older than this id. */
  readonly after?: string | undefined;
  readonly countMax: number;
}

/** May hold fewer documents than requested though more follow: a call scans a bounded number. */
export interface DocumentPage {
  readonly documents: readonly DocumentRecord[];
  /** `after` of the next page; null: this is the last. */
  readonly next: string | null;
  /** The reference of the filter, if there is one, in the form that these documents have. */
  readonly reference?: string;
}

/** The stored documents: each has a row and a file. */
export interface DocumentStore {
  /**
   * Writes the file, then commits row, audit record and claim together; resolves when all are
   * durable. Documents that arrive while others are being stored share the next file. Takes
   * ownership of the bytes. `naming`: its reference and file name, if it has any.
   */
  add(
    document: NewDocument,
    pdf: Uint8Array,
    audit: (documentId: string) => NewAudit,
    claim: IdempotencyClaim | null,
    naming?: Naming | null,
  ): Promise<DocumentRecord>;
  find(teamId: string, documentId: string): Promise<Found<DocumentRecord>>;
  /** Finds a document of any team, for signed links. */
  findAny(documentId: string): Promise<DocumentRecord | null>;
  /** Finds who made a document, by a look-up of bounded cost; null: it is not known any more. */
  makerOf(document: DocumentRecord): Promise<DocumentMaker | null>;
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
   * Compares the digests of all living documents with those that the audit recorded when they were
   * made, and marks the documents that differ as damaged.
   */
  compareWithAudit(onAltered: (documentId: string) => void): Promise<AuditComparison>;
  /**
   * Destroys a document if it has expired. Takes at most a second; the sweep does what is left.
   */
  expire(documentId: string, nowMs: number): Promise<void>;
  /**
   * Destroys expired documents, and files without a row that are older than the grace period.
   * Does nothing while the wall clock is not trusted. Several instances may sweep at once. Throws
   * StorageUnavailable at the end when files could not be removed; the rest is swept. When many files
   * have no row, they are kept unless `areOrphansAccepted`.
   */
  sweep(nowMs: number, areOrphansAccepted?: boolean): Promise<{ expired: number; orphans: number }>;
}

/** Settings of a scrub of all files. */
export interface Scrub {
  /** The average rate of reading. */
  readonly bytesPerSecond: number;
  /** `unread`: it could not be read this time: the file store failed, or its key is missing. */
  readonly onFinding: (documentId: string, finding: 'damaged' | 'missing' | 'unread') => void;
}

/** Result of a scrub. */
export interface ScrubResult {
  readonly checked: number;
  readonly bytes: number;
  readonly damaged: number;
  readonly missing: number;
  readonly unread: number;
}

/** The result of comparing documents with their audit records. */
export interface AuditComparison {
  /** Audit records of living documents. */
  readonly compared: number;
  /** Documents whose digest is not the one that was recorded when they were made. */
  readonly altered: number;
}
