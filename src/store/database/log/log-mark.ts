import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import {
  type Checksum,
  checksumOf,
  continues,
  FRAME_HEADER_BYTES,
  isCommit,
  LOG_HEADER_BYTES,
  type LogHeader,
  readLogHeader,
  saltsOf,
} from './log-format.ts';

/** A commit is marked at most this much later, together with those that follow it meanwhile. */
const MARK_EVERY_MS = 100;
/**
 * Frames that are read at a time, the first ones and those after them: a call for each would cost
 * more than all else here, and a single transaction has five.
 */
const FIRST_FRAMES = 8;
const MORE_FRAMES = 64;

/** How far the log of writes reached when a process looked at it last. */
export interface Mark {
  /** Salts of the log. */
  readonly salts: string;
  /** The last frame of the newest transaction, counted from 1. */
  readonly frames: number;
  /** The page in that frame, and a CRC-32 of its content. */
  readonly page: number;
  readonly pageCheck: number;
}

/**
 * Writes, beside the database, how far its log reaches, in the thread that commits. Frames that are
 * damaged or cut off at the end of a log look like a transaction that was not acknowledged yet; the
 * mark says that it was. It is not synced: after a power cut it may be older than the log.
 *
 * SQLite tells the end of the log only in its `-shm` file, which must not be opened here: closing it
 * would release the locks that SQLite holds on it (fcntl(2)). So frames are followed from the last
 * mark on.
 */
export class LogMarker {
  readonly #path: string;
  readonly #head = Buffer.alloc(LOG_HEADER_BYTES);
  #log: number | null = null;
  #file: number | null = null;
  #timer: NodeJS.Timeout | null = null;
  #salts = '';
  #frames = 0;
  /** Checksum of frame `#frames`; of the header, when `#frames` is 0. */
  #checksum: Checksum = [0, 0];
  #marked = '';
  #frameRoom = Buffer.alloc(0);

  constructor(databasePath: string) {
    this.#path = databasePath;
  }

  /** Call this after each commit. */
  committed(): void {
    this.#timer ??= setTimeout(() => this.#mark(), MARK_EVERY_MS);
  }

  /** Marks what was committed last. Call this before SQLite closes the database. */
  close(): void {
    if (this.#timer !== null) this.#mark();
    for (const file of [this.#log, this.#file]) if (file !== null) closeSync(file);
    this.#log = null;
    this.#file = null;
  }

  #mark(): void {
    clearTimeout(this.#timer ?? undefined);
    this.#timer = null;
    try {
      const mark = this.#follow();
      const text = mark === null ? this.#marked : textOf(mark);
      if (text === this.#marked) return;
      this.#file ??= openSync(markPath(this.#path), constants.O_CREAT | constants.O_RDWR, 0o600);
      writeSync(this.#file, text, 0);
      this.#marked = text;
    } catch (error) {
      // The disk is full, or fails: rows are committed all the same, and the next mark says more.
      if (!(error instanceof Error && 'code' in error)) throw error;
    }
  }

  #follow(): Mark | null {
    const log = (this.#log ??= openSync(`${this.#path}-wal`, 'r'));
    if (readSync(log, this.#head, 0, LOG_HEADER_BYTES, 0) < LOG_HEADER_BYTES) return null;
    const header = readLogHeader(this.#head);
    if (header === null) return null;
    if (header.salts !== this.#salts) {
      this.#frames = 0;
      this.#checksum = header.checksum;
      this.#salts = header.salts;
    }
    const frames = this.#room(header);
    const last = this.#followFrames(log, header, frames);
    if (last === 0) return null;
    const frame = frames.subarray(0, frameBytesOf(header));
    readFrames(log, frame, last);
    // Another process has begun the log anew meanwhile: the next mark is of that one.
    if (saltsOf(frame) !== header.salts) return null;
    const pageCheck = crc32(frame.subarray(FRAME_HEADER_BYTES));
    return { salts: header.salts, frames: last, page: frame.readUInt32BE(0), pageCheck };
  }

  /** The buffer that frames are read into; kept, because allocating it costs more than the read. */
  #room(header: LogHeader): Buffer {
    const bytes = MORE_FRAMES * frameBytesOf(header);
    if (this.#frameRoom.byteLength !== bytes) this.#frameRoom = Buffer.alloc(bytes);
    return this.#frameRoom;
  }

  /**
   * Returns the last frame that ends a transaction. What a crash has left behind the end of the log
   * may have its salts, but its checksums do not continue those of the log.
   */
  #followFrames(log: number, header: LogHeader, room: Buffer): number {
    const frameBytes = frameBytesOf(header);
    let number = this.#frames + 1;
    for (let wanted = FIRST_FRAMES; ; wanted = MORE_FRAMES) {
      const count = readFrames(log, room.subarray(0, wanted * frameBytes), number, frameBytes);
      for (let at = 0; at < count * frameBytes; at += frameBytes) {
        const frame = room.subarray(at, at + frameBytes);
        if (saltsOf(frame) !== header.salts) return this.#frames;
        const isFirst = number === this.#frames + 1;
        if (isFirst && !continues(frame, this.#checksum, header)) return this.#frames;
        if (isCommit(frame)) {
          this.#frames = number;
          this.#checksum = checksumOf(frame);
        }
        number += 1;
      }
      if (count < wanted) return this.#frames;
    }
  }
}

function frameBytesOf({ pageBytes }: LogHeader): number {
  return FRAME_HEADER_BYTES + pageBytes;
}

/**
 * Reads frames from the one of this number on, counted from 1, and returns how many there were: the
 * file may end before the last one does.
 */
function readFrames(
  log: number,
  frames: Buffer,
  number: number,
  frameBytes = frames.byteLength,
): number {
  const at = LOG_HEADER_BYTES + (number - 1) * frameBytes;
  return Math.floor(readSync(log, frames, 0, frames.byteLength, at) / frameBytes);
}

export function markPath(databasePath: string): string {
  return `${databasePath}-mark`;
}

/** Always of the same length, because it is written over the one before. */
function textOf({ salts, frames, page, pageCheck }: Mark): string {
  const numbers = [frames, page, pageCheck].map((number) => String(number).padStart(10, '0'));
  const line = [salts, ...numbers].join(' ');
  return `${line} ${String(crc32(line)).padStart(10, '0')}\n`;
}

/** Null: this is no mark. */
export function parseMark(text: string): Mark | null {
  const line = text.slice(0, text.lastIndexOf(' '));
  const [salts = '', frames, page, pageCheck] = line.split(' ');
  const mark = {
    salts,
    frames: Number(frames),
    page: Number(page),
    pageCheck: Number(pageCheck),
  };
  return text === textOf(mark) ? mark : null;
}
