import { open, readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import {
  FRAME_HEADER_BYTES,
  LOG_HEADER_BYTES,
  readFrames,
  readLogHeader,
} from '../../../src/store/database/log/log-format.ts';

/** The page of a frame, and where its content lies in the log. */
interface Logged {
  readonly page: number;
  readonly at: number;
}

interface Log {
  readonly bytes: Buffer;
  readonly pageBytes: number;
  /** Frames of transactions that were committed. */
  readonly frames: readonly Logged[];
}

/** Reads the log of a database. */
async function readLog(path: string): Promise<Log> {
  const bytes = await readFile(path);
  const header = readLogHeader(bytes);
  if (header === null) return { bytes, pageBytes: 0, frames: [] };
  const file = await open(path, 'r');
  const frames: Logged[] = [];
  let committed = 0;
  try {
    for await (const { number, isCommit, fits } of readFrames(file, header)) {
      if (!fits) break;
      const at = LOG_HEADER_BYTES + (number - 1) * (FRAME_HEADER_BYTES + header.pageBytes);
      frames.push({ page: bytes.readUInt32BE(at), at: at + FRAME_HEADER_BYTES });
      if (isCommit) committed = number;
    }
  } finally {
    await file.close();
  }
  return { bytes, pageBytes: header.pageBytes, frames: frames.slice(0, committed) };
}

/** Waits until the mark of the database is of its whole log. */
export async function waitForMark(database: string): Promise<void> {
  for (;;) {
    const { frames } = await readLog(`${database}-wal`);
    const mark = await readFile(`${database}-mark`, 'utf8');
    if (Number(mark.split(' ')[1]) === frames.length) return;
    await pause(10);
  }
}

/** The database with its log copied into it, and where a byte of the log came to lie; -1: nowhere. */
export async function withLog(
  database: string,
  at: number,
): Promise<{ readonly image: Buffer; readonly at: number }> {
  const { bytes, pageBytes, frames } = await readLog(`${database}-wal`);
  const file = await readFile(database);
  const pages = Math.max(...frames.map(({ page }) => page), file.byteLength / pageBytes);
  const image = Buffer.alloc(pages * pageBytes);
  file.copy(image);
  let place = -1;
  for (const frame of frames) {
    const start = (frame.page - 1) * pageBytes;
    bytes.copy(image, start, frame.at, frame.at + pageBytes);
    const isHere = at >= frame.at && at < frame.at + pageBytes;
    if (isHere) place = start + at - frame.at;
    // A later frame has the page anew.
    else if (place >= start && place < start + pageBytes) place = -1;
  }
  return { image, at: place };
}

/** Whether a byte belongs to the log, and not to what is left behind its end. */
export async function isInLog(database: string, at: number): Promise<boolean> {
  const { pageBytes, frames } = await readLog(`${database}-wal`);
  return at < LOG_HEADER_BYTES + frames.length * (FRAME_HEADER_BYTES + pageBytes);
}
