import { constants, type Stats } from 'node:fs';
import { copyFile, type FileHandle, open, readFile, stat, unlink } from 'node:fs/promises';
import { DatabaseSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import { reasonOf } from '../../reason.ts';
import { StorageUnavailable } from '../../terms.ts';
import {
  FRAME_HEADER_BYTES,
  headerFits,
  LOG_HEADER_BYTES,
  type LogHeader,
  readFrames,
  readLogHeader,
  saltsOf,
} from './log-format.ts';
import { type Mark, markPath, parseMark } from './log-mark.ts';

/*
 * When SQLite opens a database that was not closed, it takes the frames of the log up to the first
 * one whose checksum does not fit: a crash leaves such a frame where a transaction was being written.
 * After damage, acknowledged transactions follow that frame, and SQLite drops them without a word.
 * Nothing is written to the log before the transaction in front of it is synced. So these tell damage
 * from a crash:
 *
 * - whole frames follow the end of another transaction behind the frame that does not fit;
 * - the mark (log-mark.ts) says that the log reached further than it does now.
 */

/** Keeps the log as it was found, until an operator accepts the loss. */
function keptPath(databasePath: string): string {
  return `${databasePath}-wal-damaged`;
}

/** What an operator is told for as long as a damaged log is kept; null: none is. */
export async function lossOf(databasePath: string): Promise<string | null> {
  if ((await statOf(keptPath(databasePath))) === null) return null;
  return (
    'the log of writes of the database was damaged or removed while the service was down: rows that' +
    ` were committed last are missing; a copy of the log is ${nameOf(keptPath(databasePath))}.` +
    ' Restore the newest backup, or go on without these rows: ./intaglio sweep' +
    ' --accept-older-database; until then files without a row are kept'
  );
}

/** Removes the log that was kept. */
export async function forgetLoss(databasePath: string): Promise<void> {
  await unlink(keptPath(databasePath)).catch((error: unknown) => {
    if (codeOf(error) !== 'ENOENT') throw error;
  });
}

/**
 * Keeps the log of writes when it has lost transactions. Call this before SQLite opens the database,
 * because it forgets them then. Throws StorageUnavailable when the files cannot be read.
 */
export async function keepDamagedLog(databasePath: string): Promise<void> {
  try {
    const mark = await readMark(databasePath);
    const frames = await framesWritten(databasePath, mark);
    if (frames === null) {
      if (mark !== null && (await isLogMissed(databasePath, mark))) await keep(databasePath);
      return;
    }
    if (frames.whole >= frames.written) return;
    const isNew = await keep(databasePath);
    // A process that has the database open knows the frames from its memory; nothing is lost yet.
    if (framesOfSqlite(databasePath) >= frames.written && isNew) await forgetLoss(databasePath);
  } catch (error) {
    if (codeOf(error) === null) throw error;
    throw new StorageUnavailable(
      `the log of writes of the database cannot be examined: ${reasonOf(codeOf(error) ?? '')}`,
    );
  }
}

interface Frames {
  /** The transactions that SQLite finds end with this frame. */
  readonly whole: number;
  /** At least so many were written and synced. */
  readonly written: number;
}

/** Null: there is no log. */
async function framesWritten(databasePath: string, mark: Mark | null): Promise<Frames | null> {
  const file = await openLog(databasePath);
  if (file === null) return null;
  try {
    const head = Buffer.alloc(LOG_HEADER_BYTES);
    const { bytesRead } = await file.read(head, 0, LOG_HEADER_BYTES, 0);
    if (bytesRead === 0) return null;
    const read = readLogHeader(head);
    const isHeaderWhole = read !== null && headerFits(head, read);
    const header = isHeaderWhole ? read : await guessHeader(file, head, mark);
    const { whole, written } = await countFrames(file, header, isHeaderWhole);
    const isMarked = mark !== null && mark.salts === header.salts && (isHeaderWhole || written > 0);
    return { whole, written: isMarked ? Math.max(written, mark.frames) : written };
  } finally {
    await file.close();
  }
}

async function countFrames(
  file: FileHandle,
  header: LogHeader,
  isHeaderWhole: boolean,
): Promise<Frames> {
  let whole = 0;
  let written = 0;
  let isBroken = !isHeaderWhole;
  let endBeyond = 0;
  for await (const { number, isCommit, fits } of readFrames(file, header)) {
    if (!fits) isBroken = true;
    else if (!isBroken) whole = isCommit ? number : whole;
    else {
      // Only one transaction can have been under way.
      if (endBeyond > 0) written = endBeyond;
      if (isCommit) endBeyond = number;
    }
  }
  return { whole, written: Math.max(whole, written) };
}

/** The header of a log whose own is damaged, as far as the mark or the first frame shows it. */
async function guessHeader(file: FileHandle, head: Buffer, mark: Mark | null): Promise<LogHeader> {
  const first = Buffer.alloc(FRAME_HEADER_BYTES);
  await file.read(first, 0, FRAME_HEADER_BYTES, LOG_HEADER_BYTES);
  return {
    salts: mark?.salts ?? saltsOf(first),
    // SQLite's own size, and the order of the processors that it runs on today.
    pageBytes: 4_096,
    isLittleEndian: true,
    checksum: [head.readUInt32BE(24), head.readUInt32BE(28)],
  };
}

/**
 * Whether the database lacks the log that the mark is of. Who closes the database in order, another
 * program included, has copied the log into it: the marked page is there, or the file is younger.
 */
async function isLogMissed(databasePath: string, mark: Mark): Promise<boolean> {
  const [database, marked] = [await statOf(databasePath), await statOf(markPath(databasePath))];
  if (database === null || marked === null || database.mtimeMs > marked.mtimeMs) return false;
  const file = await open(databasePath, 'r');
  try {
    const head = Buffer.alloc(18);
    await file.read(head, 0, head.byteLength, 0);
    // File header, §1.3.2: 1 stands for 65536. An empty database has no header, and no page.
    const bytes = head.readUInt16BE(16) === 1 ? 65_536 : head.readUInt16BE(16);
    const page = Buffer.alloc(bytes);
    await file.read(page, 0, bytes, (mark.page - 1) * bytes);
    return crc32(page) !== mark.pageCheck;
  } finally {
    await file.close();
  }
}

/** Copies the log as it is; an empty file when there is none. False: one was kept before. */
async function keep(databasePath: string): Promise<boolean> {
  const path = keptPath(databasePath);
  if ((await statOf(path)) !== null) return false;
  try {
    await copyFile(`${databasePath}-wal`, path, constants.COPYFILE_EXCL);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
  }
  const file = await open(path, 'a', 0o600);
  await file.sync();
  await file.close();
  return true;
}

/** How many frames SQLite takes from the log. */
function framesOfSqlite(databasePath: string): number {
  const database = new DatabaseSync(databasePath, { timeout: 1_000 });
  try {
    // The result's second column is the number of frames, -1 without a log (pragma.html).
    return Number(database.prepare('pragma wal_checkpoint(passive)').get()?.['log'] ?? -1);
  } catch (error) {
    if (!(error instanceof Error && 'errcode' in error)) throw error;
    return -1;
  } finally {
    database.close();
  }
}

async function readMark(databasePath: string): Promise<Mark | null> {
  try {
    // One that a power cut has torn, or that was damaged, says nothing.
    return parseMark(await readFile(markPath(databasePath), 'latin1'));
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    return null;
  }
}

async function openLog(databasePath: string): Promise<FileHandle | null> {
  try {
    return await open(`${databasePath}-wal`, 'r');
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    return null;
  }
}

async function statOf(path: string): Promise<Stats | null> {
  try {
    return await stat(path);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    return null;
  }
}

function codeOf(error: unknown): string | null {
  return error instanceof Error && 'code' in error ? String(error.code) : null;
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
