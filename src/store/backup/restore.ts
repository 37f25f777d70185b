import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Kysely } from 'kysely';
import type { Database } from '../database/database.ts';
import { DOCUMENT_STATES, type Schema } from '../database/schema.ts';
import { StorageUnavailable } from '../store.ts';
import { type BackupStore, damagedRows, LEFT_OUT } from './backup.ts';
import { checkFile } from './check.ts';
import {
  digestOf,
  forEachFile,
  type LivingFile,
  livingFiles,
  type Manifest,
  pathOf,
  readManifest,
} from './folder.ts';
import { insertRows, readTable } from './rows.ts';

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
  readonly rows: number;
  readonly files: number;
  /** Documents, and files of runs, that the backup lacks; their rows are restored. */
  readonly missing: readonly string[];
  /** Rows that the backup lacks because they were damaged, by table. */
  readonly damagedRows: Readonly<Record<string, number>>;
  /** Encrypted documents that were restored without a check, because their key is not available. */
  readonly unchecked: number;
}

/**
 * Restores a backup into an empty database (SQLite or MySQL) and an empty file store. Files come
 * first, and all rows are one transaction: an interrupted restore leaves no rows and can be run
 * again. Calls `warn` before it writes when the file store is not empty. Every digest is checked;
 * throws StorageUnavailable when the database is not empty or the backup was changed.
 */
export async function restore(
  store: BackupStore,
  folder: string,
  nowMs: number,
  warn: (message: string) => void,
): Promise<RestoreReport> {
  const { database } = store;
  const manifest = await readManifest(folder);
  await demandEmpty(database);
  if (await hasFiles(store)) warn(HOLDS_FILES);
  const { count, missing, unchecked } = await putFiles(store, folder, manifest, nowMs);
  const rows = await database.transact((trx) => addRows(trx, folder, manifest));
  const lacking = damagedRows(manifest);
  return { manifest, rows, files: count, missing, damagedRows: lacking, unchecked };
}

/** Throws unless the database has no rows. */
async function demandEmpty(database: Database): Promise<void> {
  for (const table of ['teams', 'documents', 'audit'] as const) {
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
  { files, ring }: BackupStore,
  folder: string,
  manifest: Manifest,
  nowMs: number,
): Promise<{ count: number; missing: readonly string[]; unchecked: number }> {
  const missing: string[] = [];
  const expired = new Set(manifest.expired);
  let count = 0;
  let unchecked = 0;
  const put = async (file: LivingFile): Promise<void> => {
    const { id, kind } = file;
    if (expired.has(id)) return;
    const path = pathOf(folder, id, kind);
    const content = await readOrNull(path);
    if (content === null) {
      missing.push(id);
      return;
    }
    // The digest of a document is in its row, that of another file in the manifest.
    const hasListedDigest = kind === 'document' || digestOf(content) === manifest.runFiles[id];
    const verdict = await checkFile(ring, file, content);
    if (!hasListedDigest || verdict === 'damaged') {
      throw new StorageUnavailable(
        `the backup is damaged: ${path} is not the file that was stored`,
      );
    }
    // The manifest's digest is that of the stored bytes, so it needs no key.
    if (verdict === 'unchecked' && kind === 'document') unchecked += 1;
    await files.put(id, content, kind);
    count += 1;
  };
  await forEachFile(livingFiles(folder, manifest.tables, nowMs), LANES, put);
  return { count, missing, unchecked };
}

async function readOrNull(path: string): Promise<Uint8Array | null> {
  try {
    return await readFile(path);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
}

async function addRows(trx: Kysely<Schema>, folder: string, manifest: Manifest): Promise<number> {
  let rows = 0;
  for (const [name, { sha256 }] of Object.entries(manifest.tables)) {
    // An earlier version does not know each of these tables, and backs them up.
    if (LEFT_OUT.has(name)) continue;
    const { columns, batches } = await readTable(join(folder, 'rows', `${name}.ndjson`), sha256);
    for await (const batch of batches) {
      await insertRows(trx, name, columns, batch);
      rows += batch.length;
    }
  }
  const state = DOCUMENT_STATES.deleted;
  for (let from = 0; from < manifest.expired.length; from += IDS_MAX) {
    const ids = manifest.expired.slice(from, from + IDS_MAX);
    await trx.updateTable('documents').set({ state }).where('document_id', 'in', ids).execute();
    await trx.updateTable('run_files').set({ state }).where('file_id', 'in', ids).execute();
  }
  return rows;
}
