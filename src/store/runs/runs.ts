import { stateOf, storedState, storedStates } from './guarded/states.ts';
import { destroyKeys, putRows } from './guarded/protected-rows.ts';
import { setImmediate } from 'node:timers/promises';
import { type Expression, type ExpressionBuilder, type Kysely, sql, type SqlBool } from 'kysely';
import type { SteadyClock } from '../clock.ts';
import type { Database } from '../database/database.ts';
import { addDecimals } from './sums/decimal-sum.ts';
import { type ClaimSettlement, settlementOf } from '../database/commits.ts';
import { asUnavailable, CommitUnknown, isFault } from '../database/database-fault.ts';
import { insertOf } from '../database/inserts.ts';
import type { ScrubResult } from '../documents/types.ts';
import type { RunExamination } from './run-examination.ts';
import { scrubRuns } from './run-scrub.ts';
import type { Vault } from '../encryption/vault.ts';
import { clip, isUuid, uuidv7 } from '../ids.ts';
import { lockUsage, type RunUsage } from './bounds.ts';
import type {
  ChunkPlace,
  ManifestRow,
  NewRunPart,
  NoRoom,
  PartOutcome,
  PartRefusal,
  RunMove,
  RunPart,
  RunReason,
  RunRecord,
  RunScrub,
  RunSpec,
  RunState,
  RunStore,
  RunSums,
  StartOutcome,
} from './types.ts';
import { asPart, asRun, asSpec, decode, encode } from './codec.ts';
import { readManifest } from './manifest.ts';
import { listRuns } from './run-list.ts';
import type { RunFilter } from './run-filter.ts';
import { addPartScript } from './part-script.ts';
import { noteReasons } from './waiting.ts';
import { EXCEPTION_STATES, type RunSchema } from '../database/tables/runs.ts';
import { DOCUMENT_STATES, type Schema } from '../database/schema.ts';
import { Miscount } from '../database/script.ts';
import type { Claims, IdempotencyClaim } from '../idempotency.ts';
import { type Found, type ListPage, StorageUnavailable, type StoredFile } from '../terms.ts';

const TEXT_CHARACTERS = 255;
/** States in which a run accepts parts. */
const OPEN_STATES: readonly RunState[] = ['receiving', 'stopped', 'done'];
/** Chunks read at a time. */
const SUMS_PAGE = 500;

/** Runs for callers, who create, fill, start, stop and read them. */
export class Runs implements RunStore {
  readonly #database: Database;
  readonly #vault: Vault;
  readonly #clock: SteadyClock;
  readonly #claims: Claims;
  readonly #usage: RunUsage;
  readonly #examination: RunExamination;

  constructor(
    database: Database,
    vault: Vault,
    clock: SteadyClock,
    claims: Claims,
    usage: RunUsage,
    examination: RunExamination,
  ) {
    this.#database = database;
    this.#vault = vault;
    this.#clock = clock;
    this.#claims = claims;
    this.#usage = usage;
    this.#examination = examination;
  }

  async create(
    teamId: string,
    principal: string,
    spec: RunSpec,
    claim: IdempotencyClaim | null = null,
  ): Promise<RunRecord> {
    const nowMs = this.#clock.wallMs();
    const row: RunSchema['runs'] = {
      run_id: uuidv7(nowMs),
      team_id: teamId,
      principal,
      name: clip(spec.name, TEXT_CHARACTERS),
      template_id: spec.templateId,
      version: spec.version,
      spec: encode(spec),
      state: storedState('receiving', spec),
      paused_from: '',
      dry_run: 0,
      reasons: encode([]),
      received: 0,
      stored: 0,
      invalid: 0,
      failed: 0,
      pages: 0,
      bytes: 0,
      bytes_received: 0,
      bytes_checked: 0,
      created_at_ms: nowMs,
      started_at_ms: null,
      ended_at_ms: null,
      identical: 0,
      withdrawn: 0,
      refused: 0,
      part_at_ms: null,
      part_count: 0,
      starts: 0,
      totals: null,
    };
    if (claim === null) {
      await this.#database.write((db) => db.insertInto('runs').values(row).execute());
    } else {
      await this.#insertClaimed(row, this.#claims.settlement(claim));
      this.#claims.forget(claim);
    }
    return asRun(row);
  }

  /**
   * Adds the run and settles its claim in one transaction, so that a repeated request either finds
   * the run or creates it.
   */
  async #insertClaimed(row: RunSchema['runs'], settlement: ClaimSettlement): Promise<void> {
    // Object.keys returns string[]; these are the keys of `row`.
    const columns = Object.keys(row) as (keyof RunSchema['runs'])[];
    try {
      await this.#database.commit([
        insertOf('runs', columns, [row]),
        settlementOf(row.run_id, settlement),
      ]);
    } catch (error) {
      if (error instanceof Miscount) {
        throw new StorageUnavailable('the idempotency claim was lost to another instance');
      }
      throw asUnavailable(error);
    }
  }

  async find(teamId: string, runId: string): Promise<Found<RunRecord>> {
    if (!isUuid(runId)) return { found: false, why: 'absent' };
    const row = await this.#database.read((db) =>
      db.selectFrom('runs').selectAll().where('run_id', '=', runId).executeTakeFirst(),
    );
    if (row === undefined) return { found: false, why: 'absent' };
    if (row.team_id !== teamId) return { found: false, why: 'foreign' };
    return { found: true, value: asRun(row) };
  }

  haveDocumentsExpired(runId: string): Promise<boolean> {
    return this.#haveExpired(runId, ['pack']);
  }

  haveRowsExpired(runId: string): Promise<boolean> {
    return this.#haveExpired(runId, ['pack', 'part']);
  }

  /** Whether none of the files of these kinds is living. */
  async #haveExpired(runId: string, kinds: readonly string[]): Promise<boolean> {
    const living = await this.#database.readUncompared((db) =>
      db
        .selectFrom('run_files')
        .select('file_id')
        .where('run_id', '=', runId)
        .where('kind', 'in', kinds)
        .where('state', '=', DOCUMENT_STATES.available)
        .where('expires_at_ms', '>', this.#clock.nowMs())
        .limit(sql.lit(1))
        .executeTakeFirst(),
    );
    return living === undefined;
  }

  list(filter: RunFilter): Promise<ListPage<RunRecord>> {
    return listRuns(this.#database, filter);
  }

  async parts(runId: string, countMax: number, after: number): Promise<readonly RunPart[]> {
    const rows = await this.#database.read((db) =>
      db
        .selectFrom('run_parts')
        .selectAll()
        .where('run_id', '=', runId)
        .where('part', '>', sql.lit(after))
        .orderBy('part')
        .limit(sql.lit(countMax))
        .execute(),
    );
    return rows.map(asPart);
  }

  countDamaged(runId: string): Promise<number> {
    return this.#examination.countDocuments(runId);
  }

  async countParts(runId: string): Promise<{ readonly count: number; readonly last: number }> {
    const last = await this.#database.read((db) =>
      db
        .selectFrom('run_parts')
        .select('part')
        .where('run_id', '=', runId)
        .orderBy('part', 'desc')
        .limit(sql.lit(1))
        .executeTakeFirst(),
    );
    const run = await this.#database.read((db) =>
      db.selectFrom('runs').select('part_count').where('run_id', '=', runId).executeTakeFirst(),
    );
    const count = run?.part_count ?? (await this.#countAllParts(runId));
    return { count, last: last?.part ?? 0 };
  }

  /** For runs of earlier versions, which did not keep their number. */
  async #countAllParts(runId: string): Promise<number> {
    const row = await this.#database.read((db) =>
      db
        .selectFrom('run_parts')
        .select(sql<number>`count(*)`.as('count'))
        .where('run_id', '=', runId)
        .executeTakeFirst(),
    );
    return row?.count ?? 0;
  }

  async refusePart(run: RunRecord, number: number, bytes: number): Promise<PartRefusal | null> {
    const why = OPEN_STATES.includes(run.state) ? await this.#mayLack(run, bytes) : 'closed';
    if (why === null) return null;
    return (await this.#storedPart(run.runId, number)) === null ? why : null;
  }

  async addPart(run: RunRecord, part: NewRunPart, rows: Uint8Array): Promise<PartOutcome> {
    const earlier = await this.#compare(run.runId, part);
    if (earlier !== null) return earlier;
    if (!OPEN_STATES.includes(run.state)) return 'closed';
    const bytes = rows.byteLength;
    await this.#usage.begin(run.teamId);
    // Before the file is written; the transaction decides.
    const lack = await this.#mayLack(run, bytes);
    if (lack !== null) return lack;
    const nowMs = this.#clock.wallMs();
    const fileId = uuidv7(nowMs);
    const wrappedKey = await putRows(this.#vault, run.spec, fileId, rows);
    try {
      const file = { fileId, bytes, wrappedKey, nowMs };
      await this.#database.commit(addPartScript(run, part, file, OPEN_STATES, this.#usage));
      return 'added';
    } catch (error) {
      // A file that remains is an orphan, which the sweep removes.
      if (!(error instanceof CommitUnknown)) await this.#discard(fileId);
      if (error instanceof Miscount) return (await this.#lacks(run, bytes)) ?? 'closed';
      if (!isFault(error, 'duplicate')) throw asUnavailable(error);
    }
    // The same part was added by another request meanwhile.
    return (await this.#compare(run.runId, part)) ?? 'closed';
  }

  /** As `#lacks`, but the run may have received more since `run` was read. */
  async #mayLack(run: RunRecord, bytes: number): Promise<NoRoom | null> {
    if (run.counts.bytesReceived + bytes > this.#usage.bounds.runBytesMax) return 'run_full';
    return this.#usage.lacks(run.teamId, bytes);
  }

  /** Why run or team have no room for a part; null: they have. */
  async #lacks({ runId, teamId }: RunRecord, bytes: number): Promise<NoRoom | null> {
    const run = await this.#database.read((db) =>
      db.selectFrom('runs').select('bytes_received').where('run_id', '=', runId).executeTakeFirst(),
    );
    if ((run?.bytes_received ?? 0) + bytes > this.#usage.bounds.runBytesMax) return 'run_full';
    return this.#usage.lacks(teamId, bytes);
  }

  /** Compares with the stored part of this number; null: the run has none. */
  async #compare(runId: string, part: NewRunPart): Promise<'there' | 'conflict' | null> {
    const stored = await this.#storedPart(runId, part.part);
    if (stored === null) return null;
    const isSame = stored.sha256 === part.sha256 && stored.format === part.format;
    return isSame ? 'there' : 'conflict';
  }

  async #storedPart(runId: string, part: number): Promise<RunPart | null> {
    const row = await this.#database.read((db) =>
      db
        .selectFrom('run_parts')
        .selectAll()
        .where('run_id', '=', runId)
        .where('part', '=', part)
        .executeTakeFirst(),
    );
    return row === undefined ? null : asPart(row);
  }

  async #discard(fileId: string): Promise<void> {
    try {
      await this.#vault.remove(fileId, 'run');
    } catch (error) {
      if (!(error instanceof StorageUnavailable)) throw error;
    }
  }

  move(runId: string, move: RunMove): Promise<boolean> {
    return this.#database.transact((trx) => this.#moveIn(trx, runId, move));
  }

  noteReasons(run: RunRecord, reasons: readonly RunReason[], owner: string | null): Promise<void> {
    const worker = owner === null ? null : { owner, nowMs: this.#clock.wallMs() };
    return noteReasons(this.#database, run, reasons, worker);
  }

  isCrowded(teamId: string): Promise<boolean> {
    return this.#usage.isCrowded(teamId);
  }

  async start({ runId, teamId }: RunRecord, move: RunMove): Promise<StartOutcome> {
    await this.#usage.begin(teamId);
    const outcome = await this.#database.transact(async (trx) => {
      await lockUsage(this.#database, trx, teamId);
      if (await this.#usage.hasAllActive(trx, teamId)) return 'team_busy';
      return (await this.#moveIn(trx, runId, move)) ? 'started' : 'closed';
    });
    if (outcome === 'team_busy') this.#usage.noteCrowded(teamId);
    return outcome;
  }

  async #moveIn(
    trx: Kysely<Schema>,
    runId: string,
    { from, to, reasons, isDryRun, starts, spec: newSpec }: RunMove,
  ): Promise<boolean> {
    const nowMs = this.#clock.wallMs();
    const isFinal = to === 'done' || to === 'cancelled';
    const hasEnded = isFinal || to === 'stopped';
    const result = await trx
      .updateTable('runs')
      .set({
        paused_from: to === 'paused' ? sql<string>`state` : '',
        reasons: encode(reasons ?? []),
        ended_at_ms: hasEnded ? nowMs : null,
        ...(isDryRun === undefined ? {} : { dry_run: isDryRun ? 1 : 0 }),
        ...(newSpec === undefined ? {} : { spec: encode(newSpec) }),
        // Each check counts the corrections that it refuses.
        ...(to === 'checking' ? { refused: 0, starts: sql<number>`coalesce(starts, 0) + 1` } : {}),
        ...(to === 'checking' && isDryRun === false
          ? { started_at_ms: sql<number>`coalesce(started_at_ms, ${nowMs})`, part_at_ms: null }
          : {}),
        ...(isFinal ? { part_at_ms: null } : {}),
      })
      .where('run_id', '=', runId)
      .where('state', 'in', storedStates(from))
      .$if(starts !== undefined, (query) =>
        query.where(sql<boolean>`coalesce(starts, 0) = ${starts}`),
      )
      .executeTakeFirst();
    if (result.numUpdatedRows !== 1n) return false;
    // This is a separate statement because MySQL assigns columns from left to right, and
    // paused_from needs the old state.
    const spec = await specOf(trx, runId);
    const state = storedState(to, spec);
    await trx.updateTable('runs').set({ state }).where('run_id', '=', runId).execute();
    if (!isFinal) return true;
    if (spec.protection === null) await expireParts(trx, runId, to, nowMs);
    else await destroyKeys(trx, runId, nowMs);
    return true;
  }

  resume(runId: string): Promise<boolean> {
    return this.#database.transact(async (trx) => {
      const paused = await trx
        .updateTable('runs')
        .set({ state: sql<string>`paused_from` })
        .where('run_id', '=', runId)
        .where('state', 'in', storedStates(['paused']))
        .executeTakeFirst();
      if (paused.numUpdatedRows !== 1n) return false;
      const run = trx.selectFrom('runs').select(['state', 'spec']).where('run_id', '=', runId);
      const { state: before, spec } = await run.executeTakeFirstOrThrow();
      // An earlier version, which did not mark states, may have written `paused_from`.
      const state = storedState(stateOf(before), asSpec(spec));
      await trx.updateTable('runs').set({ state }).where('run_id', '=', runId).execute();
      return true;
    });
  }

  async sums(run: RunRecord): Promise<RunSums> {
    const names = Object.keys(run.spec.expectedSums);
    const sums = names.map(() => '0');
    let [part, fromByte] = [-1, -1];
    for (;;) {
      // In the order of an index: in that of their ids, each page would sort all chunks of the run.
      const page = await this.#database.read((db) =>
        db
          .selectFrom('run_chunks')
          .select(['part', 'from_byte', 'sums'])
          .where('run_id', '=', run.runId)
          // The beginning of the range for the index, which an OR alone does not give.
          .where('part', '>=', part)
          .where((where) =>
            where.or([
              where('part', '>', part),
              where.and([where('part', '=', part), where('from_byte', '>', fromByte)]),
            ]),
          )
          .orderBy('part')
          .orderBy('from_byte')
          .limit(sql.lit(SUMS_PAGE))
          .execute(),
      );
      for (const row of page) {
        // adding.ts and finishing.ts wrote one sum for each name.
        const chunkSums = decode(row.sums) as readonly string[];
        for (const [index, chunkSum] of chunkSums.entries()) {
          sums[index] = addDecimals(sums[index] ?? '0', chunkSum);
        }
        [part, fromByte] = [row.part, row.from_byte];
      }
      if (page.length < SUMS_PAGE) break;
      // SQLite answers without leaving the turn.
      await setImmediate();
    }
    return Object.fromEntries(names.map((name, index) => [name, sums[index] ?? '0']));
  }

  manifest(runId: string, from?: ChunkPlace): AsyncIterable<readonly ManifestRow[]> {
    return readManifest(this.#database, runId, from);
  }

  openPack(packId: string): Promise<StoredFile> {
    return this.#vault.openUnexpired(packId, this.#clock.nowMs());
  }

  scrub(scrub: RunScrub): Promise<ScrubResult> {
    return scrubRuns(this.#database, this.#examination, scrub);
  }
}

async function specOf(trx: Kysely<Schema>, runId: string): Promise<RunSpec> {
  const row = await trx
    .selectFrom('runs')
    .select('spec')
    .where('run_id', '=', runId)
    .executeTakeFirstOrThrow();
  return asSpec(row.spec);
}

/**
 * The rows as received are not needed any more, except, when the run is done, those of parts with
 * faulty rows that can still be corrected.
 */
async function expireParts(
  trx: Kysely<Schema>,
  runId: string,
  to: RunState,
  nowMs: number,
): Promise<void> {
  const { invalid, failed } = EXCEPTION_STATES;
  const parts = trx
    .updateTable('run_files')
    .set({ expires_at_ms: nowMs })
    .where('run_id', '=', runId)
    .where('kind', '=', 'part');
  const isKept = (where: ExpressionBuilder<Schema, 'run_files'>): Expression<SqlBool> =>
    where.exists(
      where
        .selectFrom('run_parts')
        .innerJoin('run_exceptions', (join) =>
          join
            .onRef('run_exceptions.run_id', '=', 'run_parts.run_id')
            .onRef('run_exceptions.held_part', '=', 'run_parts.part')
            .on('run_exceptions.state', 'in', [invalid, failed]),
        )
        .select('run_parts.part')
        .where('run_parts.run_id', '=', runId)
        .whereRef('run_parts.file_id', '=', 'run_files.file_id'),
    );
  const expiring = to === 'done' ? parts.where((where) => where.not(isKept(where))) : parts;
  await expiring.execute();
}
