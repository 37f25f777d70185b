import { approvals } from './approvals/approvals.ts';
import { auditing, type NewAudit } from './audit.ts';
import { backUp, type BackupReport } from './backup/backup.ts';
import {
  type Backup,
  demandEmpty,
  openBackup,
  restore,
  type RestoreReport,
} from './backup/restore.ts';
import { type ClockSource, SteadyClock, SYSTEM_CLOCK } from './clock.ts';
import { Disks } from './capacity/disks.ts';
import { Commits, RHYTHM, type Upstream } from './database/commits.ts';
import { Damages } from './documents/damages.ts';
import { Database } from './database/database.ts';
import { databaseId } from './database/installation.ts';
import { scrubDatabase } from './database/checks/row-scrub.ts';
import type { DatabaseLogin } from './database/mysql.ts';
import { DiskFiles, type FileSystem } from './files/disk.ts';
import { Documents } from './documents/documents.ts';
import { type EncryptionKeys, KeyRing } from './encryption/key-ring.ts';
import { fileKeys } from './encryption/rewrap.ts';
import { Vault } from './encryption/vault.ts';
import type { FileStore } from './files/files.ts';
import { Claims } from './idempotency.ts';
import { keys } from './accounts/keys.ts';
import { Names } from './naming/names.ts';
import { NamingKeys } from './naming/naming-keys.ts';
import { DEFAULT_BOUNDS, type RunBounds, RunUsage } from './runs/bounds.ts';
import { Exceptions } from './runs/exceptions.ts';
import { Prints } from './runs/prints/prints.ts';
import { RunWorks } from './runs/work.ts';
import { RunExamination } from './runs/run-examination.ts';
import { Runs } from './runs/runs.ts';
import { Sources } from './runs/sources.ts';
import { Totals } from './runs/sums/totals.ts';
import { SealKey } from './seals/seal-key.ts';
import { sealing } from './seals/seals.ts';
import { S3Files } from './files/s3.ts';
import { SourceFiles } from './files/source-files.ts';
import type { Store } from './store.ts';
import { StorageUnavailable } from './terms.ts';
import { FilesOwner } from './sweep/files-owner.ts';
import { OlderDatabase } from './sweep/older-database.ts';
import { Sweep } from './sweep/sweep.ts';
import { teams } from './accounts/teams.ts';
import { templates } from './templates/templates.ts';
import { signInLinks } from './accounts/sign-in-links.ts';
import { members } from './accounts/members.ts';
import { sessions, users } from './accounts/users.ts';

export interface StoreSettings {
  /** `sqlite:path` or `mysql://user:password@host:port/database[?socket=/path][&tls=require]`. */
  readonly databaseUrl: string;
  /** `file:path`, or `s3://accessKey:secret@host[:port]/bucket[/prefix][?region=…][&tls=off]`. */
  readonly filesUrl: string;
  /** Where runs may read files: `[teamId=]/folder`, or `[teamId=]s3://…` like `filesUrl`. */
  readonly runSources?: readonly string[];
  /** What runs may take. */
  readonly runBounds?: RunBounds;
  /** For the operator's log; never holds payload. */
  readonly warn?: (message: string) => void;
  /** Accept a MySQL that may lose acknowledged commits in a power cut. */
  readonly allowUnsafeCommits?: boolean;
  /** Returns user and password for each new connection to MySQL. Default: those of the URL. */
  readonly databaseLogin?: () => DatabaseLogin;
  readonly connectionsMax?: number;
  readonly connectTimeoutMs?: number;
  readonly statementTimeoutMs?: number;
  readonly filesTimeoutMs?: number;
  /** Age at which a file without a row is swept. */
  readonly orphanGraceMs?: number;
  /** Load of the stages before the store, which decides how long a commit waits for more entries. */
  readonly upstream?: () => Upstream;
  /** Key of the seals of the audit. Without it, anyone who can write the database can forge them. */
  readonly auditKey?: string;
  /** Encrypt the files of documents and runs; without them new files are not encrypted. */
  readonly encryption?: EncryptionKeys;
  /** For tests. */
  readonly clock?: ClockSource;
  readonly fileSystem?: FileSystem;
}

const CONNECTIONS_MAX = 10;
const CONNECT_TIMEOUT_MS = 2_000;
const STATEMENT_TIMEOUT_MS = 5_000;
const FILES_TIMEOUT_MS = 10_000;
/** Files that are written at the same time. */
const PUTS_MAX = 512;
const COMMIT_BATCH_MAX = 128;
const COMMITS_WAITING_MAX = 4_096;
const ORPHAN_GRACE_MS = 900_000;
/** A probe's result is cached this long, because each load balancer asks once a second. */
const PROBE_MS = 1_000;

/**
 * Opens the database and the file store. Throws StorageUnavailable when the database cannot be
 * reached or does not promise durable commits. The schema stays as it is until `migrate` is called.
 */
export async function openStore(settings: StoreSettings): Promise<Store> {
  const clock = new SteadyClock(settings.clock ?? SYSTEM_CLOCK);
  const database = openDatabase(settings);
  try {
    await database.examineLog();
    await database.checkDurability();
    return assemble(settings, database, openFiles(settings), clock);
  } catch (error) {
    await database.close();
    throw error;
  }
}

function openDatabase(settings: StoreSettings): Database {
  return new Database({
    url: settings.databaseUrl,
    connectionsMax: settings.connectionsMax ?? CONNECTIONS_MAX,
    login: settings.databaseLogin,
    warn: settings.warn,
    connectTimeoutMs: settings.connectTimeoutMs ?? CONNECT_TIMEOUT_MS,
    statementTimeoutMs: settings.statementTimeoutMs ?? STATEMENT_TIMEOUT_MS,
    allowUnsafeCommits: settings.allowUnsafeCommits ?? false,
  });
}

/**
 * Writes a backup of rows and files into a folder that is absent or empty; a service may keep using
 * both meanwhile. Throws StorageUnavailable when database, files or folder fail.
 */
export async function backUpStore(settings: StoreSettings, folder: string): Promise<BackupReport> {
  return withDatabaseAndFiles(settings, async (database, files) => {
    const store = { database, files, ring: ringOf(settings) };
    return backUp(store, folder, new Date(), sealKeyOf(settings));
  });
}

/** What an operator confirmed for a restore, and how the audit names it. */
export interface RestoreOptions {
  /** The file store belongs to this database from now on, although it has that of another one. */
  readonly areFilesAccepted?: boolean;
  /** Nobody has changed the backup, although no seal shows that. */
  readonly isUnsealedAccepted?: boolean;
  /** Makes the audit record of the restore; absent: there is none. */
  readonly auditOf?: (restored: Backup) => NewAudit;
}

/** Puts a backup into an empty database and a file store that belongs to it or to none. */
export async function restoreStore(
  settings: StoreSettings,
  folder: string,
  { areFilesAccepted = false, isUnsealedAccepted = false, auditOf }: RestoreOptions = {},
): Promise<RestoreReport> {
  const backup = await openBackup(folder, { sealKey: sealKeyOf(settings), isUnsealedAccepted });
  return withDatabaseAndFiles(settings, async (database, files) => {
    await database.migrate();
    // A store of files is not taken for a database that is refused.
    await demandEmpty(database);
    const owner = new FilesOwner(database, files, graceMsOf(settings), () => Date.now());
    await (areFilesAccepted ? owner.takeOver() : owner.demand());
    const { warn = () => undefined } = settings;
    const restoring = { nowMs: Date.now(), warn, auditOf };
    return restore({ database, files, ring: ringOf(settings) }, backup, restoring);
  });
}

/** null: the audit has no key, so a seal would show nothing. */
function sealKeyOf({ auditKey = '' }: StoreSettings): SealKey | null {
  return auditKey === '' ? null : new SealKey(auditKey);
}

async function withDatabaseAndFiles<T>(
  settings: StoreSettings,
  use: (database: Database, files: FileStore) => Promise<T>,
): Promise<T> {
  // Nobody waits for an answer, and a commit of ten million rows takes longer than a request may.
  const database = openDatabase({ ...settings, statementTimeoutMs: 0 });
  try {
    await database.examineLog();
    const files = openFiles(settings);
    try {
      return await use(database, files);
    } finally {
      await files.close();
    }
  } finally {
    await database.close();
  }
}

const NO_KEYS: EncryptionKeys = { keys: () => [] };

function ringOf({ encryption }: StoreSettings): KeyRing {
  return new KeyRing(encryption ?? NO_KEYS);
}

function graceMsOf({ orphanGraceMs }: StoreSettings): number {
  return orphanGraceMs ?? ORPHAN_GRACE_MS;
}

/** Opens the file store alone, without the database. */
export function openFiles(
  settings: Pick<StoreSettings, 'filesUrl' | 'filesTimeoutMs' | 'fileSystem'>,
): FileStore {
  const { filesUrl, fileSystem } = settings;
  const bounds = { timeoutMs: settings.filesTimeoutMs ?? FILES_TIMEOUT_MS, putsMax: PUTS_MAX };
  if (filesUrl.startsWith('s3:')) return new S3Files({ url: filesUrl, ...bounds });
  if (!filesUrl.startsWith('file:')) {
    throw new StorageUnavailable('the address of the file store must begin with file: or s3:');
  }
  const disk = { root: filesUrl.slice('file:'.length), ...bounds };
  return fileSystem === undefined ? new DiskFiles(disk) : new DiskFiles(disk, fileSystem);
}

function assemble(
  settings: StoreSettings,
  database: Database,
  files: FileStore,
  clock: SteadyClock,
): Store {
  const wallMs = (): number => clock.wallMs();
  const ring = ringOf(settings);
  const vault = new Vault(files, database, ring, wallMs);
  const commits = new Commits(database, {
    batchMax: COMMIT_BATCH_MAX,
    waitingMax: COMMITS_WAITING_MAX,
    upstream: settings.upstream ?? (() => 'busy'),
    rhythm: RHYTHM,
  });
  const filesTimeoutMs = settings.filesTimeoutMs ?? FILES_TIMEOUT_MS;
  const sources = new SourceFiles(settings.runSources ?? [], filesTimeoutMs);
  const damages = new Damages(database, wallMs);
  const examination = new RunExamination(database, vault, damages);
  const claims = new Claims(database, wallMs, () => clock.monotonicMs());
  const warn = settings.warn ?? (() => undefined);
  const age = new OlderDatabase(database, files, wallMs, warn);
  const graceMs = graceMsOf(settings);
  const owner = new FilesOwner(database, files, graceMs, wallMs);
  const names = new Names(database, new NamingKeys(database, ring, vault, wallMs));
  const parts = { database, vault, clock, names };
  const sweep = new Sweep(database, files, clock, { age, owner, names, graceMs, warn });
  const usage = new RunUsage(database, settings.runBounds ?? DEFAULT_BOUNDS);
  const disks = new Disks(settings.databaseUrl, settings.filesUrl, () => clock.monotonicMs());
  const seals = sealing(database, files, clock, settings.auditKey ?? '');
  return {
    ...keeping(database, owner, age, warn),
    ...examining(database),
    probe: probing(database, files, clock),
    tryDatabase: () => writeProbe(database, clock),
    async close() {
      claims.close();
      await commits.settled();
      await age.settled();
      await files.close();
      await sources.close();
      await database.close();
    },
    figures: () => ({
      unremovableFiles: sweep.unremovable,
      damagedDocuments: damages.counts.damaged,
      missingDocuments: damages.counts.missing,
      damagedRuns: [...damages.runIds],
      isClockDoubted: clock.jumped(),
      missingKeys: vault.missingKeys,
      damagedTables: database.damagedTables,
      foreignFiles: owner.objection,
      fileWarnings: [owner.warning, age.warning, sweep.keptOrphans].filter((text) => text !== null),
      seals: seals.figures(),
      stored: sweep.stored,
      disks: disks.figures(),
    }),
    ...accounts(database, wallMs),
    templates: templates(database, commits, wallMs),
    approvals: approvals(database, wallMs),
    documents: new Documents({ ...parts, commits, claims, sweep, damages, age }),
    names,
    audit: auditing(database, commits),
    seals,
    ...storeOfRuns({ ...parts, sources, claims, usage, examination }),
    fileKeys: fileKeys(database, ring, vault),
    idempotency: claims,
  };
}

function accounts(
  database: Database,
  wallMs: () => number,
): Pick<Store, 'teams' | 'keys' | 'users' | 'members' | 'sessions' | 'signInLinks'> {
  return {
    teams: teams(database, wallMs),
    keys: keys(database, wallMs),
    users: users(database, wallMs),
    members: members(database),
    sessions: sessions(database, wallMs),
    signInLinks: signInLinks(database),
  };
}

/** The parts of the store that need both the database and the files. */
function keeping(
  database: Database,
  owner: FilesOwner,
  age: OlderDatabase,
  warn: (message: string) => void,
): Pick<
  Store,
  'migrate' | 'acceptOlderDatabase' | 'inspectFiles' | 'takeOverFiles' | 'databaseId'
> {
  return {
    async migrate() {
      await database.migrate();
      await owner.checkAtStart(warn);
      // The note of a foreign store must not be written.
      if (owner.objection === null) await age.compareAtStart();
    },
    async acceptOlderDatabase() {
      await owner.demand();
      await age.accept();
    },
    inspectFiles: () => owner.inspect(),
    async takeOverFiles() {
      await owner.takeOver();
      await age.compare();
    },
    databaseId: () => databaseId(database),
  };
}

/** What commands ask of an SQLite file. */
function examining(database: Database): Pick<Store, 'scrubDatabase' | 'checkDatabase'> {
  return {
    scrubDatabase: (scrub) => scrubDatabase(database, scrub),
    checkDatabase: () => database.quickCheck(),
  };
}

interface RunParts {
  readonly database: Database;
  readonly vault: Vault;
  readonly sources: SourceFiles;
  readonly clock: SteadyClock;
  readonly claims: Claims;
  readonly usage: RunUsage;
  readonly examination: RunExamination;
  readonly names: Names;
}

function storeOfRuns({
  database,
  vault,
  sources,
  clock,
  claims,
  usage,
  examination,
  names,
}: RunParts): Pick<
  Store,
  'runs' | 'runExceptions' | 'runWork' | 'runPrints' | 'runSources' | 'runTotals'
> {
  const runs = new Runs(database, vault, clock, claims, usage, examination);
  const runExceptions = new Exceptions(database);
  return {
    runs,
    runExceptions,
    runTotals: new Totals(database, runs, runExceptions, () => clock.monotonicMs()),
    runWork: new RunWorks(database, vault, clock, names),
    runPrints: new Prints(database, vault, clock, examination),
    runSources: new Sources(database, vault, sources, clock, usage),
  };
}

async function writeProbe(database: Database, clock: SteadyClock): Promise<void> {
  await database.write((db) =>
    db.replaceInto('probes').values({ probe_id: 1, at_ms: clock.wallMs() }).execute(),
  );
}

/** Runs one probe at a time and caches its result, a failure included, for PROBE_MS. */
function probing(database: Database, files: FileStore, clock: SteadyClock): () => Promise<void> {
  let last: Promise<void> | null = null;
  let validUntilMs = 0;
  const probe = async (): Promise<void> => {
    try {
      database.demandSound();
      await Promise.all([files.probe(), writeProbe(database, clock)]);
    } finally {
      validUntilMs = clock.monotonicMs() + PROBE_MS;
    }
  };
  return () => {
    if (last === null || clock.monotonicMs() >= validUntilMs) {
      // Callers that come before this probe has ended share it.
      validUntilMs = Infinity;
      last = probe();
    }
    return last;
  };
}
