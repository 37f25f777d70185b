import type { FileHandle } from 'node:fs/promises';

/*
 * SQLite's log of writes, as https://www.sqlite.org/fileformat2.html section 4 describes it. All
 * numbers are big-endian.
 *
 *   file    header (32 bytes) | frame | frame | …
 *   header  magic | version | page size | checkpoint | salt 1 | salt 2 | checksum (8 bytes)
 *   frame   page number | pages after the commit, else 0 | salt 1 | salt 2 | checksum (8) | page
 *
 * A frame belongs to the log when its salts are those of the header and its checksum continues that
 * of the frame before. When the log begins anew it gets other salts; what is left behind its end has
 * the former ones.
 */
export const LOG_HEADER_BYTES = 32;
export const FRAME_HEADER_BYTES = 24;
/** Bytes of a frame's header that its checksum covers. */
const CHECKED_FRAME_BYTES = 8;
const CHECKED_HEADER_BYTES = 24;
/** Without its last bit, which says in which order of bytes the checksums are computed. */
const MAGIC = 0x377f0682;
const PAGE_BYTES_MIN = 512;
const PAGE_BYTES_MAX = 65_536;
/** Frames that are read at a time. */
const BATCH_FRAMES = 64;

export type Checksum = readonly [number, number];

export interface LogHeader {
  /** Both salts, in hexadecimal. */
  readonly salts: string;
  readonly pageBytes: number;
  readonly isLittleEndian: boolean;
  readonly checksum: Checksum;
}

/** Null: these bytes are no header of a log. `checksum` is not compared. */
export function readLogHeader(bytes: Buffer): LogHeader | null {
  if (bytes.byteLength < LOG_HEADER_BYTES) return null;
  const magic = bytes.readUInt32BE(0);
  const pageBytes = bytes.readUInt32BE(8);
  const isPower = (pageBytes & (pageBytes - 1)) === 0;
  if ((magic & ~1) !== MAGIC || !isPower) return null;
  if (pageBytes < PAGE_BYTES_MIN || pageBytes > PAGE_BYTES_MAX) return null;
  return {
    salts: bytes.toString('hex', 16, 24),
    pageBytes,
    isLittleEndian: (magic & 1) === 0,
    checksum: [bytes.readUInt32BE(24), bytes.readUInt32BE(28)],
  };
}

/** Whether a header's checksum fits; SQLite ignores the whole log when it does not. */
export function headerFits(bytes: Buffer, { isLittleEndian, checksum }: LogHeader): boolean {
  const covered = bytes.subarray(0, CHECKED_HEADER_BYTES);
  return isSame(continued([0, 0], covered, isLittleEndian), checksum);
}

interface Frame {
  /** Counted from 1. */
  readonly number: number;
  /** The last one of a transaction. */
  readonly isCommit: boolean;
  /** Its salts are the header's, and its checksum continues the one that the frame before holds. */
  readonly fits: boolean;
}

/** Yields the frames of a log to the end of the file, whether or not they belong to the log. */
export async function* readFrames(file: FileHandle, header: LogHeader): AsyncGenerator<Frame> {
  const frameBytes = FRAME_HEADER_BYTES + header.pageBytes;
  const batch = Buffer.allocUnsafe(frameBytes * BATCH_FRAMES);
  let before = header.checksum;
  for (let number = 1, at = LOG_HEADER_BYTES; ;) {
    const { bytesRead } = await file.read(batch, 0, batch.byteLength, at);
    const count = Math.floor(bytesRead / frameBytes);
    if (count === 0) return;
    for (let index = 0; index < count; index += 1) {
      const frame = batch.subarray(index * frameBytes, (index + 1) * frameBytes);
      const fits = saltsOf(frame) === header.salts && continues(frame, before, header);
      yield { number, isCommit: isCommit(frame), fits };
      before = checksumOf(frame);
      number += 1;
    }
    at += count * frameBytes;
  }
}

export function isCommit(frame: Buffer): boolean {
  return frame.readUInt32BE(4) !== 0;
}

/** Both salts of a frame, in hexadecimal. */
export function saltsOf(frame: Buffer): string {
  return frame.toString('hex', 8, 16);
}

/** The checksum that a frame holds. */
export function checksumOf(frame: Buffer): Checksum {
  return [frame.readUInt32BE(16), frame.readUInt32BE(20)];
}

/** Whether the frame's checksum continues the one before. */
export function continues(frame: Buffer, before: Checksum, { isLittleEndian }: LogHeader): boolean {
  const head = continued(before, frame.subarray(0, CHECKED_FRAME_BYTES), isLittleEndian);
  const sum = continued(head, frame.subarray(FRAME_HEADER_BYTES), isLittleEndian);
  return isSame(sum, checksumOf(frame));
}

function continued([first, second]: Checksum, bytes: Buffer, isLittleEndian: boolean): Checksum {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let one = first | 0;
  let two = second | 0;
  for (let at = 0; at < bytes.byteLength; at += 8) {
    one = (one + view.getUint32(at, isLittleEndian) + two) | 0;
    two = (two + view.getUint32(at + 4, isLittleEndian) + one) | 0;
  }
  return [one >>> 0, two >>> 0];
}

function isSame(one: Checksum, other: Checksum): boolean {
  return one[0] === other[0] && one[1] === other[1];
}
