import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { hashInSlices } from '../../../runtime/hash-in-slices.ts';
import type { SteadyClock } from '../../clock.ts';
import type { Database } from '../../database/database.ts';
import { asUnavailable } from '../../database/database-fault.ts';
import { DOCUMENT_STATES, type Schema } from '../../database/schema.ts';
import { Miscount } from '../../database/script.ts';
import type { Vault } from '../../encryption/vault.ts';
import { CheckedFile } from '../../files/checked-file.ts';
import { digestBytes, hex, uuidv7 } from '../../ids.ts';
import { LEASE_MS, LeaseWatch, WATCHED_MAX } from '../../leases.ts';
import { FileDamaged } from '../../files/faults.ts';
import type { ListPage, StoredFile } from '../../terms.ts';
import { decodeSegments, encode, wholeOf } from '../codec.ts';
import { decodeEntries, NOT_HERE } from './entries.ts';
import { documentsPerFile, findPlan, planPrints } from './plans.ts';
import { dropIndexes, indexesOf, putIndex, readIndex } from './print-index.ts';
import type { RunExamination } from '../run-examination.ts';
import type { RunFileVerdict, RunRecord } from '../types.ts';
import { PRINT_STATES, type RunSchema } from '../../database/tables/runs.ts';
import type {
  NewPrint,
  PrintedDocument,
  PrintPlan,
  PrintSegment,
  RunPrint,
  RunPrints,
  WholePrint,
} from './types.ts';

/** Time after which the sweep removes the segments of an abandoned print file. */
const UNFINISHED_MS = 86_400_000;
/** Print files tried for one lease, because several instances compete for the same ones. */
const CANDIDATES = 8;
/** Rows read or changed in one turn of the event loop, and documents listed in them. */
const PAGE = 500;
const ENTRIES_PER_TURN = 20_000;

const PLAN_COLUMNS = [
  'number',
  'owner',
  'lease_until_ms',
  'first_part',
  'first_byte',
  'first_skip',
  'planned',
] as const satisfies readonly (keyof RunSchema['run_prints'])[];
type PlanRow = Pick<RunSchema['run_prints'], (typeof PLAN_COLUMNS)[number]>;

/** Merged print files of runs: one row each; their segments are separate files. */
export class Prints implements RunPrints {
  readonly #database: Database;
  readonly #vault: Vault;
  readonly #clock: SteadyClock;
  readonly #examination: RunExamination;
  readonly #watch: LeaseWatch;

  constructor(database: Database, vault: Vault, clock: SteadyClock, examination: RunExamination) {
    this.#database = database;
    this.#vault = vault;
    this.#clock = clock;
    this.#examination = examination;
    this.#watch = new LeaseWatch(LEASE_MS, () => clock.monotonicMs());
  }

  prepare(run: RunRecord): Promise<void> {
    return planPrints(this.#database, run);
  }

  async clear(runId: string): Promise<void> {
    const nowMs = this.#clock.wallMs();
    const indexIds = await indexesOf(this.#database, runId);
    await this.#database.transact(async (trx) => {
      await trx.deleteFrom('run_prints').where('run_id', '=', runId).execute();
      await trx
        .updateTable('run_files')
        .set({ expires_at_ms: nowMs })
        .where('run_id', '=', runId)
        .where('kind', '=', 'print')
        .execute();
    });
    // Afterwards, because a print file may be finished meanwhile.
    await dropIndexes(this.#database, runId, indexIds);
  }

  async lease(run: RunRecord, owner: string): Promise<PrintPlan | null> {
    const { runId } = run;
    const nowMs = this.#clock.wallMs();
    for (const row of await this.#free(runId, owner, nowMs)) {
      const { number } = row;
      const result = await this.#database.write((db) =>
        db
          .updateTable('run_prints')
          .set({ owner, lease_until_ms: nowMs + LEASE_MS })
          .where('run_id', '=', runId)
          .where('number', '=', number)
          .where('state', '=', PRINT_STATES.open)
          .where('lease_until_ms', '=', row.lease_until_ms)
          .executeTakeFirst(),
      );
      if (result.numUpdatedRows === 1n) return asPlan(row) ?? findPlan(this.#database, run, number);
    }
    return null;
  }

  /** Some print files that nobody makes; those whose lease `owner` has are not among them. */
  async #free(runId: string, owner: string, nowMs: number): Promise<readonly PlanRow[]> {
    const open = (db: Kysely<Schema>) =>
      db
        .selectFrom('run_prints')
        .select([...PLAN_COLUMNS])
        .where('run_id', '=', runId)
        .where('state', '=', PRINT_STATES.open)
        .where((where) => where.or([where('owner', 'is', null), where('owner', '!=', owner)]))
        .orderBy('number');
    const free = await this.#database.read((db) =>
      open(db).where('lease_until_ms', '<=', nowMs).limit(sql.lit(CANDIDATES)).execute(),
    );
    if (free.length > 0 || !this.#watch.isDue(runId)) return free;
    const leased = await this.#database.read((db) =>
      open(db).limit(sql.lit(WATCHED_MAX)).execute(),
    );
    return leased.filter((row) => this.#watch.hasEnded(`${runId} ${row.number}`, row));
  }

  async left(runId: string): Promise<number> {
    const row = await this.#database.read((db) =>
      db
        .selectFrom('run_prints')
        .select(sql<number>`count(*)`.as('count'))
        .where('run_id', '=', runId)
        .where('state', '=', PRINT_STATES.open)
        .executeTakeFirst(),
    );
    return row?.count ?? 0;
  }

  async renew(owner: string): Promise<void> {
    await this.#database.write((db) =>
      db
        .updateTable('run_prints')
        .set({ lease_until_ms: this.#clock.wallMs() + LEASE_MS })
        .where('owner', '=', owner)
        .where('state', '=', PRINT_STATES.open)
        .execute(),
    );
  }

  async release(owner: string, runId: string, number: number): Promise<void> {
    await this.#database.write((db) =>
      releasePrints(db, owner).where('run_id', '=', runId).where('number', '=', number).execute(),
    );
  }

  async releaseAll(owner: string): Promise<void> {
    await this.#database.write((db) => releasePrints(db, owner).execute());
  }

  async putSegment(runId: string, pieces: readonly Uint8Array[]): Promise<PrintSegment> {
    const nowMs = this.#clock.wallMs();
    const fileId = uuidv7(nowMs);
    const bytes = pieces.reduce((sum, piece) => sum + piece.byteLength, 0);
    const digest = createHash('sha256');
    for (const piece of pieces) await hashInSlices(digest, piece);
    const sha256 = digest.digest('hex');
    const wrappedKey = await this.#vault.put(fileId, pieces, 'run');
    const row = {
      file_id: fileId,
      run_id: runId,
      kind: 'print',
      bytes,
      expires_at_ms: nowMs + UNFINISHED_MS,
      state: DOCUMENT_STATES.available,
      wrapped_key: wrappedKey,
    };
    await this.#database.write((db) => db.insertInto('run_files').values(row).execute());
    return { fileId, bytes, sha256 };
  }

  async openSegment({ fileId, bytes, sha256 }: PrintSegment): Promise<StoredFile> {
    const file = await this.#vault.openRunFile(fileId);
    const damaged = new FileDamaged(fileId);
    if (file.bytes !== bytes) {
      await file.close();
      throw damaged;
    }
    // Segments of older versions have no digest.
    if (sha256 === null) return file;
    return new CheckedFile(file, sha256, () => Promise.resolve(damaged));
  }

  async finish(run: RunRecord, number: number, owner: string, print: NewPrint): Promise<boolean> {
    const nowMs = this.#clock.wallMs();
    const { segments, documents, packIds, pages, sha256 } = print;
    const latestMs = nowMs + run.spec.retentionSeconds * 1000;
    const expiresAtMs = await this.#firstExpiry(packIds, latestMs);
    const bytes = segments.reduce((sum, segment) => sum + segment.bytes, 0);
    const { open, done } = PRINT_STATES;
    const index = await putIndex(this.#database, run.runId, documents, nowMs);
    try {
      await this.#database.commit([
        {
          sql:
            'update run_prints set state = ?, documents = ?, pages = ?, bytes = ?, segments = ?,' +
            ' entries = ?, index_id = ?, sha256 = ?, owner = null' +
            ' where run_id = ? and number = ? and state = ? and owner = ?',
          parameters: [
            done,
            documents.length,
            pages,
            bytes,
            encode(segments),
            Buffer.from(NOT_HERE),
            index.indexId,
            digestBytes(sha256),
            run.runId,
            number,
            open,
            owner,
          ],
          changes: 1,
        },
        ...index.end,
        ...segments.map(({ fileId }) => ({
          sql: 'update run_files set expires_at_ms = ? where file_id = ? and state = ?',
          parameters: [expiresAtMs, fileId, DOCUMENT_STATES.available],
          changes: 1,
        })),
      ]);
      return true;
    } catch (error) {
      if (!(error instanceof Miscount)) throw asUnavailable(error);
      await dropIndexes(this.#database, run.runId, [index.indexId]);
      return false;
    }
  }

  /** When the first of these packs expires, `latestMs` at the latest. */
  async #firstExpiry(packIds: readonly string[], latestMs: number): Promise<number> {
    let firstMs = latestMs;
    for (let at = 0; at < packIds.length; at += PAGE) {
      const row = await this.#database.read((db) =>
        db
          .selectFrom('run_files')
          .select(sql<number | null>`min(expires_at_ms)`.as('first_ms'))
          .where('file_id', 'in', packIds.slice(at, at + PAGE))
          .executeTakeFirst(),
      );
      firstMs = Math.min(firstMs, row?.first_ms ?? latestMs);
    }
    return firstMs;
  }

  async settle(run: RunRecord): Promise<void> {
    const { runId } = run;
    const used = new Set<string>();
    for await (const { segments } of this.#segmentRows(run)) {
      for (const { fileId } of decodeSegments(segments)) used.add(fileId);
    }
    for (let after = ''; ;) {
      const files = await this.#files(runId, after);
      const unused = files.filter((fileId) => !used.has(fileId));
      if (unused.length > 0) await this.#expire(unused);
      const last = files.at(-1);
      if (last === undefined || files.length < PAGE) return;
      after = last;
      // SQLite answers without leaving the turn.
      await setImmediate();
    }
  }

  async *#segmentRows(run: RunRecord): AsyncGenerator<Pick<RunSchema['run_prints'], 'segments'>> {
    const rowsMax = rowsPerRead(run);
    for (let after = 0; ;) {
      const rows = await this.#database.read((db) =>
        db
          .selectFrom('run_prints')
          .select(['number', 'segments'])
          .where('run_id', '=', run.runId)
          .where('number', '>', after)
          .orderBy('number')
          .limit(sql.lit(rowsMax))
          .execute(),
      );
      yield* rows;
      const last = rows.at(-1);
      if (last === undefined || rows.length < rowsMax) return;
      after = last.number;
      // SQLite answers without leaving the turn.
      await setImmediate();
    }
  }

  /** Files of segments, by id. */
  async #files(runId: string, after: string): Promise<readonly string[]> {
    const rows = await this.#database.read((db) =>
      db
        .selectFrom('run_files')
        .select('file_id')
        .where('run_id', '=', runId)
        .where('kind', '=', 'print')
        .where('file_id', '>', after)
        .orderBy('file_id')
        .limit(sql.lit(PAGE))
        .execute(),
    );
    return rows.map((row) => row.file_id);
  }

  async #expire(fileIds: readonly string[]): Promise<void> {
    const nowMs = this.#clock.wallMs();
    await this.#database.write((db) =>
      db
        .updateTable('run_files')
        .set({ expires_at_ms: nowMs })
        .where('file_id', 'in', fileIds)
        .execute(),
    );
  }

  async list(run: RunRecord, countMax: number, after: number): Promise<ListPage<RunPrint>> {
    const items: RunPrint[] = [];
    // One more row tells whether the list goes on.
    for (let left = countMax + 1; left > 0;) {
      const count = Math.min(left, rowsPerRead(run));
      const rows = await this.#finished(run.runId, count, items.at(-1)?.number ?? after);
      items.push(...rows);
      if (rows.length < count) return { items, next: null };
      left -= count;
      // SQLite answers without leaving the turn.
      await setImmediate();
    }
    items.pop();
    return { items, next: String(items.at(-1)?.number ?? after) };
  }

  async #finished(runId: string, countMax: number, after: number): Promise<readonly RunPrint[]> {
    const rows = await this.#database.read((db) =>
      db
        .selectFrom('run_prints')
        .select(['number', 'documents', 'pages', 'bytes', 'sha256'])
        .where('run_id', '=', runId)
        .where('state', '=', PRINT_STATES.done)
        .where('number', '>', after)
        .orderBy('number')
        .limit(sql.lit(countMax))
        .execute(),
    );
    return rows.map(({ sha256, ...print }) => ({
      ...print,
      sha256: sha256 === null ? null : hex(sha256),
    }));
  }

  async find(runId: string, number: number): Promise<WholePrint | null> {
    const row = await this.#database.read((db) =>
      finished(db, runId, number).select(['segments', 'sha256']).executeTakeFirst(),
    );
    return row === undefined ? null : wholeOf(row.segments, row.sha256);
  }

  async hasExpired({ segments }: WholePrint): Promise<boolean> {
    // All segments of a print file expire together.
    const fileId = segments[0]?.fileId ?? '';
    const row = await this.#database.read((db) =>
      db
        .selectFrom('run_files')
        .select(['state', 'expires_at_ms'])
        .where('file_id', '=', fileId)
        .executeTakeFirst(),
    );
    // Without a row the file is lost, which its reader finds.
    if (row === undefined) return false;
    return row.state !== DOCUMENT_STATES.available || row.expires_at_ms <= this.#clock.nowMs();
  }

  examine(runId: string, number: number, print: WholePrint): Promise<RunFileVerdict> {
    return this.#examination.examine({ runId, file: 'print', number, ...print });
  }

  async documents(
    runId: string,
    number: number,
  ): Promise<AsyncIterable<readonly PrintedDocument[]> | null> {
    const row = await this.#database.read((db) =>
      finished(db, runId, number).select(['index_id', 'documents', 'entries']).executeTakeFirst(),
    );
    if (row === undefined) return null;
    const { index_id: indexId, documents, entries } = row;
    return indexId === null
      ? inTurns(decodeEntries(entries))
      : readIndex(this.#database, runId, indexId, documents);
  }
}

/**
 * How many rows are read in one turn of the event loop: SQLite compares each with its check, and an
 * earlier version kept the list of its documents in it.
 */
function rowsPerRead(run: RunRecord): number {
  const fitting = Math.floor(ENTRIES_PER_TURN / documentsPerFile(run));
  return Math.max(1, Math.min(PAGE, fitting));
}

/** Yields each item in another turn of the event loop. */
async function* inTurns<T>(items: Iterable<T>): AsyncGenerator<T> {
  for (const item of items) {
    yield item;
    await setImmediate();
  }
}

function finished(db: Kysely<Schema>, runId: string, number: number) {
  return db
    .selectFrom('run_prints')
    .where('run_id', '=', runId)
    .where('number', '=', sql.lit(number))
    .where('state', '=', PRINT_STATES.done);
}

function releasePrints(db: Kysely<Schema>, owner: string) {
  return db
    .updateTable('run_prints')
    .set({ owner: null, lease_until_ms: 0 })
    .where('owner', '=', owner)
    .where('state', '=', PRINT_STATES.open);
}

/** null: an earlier version planned the print file. */
function asPlan(row: PlanRow): PrintPlan | null {
  const { number, first_part: part, first_byte: fromByte, first_skip: skip, planned } = row;
  if (part === null || fromByte === null || skip === null || planned === null) return null;
  return { number, place: { part, fromByte }, skip, documents: planned };
}
