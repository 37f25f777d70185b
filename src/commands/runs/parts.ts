import type { NamedEncoding } from '../../runtime/encoding/decoder.ts';
import { CARRIAGE_RETURNS, countLineFeeds, readHeaderRow, rowEnds } from '../../runs/row-reader.ts';
import { CommandFailed, unreadable } from '../console/failure.ts';
import { utf8Pieces } from '../console/files/text-file.ts';

/** Size of a part before compression; the service accepts 16 MB. */
const PART_BYTES = 8 * 1024 * 1024;

/** Whole rows of a file; for CSV the header comes first. */
export interface FilePart {
  readonly format: 'ndjson' | 'csv';
  readonly rows: Buffer;
  /** The line of the file on which the rows after the header begin. */
  readonly firstLine: number;
  /** How far the file was read for it, in bytes. */
  readonly readTo: number;
}

/**
 * Cuts a file into parts. The same file is always cut at the same offsets, so an interrupted upload
 * can resume. Memory use does not grow with the file. Parts are UTF-8, whatever the file is.
 */
export async function* cutIntoParts(
  path: string,
  format: 'ndjson' | 'csv',
  named: NamedEncoding | null,
): AsyncGenerator<FilePart> {
  const bounds = { rowsMax: Number.MAX_SAFE_INTEGER, bytesMax: PART_BYTES };
  let header: Buffer | null = null;
  /** Bytes that were read and belong to no part yet. */
  let pending = Buffer.alloc(0);
  let readTo = 0;
  let hasNoPart = true;
  /** The line of the file on which `pending` begins. */
  let line = 1;
  // Takes one part from the pending bytes; null: they are not enough. `isEnd`: no more bytes follow.
  const cut = (isEnd: boolean): FilePart | null => {
    const [firstEnd] = rowEnds(pending, format, isEnd, { rowsMax: 1, bytesMax: PART_BYTES });
    if (format === 'csv' && header === null && firstEnd !== undefined) {
      header = pending.subarray(0, firstEnd);
      line += countLineFeeds(header, 0, firstEnd);
      pending = pending.subarray(firstEnd);
    }
    const length = rowEnds(pending, format, isEnd, bounds).at(-1) ?? 0;
    if (length === 0 || (!isEnd && length < PART_BYTES)) return null;
    const rows = pending.subarray(0, length);
    pending = pending.subarray(length);
    const firstLine = line;
    line += countLineFeeds(rows, 0, length);
    const whole = Buffer.concat(header === null ? [rows] : [header, rows]);
    return { format, rows: whole, firstLine, readTo };
  };
  let pieces: Uint8Array[] = [];
  let length = 0;
  const onRead = (bytes: number): void => void (readTo = bytes);
  try {
    for await (const piece of utf8Pieces(path, named, { progress: onRead })) {
      pieces.push(piece);
      length += piece.length;
      if (pending.length + length < PART_BYTES) continue;
      pending = Buffer.concat([pending, ...pieces]);
      pieces = [];
      length = 0;
      const part = cut(false);
      if (part !== null && !isBlank(part, header)) {
        hasNoPart = false;
        yield part;
      }
    }
    pending = Buffer.concat([pending, ...pieces]);
    for (let part = cut(true); part !== null; part = cut(true)) {
      if (isBlank(part, header)) continue;
      hasNoPart = false;
      yield part;
    }
    // The file had only a header, or only blank lines.
    if (hasNoPart) throw new CommandFailed(faultOf(path, header));
  } catch (error) {
    if (error instanceof Error && 'syscall' in error) throw unreadable(path, error);
    throw error;
  }
}

/** Whether a part has only blank lines; the service refuses a part without rows. */
function isBlank({ rows }: FilePart, header: Buffer | null): boolean {
  return rows.subarray(header?.length ?? 0).every((byte) => byte <= BLANK);
}
const BLANK = 0x20;

/** Why a file has no row. */
function faultOf(path: string, header: Buffer | null): string {
  const start = header === null ? 'absent' : readHeaderRow(header);
  return `${path}: ${start === 'carriage returns' ? CARRIAGE_RETURNS : 'no row is in the file'}`;
}
