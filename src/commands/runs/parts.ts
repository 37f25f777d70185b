import { createReadStream } from 'node:fs';

import { rowEnds } from '../../runs/row-reader.ts';
import { unreadable } from '../console/failure.ts';

/** Rows of a part, unpacked: the service takes 16 MB. */
const PART_BYTES = 8 * 1024 * 1024;
const PIECE_BYTES = 1024 * 1024;

/** A piece of a file that ends where a row ends; of CSV, with the header before it. */
export interface FilePart {
  readonly rows: Buffer;
  /** Bytes of the file that it and all before it make up. */
  readonly toByte: number;
}

/** Cuts a file into parts, always at the same places; memory does not grow with the file. */
export async function* cutIntoParts(
  path: string,
  format: 'ndjson' | 'csv',
): AsyncGenerator<FilePart> {
  const bounds = { rowsMax: Number.MAX_SAFE_INTEGER, bytesMax: PART_BYTES };
  let header: Buffer | null = null;
  let held = Buffer.alloc(0);
  let toByte = 0;
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
  const input = createReadStream(path, { highWaterMark: PIECE_BYTES });
  try {
    for await (const piece of input) {
      // Without an encoding, pieces are buffers.
      held = Buffer.concat([held, piece as Buffer]);
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
