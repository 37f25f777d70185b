import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { errorCode } from '../../runtime/error-code.ts';
import { DOCUMENT_STATES } from '../database/schema.ts';
import { type FileKind, storedName } from '../files/files.ts';
import { digest, hex, isUuid } from '../ids.ts';
import { StorageUnavailable } from '../terms.ts';
import { type Cell, readTable, type TableFile } from './rows.ts';

/*
 * A backup is a folder with these files:
 *
 *   manifest.json          written last: a folder without it is not a backup (manifest.ts)
 *   rows/<table>.ndjson    all rows of the snapshot
 *   files.ndjson           what the backup holds of each file that the rows refer to (file-list.ts)
 *   files/ab/<id>.pdf      each document that existed at that moment; ab: last two digits of the id
 *   files/ab/<id>.run      the same for runs: uploaded rows, and packs of documents
 *
 * Rows are read in one snapshot of the database. Files never change, and each is written before its
 * row, so every document of the snapshot has its file until it expires.
 */

/** Opening must not block on a FIFO, nor follow a link out of the backup. */
const OPEN_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** A backup that is being read: plain files in plain folders, whoever had it in between. */
export class BackupFolder {
  readonly path: string;
  readonly #folders = new Set<string>();

  constructor(path: string) {
    this.path = path;
  }

  pathOf(name: string): string {
    return join(this.path, name);
  }

  /** Opens a file. Throws StorageUnavailable when it is absent, a link, or not a file. */
  async open(name: string): Promise<FileHandle> {
    const file = await this.openOrNull(name);
    if (file !== null) return file;
    throw new StorageUnavailable(
      `the backup is damaged: ${this.pathOf(name)} is missing; copy the backup again, or take another`,
    );
  }

  /** As `open`; null: there is no such file. */
  async openOrNull(name: string): Promise<FileHandle | null> {
    let file: FileHandle;
    try {
      await this.#demandFolder(dirname(name));
      file = await open(this.pathOf(name), OPEN_FLAGS);
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return null;
      if (errorCode(error) === 'ELOOP') throw this.#foreign(name, 'link');
      throw error;
    }
    try {
      if (!(await file.stat()).isFile()) throw this.#foreign(name, 'special file');
      return file;
    } catch (error) {
      await file.close();
      throw error;
    }
  }

  /**
   * Reads a whole file; null: it does not exist. Throws StorageUnavailable when it is larger than
   * what was stored.
   */
  async readOrNull(name: string, bytesMax: number): Promise<Buffer | null> {
    const file = await this.openOrNull(name);
    if (file === null) return null;
    try {
      const { size } = await file.stat();
      if (size > bytesMax) {
        throw new StorageUnavailable(
          `the backup is damaged: ${this.pathOf(name)} is not the file that was stored: it has ${size} bytes`,
        );
      }
      return await file.readFile();
    } finally {
      await file.close();
    }
  }

  /** Throws unless every folder on the way from the backup to this one is a folder, no link to one. */
  async #demandFolder(name: string): Promise<void> {
    if (name === '.' || this.#folders.has(name)) return;
    await this.#demandFolder(dirname(name));
    if (!(await lstat(this.pathOf(name))).isDirectory()) throw this.#foreign(name, 'link');
    this.#folders.add(name);
  }

  #foreign(name: string, what: string): StorageUnavailable {
    return new StorageUnavailable(
      `the backup was changed: ${this.pathOf(name)} is a ${what}; a backup has plain files and folders`,
    );
  }
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
  readonly expiresAtMs: number;
}

/**
 * Lists the files of all rows that were living at `nowMs`, in the order of the rows. Throws
 * StorageUnavailable when a row names its file by anything but an id.
 */
export async function* livingFiles(
  folder: BackupFolder,
  tables: Readonly<Record<string, TableFile>>,
  nowMs: number,
): AsyncGenerator<LivingFile> {
  for (const table of ['documents', 'run_files'] as const) {
    const isDocument = table === 'documents';
    for await (const row of rowsOf(folder, table, tables)) {
      const expiresAtMs = Number(row('expires_at_ms'));
      // A document in a pack has the state `packed`: its file is that of the pack.
      if (row('state') !== DOCUMENT_STATES.available || expiresAtMs <= nowMs) continue;
      const id = row(isDocument ? 'document_id' : 'file_id');
      const bytes = row('bytes');
      if (!isUuid(id) || !Number.isSafeInteger(bytes) || Number(bytes) < 0) {
        throw new StorageUnavailable(
          `the backup was changed: ${folder.pathOf(rowsName(table))} has a row whose id or size is none`,
        );
      }
      yield {
        id,
        kind: isDocument ? 'document' : 'run',
        bytes: Number(bytes),
        sha256: isDocument ? hex(digestIn(row('sha256'))) : null,
        wrappedKey: wrappedKeyIn(row('wrapped_key')),
        expiresAtMs,
      };
    }
  }
}

/** A row of a table: returns the cell of a column. */
type Row = (column: string) => Cell;

/** Yields the rows of a table; none when the backup has no such table. */
async function* rowsOf(
  folder: BackupFolder,
  name: string,
  tables: Readonly<Record<string, TableFile>>,
): AsyncGenerator<Row> {
  const table = tables[name];
  if (table === undefined) return;
  const { columns, batches } = await readTable(folder, rowsName(name), table.sha256);
  const indexes = new Map(columns.map((column, index) => [column, index]));
  for await (const batch of batches) {
    for (const cells of batch) {
      yield (column) => cells[indexes.get(column) ?? -1] ?? null;
    }
  }
}

function digestIn(cell: Cell): Uint8Array {
  if (cell instanceof Uint8Array) return cell;
  throw new StorageUnavailable('the backup was changed: a digest of a document is not bytes');
}

/** null also for a backup of an older version, which has no such column. */
function wrappedKeyIn(cell: Cell): Uint8Array | null {
  return cell instanceof Uint8Array ? cell : null;
}

/** The name in the backup of the rows of a table. */
export function rowsName(table: string): string {
  return `rows/${table}.ndjson`;
}

/** The name of a file in the backup. The end of a UUIDv7 is random, so the folders fill evenly. */
export function fileName(id: string, kind: FileKind): string {
  return `files/${id.slice(-2)}/${storedName(id, kind)}`;
}

/** The SHA-256 in lowercase hex. */
export function digestOf(bytes: Uint8Array): string {
  return hex(digest(bytes));
}

/** Writes a file atomically: a file of this name is always whole. */
export async function writeWhole(path: string, content: string | Uint8Array): Promise<void> {
  const part = `${path}.part`;
  const file = await open(part, 'wx', 0o600);
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
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}
