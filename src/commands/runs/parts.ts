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
  let held = Buffer.alloc(0);
  let toByte = 0;
  // Takes one part from the held bytes; `isWhole` says that the file has no more bytes.
  const cut = (isWhole: boolean): FilePart | null => {
    const [first] = rowEnds(held, format, isWhole, { rowsMax: 1, bytesMax: PART_BYTES });
    if (format === 'csv' && header === null && first !== undefined) {
      header = held.subarray(0, first);
      held = held.subarray(first);
      toByte += first;
    }
    const length = rowEnds(held, format, isWhole, bounds).at(-1) ?? 0;
    if (length === 0 || (!isWhole && length < PART_BYTES)) return null;
    const rows = held.subarray(0, length);
    held = held.subarray(length);
    toByte += length;
    return { rows: Buffer.concat(header === null ? [rows] : [header, rows]), toByte };
  };
  const input = createReadStream(path, { highWaterMark: CHUNK_BYTES });
  try {
    for await (const chunk of input) {
      // Without an encoding, the stream yields buffers.
      held = Buffer.concat([held, chunk as Buffer]);
      if (held.length < PART_BYTES) continue;
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
