import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database } from '../../database/database.ts';
import { encode } from '../codec.ts';
import type { PrintPlan } from './types.ts';
import { PRINT_STATES, type RunSchema } from '../../database/tables/runs.ts';
import type { RunRecord } from '../types.ts';

/** Print files of a run: each costs leases, commits and a synced file, whatever it holds. */
export const PRINTS_MAX = 20_000;
/** Chunks read, and rows inserted, in one turn of the event loop. */
const CHUNKS_PAGE = 500;
const ROWS_PER_INSERT = 250;

/** Documents per print file: as the run asks, or more if there were more than PRINTS_MAX files. */
export function documentsPerFile({ spec, counts }: RunRecord): number {
  return Math.max(spec.documentsPerPrint ?? 1, Math.ceil(counts.stored / PRINTS_MAX));
}

/**
 * Inserts the rows of all print files of a run, batch by batch in the order of their numbers: the row
 * of the last one is there only if all are. Several instances may do it at the same time.
 */
export async function planPrints(database: Database, run: RunRecord): Promise<void> {
  const documents = documentsPerFile(run);
  const last = Math.ceil(run.counts.stored / documents);
  if (last === 0 || (await hasRow(database, run.runId, last))) return;
  let rows: RunSchema['run_prints'][] = [];
  for await (const plan of plansOf(database, run.runId, documents)) {
    rows.push(rowOf(run.runId, plan));
    if (rows.length < ROWS_PER_INSERT) continue;
    await insert(database, rows);
    rows = [];
  }
  if (rows.length > 0) await insert(database, rows);
}

/** Plans a print file whose row has no first document, because an earlier version wrote the row. */
export async function findPlan(
  database: Database,
  { runId, spec }: RunRecord,
  number: number,
): Promise<PrintPlan> {
  for await (const plan of plansOf(database, runId, spec.documentsPerPrint ?? 1)) {
    if (plan.number === number) return plan;
  }
  throw new Error('a print file begins after the last document of its run');
}

async function hasRow(database: Database, runId: string, number: number): Promise<boolean> {
  const row = await database.read((db) =>
    db
      .selectFrom('run_prints')
      .select('number')
      .where('run_id', '=', runId)
      .where('number', '=', sql.lit(number))
      .executeTakeFirst(),
  );
  return row !== undefined;
}

/** Rows that another instance has inserted meanwhile stay as they are. */
async function insert(database: Database, rows: readonly RunSchema['run_prints'][]): Promise<void> {
  await database.write((db) => {
    const all = db.insertInto('run_prints').values(rows);
    return (database.dialect === 'sqlite' ? all.orIgnore() : all.ignore()).execute();
  });
}

/** Yields the print files of a run, each of which holds `documents`, in the order of their numbers. */
async function* plansOf(
  database: Database,
  runId: string,
  documents: number,
): AsyncGenerator<PrintPlan> {
  /** Documents of earlier chunks, and of the print files that began in them. */
  let passed = 0;
  let planned = 0;
  for await (const { part, from_byte: fromByte, stored } of storedChunks(database, runId)) {
    for (; planned < passed + stored; planned += documents) {
      const number = planned / documents + 1;
      yield { number, place: { part, fromByte }, skip: planned - passed, documents };
    }
    passed += stored;
  }
}

type StoredChunk = Pick<RunSchema['run_chunks'], 'part' | 'from_byte' | 'stored'>;

/** Yields the chunks with documents, in the order of parts and rows. */
async function* storedChunks(database: Database, runId: string): AsyncGenerator<StoredChunk> {
  let [part, fromByte] = [-1, -1];
  for (;;) {
    const chunks = await database.read((db) =>
      db
        .selectFrom('run_chunks')
        .select(['part', 'from_byte', 'stored'])
        .where('run_id', '=', runId)
        // It bounds the scan of the index; the OR alone would not.
        .where('part', '>=', part)
        .where((where) =>
          where.or([
            where('part', '>', part),
            where.and([where('part', '=', part), where('from_byte', '>', fromByte)]),
          ]),
        )
        .orderBy('part')
        .orderBy('from_byte')
        .limit(sql.lit(CHUNKS_PAGE))
        .execute(),
    );
    yield* chunks;
    const last = chunks.at(-1);
    if (last === undefined || chunks.length < CHUNKS_PAGE) return;
    [part, fromByte] = [last.part, last.from_byte];
    // SQLite answers without leaving the turn.
    await setImmediate();
  }
}

function rowOf(runId: string, { number, place, skip, documents }: PrintPlan) {
  return {
    run_id: runId,
    number,
    state: PRINT_STATES.open,
    owner: null,
    lease_until_ms: 0,
    documents: 0,
    pages: 0,
    bytes: 0,
    segments: encode([]),
    entries: encode([]),
    first_part: place.part,
    first_byte: place.fromByte,
    first_skip: skip,
    planned: documents,
    sha256: null,
    index_id: null,
  } satisfies RunSchema['run_prints'];
}
