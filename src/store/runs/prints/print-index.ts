import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Database } from '../../database/database.ts';
import { insertOf } from '../../database/inserts.ts';
import type { ScriptStatement } from '../../database/script.ts';
import { uuidv7 } from '../../ids.ts';
import { StorageUnavailable } from '../../terms.ts';
import { decode, encode } from '../codec.ts';
import { Backlog } from '../../removal/backlog.ts';
import { PRINT_STATES, type RunSchema } from '../../database/tables/runs.ts';
import type { PrintedDocument } from './types.ts';

/*
 * The documents of a print file, up to a hundred thousand of them, are rows of some hundred documents
 * each, written and read one at a time: nothing that the main thread does in one turn grows with the
 * print file. All but the last are written before the print file is finished, under an id that its row
 * gets then. Those of a process that dies before it finishes the print file are deleted with the run.
 */

/** Documents of one row: about 50 KB, a millisecond to write or to read. */
const DOCUMENTS_PER_ROW = 500;

const IDS_PER_STATEMENT = 100;
const PRINTS_PER_READ = 500;

const COLUMNS = [
  'run_id',
  'index_id',
  'position',
  'entries',
] as const satisfies readonly (keyof RunSchema['run_print_index'])[];

/** The documents of a print file that is about to be finished. */
export interface NewIndex {
  readonly indexId: string;
  /** Inserts the last row, in the transaction that finishes the print file. */
  readonly end: readonly ScriptStatement[];
}

/** Stores the documents of a print file, but for those of the last row. */
export async function putIndex(
  database: Database,
  runId: string,
  documents: readonly PrintedDocument[],
  nowMs: number,
): Promise<NewIndex> {
  const indexId = uuidv7(nowMs);
  for (let position = 0; position < documents.length; position += DOCUMENTS_PER_ROW) {
    const entries = encode(documents.slice(position, position + DOCUMENTS_PER_ROW));
    const row = { run_id: runId, index_id: indexId, position, entries };
    const insert = insertOf('run_print_index', COLUMNS, [row]);
    if (position + DOCUMENTS_PER_ROW >= documents.length) return { indexId, end: [insert] };
    await database.commitWithRetries([insert]);
  }
  return { indexId, end: [] };
}

/** Deletes the rows of print files that are discarded, or that another process makes. */
export async function dropIndexes(
  database: Database,
  runId: string,
  indexIds: readonly string[],
): Promise<void> {
  const backlog = new Backlog(database);
  for (let at = 0; at < indexIds.length; at += IDS_PER_STATEMENT) {
    const some = indexIds.slice(at, at + IDS_PER_STATEMENT);
    const condition = sql`run_id = ${runId} and index_id in (${sql.join(some)})`;
    await backlog.remove('run_print_index', condition);
  }
}

/** The indexes of the finished print files of a run. */
export async function indexesOf(database: Database, runId: string): Promise<readonly string[]> {
  const indexIds: string[] = [];
  for (let after = 0; ;) {
    const rows = await database.read((db) =>
      db
        .selectFrom('run_prints')
        .select(['number', 'index_id'])
        .where('run_id', '=', runId)
        .where('state', '=', PRINT_STATES.done)
        .where('number', '>', after)
        .orderBy('number')
        .limit(sql.lit(PRINTS_PER_READ))
        .execute(),
    );
    for (const { index_id: indexId } of rows) if (indexId !== null) indexIds.push(indexId);
    const last = rows.at(-1);
    if (last === undefined || rows.length < PRINTS_PER_READ) return indexIds;
    after = last.number;
    // SQLite answers without leaving the turn.
    await setImmediate();
  }
}

/**
 * Yields `count` documents, one row at a time. Throws StorageUnavailable when some are not there any
 * more, because the print file was discarded meanwhile.
 */
export async function* readIndex(
  database: Database,
  runId: string,
  indexId: string,
  count: number,
): AsyncGenerator<readonly PrintedDocument[]> {
  for (let position = 0; position < count; position += DOCUMENTS_PER_ROW) {
    const row = await database.read((db) =>
      db
        .selectFrom('run_print_index')
        .select('entries')
        .where('run_id', '=', runId)
        .where('index_id', '=', indexId)
        .where('position', '=', sql.lit(position))
        .executeTakeFirst(),
    );
    if (row === undefined) throw new StorageUnavailable('the print file was discarded meanwhile');
    // `putIndex` wrote them from this type.
    yield decode(row.entries) as readonly PrintedDocument[];
    // SQLite answers without leaving the turn.
    await setImmediate();
  }
}
