import { storedStates, storedStatesSql } from './guarded/states.ts';
import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import type { RowAddress } from '../../runtime/contract/correction.ts';
import type { Database } from '../database/database.ts';
import { asUnavailable } from '../database/database-fault.ts';
import { DOCUMENT_STATES } from '../database/schema.ts';
import { Miscount, type ScriptStatement } from '../database/script.ts';
import { hex } from '../ids.ts';
import { StorageUnavailable } from '../terms.ts';
import { forgetRow } from './adding.ts';
import { decode, decodeRows } from './codec.ts';
import { addDecimals } from './sums/decimal-sum.ts';
import type { ExceptionSums } from './sums/exception-sums.ts';
import { EXCEPTION_STATES, type RunSchema } from '../database/tables/runs.ts';
import { addressKey, type HeldException } from './sorting.ts';
import type {
  ChunkOfRows,
  ExceptionOutcome,
  RowException,
  RunExceptions,
  RunRecord,
  RunState,
  WithdrawOutcome,
} from './types.ts';

/** Addresses in one query. */
const BATCH = 250;
/** Rows read and added in one turn of the event loop: some milliseconds. */
const START: RowAddress = { part: 0, line: 0 };
const SUMS_PAGE = 250;
/** Addresses of one line: as many parts as a person can choose from. */
const ON_LINE_MAX = 20;
const TRIES_MAX = 3;
const { invalid, failed, withdrawn } = EXCEPTION_STATES;
const OPEN_STATES: readonly number[] = [invalid, failed];
/** States of a run in which its rows can be withdrawn. */
const STATES: readonly RunState[] = ['receiving', 'stopped', 'done'];

const OUTCOMES: Readonly<Record<number, ExceptionOutcome>> = {
  [invalid]: 'invalid',
  [failed]: 'failed',
  [EXCEPTION_STATES.identical]: 'identical',
  [EXCEPTION_STATES.refused]: 'refused',
  [withdrawn]: 'withdrawn',
};

type ExceptionRow = RunSchema['run_exceptions'];

/** The exceptions of runs: rows that need a person's eye, by their part and line. */
export class Exceptions implements RunExceptions {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async list(
    runId: string,
    outcomes: readonly ExceptionOutcome[],
    countMax: number,
    after: RowAddress | null,
  ): Promise<readonly RowException[]> {
    const states = outcomes.map((outcome) => EXCEPTION_STATES[outcome]);
    // Each state by itself, so that the index gives its rows in order, whatever other states hold.
    const lists = await Promise.all(
      states.map((state) => this.#page(runId, state, after ?? START, countMax)),
    );
    const rows = lists
      .flat()
      .toSorted((one, other) => one.part - other.part || one.line - other.line);
    return rows.slice(0, countMax).map(asException);
  }

  async at(runId: string, addresses: readonly RowAddress[]): Promise<readonly RowException[]> {
    const rows = await rowsAt(this.#database, runId, addresses);
    return rows.filter(({ state }) => OUTCOMES[state] !== undefined).map(asException);
  }

  async onLine(runId: string, line: number): Promise<readonly RowAddress[]> {
    return this.#database.read((db) =>
      db
        .selectFrom('run_exceptions')
        .select(['part', 'line'])
        .where('run_id', '=', runId)
        .where('line', '=', line)
        .where('state', 'in', OPEN_STATES)
        .orderBy('part')
        .limit(sql.lit(ON_LINE_MAX))
        .execute(),
    );
  }

  async chunk(runId: string, part: number, fromByte: number): Promise<ChunkOfRows | null> {
    const row = await this.#database.read((db) =>
      db
        .selectFrom('run_chunks')
        .select(['from_byte', 'to_byte', 'sha256', 'results'])
        .where('run_id', '=', runId)
        .where('part', '=', part)
        .where('from_byte', '=', fromByte)
        .executeTakeFirst(),
    );
    if (row === undefined) return null;
    const rows = await decodeRows(row.results);
    return { fromByte: row.from_byte, toByte: row.to_byte, sha256: hex(row.sha256), rows };
  }

  async sums({ runId, spec }: RunRecord): Promise<ExceptionSums> {
    const names = Object.keys(spec.expectedSums);
    const unread = { open: names.map(() => 0), withdrawn: names.map(() => 0) };
    const sums = { open: names.map(() => '0'), withdrawn: names.map(() => '0'), unread };
    if (names.length === 0) return sums;
    for (const state of [invalid, failed, withdrawn]) {
      const which = state === withdrawn ? 'withdrawn' : 'open';
      const [into, unreadInto] = [sums[which], unread[which]];
      for await (const row of this.#inState(runId, state)) {
        // adding.ts and finishing.ts wrote one amount for each name.
        const amounts = decode(row.amounts) as readonly string[];
        for (const [index, amount] of amounts.entries()) {
          if (amount === '') unreadInto[index] = (unreadInto[index] ?? 0) + 1;
          else into[index] = addDecimals(into[index] ?? '0', amount);
        }
      }
    }
    return sums;
  }

  /** The exceptions of one state after a place, in the order of parts and lines. */
  #page(
    runId: string,
    state: number,
    { part, line }: RowAddress,
    countMax: number,
  ): Promise<ExceptionRow[]> {
    return this.#database.read((db) =>
      db
        .selectFrom('run_exceptions')
        .selectAll()
        .where('run_id', '=', runId)
        .where('state', '=', state)
        .where((where) =>
          where.or([
            where('part', '>', part),
            where.and([where('part', '=', part), where('line', '>', line)]),
          ]),
        )
        .orderBy('part')
        .orderBy('line')
        .limit(sql.lit(countMax))
        .execute(),
    );
  }

  async *#inState(runId: string, state: number): AsyncGenerator<ExceptionRow> {
    for (let after = START; ;) {
      const page = await this.#page(runId, state, after, SUMS_PAGE);
      yield* page;
      const last = page.at(-1);
      if (last === undefined || page.length < SUMS_PAGE) return;
      after = last;
      // SQLite answers without leaving the turn.
      await setImmediate();
    }
  }

  async withdraw(run: RunRecord, addresses: readonly RowAddress[]): Promise<WithdrawOutcome> {
    for (let tries = 1; ; tries += 1) {
      const held = await heldExceptions(this.#database, run.runId, addresses);
      const open: [RowAddress, HeldException][] = [];
      for (const address of distinct(addresses)) {
        const exception = held.get(addressKey(address));
        if (exception?.state === withdrawn) continue;
        if (exception === undefined || !OPEN_STATES.includes(exception.state)) return address;
        open.push([address, exception]);
      }
      if (open.length === 0) return 'withdrawn';
      try {
        await this.#database.commit(withdrawScript(run.runId, open));
        await this.#expireParts(run.runId);
        return 'withdrawn';
      } catch (error) {
        if (!(error instanceof Miscount)) throw asUnavailable(error);
        // Another person was faster, or the run was started.
        if (await this.#isClosed(run.runId)) return 'closed';
        if (tries >= TRIES_MAX) throw new StorageUnavailable('the rows are changed all the time');
      }
    }
  }

  async #isClosed(runId: string): Promise<boolean> {
    const row = await this.#database.read((db) =>
      db
        .selectFrom('runs')
        .select('run_id')
        .where('run_id', '=', runId)
        .where('state', 'in', storedStates(STATES))
        .executeTakeFirst(),
    );
    return row === undefined;
  }

  /** When the last faulty row of a run that is done is withdrawn, its rows are not needed any more. */
  async #expireParts(runId: string): Promise<void> {
    await this.#database.write((db) =>
      db
        .updateTable('run_files')
        .set({ expires_at_ms: 0 })
        .where('run_id', '=', runId)
        .where('kind', '=', 'part')
        .where('state', '=', DOCUMENT_STATES.available)
        .where((where) =>
          where.exists(
            where
              .selectFrom('runs')
              .select('run_id')
              .where('run_id', '=', runId)
              .where('state', 'in', storedStates(['done']))
              .where('invalid', '=', 0)
              .where('failed', '=', 0)
              .whereRef('bytes_checked', '>=', 'bytes_received'),
          ),
        )
        .execute(),
    );
  }
}

/** The exceptions with these addresses, by `addressKey`. */
export async function heldExceptions(
  database: Database,
  runId: string,
  addresses: readonly RowAddress[],
): Promise<ReadonlyMap<string, HeldException>> {
  const held = new Map<string, HeldException>();
  for (const row of await rowsAt(database, runId, addresses)) {
    const { state, row_id: rowId, held_part: heldPart, from_byte: fromByte, position } = row;
    held.set(addressKey(row), { state, rowId, place: { part: heldPart, fromByte, position } });
  }
  return held;
}

async function rowsAt(
  database: Database,
  runId: string,
  addresses: readonly RowAddress[],
): Promise<readonly ExceptionRow[]> {
  const found: ExceptionRow[] = [];
  const byPart = Map.groupBy(distinct(addresses), ({ part }) => part);
  for (const [part, ofPart] of byPart) {
    for (let at = 0; at < ofPart.length; at += BATCH) {
      const lines = ofPart.slice(at, at + BATCH).map(({ line }) => line);
      const rows = await database.read((db) =>
        db
          .selectFrom('run_exceptions')
          .selectAll()
          .where('run_id', '=', runId)
          .where('part', '=', part)
          .where('line', 'in', lines)
          .execute(),
      );
      found.push(...rows);
    }
  }
  return found;
}

function distinct(addresses: readonly RowAddress[]): RowAddress[] {
  return [...new Map(addresses.map((address) => [addressKey(address), address])).values()];
}

/** Takes rows out of the run: none of their ids is taken any more. */
function withdrawScript(
  runId: string,
  rows: readonly [RowAddress, HeldException][],
): readonly ScriptStatement[] {
  const countOf = (state: number): number => rows.filter(([, held]) => held.state === state).length;
  return [
    ...rows.flatMap(([{ part, line }, { state, rowId, place }]): ScriptStatement[] => [
      {
        sql:
          "update run_exceptions set state = ?, row_id = '' where run_id = ? and part = ?" +
          ' and line = ? and state = ? and held_part = ? and from_byte = ? and position = ?',
        parameters: [
          withdrawn,
          runId,
          part,
          line,
          state,
          place.part,
          place.fromByte,
          place.position,
        ],
        changes: 1,
      },
      ...(rowId === '' ? [] : [forgetRow(runId, rowId, place)]),
    ]),
    {
      sql:
        'update runs set withdrawn = coalesce(withdrawn, 0) + ?, invalid = invalid - ?,' +
        ` failed = failed - ? where run_id = ? and state in ${storedStatesSql(STATES)}`,
      parameters: [rows.length, countOf(invalid), countOf(failed), runId],
      changes: 1,
    },
  ];
}

function asException(row: ExceptionRow): RowException {
  const outcome = OUTCOMES[row.state];
  if (outcome === undefined) throw new Error('an exception has an unknown state');
  const { part, line, held_part: heldPart, from_byte: fromByte, position } = row;
  // adding.ts and finishing.ts wrote one amount for each summed field.
  const amounts = decode(row.amounts) as readonly string[];
  return { part, line, outcome, heldPart, fromByte, position, amounts };
}
