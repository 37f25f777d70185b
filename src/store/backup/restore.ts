import type { Kysely } from 'kysely';
import { auditRow, type NewAudit } from '../audit.ts';
import type { Database } from '../database/database.ts';
import { fillSince } from '../database/migrations.ts';
import { SchemaEditor } from '../database/schema-editor.ts';
import { type SchemaShape, shapeOf } from '../database/schema-shape.ts';
import { DOCUMENT_STATES, type Schema } from '../database/schema.ts';
import { encryptedBytes } from '../encryption/segments.ts';
import { StorageUnavailable } from '../terms.ts';
import { type BackupStore, damagedRows, NAMED_MAX } from './backup.ts';
import { checkFile } from './check.ts';
import { expiredIds, FILE_LIST, type ListedFile, withListed } from './file-list.ts';
import {
  BackupFolder,
  digestOf,
  fileName,
  type LivingFile,
  livingFiles,
  rowsName,
} from './folder.ts';
import { inOrder } from './in-order.ts';
import { type Authenticity, type Manifest, readManifest, type Trust } from './manifest.ts';
import { insertRows, readTable } from './rows.ts';
import { demandTables, LEFT_OUT, RowRules } from './table-rules.ts';
import { demandDigest } from './text-file.ts';

/** Files written at the same time. */
const LANES = 16;
/** Ids in one statement. */
const IDS_MAX = 500;

const HOLDS_FILES =
  'the file store already holds files, as after an interrupted restore: those of this backup are' +
  ' written again, and the sweep removes those without a row';

/** The result of a restore. */
export interface RestoreReport {
  readonly manifest: Manifest;
  readonly authenticity: Authenticity;
  readonly rows: number;
  readonly files: number;
  /** Documents, and files of runs, that the backup lacks, the first NAMED_MAX. */
  readonly missing: readonly string[];
  /** How many it lacks; their rows are restored. */
  readonly missingCount: number;
  /** Rows that the backup lacks because they were damaged, by table. */
  readonly damagedRows: Readonly<Record<string, number>>;
  /** Encrypted documents that were restored without a check, because their key is not available. */
  readonly unchecked: number;
}

/** A backup whose manifest, rows and list of files are those that were written. */
export interface Backup {
  readonly folder: BackupFolder;
  readonly manifest: Manifest;
  readonly authenticity: Authenticity;
  /** The tables at the time of the backup. */
  readonly shape: SchemaShape;
}

/**
 * Opens a backup. Throws StorageUnavailable when it is not whole, was changed, or nothing shows that
 * it is the one that was written. Its files are compared when they are read.
 */
export async function openBackup(path: string, trust: Trust): Promise<Backup> {
  const folder = new BackupFolder(path);
  const { manifest, authenticity } = await readManifest(folder, trust);
  const shape = await shapeOf(manifest.schema);
  demandTables(folder, manifest.tables, shape);
  for (const [name, { sha256 }] of Object.entries(manifest.tables)) {
    await demandDigest(folder, rowsName(name), sha256);
  }
  if (manifest.format !== 1) await demandDigest(folder, FILE_LIST, manifest.fileList);
  return { folder, manifest, authenticity, shape };
}

/** What a restore needs beside the backup and the store. */
export interface Restoring {
  readonly nowMs: number;
  /** For the operator; called before anything is written. */
  readonly warn: (message: string) => void;
  /** Makes the audit record of the restore, which is committed with the rows; absent: there is none. */
  readonly auditOf?: ((restored: Backup) => NewAudit) | undefined;
}

/**
 * Restores a backup into an empty database (SQLite or MySQL) and an empty file store. Files come
 * first, and all rows are one transaction: an interrupted restore leaves no rows and can be run
 * again. Rows of an earlier schema get what its migrations would have filled in. Calls `warn` before
 * it writes when the file store is not empty. Every digest is checked;
 * throws StorageUnavailable when the backup was changed.
 */
export async function restore(
  store: BackupStore,
  backup: Backup,
  { nowMs, warn, auditOf }: Restoring,
): Promise<RestoreReport> {
  const { manifest, authenticity } = backup;
  if (await hasFiles(store)) warn(HOLDS_FILES);
  const put = await putFiles(store, backup, nowMs);
  const rows = await store.database.transact(async (trx) => {
    const added = await addRows(trx, backup);
    await fillSince(new SchemaEditor(trx, store.database.dialect), manifest.schema);
    if (auditOf !== undefined) {
      const record = auditRow(store.database, auditOf(backup));
      await trx.insertInto('audit').values(record).execute();
    }
    return added;
  });
  return { manifest, authenticity, rows, ...put, damagedRows: damagedRows(manifest) };
}

/** Throws StorageUnavailable unless the database has no rows. */
export async function demandEmpty(database: Database): Promise<void> {
  for (const table of ['teams', 'documents', 'audit', 'users', 'runs'] as const) {
    const row = await database.read((db) =>
      db
        .selectFrom(table)
        .select((eb) => eb.lit(1).as('one'))
        .limit(1)
        .executeTakeFirst(),
    );
    if (row !== undefined) {
      throw new StorageUnavailable(
        `the database is in use (it has ${table}): restore into an empty one`,
      );
    }
  }
}

/** Whether the store holds a whole file. */
async function hasFiles({ files }: BackupStore): Promise<boolean> {
  for await (const entries of files.list()) {
    if (entries.some(({ temporary }) => !temporary)) return true;
  }
  return false;
}

async function putFiles(
  store: BackupStore,
  { folder, manifest }: Backup,
  nowMs: number,
): Promise<Pick<RestoreReport, 'files' | 'missing' | 'missingCount' | 'unchecked'>> {
  const missing: string[] = [];
  let [missingCount, unchecked, files] = [0, 0, 0];
  const put = async (entry: Entry): Promise<[string, Outcome]> => [
    entry.file.id,
    // It has expired since the backup.
    entry.file.expiresAtMs <= nowMs ? 'expired' : await putFile(store, folder, entry),
  ];
  // The list names those that were living then.
  const living = livingFiles(folder, manifest.tables, Date.parse(manifest.createdAt));
  for await (const [id, outcome] of inOrder(withListed(folder, manifest, living), LANES, put)) {
    if (outcome === 'expired') continue;
    if (outcome === 'missing') {
      missingCount += 1;
      if (missing.length < NAMED_MAX) missing.push(id);
      continue;
    }
    files += 1;
    if (outcome === 'unchecked') unchecked += 1;
  }
  return { files, missing, missingCount, unchecked };
}

/** A file that the rows name, and what the backup says of it. */
interface Entry {
  readonly file: LivingFile;
  readonly listed: ListedFile;
}

type Outcome = 'whole' | 'unchecked' | 'missing' | 'expired';

async function putFile(
  { files, ring }: BackupStore,
  folder: BackupFolder,
  { file, listed }: Entry,
): Promise<Outcome> {
  if (listed.content === 'expired') return 'expired';
  if (typeof listed.content === 'string') return 'missing';
  const { id, kind, bytes, wrappedKey } = file;
  const { sha256, isCertain } = listed.content;
  const name = fileName(id, kind);
  const expectedBytes = wrappedKey === null ? bytes : encryptedBytes(bytes);
  const content = await folder.readOrNull(name, expectedBytes);
  if (content === null) {
    if (!isCertain) return 'missing';
    throw new StorageUnavailable(
      `the backup is damaged: ${folder.pathOf(name)} is missing; copy the backup again, or take another`,
    );
  }
  const isListed = sha256 === null || digestOf(content) === sha256;
  const verdict = await checkFile(ring, file, content);
  if (!isListed || verdict === 'damaged') {
    throw new StorageUnavailable(
      `the backup is damaged: ${folder.pathOf(name)} is not the file that was stored`,
    );
  }
  await files.put(id, content, kind);
  // The digest of a run's file is that of the stored bytes, so it needs no key.
  return verdict === 'unchecked' && kind === 'document' ? 'unchecked' : 'whole';
}

async function addRows(trx: Kysely<Schema>, backup: Backup): Promise<number> {
  const { folder, manifest, shape } = backup;
  let rows = 0;
  for (const [name, { sha256 }] of Object.entries(manifest.tables)) {
    // An earlier version does not know each of these tables, and backs them up.
    if (LEFT_OUT.has(name)) continue;
    const { columns, batches } = await readTable(folder, rowsName(name), sha256);
    const rules = new RowRules(folder, name, columns, shape);
    for await (const batch of batches) {
      rules.demand(batch);
      await insertRows(trx, name, columns, batch);
      rows += batch.length;
    }
  }
  let ids: string[] = [];
  for await (const id of expiredIds(folder, manifest)) {
    ids.push(id);
    if (ids.length < IDS_MAX) continue;
    await expire(trx, ids);
    ids = [];
  }
  if (ids.length > 0) await expire(trx, ids);
  return rows;
}

/** Marks rows whose files expired while the backup was made. */
async function expire(trx: Kysely<Schema>, ids: readonly string[]): Promise<void> {
  const state = DOCUMENT_STATES.deleted;
  await trx.updateTable('documents').set({ state }).where('document_id', 'in', ids).execute();
  await trx.updateTable('run_files').set({ state }).where('file_id', 'in', ids).execute();
}
