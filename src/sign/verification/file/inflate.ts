import { inflateSync } from 'node:zlib';
import { type PdfDictionary, UnreadableFile } from './values.ts';

const STREAM_BYTES_MAX = 64 * 1024 * 1024;
/** PNG's filters (§7.4.4.4); a stream with another predictor is not read. */
const PNG_PREDICTOR_MIN = 10;

/** Undoes FlateDecode, with a predictor where the parameters name one. */
export function inflate(data: Buffer, parameters: PdfDictionary | null): Buffer {
  return withoutPredictor(inflated(data), parameters);
}

function inflated(data: Buffer): Buffer {
  try {
    return inflateSync(data, { maxOutputLength: STREAM_BYTES_MAX });
  } catch {
    // zlib throws errors of many codes for bytes that are something else.
    throw new UnreadableFile('a stream cannot be inflated');
  }
}

/** Undoes PNG's filters, which each row names. */
function withoutPredictor(data: Buffer, parameters: PdfDictionary | null): Buffer {
  const predictor = Number(parameters?.get('Predictor') ?? 1);
  if (predictor === 1) return data;
  const columns = Number(parameters?.get('Columns') ?? 1);
  const isPlain = Number(parameters?.get('Colors') ?? 1) === 1;
  const bits = Number(parameters?.get('BitsPerComponent') ?? 8);
  if (!(predictor >= PNG_PREDICTOR_MIN) || !isPlain || bits !== 8 || !(columns >= 1)) {
    throw new UnreadableFile('a stream has another predictor');
  }
  const rows = Math.floor(data.length / (columns + 1));
  const plain = Buffer.alloc(rows * columns);
  for (let row = 0; row < rows; row++) {
    const filter = data[row * (columns + 1)] ?? 0;
    for (let column = 0; column < columns; column++) {
      const at = row * columns + column;
      const left = column === 0 ? 0 : (plain[at - 1] ?? 0);
      const above = row === 0 ? 0 : (plain[at - columns] ?? 0);
      const corner = row === 0 || column === 0 ? 0 : (plain[at - columns - 1] ?? 0);
      const raw = data[row * (columns + 1) + 1 + column] ?? 0;
      plain[at] = raw + predicted(filter, left, above, corner);
    }
  }
  return plain;
}

function predicted(filter: number, left: number, above: number, corner: number): number {
  if (filter === 0) return 0;
  if (filter === 1) return left;
  if (filter === 2) return above;
  if (filter === 3) return (left + above) >> 1;
  const estimate = left + above - corner;
  const [byLeft, byAbove, byCorner] = [left, above, corner].map((one) => Math.abs(estimate - one));
  if ((byLeft ?? 0) <= (byAbove ?? 0) && (byLeft ?? 0) <= (byCorner ?? 0)) return left;
  return (byAbove ?? 0) <= (byCorner ?? 0) ? above : corner;
}
