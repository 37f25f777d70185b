import { addDecimals } from './decimal-sum.ts';
import { digestBytes } from '../ids.ts';
import { entryAt } from '../../errors.ts';
import { insertOf, insertsOf } from '../database/inserts.ts';
import { encode, encodeRows } from './codec.ts';
import { CHUNK_STATES, ROW_STATES, type RunSchema } from './run-schema.ts';
import type { CheckedChunkRow, ChunkRow, RunPart, RunRecord } from './types.ts';
import type { ScriptStatement } from '../database/script.ts';

/** Why a row whose id belongs to another row is invalid. */
const ID_TAKEN = { code: 'invalid_data', reason: 'this row id belongs to another row of the run' };

/** The row of the run that has an id: where it is, and whether another row may replace it. */
export interface RowPlace {
  readonly digest: string;
  readonly part: number;
  readonly fromByte: number;
  readonly position: number;
  /** One of ROW_STATES. */
  readonly state: number;
}

/** A checked chunk that is to be added. */
interface CheckedChunk {
  readonly run: RunRecord;
  readonly part: RunPart;
  readonly owner: string;
  readonly chunk: {
    readonly toByte: number;
    readonly sha256: string;
    readonly rows: readonly CheckedChunkRow[];
  };
  /** The rows of the run that have one of the chunk's ids, by their ids. */
  readonly existing: ReadonlyMap<string, RowPlace>;
  readonly chunkId: string;
}

/** The rows of a chunk, sorted by what they mean for the run. */
interface SortedRows {
  readonly rows: readonly ChunkRow[];
  /** Positions of the rows whose ids are new in the run. */
  readonly newPositions: readonly number[];
  /** Rows that replace an invalid or failed row of the run. */
  readonly replacements: readonly { readonly position: number; readonly replaced: RowPlace }[];
}

/**
 * The transaction that adds a chunk of checked rows and advances the progress of its part. An id is
 * unique in a run: an identical row is ignored, a different row with the same id is invalid, and a row
 * whose earlier form was invalid or failed replaces that form.
 */
export async function addChunkScript(checked: CheckedChunk): Promise<readonly ScriptStatement[]> {
  const { run, part, owner, chunk } = checked;
  const sorted = sortRows(checked);
  const newRows = sorted.newPositions.map((position) => rowOf(checked, position));
  return [
    {
      sql:
        'update run_parts set checked_to = ? where run_id = ? and part = ? and checked_to = ?' +
        ' and owner = ?',
      parameters: [chunk.toByte, run.runId, part.part, part.checkedTo, owner],
      changes: 1,
    },
    insertOf('run_chunks', CHUNK_COLUMNS, [await chunkRow(checked, sorted)]),
    ...insertsOf('run_rows', ROW_COLUMNS, newRows),
    ...sorted.replacements.flatMap(({ position, replaced }) =>
      replaceRow(rowOf(checked, position), replaced),
    ),
    // Last, because all chunks of the run wait for each other from here until COMMIT.
    countRows(checked, sorted),
  ];
}

/** Adds to the counts of the run. Rows that are replaced no longer count as invalid or failed. */
function countRows(
  { run, part, chunk }: CheckedChunk,
  { rows, replacements }: SortedRows,
): ScriptStatement {
  const replacedIn = (state: number): number =>
    replacements.filter(({ replaced }) => replaced.state === state).length;
  const replacedFailed = replacedIn(ROW_STATES.failed);
  const invalid = count(rows, 'invalid') - replacedIn(ROW_STATES.invalid);
  const received = count(rows, 'pending') + invalid - replacedFailed;
  return {
    sql:
      'update runs set received = received + ?, invalid = invalid + ?, failed = failed - ?,' +
      ' bytes_checked = bytes_checked + ?' +
      " where run_id = ? and state = 'checking'",
    parameters: [received, invalid, replacedFailed, chunk.toByte - part.checkedTo, run.runId],
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
  { run, part, chunk, chunkId }: CheckedChunk,
  { rows }: SortedRows,
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

const ROW_COLUMNS = [
  'run_id',
  'row_id',
  'digest',
  'part',
  'from_byte',
  'position',
  'open',
] as const satisfies readonly (keyof RunSchema['run_rows'])[];

function rowOf({ run, part, chunk }: CheckedChunk, position: number): RunSchema['run_rows'] {
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

/** Puts a row in the place of one with its id, unless that has been replaced meanwhile. */
function replaceRow(row: RunSchema['run_rows'], replaced: RowPlace): ScriptStatement[] {
  const newValues = [row.digest, row.part, row.from_byte, row.position, row.open];
  const oldPlace = [replaced.part, replaced.fromByte, replaced.position];
  return [
    {
      sql:
        'update run_rows set digest = ?, part = ?, from_byte = ?, position = ?, open = ?' +
        ' where run_id = ? and row_id = ? and part = ? and from_byte = ? and position = ?' +
        ' and open = ?',
      parameters: [...newValues, row.run_id, row.row_id, ...oldPlace, replaced.state],
      changes: 1,
    },
    {
      sql: 'insert into run_superseded (run_id, part, from_byte, position) values (?, ?, ?, ?)',
      parameters: [row.run_id, ...oldPlace],
      changes: 1,
    },
  ];
}

function sortRows({ chunk, existing }: CheckedChunk): SortedRows {
  const rows: ChunkRow[] = [];
  const newPositions: number[] = [];
  const replacements: { position: number; replaced: RowPlace }[] = [];
  /** Digests of the rows that this chunk has added, by id. */
  const addedDigests = new Map<string, string>();
  for (const [position, row] of chunk.rows.entries()) {
    const { rowId } = row;
    const earlier = existing.get(rowId);
    const keptDigest = earlier?.state === ROW_STATES.kept ? earlier.digest : undefined;
    const digest = addedDigests.get(rowId) ?? keptDigest;
    if (rowId === '') {
      // It is invalid, because it has no id.
      rows.push(resultOf(row));
    } else if (digest !== undefined) {
      rows.push(digest === row.digest ? repeated(row) : withTakenId(row));
    } else {
      addedDigests.set(rowId, row.digest);
      if (earlier === undefined) newPositions.push(position);
      else replacements.push({ position, replaced: earlier });
      rows.push(resultOf(row));
    }
  }
  return { rows, newPositions, replacements };
}

function repeated({ rowId, length }: CheckedChunkRow): ChunkRow {
  return { rowId, length, outcome: 'repeated' };
}

function withTakenId({ rowId, length }: CheckedChunkRow): ChunkRow {
  const fields = [{ field: rowId, reason: ID_TAKEN.reason }];
  return { rowId, length, outcome: 'invalid', code: ID_TAKEN.code, fields };
}

function resultOf({ rowId, length, failure, amounts }: CheckedChunkRow): ChunkRow {
  if (failure !== null) return { rowId, length, outcome: 'invalid', ...failure };
  return { rowId, length, outcome: 'pending', ...(amounts.length > 0 && { amounts }) };
}

/** Sums the amounts of the rows, in the order of the summed fields in the spec. */
export function sumsOf(
  { spec }: RunRecord,
  rows: readonly Pick<ChunkRow, 'amounts'>[],
): readonly string[] {
  return Object.keys(spec.expectedSums).map((_, index) =>
    rows.reduce((sum, { amounts }) => addDecimals(sum, amounts?.[index] ?? '0'), '0'),
  );
}
