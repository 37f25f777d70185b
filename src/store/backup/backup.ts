import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CompiledQuery, type Kysely } from 'kysely';
import type { Database } from '../database/database.ts';
import { DOCUMENT_STATES, type Schema } from '../database/schema.ts';
import type { KeyRing } from '../encryption/key-ring.ts';
import type { FileStore } from '../files/files.ts';
import { FileMissing } from '../store.ts';
import { checkFile } from './check.ts';
import {
  digestOf,
  forEachFile,
  FORMAT,
  type LivingFile,
  livingFiles,
  type Manifest,
  pathOf,
  writeManifest,
  writeWhole,
} from './folder.ts';
import { listTables, type TableFile, writeTable } from './rows.ts';

/**
 * Tables that a backup leaves out: short-lived and derived rows, sessions of users, and the id of the
 * database, because a restored database is another one.
 */
export const LEFT_OUT: ReadonlySet<string> = new Set([
  'installation',
  'schema_version',
  'probes',
  'digest_queue',
  'digest_blocks',
  'rate_windows',
  'rate_limits',
  'sessions',
  'sign_in_links',
]);

/** Files copied at the same time. */
const LANES = 8;
/** Limit of the expired files that a manifest lists. */
const EXPIRED_MAX = 100_000;

/** The result of a backup. */
export interface BackupReport {
  readonly manifest: Manifest;
  /** Documents and files of runs that are missing or damaged; the backup lacks them. */
  readonly lost: readonly { readonly id: string; readonly fault: 'damaged' | 'missing' }[];
  /** Rows that were damaged in the SQLite file, by table; the backup lacks them. */
  readonly damagedRows: Readonly<Record<string, number>>;
  /** Encrypted files that were copied without a check, because their key is not available. */
  readonly unchecked: number;
}

/** The store that a backup is made of, or restored to. */
export interface BackupStore {
  readonly database: Database;
  readonly files: FileStore;
  /** The keys with which encrypted files are checked. */
  readonly ring: KeyRing;
}

/** Writes a backup into a folder that is absent or empty. */
export async function backUp(
  store: BackupStore,
  folder: string,
  createdAt: Date,
): Promise<BackupReport> {
  await mkdir(join(folder, 'rows'), { recursive: true, mode: 0o700 });
  const { schema, tables } = await writeRows(store.database, join(folder, 'rows'));
  const copied = await copyFiles(store, folder, tables, createdAt.getTime());
  const { lost, unchecked, ...files } = copied;
  const manifest: Manifest = {
    format: FORMAT,
    schema,
    createdAt: createdAt.toISOString(),
    tables,
    ...files,
  };
  await writeManifest(folder, manifest);
  return { manifest, lost, damagedRows: damagedRows(manifest), unchecked };
}

/** Rows that the backup lacks because they were damaged, by table. */
export function damagedRows({ tables }: Manifest): Readonly<Record<string, number>> {
  const counts = Object.entries(tables).map(([name, { damaged = 0 }]) => [name, damaged] as const);
  return Object.fromEntries(counts.filter(([, damaged]) => damaged > 0));
}

async function writeRows(
  database: Database,
  folder: string,
): Promise<Pick<Manifest, 'schema' | 'tables'>> {
  return database.read((db) =>
    db.connection().execute(async (connection) => {
      for (const statement of BEGIN_SNAPSHOT[database.dialect]) {
        await connection.executeQuery(CompiledQuery.raw(statement));
      }
      try {
        const written: Record<string, TableFile> = {};
        for (const table of await listTables(connection, database.dialect)) {
          if (LEFT_OUT.has(table.name)) continue;
          const path = join(folder, `${table.name}.ndjson`);
          written[table.name] = await writeTable(connection, table, path);
        }
        const versions = await connection.selectFrom('schema_version').select('version').execute();
        const schema = Math.max(0, ...versions.map(({ version }) => version));
        return { schema, tables: written };
      } finally {
        await connection.executeQuery(CompiledQuery.raw('rollback'));
      }
    }),
  );
}

/** Statements that begin a snapshot: everything read after them comes from the same moment. */
const BEGIN_SNAPSHOT = {
  sqlite: ['begin'],
  mysql: [
    'set transaction isolation level repeatable read',
    'start transaction with consistent snapshot, read only',
  ],
} as const;

/** What `copyFiles` adds to manifest and report. */
type Copied = Pick<Manifest, 'files' | 'bytes' | 'runFiles' | 'expired'> &
  Pick<BackupReport, 'lost' | 'unchecked'>;

async function copyFiles(
  { database, files, ring }: BackupStore,
  folder: string,
  tables: Manifest['tables'],
  nowMs: number,
): Promise<Copied> {
  const runFiles: Record<string, string> = {};
  const expired: string[] = [];
  const lost: { id: string; fault: 'damaged' | 'missing' }[] = [];
  let unchecked = 0;
  let count = 0;
  let bytes = 0;
  const copy = async (file: LivingFile): Promise<void> => {
    const { id, kind } = file;
    const content = await readOrNull(files, file);
    if (content === null) {
      if (!(await hasExpired(database, file))) lost.push({ id, fault: 'missing' });
      else if (expired.length < EXPIRED_MAX) expired.push(id);
      return;
    }
    const verdict = await checkFile(ring, file, content);
    if (verdict === 'damaged') {
      lost.push({ id, fault: verdict });
      return;
    }
    if (verdict === 'unchecked') unchecked += 1;
    const path = pathOf(folder, id, kind);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await writeWhole(path, content);
    if (kind === 'run') runFiles[id] = digestOf(content);
    count += 1;
    bytes += content.byteLength;
  };
  await forEachFile(livingFiles(folder, tables, nowMs), LANES, copy);
  return { files: count, bytes, runFiles, expired, lost, unchecked };
}

async function hasExpired(database: Database, { id, kind }: LivingFile): Promise<boolean> {
  const row = await database.read((db: Kysely<Schema>) =>
    kind === 'run'
      ? db.selectFrom('run_files').select('state').where('file_id', '=', id).executeTakeFirst()
      : db.selectFrom('documents').select('state').where('document_id', '=', id).executeTakeFirst(),
  );
  return row === undefined || row.state !== DOCUMENT_STATES.available;
}

/** Reads a stored file; null when it does not exist. */
async function readOrNull(files: FileStore, { id, kind }: LivingFile): Promise<Uint8Array | null> {
  try {
    const file = await files.open(id, kind);
    try {
      return await file.read(0, file.bytes);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (error instanceof FileMissing) return null;
    throw error;
  }
}
