import type { ApprovalStore } from './approvals/types.ts';
import type { AuditLog } from './audit.ts';
import type {
  KeyStore,
  SessionStore,
  SignInLinkStore,
  TeamStore,
  UserStore,
} from './accounts/types.ts';
import type { MemberStore } from './accounts/members.ts';
import type { DiskFigures } from './capacity/disks.ts';
import type { DatabaseScrub, DatabaseScrubResult } from './database/checks/row-scrub.ts';
import type { DocumentStore } from './documents/types.ts';
import type { FileKeys } from './encryption/types.ts';
import type { StoredFiles } from './files/files.ts';
import type { IdempotencyStore } from './idempotency.ts';
import type { DocumentNames } from './naming/types.ts';
import type { RunPrints } from './runs/prints/types.ts';
import type { RunTotalsStore } from './runs/sums/totals.ts';
import type { RunExceptions, RunSources, RunStore, RunWork } from './runs/types.ts';
import type { SealFigures, Seals } from './seals/types.ts';
import type { TemplateStore } from './templates/types.ts';

/**
 * The store as the gateway and the commands see it: rows and files. One implementation over kysely
 * (MySQL/MariaDB and SQLite) and a file store; nothing here knows HTTP or PDF.
 * Times are ms since the epoch. A method throws `StorageUnavailable` when database or files cannot
 * serve; the gateway answers 503 `storage_unavailable`.
 */
export interface Store {
  migrate(): Promise<void>;
  /** Cheap check that rows and files can be written; throws `StorageUnavailable`. */
  probe(): Promise<void>;
  /** Files whose rows were lost are orphans from now on: the rows will not come back. */
  acceptOlderDatabase(): Promise<void>;
  /** Looks whose the files are, and writes nothing; works also before `migrate`. */
  inspectFiles(): Promise<void>;
  /** The files belong to this database from now on, whosever they were. */
  takeOverFiles(): Promise<void>;
  /** The id of the database, made once; a copy of the database has the same. */
  databaseId(): Promise<string>;
  /** SQLite: compares each row with its check, and examines the file. */
  scrubDatabase(scrub: DatabaseScrub): Promise<DatabaseScrubResult>;
  /** Writes a row as a test. Throws StorageUnavailable. */
  tryDatabase(): Promise<void>;
  /** SQLite: examines the structure of the file and returns its defects, without content. */
  checkDatabase(): Promise<readonly string[]>;
  close(): Promise<void>;
  figures(): StoreFigures;

  readonly teams: TeamStore;
  readonly keys: KeyStore;
  readonly users: UserStore;
  readonly members: MemberStore;
  readonly sessions: SessionStore;
  readonly signInLinks: SignInLinkStore;
  readonly templates: TemplateStore;
  readonly approvals: ApprovalStore;
  readonly documents: DocumentStore;
  readonly names: DocumentNames;
  readonly audit: AuditLog;
  readonly runs: RunStore;
  readonly runExceptions: RunExceptions;
  readonly runWork: RunWork;
  readonly runPrints: RunPrints;
  readonly runSources: RunSources;
  readonly runTotals: RunTotalsStore;
  readonly seals: Seals;
  readonly fileKeys: FileKeys;
  readonly idempotency: IdempotencyStore;
}

/** Figures that the operator should watch. */
export interface StoreFigures {
  /** Files that the last sweep of this process could not remove, inspect or list. */
  readonly unremovableFiles: number;
  /** Living documents whose file was found damaged or missing, by any process. */
  readonly damagedDocuments: number;
  readonly missingDocuments: number;
  /** Ids of runs with a print file or uploaded part that was found damaged or missing. */
  readonly damagedRuns: readonly string[];
  /** The wall clock jumped further than slewing explains: nothing expires by it yet. */
  readonly isClockDoubted: boolean;
  /** Ids of keys that stored files need and that are not available. */
  readonly missingKeys: readonly string[];
  /** Tables of the SQLite file in which this process met a row that is not as it was written. */
  readonly damagedTables: readonly string[];
  /** Why this database must not use the files: they are another's; null: nothing speaks against it. */
  readonly foreignFiles: string | null;
  /** Why files without a row are kept, and what to do. */
  readonly fileWarnings: readonly string[];
  readonly seals: SealFigures;
  /** null: the sweep of this process has not looked at all files yet. */
  readonly stored: StoredFiles | null;
  /** The disks of this machine that hold files or rows. */
  readonly disks: readonly DiskFigures[];
}

// The types of each resource lie beside its implementation; others import them from here.
export {
  KeysMissing,
  SourceChanged,
  StillWriting,
  StorageUnavailable,
  StoreBusy,
} from './terms.ts';
export type { Found, ListPage, Missing, SourceRefusal, StoredFile } from './terms.ts';
export type { StoredFiles } from './files/files.ts';
export type { MemberChange, MemberRecord } from './accounts/members.ts';
export { describeKey, LOOKUPS_MAX, SCOPES, ROLES } from './accounts/types.ts';
export type {
  Scope,
  Role,
  KeyRecord,
  KeyLookup,
  SessionRecord,
  UserRecord,
  IdentityTeam,
  DeactivationLimit,
  IdentitySync,
} from './accounts/types.ts';
export type {
  PublicationRefusal,
  TemplateStatus,
  TemplateVersion,
  TemplateSearch,
  TemplateSummary,
  VersionSummary,
} from './templates/types.ts';
export { NOTE_CHARACTERS_MAX } from './approvals/types.ts';
export type {
  Approval,
  ApprovalOutcome,
  ApprovalRefusal,
  ListedApproval,
} from './approvals/types.ts';
export type { DocumentRecord, NewDocument, Reading, DocumentPage } from './documents/types.ts';
export type { KeptNaming } from './naming/types.ts';
export type { AuditOutcome, AuditRecord, NewAudit, AuditFilter } from './audit.ts';
export type { IdempotencyClaim } from './idempotency.ts';
export { FileDamaged, FileExpired, FileKeyMissing, FileMissing } from './files/faults.ts';
export { publicationNote } from './templates/publishing.ts';
export { typedUserFault } from './accounts/typed-user.ts';
