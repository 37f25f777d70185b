import { stateOf, storedStates } from './guarded/states.ts';
import { type Kysely, sql } from 'kysely';
import type { Database } from '../database/database.ts';
import type { FileStore } from '../files/files.ts';
import { Backlog } from '../removal/backlog.ts';
import { EXPIRY_SPREAD_MS } from '../documents/packing.ts';
import { eachByItself, type Failures } from '../removal/removal.ts';
import { freeUsage } from './bounds.ts';
import { encodeRows } from './codec.ts';
import { cancelIdleRuns } from './idle-runs.ts';
import { DOCUMENT_STATES, type Schema } from '../database/schema.ts';
import { addDamaged, readSound } from '../removal/sound-rows.ts';

/** Files that are destroyed together. */
const BATCH = 200;
/** Rows of a run that are deleted by one statement. */
const ROWS_BATCH = 500;

/**
 * Destroys expired packs, of runs and of requests, with their documents, and uploaded rows that a
 * run no longer needs. A run without any file keeps only its counts: the ids and outcomes of its
 * rows are deleted.
 */
export class RunSweep {
  readonly #database: Database;
  readonly #files: FileStore;
  readonly #backlog: Backlog;

  constructor(database: Database, files: FileStore) {
    this.#database = database;
    this.#files = files;
    this.#backlog = new Backlog(database);
  }

  /** Returns the number of destroyed documents. */
  async run(nowMs: number, failures: Failures): Promise<number> {
    await cancelIdleRuns(this.#database, nowMs);
    let documents = 0;
    for (const state of [DOCUMENT_STATES.deleting, DOCUMENT_STATES.available]) {
      let after = '';
      for (;;) {
        const due = await this.#due(state, nowMs, after);
        const last = due.at(-1);
        if (last === undefined) break;
        after = last;
        const { rows, damaged } = await readSound(this.#database, due, (db, ids) =>
          db.selectFrom('run_files').select('file_id').where('file_id', 'in', ids).execute(),
        );
        addDamaged(failures, 'run_files', damaged);
        const sound = rows.map((row) => row.file_id);
        if (sound.length > 0) documents += await this.#destroy(sound, nowMs, failures);
      }
    }
    await this.#forgetSwept(nowMs);
    await this.#forgetRuns(nowMs, failures);
    return documents;
  }

  /** Destroys one file when it has expired. */
  async expireFile(fileId: string, cutoffMs: number, failures: Failures): Promise<void> {
    await this.#destroy([fileId], cutoffMs, failures);
  }

  async #due(state: number, nowMs: number, after: string): Promise<readonly string[]> {
    const rows = await this.#database.readUncompared((db) =>
      db
        .selectFrom('run_files')
        .select('file_id')
        .where('state', '=', state)
        .where('file_id', '>', after)
        // A file in state `deleting` had expired when its deletion began.
        .$if(state === DOCUMENT_STATES.available, (query) =>
          query.where('expires_at_ms', '<=', nowMs),
        )
        .orderBy('file_id')
        .limit(sql.lit(BATCH))
        .execute(),
    );
    return rows.map((row) => row.file_id);
  }

  /** Marks the row, deletes the file, then marks the row again, as for documents. */
  async #destroy(
    fileIds: readonly string[],
    cutoffMs: number,
    failures: Failures,
  ): Promise<number> {
    const { available, deleting, deleted } = DOCUMENT_STATES;
    await this.#database.write((db) =>
      db
        .updateTable('run_files')
        // Without its key the file cannot be read, whatever becomes of its bytes.
        .set({ state: deleting, wrapped_key: null })
        .where('file_id', 'in', fileIds)
        .where('state', '=', available)
        .where('expires_at_ms', '<=', cutoffMs)
        .execute(),
    );
    const marked = await this.#database.read((db) =>
      db
        .selectFrom('run_files')
        .leftJoin('run_chunks', 'run_chunks.pack_id', 'run_files.file_id')
        .leftJoin('runs', 'runs.run_id', 'run_files.run_id')
        .select(['file_id', 'run_chunks.stored', 'run_files.kind', 'runs.team_id'])
        .select(['run_files.bytes', 'run_files.run_id', 'run_files.expires_at_ms'])
        .where('file_id', 'in', fileIds)
        .where('run_files.state', '=', deleting)
        .execute(),
    );
    const documentCounts = new Map(marked.map((row) => [row.file_id, row.stored ?? 0]));
    const removed = await eachByItself([...documentCounts.keys()], failures, (fileId) =>
      this.#files.remove(fileId, 'run'),
    );
    if (removed.length === 0) return 0;
    const isRemoved = new Set(removed);
    for (const { file_id: fileId, run_id: runId, kind, expires_at_ms: expiresAtMs } of marked) {
      if (runId !== '' || kind !== 'pack' || !isRemoved.has(fileId)) continue;
      documentCounts.set(fileId, await endPacked(this.#database, fileId, expiresAtMs));
    }
    const parts = marked.filter(({ kind }) => kind === 'part');
    await this.#database.transact(async (trx) => {
      // Another instance may remove the same files: what it has counted is not counted again.
      const own = await lockDeleting(this.#database, trx, removed);
      await trx
        .updateTable('run_files')
        .set({ state: deleted })
        .where('file_id', 'in', removed)
        .where('state', '=', deleting)
        .execute();
      for (const [teamId, freed] of usageByTeam(parts.filter((row) => own.has(row.file_id)))) {
        await freeUsage(trx, teamId, freed);
      }
    });
    return removed.reduce((sum, fileId) => sum + (documentCounts.get(fileId) ?? 0), 0);
  }

  async #forgetSwept(nowMs: number): Promise<void> {
    await this.#backlog.remove(
      'run_files',
      sql`state = ${DOCUMENT_STATES.swept} and expires_at_ms <= ${nowMs}`,
    );
  }

  /** Deletes the rows of ended runs whose files are all deleted. */
  async #forgetRuns(nowMs: number, failures: Failures): Promise<void> {
    for (let after = ''; ;) {
      const runs = await this.#forgettable(nowMs, after);
      const last = runs.at(-1);
      if (last === undefined) return;
      after = last;
      const { rows, damaged } = await readSound(this.#database, runs, (db, ids) =>
        db.selectFrom('runs').select('run_id').where('run_id', 'in', ids).execute(),
      );
      addDamaged(failures, 'runs', damaged);
      for (const { run_id: runId } of rows) await this.#forgetRun(runId);
    }
  }

  async #forgettable(nowMs: number, after: string): Promise<readonly string[]> {
    const { deleted } = DOCUMENT_STATES;
    const rows = await this.#database.readUncompared((db) =>
      db
        .selectFrom('runs')
        .select('run_id')
        .where('run_id', '>', after)
        .where('state', 'in', storedStates(['done', 'cancelled', 'stopped']))
        .where('ended_at_ms', '<=', nowMs)
        .where((where) =>
          where.exists(
            where
              .selectFrom('run_files')
              .select('file_id')
              .whereRef('run_files.run_id', '=', 'runs.run_id')
              .where('run_files.state', '=', deleted),
          ),
        )
        .where((where) =>
          where.not(
            where.exists(
              where
                .selectFrom('run_files')
                .select('file_id')
                .whereRef('run_files.run_id', '=', 'runs.run_id')
                .where('run_files.state', '!=', deleted),
            ),
          ),
        )
        .orderBy('run_id')
        .limit(sql.lit(BATCH))
        .execute(),
    );
    return rows.map((row) => row.run_id);
  }

  async #forgetRun(runId: string): Promise<void> {
    for (;;) {
      const rows = await this.#database.read((db) =>
        db
          .selectFrom('run_rows')
          .select('row_id')
          .where('run_id', '=', runId)
          .limit(sql.lit(ROWS_BATCH))
          .execute(),
      );
      if (rows.length === 0) break;
      const rowIds = rows.map((row) => row.row_id);
      await this.#database.write((db) =>
        db
          .deleteFrom('run_rows')
          .where('run_id', '=', runId)
          .where('row_id', 'in', rowIds)
          .execute(),
      );
    }
    await this.#backlog.remove('run_superseded', sql`run_id = ${runId}`);
    await this.#backlog.remove('run_exceptions', sql`run_id = ${runId}`);
    await this.#emptyChunks(runId);
    await forgetFinal(this.#database, this.#backlog, runId);
    // Nothing reads the run's files any more, so the rows that record their deletion can go.
    await this.#backlog.remove('run_files', sql`run_id = ${runId}`);
  }

  /** Removes the outcomes of the rows from the chunks of a run. */
  async #emptyChunks(runId: string): Promise<void> {
    const noResults = await encodeRows([]);
    for (let after = ''; ;) {
      const chunks = await this.#database.read((db) =>
        db
          .selectFrom('run_chunks')
          .select('chunk_id')
          .where('run_id', '=', runId)
          .where('chunk_id', '>', after)
          .orderBy('chunk_id')
          .limit(sql.lit(BATCH))
          .execute(),
      );
      const last = chunks.at(-1);
      if (last === undefined) return;
      after = last.chunk_id;
      const chunkIds = chunks.map((chunk) => chunk.chunk_id);
      await this.#database.write((db) =>
        db
          .updateTable('run_chunks')
          .set({ results: noResults })
          .where('chunk_id', 'in', chunkIds)
          .execute(),
      );
    }
  }
}

/**
 * Marks the documents of a pack of requests as deleted, as documents with separate files are;
 * returns their number. Searches by state and expiry, which have an index; `pack_id` has none.
 */
async function endPacked(database: Database, packId: string, expiresAtMs: number): Promise<number> {
  const { packed, deleted } = DOCUMENT_STATES;
  const { numUpdatedRows } = await database.write((db) =>
    db
      .updateTable('documents')
      .set({ state: deleted })
      .where('state', '=', packed)
      .where('expires_at_ms', '>=', expiresAtMs - EXPIRY_SPREAD_MS)
      .where('expires_at_ms', '<=', expiresAtMs)
      .where('pack_id', '=', packId)
      .executeTakeFirst(),
  );
  return Number(numUpdatedRows);
}

/** Locks the rows of files until COMMIT; returns those whose files are still to be marked as deleted. */
async function lockDeleting(
  { dialect }: Database,
  trx: Kysely<Schema>,
  fileIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await trx
    .selectFrom('run_files')
    .select('file_id')
    .where('file_id', 'in', fileIds)
    .where('state', '=', DOCUMENT_STATES.deleting)
    .$if(dialect === 'mysql', (query) => query.forUpdate())
    .execute();
  return new Set(rows.map((row) => row.file_id));
}

function usageByTeam(
  files: readonly { readonly team_id: string | null; readonly bytes: number }[],
): ReadonlyMap<string, { bytes: number; parts: number }> {
  const usage = new Map<string, { bytes: number; parts: number }>();
  for (const { team_id: teamId, bytes } of files) {
    if (teamId === null) continue;
    const own = usage.get(teamId) ?? { bytes: 0, parts: 0 };
    usage.set(teamId, { bytes: own.bytes + bytes, parts: own.parts + 1 });
  }
  return usage;
}

/**
 * Deletes rows of a run whose files are all deleted, when its state allows it:
 *
 * - `done`, `cancelled`: its print files and their indexes, which hold the ids of its rows. A stopped
 *   run keeps them, because it continues with them when it is started again.
 * - `cancelled`: its parts except the last one, whose number the run still reports. A run that is done
 *   keeps all parts: it may get more, and then needs the old ones to recognise repeated rows.
 */
async function forgetFinal(database: Database, backlog: Backlog, runId: string): Promise<void> {
  const run = await database.read((db) =>
    db.selectFrom('runs').select('state').where('run_id', '=', runId).executeTakeFirst(),
  );
  const state = run === undefined ? null : stateOf(run.state);
  if (state !== 'done' && state !== 'cancelled') return;
  await backlog.remove('run_print_index', sql`run_id = ${runId}`);
  await backlog.remove('run_prints', sql`run_id = ${runId}`);
  if (state === 'cancelled') await forgetParts(database, backlog, runId);
}

async function forgetParts(database: Database, backlog: Backlog, runId: string): Promise<void> {
  const parts = await database.read((db) =>
    db
      .selectFrom('run_parts')
      .select([sql<number>`count(*)`.as('count'), sql<number | null>`max(part)`.as('last')])
      .where('run_id', '=', runId)
      .executeTakeFirst(),
  );
  const { count = 0, last = null } = parts ?? {};
  if (last === null || count === 1) return;
  // Earlier versions did not keep the number of parts.
  await database.write((db) =>
    db
      .updateTable('runs')
      .set({ part_count: count })
      .where('run_id', '=', runId)
      .where('part_count', 'is', null)
      .execute(),
  );
  await backlog.remove('run_parts', sql`run_id = ${runId} and part < ${last}`);
}
