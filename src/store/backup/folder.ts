import { createHash } from 'node:crypto';
import { open, readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { MIGRATIONS } from '../database/migrations.ts';
import { DOCUMENT_STATES } from '../database/schema.ts';
import { EXTENSIONS, type FileKind } from '../files/files.ts';
import { hex } from '../ids.ts';
import { StorageUnavailable } from '../store.ts';
import { type Cell, readTable, type TableFile } from './rows.ts';

/*
 * A backup is a folder with these files:
 *
 *   manifest.json          written last: a folder without it is not a backup
 *   rows/<table>.ndjson    all rows of the snapshot
 *   files/ab/<id>.pdf      each document that existed at that moment; ab: last two digits of the id
 *   files/ab/<id>.run      the same for runs: uploaded rows, and packs of documents
 *
 * Rows are read in one snapshot of the database. Files never change, and each is written before its
 * row, so every document of the snapshot has its file until it expires.
 */

const MANIFEST = 'manifest.json';
export const FORMAT = 1;

export interface Manifest {
  readonly format: typeof FORMAT;
  /** Migrations applied to the database that was backed up. */
  readonly schema: number;
  readonly createdAt: string;
  readonly tables: Readonly<Record<string, TableFile>>;
  readonly files: number;
  readonly bytes: number;
  /** Digests of the files of runs, by id; digests of documents are in their rows. */
  readonly runFiles: Readonly<Record<string, string>>;
  /** Documents and files of runs that expired during the backup, which lacks their files. */
  readonly expired: readonly string[];
}

/** A file that belongs to a backup. */
export interface LivingFile {
  readonly id: string;
  readonly kind: FileKind;
  readonly bytes: number;
  /** null: the rows hold no digest of it. */
  readonly sha256: string | null;
  /** null: the file is not encrypted. */
  readonly wrappedKey: Uint8Array | null;
}

/** Lists the files that the backup's rows refer to, read back from what was just written. */
export async function* livingFiles(
  folder: string,
  tables: Readonly<Record<string, TableFile>>,
  nowMs: number,
): AsyncGenerator<LivingFile> {
  const isLiving = (row: Row): boolean =>
    row('state') === DOCUMENT_STATES.available && Number(row('expires_at_ms')) > nowMs;
  for await (const row of rowsOf(folder, 'documents', tables)) {
    // A document in a pack has the state `packed`: its file is that of the pack.
    if (!isLiving(row)) continue;
    yield {
      id: String(row('document_id')),
      kind: 'document',
      bytes: Number(row('bytes')),
      sha256: hex(digestIn(row('sha256'))),
      wrappedKey: wrappedKeyIn(row('wrapped_key')),
    };
  }
  for await (const row of rowsOf(folder, 'run_files', tables)) {
    if (!isLiving(row)) continue;
    yield {
      id: String(row('file_id')),
      kind: 'run',
      bytes: Number(row('bytes')),
      sha256: null,
      wrappedKey: wrappedKeyIn(row('wrapped_key')),
    };
  }
}

/**
 * Calls `work` for each file, several at a time. After a failure no further file is started; the error
 * is thrown when the files in progress have ended, so that nothing is written afterwards.
 */
export async function forEachFile(
  files: AsyncGenerator<LivingFile>,
  lanes: number,
  work: (file: LivingFile) => Promise<void>,
): Promise<void> {
  const lane = async (): Promise<void> => {
    // The lanes share the generator: it gives each file to one lane, and a throw ends it for all.
    for await (const file of files) await work(file);
  };
  const ended = await Promise.allSettled(Array.from({ length: lanes }, lane));
  const failed = ended.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

/** A row of a table: returns the cell of a column. */
type Row = (column: string) => Cell;

/** Yields the rows of a table; none when the backup has no such table. */
async function* rowsOf(
  folder: string,
  name: string,
  tables: Readonly<Record<string, TableFile>>,
): AsyncGenerator<Row> {
  const table = tables[name];
  if (table === undefined) return;
  const { columns, batches } = await readTable(
    join(folder, 'rows', `${name}.ndjson`),
    table.sha256,
  );
  const indexes = new Map(columns.map((column, index) => [column, index]));
  for await (const batch of batches) {
    for (const cells of batch) {
      yield (column) => cells[indexes.get(column) ?? -1] ?? null;
    }
  }
}

function digestIn(cell: Cell): Uint8Array {
  if (cell instanceof Uint8Array) return cell;
  throw new Error('a digest in the backup is not bytes');
}

/** null also for a backup of an older version, which has no such column. */
function wrappedKeyIn(cell: Cell): Uint8Array | null {
  return cell instanceof Uint8Array ? cell : null;
}

/** The SHA-256 in lowercase hex. */
export function digestOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** The path of a file in the backup. The end of a UUIDv7 is random, so the folders fill evenly. */
export function pathOf(folder: string, id: string, kind: FileKind): string {
  return join(folder, 'files', id.slice(-2), `${id}${EXTENSIONS[kind]}`);
}

/** Writes a file atomically: a file of this name is always whole. */
export async function writeWhole(path: string, content: string | Uint8Array): Promise<void> {
  const part = `${path}.part`;
  const file = await open(part, 'w', 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(part, path);
}

/** Whether the folder has any entry; a backup must not be mixed with other files. */
export async function isTaken(folder: string): Promise<boolean> {
  try {
    return (await readdir(folder)).length > 0;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
}

/** Writes the manifest, which marks the backup as complete. */
export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  await writeWhole(join(folder, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** Reads the manifest of a backup. Throws StorageUnavailable when it is absent or too new. */
export async function readManifest(folder: string): Promise<Manifest> {
  let text: string;
  try {
    text = await readFile(join(folder, MANIFEST), 'utf8');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    throw new StorageUnavailable(`${folder} holds no complete backup: it has no ${MANIFEST}`);
  }
  // This program wrote the manifest, so it has this shape; its digests verify the other files.
  const manifest = JSON.parse(text) as Manifest;
  if (manifest.format !== FORMAT || manifest.schema > MIGRATIONS.length) {
    throw new StorageUnavailable(`the backup was made by a newer version: update this one first`);
  }
  return manifest;
}
