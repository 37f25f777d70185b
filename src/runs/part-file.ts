import { hash } from 'node:crypto';
import { delimiterOf } from '../runtime/csv/csv-format.ts';
import type { RunPart, RunSpec } from '../store/runs/types.ts';
import { FileDamaged, FileMissing, type Store, type StoredFile } from '../store/store.ts';
import type { CsvHeader } from '#engine';
import { readHeader } from '#engine/light';
import { RowsLost } from './losses.ts';

/**
 * Reads a part whole, at most `LIMITS.runPartBytesMax` bytes, and compares it with the digest that was
 * acknowledged. The rows are then read from memory, so that no later read can differ.
 */
export async function readPart(store: Pick<Store, 'runWork'>, part: RunPart): Promise<StoredFile> {
  const bytes = await readStored(store, part);
  if (hash('sha256', bytes, 'hex') !== part.sha256) throw new RowsLost(part.part, 'damaged');
  return {
    bytes: bytes.byteLength,
    read: async (position, length) => bytes.subarray(position, position + length),
    close: async () => undefined,
  };
}

async function readStored({ runWork }: Pick<Store, 'runWork'>, part: RunPart): Promise<Uint8Array> {
  try {
    // From the beginning, wherever the check continues.
    const file = await runWork.openPart({ ...part, checkedTo: 0 });
    try {
      if (file.bytes !== part.bytes) throw new RowsLost(part.part, 'damaged');
      return await readSpan(file, part.part, 0, part.bytes);
    } finally {
      await file.close();
    }
  } catch (error) {
    throw asRowsLost(error, part.part);
  }
}

/** Reads the bytes of a part from `from` to `to`. */
export async function readSpan(
  file: StoredFile,
  part: number,
  from: number,
  to: number,
): Promise<Uint8Array> {
  const bytes = new Uint8Array(to - from);
  for (let at = from; at < to;) {
    const piece = await file.read(at, to - at);
    if (piece.byteLength === 0) throw new RowsLost(part, 'damaged');
    bytes.set(piece, at - from);
    at += piece.byteLength;
  }
  return bytes;
}

/** The header of a CSV part; null: its rows are JSON. */
export async function columnsOf(
  file: StoredFile,
  part: RunPart,
  { csv }: Pick<RunSpec, 'csv'>,
): Promise<CsvHeader | null> {
  if (part.format !== 'csv') return null;
  const bytes = await readSpan(file, part.part, 0, part.headerBytes);
  const header = readHeader(Buffer.from(bytes).toString('utf8'), delimiterOf(csv));
  if (header === null) throw new RowsLost(part.part, 'damaged');
  return header;
}

/** Turns an error of the file store about the part into one that names the part. */
export function asRowsLost(error: unknown, part: number): unknown {
  if (error instanceof FileDamaged) return new RowsLost(part, 'damaged');
  if (error instanceof FileMissing) return new RowsLost(part, 'missing');
  return error;
}
