import { createHash, type Hash } from 'node:crypto';
import { hashInSlices } from '../../runtime/hash-in-slices.ts';
import type { PrintSegment, WholePrint } from '../../store/runs/prints/types.ts';
import {
  FileDamaged,
  FileMissing,
  StorageUnavailable,
  type Store,
  type StoredFile,
} from '../../store/store.ts';
import type { Finding } from '../stored-documents.ts';

const READ_BYTES = 256 * 1024;

/** Thrown when a print file is missing, or differs from what was stored. */
export class PrintLost extends Error {
  override readonly name = 'PrintLost';
  readonly place: PrintPlace;
  readonly finding: Finding;

  constructor(place: PrintPlace, finding: Finding) {
    super(`print file ${place.number} of run ${place.runId} is ${finding}`);
    this.place = place;
    this.finding = finding;
  }
}

/** Identifies a print file, for messages. */
export interface PrintPlace {
  readonly runId: string;
  readonly number: number;
}

type PrintReads = Pick<Store['runPrints'], 'openSegment' | 'examine'>;

/**
 * Opens a print file and returns its bytes, piece by piece. Each segment is compared with its digest
 * before its last piece is yielded, and the file with that of the whole before its last one. Damage
 * is recorded, and thrown as `PrintLost`; by this function itself if it is in the first piece.
 */
export async function openPrint(
  store: PrintReads,
  place: PrintPlace,
  print: WholePrint,
): Promise<AsyncGenerator<Uint8Array>> {
  const pieces = readRecording(store, place, print);
  const first = await pieces.next();
  return withFirst(first, pieces);
}

async function* withFirst(
  first: IteratorResult<Uint8Array, unknown>,
  rest: AsyncGenerator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  try {
    if (first.done === true) return;
    yield first.value;
    yield* rest;
  } finally {
    // A reader that leaves at the first piece ends only this generator.
    await rest.return(undefined);
  }
}

/**
 * A file that did not match is read once more as a whole, which records what is found: the bytes may
 * have been damaged in transit.
 */
async function* readRecording(
  store: PrintReads,
  place: PrintPlace,
  print: WholePrint,
): AsyncGenerator<Uint8Array> {
  try {
    yield* readWhole(store, print);
  } catch (error) {
    if (!(error instanceof FileDamaged) && !(error instanceof FileMissing)) throw error;
    const verdict = await store.examine(place.runId, place.number, print);
    if (verdict === 'damaged' || verdict === 'missing') throw new PrintLost(place, verdict);
    if (verdict === 'gone') throw new PrintLost(place, 'missing');
    throw new StorageUnavailable(
      `print file ${place.number} of run ${place.runId} did not match its row in one read` +
        (verdict === 'intact' ? ', but did in the next' : ', and could not be read again'),
    );
  }
}

async function* readWhole(
  store: PrintReads,
  { segments, sha256 }: WholePrint,
): AsyncGenerator<Uint8Array> {
  const whole = createHash('sha256');
  const last = segments.at(-1);
  if (last === undefined) throw new FileDamaged('of a print file without segments');
  for (const segment of segments) {
    const file = await store.openSegment(segment);
    try {
      yield* readSegment(file, segment, whole, segment === last ? sha256 : null);
    } finally {
      await file.close();
    }
  }
}

/** `sha256`: the digest of the whole file, for the last segment; null: it is not compared. */
async function* readSegment(
  file: StoredFile,
  { fileId, bytes }: PrintSegment,
  whole: Hash,
  sha256: string | null,
): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes;) {
    const piece = await file.read(at, Math.min(READ_BYTES, bytes - at));
    if (piece.byteLength === 0) throw new FileDamaged(fileId);
    await hashInSlices(whole, piece);
    at += piece.byteLength;
    const isEnd = at === bytes && sha256 !== null;
    if (isEnd && whole.digest('hex') !== sha256) throw new FileDamaged(fileId);
    yield piece;
  }
}
