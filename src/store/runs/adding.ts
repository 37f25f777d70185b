import { storedStatesSql } from './guarded/states.ts';
import { addDecimals } from './sums/decimal-sum.ts';
import { digestBytes } from '../ids.ts';
import { entryAt } from '../../errors.ts';
import { insertOf, insertsOf } from '../database/inserts.ts';
import { encode, encodeRows } from './codec.ts';
import {
  CHUNK_STATES,
  EXCEPTION_STATES,
  ROW_STATES,
  type RunSchema,
} from '../database/tables/runs.ts';
import {
  type Correction,
  type HeldException,
  type NewException,
  type Place,
  type RowPlace,
  type SortedRows,
  sortRows,
} from './sorting.ts';
import type { CheckedRows, ChunkRow, RunPart, RunRecord } from './types.ts';
import type { ScriptStatement } from '../database/script.ts';

/** A checked chunk that is to be added. */
interface CheckedChunk {
  readonly run: RunRecord;
  readonly part: RunPart;
  readonly owner: string;
  readonly chunk: CheckedRows;
  /** The rows of the run that have one of the chunk's ids, by their ids. */
  readonly existing: ReadonlyMap<string, RowPlace>;
  /** The exceptions that rows of the chunk name as corrected. */
  readonly held: ReadonlyMap<string, HeldException>;
  readonly chunkId: string;
}

/** The transaction that adds a chunk of checked rows and advances the progress of its part. */
export async function addChunkScript(checked: CheckedChunk): Promise<readonly ScriptStatement[]> {
  const { run, part, owner, chunk, existing, held } = checked;
  const { idField } = run.spec;
  const place = { part: part.part, fromByte: part.checkedTo };
  const sorted = sortRows({ ...place, idField, rows: chunk.rows, existing, held });
  const newRows = sorted.newPositions.map((position) => rowOf(checked, position));
  const exceptions = sorted.exceptions.map((exception) => exceptionOf(checked, exception));
  return [
    {
      sql:
        'update run_parts set checked_to = ?, checked_line = ?' +
        ' where run_id = ? and part = ? and checked_to = ? and owner = ?',
      parameters: [chunk.toByte, chunk.toLine, run.runId, part.part, part.checkedTo, owner],
      changes: 1,
    },
    insertOf('run_chunks', CHUNK_COLUMNS, [await chunkRow(checked, sorted)]),
    ...insertsOf('run_rows', ROW_COLUMNS, newRows),
    ...sorted.replacements.flatMap(({ position, replaced }) =>
      replaceRow(rowOf(checked, position), replaced),
    ),
    ...sorted.corrections.flatMap((correction) => correct(checked, correction)),
    ...insertsOf('run_exceptions', EXCEPTION_COLUMNS, exceptions),
    // Last, because all chunks of the run wait for each other from here until COMMIT.
    countRows(checked, sorted),
  ];
}

/** Adds to the counts of the run. Rows that are replaced no longer count as what they were. */
function countRows(
  { run, part, chunk }: CheckedChunk,
  { rows, replacements, corrections }: SortedRows,
): ScriptStatement {
  const replacedIn = (row: number, exception: number): number =>
    replacements.filter(({ replaced }) => replaced.state === row).length +
    corrections.filter(({ from }) => from.state === exception).length;
  const replacedFailed = replacedIn(ROW_STATES.failed, EXCEPTION_STATES.failed);
  const invalid = count(rows, 'invalid') - replacedIn(ROW_STATES.invalid, EXCEPTION_STATES.invalid);
  const received = count(rows, 'pending') + invalid - replacedFailed;
  const wereIdentical = corrections.filter(
    ({ from }) => from.state === EXCEPTION_STATES.identical,
  ).length;
  const identical = count(rows, 'repeated') - wereIdentical;
  return {
    sql:
      'update runs set received = received + ?, invalid = invalid + ?, failed = failed - ?,' +
      ' identical = coalesce(identical, 0) + ?, refused = coalesce(refused, 0) + ?,' +
      ' bytes_checked = bytes_checked + ?' +
      ` where run_id = ? and state in ${storedStatesSql(['checking'])}`,
    parameters: [
      received,
      invalid,
      replacedFailed,
      identical,
      count(rows, 'refused'),
      chunk.toByte - part.checkedTo,
      run.runId,
    ],
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

const EXCEPTION_COLUMNS = [
  'run_id',
  'part',
  'line',
  'state',
  'row_id',
  'held_part',
  'from_byte',
  'position',
  'amounts',
] as const satisfies readonly (keyof RunSchema['run_exceptions'])[];

function exceptionOf(
  { run, part, chunk }: CheckedChunk,
  { part: ownPart, line, position, state, rowId }: NewException,
): RunSchema['run_exceptions'] {
  return {
    run_id: run.runId,
    part: ownPart,
    line,
    state,
    row_id: rowId,
    held_part: part.part,
    from_byte: part.checkedTo,
    position,
    amounts: encode(entryAt(chunk.rows, position).amounts),
  };
}

/** Puts a row in the place of an exception, unless that has been corrected or withdrawn meanwhile. */
function correct(checked: CheckedChunk, { address, from, to }: Correction): ScriptStatement[] {
  const { runId } = checked.run;
  const { amounts } = entryAt(checked.chunk.rows, to.place.position);
  const oldPlace = [from.place.part, from.place.fromByte, from.place.position];
  const newPlace = [to.place.part, to.place.fromByte, to.place.position];
  const statements: ScriptStatement[] = [
    {
      sql:
        'update run_exceptions set state = ?, row_id = ?, held_part = ?, from_byte = ?,' +
        ' position = ?, amounts = ? where run_id = ? and part = ? and line = ? and state = ?' +
        ' and held_part = ? and from_byte = ? and position = ?',
      parameters: [
        to.state,
        to.rowId,
        ...newPlace,
        encode(amounts),
        runId,
        address.part,
        address.line,
        from.state,
        ...oldPlace,
      ],
      changes: 1,
    },
    supersede(runId, oldPlace),
  ];
  if (from.rowId !== '') statements.push(forgetRow(runId, from.rowId, from.place));
  if (to.rowId === '') return statements;
  const row = rowOf(checked, to.place.position);
  return [...statements, insertOf('run_rows', ROW_COLUMNS, [row])];
}

/** Frees the id of a row that was corrected or withdrawn. */
export function forgetRow(runId: string, rowId: string, place: Place): ScriptStatement {
  return {
    sql:
      'delete from run_rows where run_id = ? and row_id = ? and part = ? and from_byte = ?' +
      ' and position = ?',
    parameters: [runId, rowId, place.part, place.fromByte, place.position],
    changes: 1,
  };
}

function supersede(runId: string, place: readonly number[]): ScriptStatement {
  return {
    sql: 'insert into run_superseded (run_id, part, from_byte, position) values (?, ?, ?, ?)',
    parameters: [runId, ...place],
    changes: 1,
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
    supersede(row.run_id, oldPlace),
    {
      sql:
        'update run_exceptions set state = ? where run_id = ? and held_part = ? and from_byte = ?' +
        ' and position = ? and state in (?, ?)',
      parameters: [
        EXCEPTION_STATES.corrected,
        row.run_id,
        ...oldPlace,
        EXCEPTION_STATES.invalid,
        EXCEPTION_STATES.failed,
      ],
      changes: null,
    },
  ];
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
