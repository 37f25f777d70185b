import { mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CompiledQuery, type Kysely } from 'kysely';
import type { Database } from '../database/database.ts';
import { MIGRATIONS } from '../database/migrations.ts';
import { shapeOf } from '../database/schema-shape.ts';
import { DOCUMENT_STATES, type Schema } from '../database/schema.ts';
import type { KeyRing } from '../encryption/key-ring.ts';
import type { FileStore } from '../files/files.ts';
import type { SealKey } from '../seals/seal-key.ts';
import { FileMissing } from '../files/faults.ts';
import { makeFolder } from '../../runtime/folder.ts';
import { checkFile } from './check.ts';
import { FILE_LIST, lineOf, type ListedFile } from './file-list.ts';
import {
  BackupFolder,
  digestOf,
  fileName,
  type LivingFile,
  livingFiles,
  rowsName,
  writeWhole,
} from './folder.ts';
import { inOrder } from './in-order.ts';
import { type Manifest, type NewManifest, writeManifest } from './manifest.ts';
import { listTables, type TableFile, writeTable } from './rows.ts';
import { LEFT_OUT } from './table-rules.ts';
import { TextFile } from './text-file.ts';

/** Files copied at the same time. */
const LANES = 8;
/** A report names at most this many files; all are counted. */
export const NAMED_MAX = 1_000;

/** The result of a backup. */
export interface BackupReport {
  readonly manifest: Manifest;
  /** Whether it is sealed with the key of the audit. */
  readonly isSealed: boolean;
  /** Documents and files of runs that are missing or damaged, the first NAMED_MAX. */
  readonly lost: readonly { readonly id: string; readonly fault: 'damaged' | 'missing' }[];
  /** How many are; the backup lacks them. */
  readonly lostCount: number;
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
  sealKey: SealKey | null,
): Promise<BackupReport> {
  makeFolder(join(folder, 'rows'));
  const { schema, tables } = await writeRows(store.database, folder);
  const copied = await copyFiles(store, folder, tables, createdAt.getTime());
  const { lost, lostCount, unchecked, ...files } = copied;
  const content = { schema, createdAt: createdAt.toISOString(), tables, ...files };
  const manifest = await writeManifest(folder, content, sealKey);
  const isSealed = sealKey !== null;
  return { manifest, isSealed, lost, lostCount, damagedRows: damagedRows(manifest), unchecked };
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
        const versions = await connection.selectFrom('schema_version').select('version').execute();
        const schema = Math.max(0, ...versions.map(({ version }) => version));
        const shape = await shapeOf(schema);
        const written: Record<string, TableFile> = {};
        for (const table of await listTables(connection, database.dialect)) {
          // A restore refuses tables of other programs; of a later schema, not all are known here.
          const isForeign = schema <= MIGRATIONS.length && !shape.has(table.name);
          if (isForeign || LEFT_OUT.has(table.name)) continue;
          const path = join(folder, rowsName(table.name));
          written[table.name] = await writeTable(connection, table, path);
        }
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
type Copied = Pick<NewManifest, 'files' | 'bytes' | 'fileList'> &
  Pick<BackupReport, 'lost' | 'lostCount' | 'unchecked'>;

async function copyFiles(
  store: BackupStore,
  path: string,
  tables: Readonly<Record<string, TableFile>>,
  nowMs: number,
): Promise<Copied> {
  const lost: { id: string; fault: 'damaged' | 'missing' }[] = [];
  let [lostCount, unchecked, files, bytes] = [0, 0, 0, 0];
  const copy = (file: LivingFile): Promise<Copy> => copyFile(store, path, file);
  const list = await TextFile.create(join(path, FILE_LIST));
  try {
    const living = livingFiles(new BackupFolder(path), tables, nowMs);
    for await (const { listed, isChecked } of inOrder(living, LANES, copy)) {
      await list.write(lineOf(listed));
      const { id, content } = listed;
      if (typeof content === 'object') {
        files += 1;
        bytes += content.bytes ?? 0;
        if (!isChecked) unchecked += 1;
      } else if (content !== 'expired') {
        lostCount += 1;
        if (lost.length < NAMED_MAX) lost.push({ id, fault: content });
      }
    }
    return { files, bytes, fileList: await list.end(), lost, lostCount, unchecked };
  } finally {
    await list.close();
  }
}

interface Copy {
  readonly listed: ListedFile;
  /** False: it is encrypted, and its key is not available. */
  readonly isChecked: boolean;
}

async function copyFile(
  { database, files, ring }: BackupStore,
  folder: string,
  file: LivingFile,
): Promise<Copy> {
  const { id, kind } = file;
  const content = await readOrNull(files, file);
  if (content === null) {
    const absence = (await hasExpired(database, file)) ? 'expired' : 'missing';
    return { listed: { kind, id, content: absence }, isChecked: true };
  }
  const verdict = await checkFile(ring, file, content);
  if (verdict === 'damaged') return { listed: { kind, id, content: verdict }, isChecked: true };
  const path = join(folder, fileName(id, kind));
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeWhole(path, content);
  const listed = { bytes: content.byteLength, sha256: digestOf(content), isCertain: true };
  return { listed: { kind, id, content: listed }, isChecked: verdict === 'whole' };
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
