import { createReadStream } from 'node:fs';

import { rowEnds } from '../../runs/row-reader.ts';
import { unreadable } from '../console/failure.ts';

/** Size of a part before compression; the service accepts 16 MB. */
const PART_BYTES = 8 * 1024 * 1024;
/** Bytes that one read of the file returns at most. */
const CHUNK_BYTES = 1024 * 1024;

/** Whole rows of a file; for CSV the header comes first. */
export interface FilePart {
  readonly rows: Buffer;
  /** Offset in the file at which the part ends. */
  readonly toByte: number;
}

/**
 * Cuts a file into parts. The same file is always cut at the same offsets, so an interrupted upload
 * can resume. Memory use does not grow with the file.
 */
export async function* cutIntoParts(
  path: string,
  format: 'ndjson' | 'csv',
): AsyncGenerator<FilePart> {
  const bounds = { rowsMax: Number.MAX_SAFE_INTEGER, bytesMax: PART_BYTES };
  let header: Buffer | null = null;
  /** Bytes that were read and belong to no part yet. */
  let pending = Buffer.alloc(0);
  let toByte = 0;
  // Takes one part from the pending bytes; null: they are not enough. `isEnd`: no more bytes follow.
  const cut = (isEnd: boolean): FilePart | null => {
    const [firstEnd] = rowEnds(pending, format, isEnd, { rowsMax: 1, bytesMax: PART_BYTES });
    if (format === 'csv' && header === null && firstEnd !== undefined) {
      header = pending.subarray(0, firstEnd);
      pending = pending.subarray(firstEnd);
      toByte += firstEnd;
    }
    const length = rowEnds(pending, format, isEnd, bounds).at(-1) ?? 0;
    if (length === 0 || (!isEnd && length < PART_BYTES)) return null;
    const rows = pending.subarray(0, length);
    pending = pending.subarray(length);
    toByte += length;
    return { rows: Buffer.concat(header === null ? [rows] : [header, rows]), toByte };
  };
  const input = createReadStream(path, { highWaterMark: CHUNK_BYTES });
  try {
    for await (const chunk of input) {
      // Without an encoding, the stream yields buffers.
      pending = Buffer.concat([pending, chunk as Buffer]);
      if (pending.length < PART_BYTES) continue;
      const part = cut(false);
      if (part !== null) yield part;
    }
    for (let part = cut(true); part !== null; part = cut(true)) yield part;
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) throw unreadable(path, error);
    throw error;
  } finally {
    input.destroy();
  }
}
