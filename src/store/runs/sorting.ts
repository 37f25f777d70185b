import type { FieldDefect } from '../../errors.ts';
import type { RowAddress } from '../../runtime/contract/correction.ts';
import { EXCEPTION_STATES, ROW_STATES } from '../database/tables/runs.ts';
import type { CheckedChunkRow, ChunkRow } from './types.ts';

/** Why a row whose id belongs to another row is invalid. */
const ID_TAKEN = 'this row id belongs to another row of the run';
const NOT_FAULTY =
  'no row that is invalid, failed or identical to another stands in this part and line';
/** Why a correction is refused that would drop a value without a word. */
const UNNAMED =
  'the corrected row has a value here, or can no longer be read, and the correction lacks the field:' +
  ' add the field, without a value if the value is to be removed';

/** Where the data of a row lie: in a chunk of a part. */
export interface Place {
  readonly part: number;
  readonly fromByte: number;
  readonly position: number;
}

/** The row of the run that has an id: where it is, and whether another row may replace it. */
export interface RowPlace extends Place {
  readonly digest: string;
  /** One of ROW_STATES. */
  readonly state: number;
}

/** An exception of the run as it is before a chunk is added, or after earlier rows of the chunk. */
export interface HeldException {
  /** One of EXCEPTION_STATES. */
  readonly state: number;
  /** The id that it holds in `run_rows`; '': none. */
  readonly rowId: string;
  readonly place: Place;
}

/** An exception that a chunk adds, at the address of its row. */
export interface NewException extends RowAddress {
  readonly position: number;
  readonly state: number;
  readonly rowId: string;
}

/** A row of the chunk that takes the place of an exception. */
export interface Correction {
  readonly address: RowAddress;
  readonly from: HeldException;
  readonly to: HeldException;
}

/** The rows of a chunk, sorted by what they mean for the run. */
export interface SortedRows {
  readonly rows: readonly ChunkRow[];
  /** Positions of the rows whose ids are new in the run. */
  readonly newPositions: readonly number[];
  /** Rows that replace an invalid or failed row of the run that has their id. */
  readonly replacements: readonly { readonly position: number; readonly replaced: RowPlace }[];
  readonly corrections: readonly Correction[];
  readonly exceptions: readonly NewException[];
}

/** A chunk with what the run has already. */
export interface RowsToSort {
  readonly part: number;
  readonly fromByte: number;
  /** The field that holds the ids. */
  readonly idField: string;
  readonly rows: readonly CheckedChunkRow[];
  /** The rows of the run that have one of the chunk's ids, by their ids. */
  readonly existing: ReadonlyMap<string, RowPlace>;
  /** The exceptions that the rows name as corrected, by `addressKey`. */
  readonly held: ReadonlyMap<string, HeldException>;
}

export function addressKey({ part, line }: RowAddress): string {
  return `${part}:${line}`;
}

/**
 * Sorts the rows of a chunk. An id is unique in a run: an identical row counts as such, a different
 * row with the same id is invalid, and a row whose earlier form in another part was invalid or failed
 * replaces that form. A correction takes the place of the exception that it names.
 */
export function sortRows(chunk: RowsToSort): SortedRows {
  const sorter = new Sorter(chunk);
  for (const position of chunk.rows.keys()) sorter.add(position);
  return sorter;
}

class Sorter implements SortedRows {
  readonly rows: ChunkRow[] = [];
  readonly newPositions: number[] = [];
  readonly replacements: { position: number; replaced: RowPlace }[] = [];
  readonly corrections: Correction[] = [];
  readonly exceptions: NewException[] = [];
  readonly #chunk: RowsToSort;
  /** Digests of the rows that this chunk has added, by id. */
  readonly #addedDigests = new Map<string, string>();
  /** Exceptions that earlier rows of this chunk have changed. */
  readonly #changed = new Map<string, HeldException>();

  constructor(chunk: RowsToSort) {
    this.#chunk = chunk;
  }

  add(position: number): void {
    const row = this.#chunk.rows[position];
    if (row === undefined) return;
    if (row.isEmpty) this.rows.push(resultOf(row, 'empty'));
    else if (row.corrects !== null) this.#addCorrection(position, row, row.corrects);
    else this.#addOwn(position, row);
  }

  #addOwn(position: number, row: CheckedChunkRow): void {
    const { rowId } = row;
    const earlier = this.#chunk.existing.get(rowId);
    const twin = this.#twinOf(row);
    // In the same part, the earlier row is no earlier form of this one: the id stands there twice.
    const isOpen = earlier !== undefined && earlier.state !== ROW_STATES.kept;
    const isTaken = twin === 'other' || (isOpen && earlier.part === this.#chunk.part);
    if (twin === 'identical') {
      this.rows.push(resultOf(row, 'repeated'));
      this.#except(position, row, EXCEPTION_STATES.identical, '');
      return;
    }
    if (rowId === '' || isTaken) {
      this.rows.push(isTaken ? withTakenId(row, this.#chunk.idField) : checkedResult(row));
      this.#except(position, row, EXCEPTION_STATES.invalid, '');
      return;
    }
    this.#addedDigests.set(rowId, row.digest);
    if (earlier === undefined) this.newPositions.push(position);
    else this.replacements.push({ position, replaced: earlier });
    this.rows.push(checkedResult(row));
    if (row.failure !== null) this.#except(position, row, EXCEPTION_STATES.invalid, rowId);
  }

  #addCorrection(position: number, row: CheckedChunkRow, address: RowAddress): void {
    const key = addressKey(address);
    const from = this.#changed.get(key) ?? this.#chunk.held.get(key);
    const fields = refusalsOf(from, row, address);
    if (from === undefined || fields.length > 0) {
      if (from?.state === EXCEPTION_STATES.corrected && this.#twinOf(row) === 'identical') {
        // The same correction again.
        this.rows.push(resultOf(row, 'empty'));
        return;
      }
      this.rows.push({ ...resultOf(row, 'refused'), code: 'invalid_data', fields });
      this.#except(position, row, EXCEPTION_STATES.refused, '');
      return;
    }
    const { part, fromByte, existing, idField } = this.#chunk;
    const { rowId } = row;
    const earlier = existing.get(rowId);
    const isOwnId = earlier !== undefined && isSamePlace(earlier, from.place);
    const twin = isOwnId ? 'none' : this.#twinOf(row);
    const isTaken = twin === 'other' || (twin === 'none' && earlier !== undefined && !isOwnId);
    let state: number = EXCEPTION_STATES.corrected;
    let heldId = '';
    let result = checkedResult(row);
    if (twin === 'identical') {
      state = EXCEPTION_STATES.identical;
      result = resultOf(row, 'repeated');
    } else if (rowId === '' || isTaken) {
      state = EXCEPTION_STATES.invalid;
      if (isTaken) result = withTakenId(row, idField);
    } else {
      heldId = rowId;
      this.#addedDigests.set(rowId, row.digest);
      if (row.failure !== null) state = EXCEPTION_STATES.invalid;
    }
    const to = { state, rowId: heldId, place: { part, fromByte, position } };
    this.rows.push({ ...result, line: address.line, correctedPart: address.part });
    this.corrections.push({ address, from, to });
    this.#changed.set(key, to);
  }

  /** Whether another row of the run that is not open has the id of this one. */
  #twinOf({ rowId, digest }: CheckedChunkRow): 'none' | 'identical' | 'other' {
    if (rowId === '') return 'none';
    const earlier = this.#chunk.existing.get(rowId);
    const kept = earlier?.state === ROW_STATES.kept ? earlier.digest : undefined;
    const known = this.#addedDigests.get(rowId) ?? kept;
    if (known === undefined) return 'none';
    return known === digest ? 'identical' : 'other';
  }

  #except(position: number, { line }: CheckedChunkRow, state: number, rowId: string): void {
    if (line === null) return;
    this.exceptions.push({ part: this.#chunk.part, line, position, state, rowId });
  }
}

/** Why a row cannot take the place of an exception; none: it can. */
function refusalsOf(
  held: HeldException | undefined,
  { lacks }: CheckedChunkRow,
  address: RowAddress,
): readonly FieldDefect[] {
  const { invalid, failed, identical } = EXCEPTION_STATES;
  if (held === undefined) return [{ field: '#line', reason: NOT_FAULTY }];
  const isOpen = held.state === invalid || held.state === failed || held.state === identical;
  if (!isOpen) return [{ field: '#line', reason: closedReason(held, address) }];
  return lacks.map((field) => ({ field, reason: UNNAMED }));
}

/** Why a row that was decided already takes no correction. */
function closedReason({ state, place }: HeldException, { part, line }: RowAddress): string {
  const named = `line ${line} of part ${part}`;
  if (state === EXCEPTION_STATES.withdrawn) return `${named} was withdrawn before`;
  if (state !== EXCEPTION_STATES.corrected) return NOT_FAULTY;
  return `${named} was corrected with other values before, by a row of part ${place.part}`;
}

function isSamePlace(one: Place, other: Place): boolean {
  const isSameChunk = one.part === other.part && one.fromByte === other.fromByte;
  return isSameChunk && one.position === other.position;
}

function resultOf(
  { rowId, length, line }: CheckedChunkRow,
  outcome: ChunkRow['outcome'],
): ChunkRow {
  return { rowId, length, outcome, ...(line === null ? {} : { line }) };
}

function withTakenId(row: CheckedChunkRow, idField: string): ChunkRow {
  const fields = [{ field: idField, reason: ID_TAKEN }];
  return { ...resultOf(row, 'invalid'), code: 'invalid_data', fields };
}

function checkedResult(row: CheckedChunkRow): ChunkRow {
  const { failure, amounts } = row;
  if (failure !== null) return { ...resultOf(row, 'invalid'), ...failure };
  return { ...resultOf(row, 'pending'), ...(amounts.length > 0 && { amounts }) };
}
