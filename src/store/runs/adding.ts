import { addDecimals } from './decimal-sum.ts';
import { digestBytes } from '../ids.ts';
import { entryAt } from '../../errors.ts';
import { insertOf, insertsOf } from '../database/inserts.ts';
import { encode, encodeRows } from './codec.ts';
import { CHUNK_STATES, ROW_STATES, type RunSchema } from './run-schema.ts';
import type { CheckedChunkRow, ChunkRow, RunPart, RunRecord } from './types.ts';
import type { ScriptStatement } from '../database/script.ts';

const TAKEN = { code: 'invalid_data', reason: 'this row id belongs to another row of the run' };

/** Location of the row with an id, and whether another row may replace it. */
export interface RowPlace {
  readonly digest: string;
  readonly part: number;
  readonly fromByte: number;
  readonly position: number;
  /** One of ROW_STATES. */
  readonly state: number;
}

interface Adding {
  readonly run: RunRecord;
  readonly part: RunPart;
  readonly owner: string;
  readonly chunk: {
    readonly toByte: number;
    readonly sha256: string;
    readonly rows: readonly CheckedChunkRow[];
  };
  /** Finds the rows of the run that have one of the chunk's ids. */
  readonly known: ReadonlyMap<string, RowPlace>;
  readonly chunkId: string;
}

/** The changes that a chunk makes to its run. */
interface Sorted {
  readonly rows: readonly ChunkRow[];
  /** Rows whose id is new in the run, by position. */
  readonly fresh: readonly number[];
  /** Rows that replace an invalid or failed one. */
  readonly replacing: readonly { readonly position: number; readonly place: RowPlace }[];
}

/**
 * The transaction that adds a chunk of checked rows and advances the progress of its part. An id is
 * unique in a run: an identical row is ignored, a different row with the same id is invalid, and a row
 * whose earlier form was invalid or failed replaces that form.
 */
export async function addingChunk(adding: Adding): Promise<readonly ScriptStatement[]> {
  const { run, part, owner, chunk } = adding;
  const sorted = sortRows(adding);
  return [
    {
      sql:
        'update run_parts set checked_to = ? where run_id = ? and part = ? and checked_to = ?' +
        ' and owner = ?',
      parameters: [chunk.toByte, run.runId, part.part, part.checkedTo, owner],
      changes: 1,
    },
    insertOf('run_chunks', CHUNK_COLUMNS, [await chunkRow(adding, sorted)]),
    ...insertsOf(
      'run_rows',
      ROW_COLUMNS,
      sorted.fresh.map((position) => placeRow(adding, position)),
    ),
    ...sorted.replacing.flatMap(({ position, place }) => replacement(adding, position, place)),
    // Last, because all chunks of the run wait for each other from here until COMMIT.
    counting(adding, sorted),
  ];
}

/** Replaced rows were counted before, as invalid or failed: those counts are taken back. */
function counting({ run, part, chunk }: Adding, { rows, replacing }: Sorted): ScriptStatement {
  const mended = (state: number): number =>
    replacing.filter(({ place }) => place.state === state).length;
  const mendedInvalid = mended(ROW_STATES.invalid);
  const mendedFailed = mended(ROW_STATES.failed);
  const invalid = count(rows, 'invalid') - mendedInvalid;
  const received = count(rows, 'pending') + invalid - mendedFailed;
  return {
    sql:
      'update runs set received = received + ?, invalid = invalid + ?, failed = failed - ?,' +
      ' bytes_checked = bytes_checked + ?' +
      " where run_id = ? and state = 'checking'",
    parameters: [received, invalid, mendedFailed, chunk.toByte - part.checkedTo, run.runId],
    changes: 1,
  };
}

function count(rows: readonly ChunkRow[], wanted: ChunkRow['outcome']): number {
  return rows.filter(({ outcome }) => outcome === wanted).length;
}

const CHUNK_COLUMNS = [
  'chunk_id',
  'run_id',
  'part',
  'from_byte',
  'to_byte',
  'sha256',
  'state',
  'owner',
  'lease_until_ms',
  'sums',
  'stored',
  'results',
  'pack_id',
] as const satisfies readonly (keyof RunSchema['run_chunks'])[];

async function chunkRow(
  { run, part, chunk, chunkId }: Adding,
  { rows }: Sorted,
): Promise<RunSchema['run_chunks']> {
  const pending = rows.filter(({ outcome }) => outcome === 'pending');
  return {
    chunk_id: chunkId,
    run_id: run.runId,
    part: part.part,
    from_byte: part.checkedTo,
    to_byte: chunk.toByte,
    sha256: digestBytes(chunk.sha256),
    state: pending.length > 0 ? CHUNK_STATES.ready : CHUNK_STATES.done,
    owner: null,
    lease_until_ms: 0,
    sums: encode(sumsOf(run, pending)),
    stored: 0,
    results: await encodeRows(rows),
    pack_id: null,
  };
}

function placeRow({ run, part, chunk }: Adding, position: number): RunSchema['run_rows'] {
  const row = entryAt(chunk.rows, position);
  return {
    run_id: run.runId,
    row_id: row.rowId,
    digest: Buffer.from(row.digest, 'hex'),
    part: part.part,
    from_byte: part.checkedTo,
    position,
    open: row.failure === null ? ROW_STATES.kept : ROW_STATES.invalid,
  };
}

function replacement(adding: Adding, position: number, place: RowPlace): ScriptStatement[] {
  const row = placeRow(adding, position);
  const set = [row.digest, row.part, row.from_byte, row.position, row.open];
  const old = [place.part, place.fromByte, place.position];
  return [
    {
      sql:
        'update run_rows set digest = ?, part = ?, from_byte = ?, position = ?, open = ?' +
        ' where run_id = ? and row_id = ? and part = ? and from_byte = ? and position = ?' +
        ' and open = ?',
      parameters: [...set, row.run_id, row.row_id, ...old, place.state],
      changes: 1,
    },
    {
      sql: 'insert into run_superseded (run_id, part, from_byte, position) values (?, ?, ?, ?)',
      parameters: [row.run_id, ...old],
      changes: 1,
    },
  ];
}

const ROW_COLUMNS = [
  'run_id',
  'row_id',
  'digest',
  'part',
  'from_byte',
  'position',
  'open',
] as const satisfies readonly (keyof RunSchema['run_rows'])[];

function sortRows({ chunk, known }: Adding): Sorted {
  const rows: ChunkRow[] = [];
  const fresh: number[] = [];
  const replacing: { position: number; place: RowPlace }[] = [];
  /** Digests of the rows that this chunk has added, by id. */
  const seen = new Map<string, string>();
  for (const [position, row] of chunk.rows.entries()) {
    const place = known.get(row.rowId);
    const digest =
      seen.get(row.rowId) ?? (place?.state === ROW_STATES.kept ? place.digest : undefined);
    if (row.rowId === '') rows.push(judged(row));
    else if (digest === undefined) {
      seen.set(row.rowId, row.digest);
      if (place === undefined) fresh.push(position);
      else replacing.push({ position, place });
      rows.push(judged(row));
    } else {
      const { rowId, length } = row;
      const fields = [{ field: rowId, reason: TAKEN.reason }];
      rows.push(
        digest === row.digest
          ? { rowId, length, outcome: 'repeated' }
          : { rowId, length, outcome: 'invalid', code: TAKEN.code, fields },
      );
    }
  }
  return { rows, fresh, replacing };
}

function judged({ rowId, length, failure, amounts }: CheckedChunkRow): ChunkRow {
  if (failure !== null) return { rowId, length, outcome: 'invalid', ...failure };
  return { rowId, length, outcome: 'pending', ...(amounts.length > 0 && { amounts }) };
}

/** Adds up `amounts`, which have the order of the names in the spec. */
export function sumsOf(
  { spec }: RunRecord,
  rows: readonly Pick<ChunkRow, 'amounts'>[],
): readonly string[] {
  return Object.keys(spec.expectedSums).map((_, index) =>
    rows.reduce((sum, { amounts }) => addDecimals(sum, amounts?.[index] ?? '0'), '0'),
  );
}
