import { type Expression, type ExpressionBuilder, type Kysely, sql, type SqlBool } from 'kysely';
import { auditRow } from '../audit.ts';
import type { SteadyClock } from '../clock.ts';
import type { Database } from '../database/database.ts';
import { asUnavailable, CommitUnknown, isFault } from '../database/database-fault.ts';
import type { Schema } from '../database/schema.ts';
import type { Vault } from '../encryption/vault.ts';
import { hex, uuidv7 } from '../ids.ts';
import type { Names } from '../naming/names.ts';
import { asPart, asRun, decodeRows } from './codec.ts';
import { addChunkScript } from './adding.ts';
import { heldExceptions } from './exceptions.ts';
import { finishChunkScript } from './finishing.ts';
import { type Lease, LEASE_MS, LeaseWatch, WATCHED_MAX } from '../leases.ts';
import { CHUNK_STATES, type RunSchema } from '../database/tables/runs.ts';
import { storedStates } from './guarded/states.ts';
import type { RowPlace } from './sorting.ts';
import type { PackedDocument, RenderedChunk } from './rendered.ts';
import type {
  ActiveRun,
  CheckedRows,
  RunChunk,
  RunPart,
  RunRecord,
  RunWork,
  RunWorkLeft,
} from './types.ts';
import { Miscount } from '../database/script.ts';
import type { NewAudit } from '../audit.ts';
import { discardFile, writePack } from '../documents/packs.ts';
import type { StoredFile } from '../terms.ts';

/** Active runs that are served; more of them wait until some have ended. */
const ACTIVE_MAX = 10_000;
/** Parts or chunks tried for one lease, because several instances compete for the same ones. */
const CANDIDATES = 8;
const TRIES_MAX = 4;
const IDS_PER_QUERY = 250;
const CHUNK_LEASE = ['chunk_id', 'state', 'owner', 'lease_until_ms'] as const;

type ChunkLease = Lease & Pick<RunSchema['run_chunks'], 'chunk_id' | 'state'>;

/**
 * Distributes the work of runs among instances. A chunk is added together with the progress of its
 * part, and finished together with its documents, each in one transaction that checks the lease: two
 * owners may both believe that they hold it, but only one of them can commit.
 */
export class RunWorks implements RunWork {
  readonly #database: Database;
  readonly #vault: Vault;
  readonly #clock: SteadyClock;
  readonly #names: Names;
  readonly #watch: LeaseWatch;

  constructor(database: Database, vault: Vault, clock: SteadyClock, names: Names) {
    this.#database = database;
    this.#vault = vault;
    this.#clock = clock;
    this.#names = names;
    this.#watch = new LeaseWatch(LEASE_MS, () => clock.monotonicMs());
  }

  async activeIds(): Promise<readonly ActiveRun[]> {
    const rows = await this.#database.read((db) =>
      db
        .selectFrom('runs')
        .select(['run_id', 'team_id'])
        .where('state', 'in', storedStates(['checking', 'running']))
        .orderBy('run_id')
        .limit(sql.lit(ACTIVE_MAX))
        .execute(),
    );
    return rows.map((row) => ({ runId: row.run_id, teamId: row.team_id }));
  }

  async activeOne(runId: string): Promise<RunRecord | null> {
    const row = await this.#database.read((db) =>
      db
        .selectFrom('runs')
        .selectAll()
        .where('run_id', '=', runId)
        .where('state', 'in', storedStates(['checking', 'running']))
        .executeTakeFirst(),
    );
    return row === undefined ? null : asRun(row);
  }

  async freeChunks(runId: string, countMax: number): Promise<readonly string[]> {
    const free = await this.#freeChunks(runId, null, countMax);
    return free.map(({ chunk_id: chunkId }) => chunkId);
  }

  /** Chunks that nobody renders; those whose lease `owner` has are not among them. */
  async #freeChunks(
    runId: string,
    owner: string | null,
    countMax: number,
  ): Promise<readonly ChunkLease[]> {
    const nowMs = this.#clock.wallMs();
    const free = await this.#database.read((db) =>
      db
        .selectFrom('run_chunks')
        .select(CHUNK_LEASE)
        .where('run_id', '=', runId)
        .where(isFree(nowMs, owner))
        .limit(sql.lit(countMax))
        .execute(),
    );
    if (free.length > 0 || !this.#watch.isDue(`chunks ${runId}`)) return free;
    const leased = await this.#database.read((db) =>
      db
        .selectFrom('run_chunks')
        .select(CHUNK_LEASE)
        .where('run_id', '=', runId)
        .where('state', '=', CHUNK_STATES.leased)
        .limit(sql.lit(WATCHED_MAX))
        .execute(),
    );
    return leased.filter((row) => row.owner !== owner && this.#hasEnded(row));
  }

  #hasEnded(chunk: ChunkLease): boolean {
    return this.#watch.hasEnded(`chunk ${chunk.chunk_id}`, chunk);
  }

  async leasePart(runId: string, owner: string): Promise<RunPart | null> {
    const nowMs = this.#clock.wallMs();
    for (const row of await this.#freeParts(runId, owner)) {
      const result = await this.#database.write((db) =>
        db
          .updateTable('run_parts')
          .set({ owner, lease_until_ms: nowMs + LEASE_MS })
          .where('run_id', '=', runId)
          .where('part', '=', row.part)
          .where('lease_until_ms', '=', row.lease_until_ms)
          .where('checked_to', '=', row.checked_to)
          .executeTakeFirst(),
      );
      if (result.numUpdatedRows === 1n) return asPart(row);
    }
    return null;
  }

  /** Parts with rows to check that nobody checks; those whose lease `owner` has are not among them. */
  async #freeParts(runId: string, owner: string): Promise<readonly RunSchema['run_parts'][]> {
    const nowMs = this.#clock.wallMs();
    const unchecked = (db: Kysely<Schema>) =>
      db
        .selectFrom('run_parts')
        .selectAll()
        .where('run_id', '=', runId)
        .whereRef('checked_to', '<', 'bytes')
        .where((where) => where.or([where('owner', 'is', null), where('owner', '!=', owner)]))
        .orderBy('part');
    const free = await this.#database.read((db) =>
      unchecked(db).where('lease_until_ms', '<=', nowMs).limit(sql.lit(CANDIDATES)).execute(),
    );
    if (free.length > 0 || !this.#watch.isDue(`parts ${runId}`)) return free;
    const leased = await this.#database.read((db) =>
      unchecked(db).limit(sql.lit(WATCHED_MAX)).execute(),
    );
    return leased.filter((row) => this.#watch.hasEnded(`part ${runId} ${row.part}`, row));
  }

  async leaseChunk(runId: string, owner: string, only?: string): Promise<RunChunk | null> {
    const nowMs = this.#clock.wallMs();
    const candidates =
      only === undefined
        ? await this.#freeChunks(runId, owner, CANDIDATES)
        : await this.#onlyChunk(only, owner);
    for (const { chunk_id: chunkId, state, owner: before, lease_until_ms } of candidates) {
      const result = await this.#database.write((db) =>
        db
          .updateTable('run_chunks')
          .set({ state: CHUNK_STATES.leased, owner, lease_until_ms: nowMs + LEASE_MS })
          .where('chunk_id', '=', chunkId)
          .where('state', '=', state)
          .where('owner', before === null ? 'is' : '=', before)
          .where('lease_until_ms', '=', lease_until_ms)
          .executeTakeFirst(),
      );
      if (result.numUpdatedRows === 1n) return this.#chunk(chunkId);
    }
    return null;
  }

  /** The chunk, if nobody renders it. */
  async #onlyChunk(chunkId: string, owner: string): Promise<readonly ChunkLease[]> {
    const nowMs = this.#clock.wallMs();
    const row = await this.#database.read((db) =>
      db
        .selectFrom('run_chunks')
        .select(CHUNK_LEASE)
        .where('chunk_id', '=', chunkId)
        .executeTakeFirst(),
    );
    if (row === undefined || row.state === CHUNK_STATES.done) return [];
    if (row.state === CHUNK_STATES.ready) return [row];
    if (row.owner === owner) return [];
    return row.lease_until_ms <= nowMs || this.#hasEnded(row) ? [row] : [];
  }

  async #chunk(chunkId: string): Promise<RunChunk | null> {
    const row = await this.#database.read((db) =>
      db.selectFrom('run_chunks').selectAll().where('chunk_id', '=', chunkId).executeTakeFirst(),
    );
    return row === undefined ? null : asChunk(row);
  }

  async renew(owner: string): Promise<void> {
    const lease = { lease_until_ms: this.#clock.wallMs() + LEASE_MS };
    await this.#database.write((db) =>
      db.updateTable('run_parts').set(lease).where('owner', '=', owner).execute(),
    );
    await this.#database.write((db) =>
      db
        .updateTable('run_chunks')
        .set(lease)
        .where('owner', '=', owner)
        .where('state', '=', CHUNK_STATES.leased)
        .execute(),
    );
  }

  async releasePart(owner: string, runId: string, part: number): Promise<void> {
    await this.#database.write((db) =>
      releaseParts(db, owner).where('run_id', '=', runId).where('part', '=', part).execute(),
    );
  }

  async releaseChunk(owner: string, chunkId: string): Promise<void> {
    await this.#database.write((db) =>
      releaseChunks(db, owner).where('chunk_id', '=', chunkId).execute(),
    );
  }

  async releaseAll(owner: string): Promise<void> {
    await this.#database.write((db) => releaseParts(db, owner).execute());
    await this.#database.write((db) => releaseChunks(db, owner).execute());
  }

  openPart(part: RunPart): Promise<StoredFile> {
    return this.#vault.openRunFile(part.fileId, part.checkedTo);
  }

  async part(runId: string, part: number): Promise<RunPart | null> {
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

  async addChunk(
    run: RunRecord,
    part: RunPart,
    owner: string,
    chunk: CheckedRows,
  ): Promise<boolean> {
    const corrected = chunk.rows.flatMap(({ corrects }) => corrects ?? []);
    const ids = chunk.rows.map(({ rowId }) => rowId).filter((rowId) => rowId !== '');
    for (let tries = 1; ; tries += 1) {
      const existing = await this.#rowsWithIds(run.runId, [...new Set(ids)]);
      const chunkId = uuidv7(this.#clock.wallMs());
      const held = await heldExceptions(this.#database, run.runId, corrected);
      const checked = { run, part, owner, chunk, existing, held, chunkId };
      const script = await addChunkScript(checked);
      try {
        await this.#database.commit(script);
        return true;
      } catch (error) {
        if (error instanceof Miscount) return false;
        // `duplicate`: a chunk of another part has added one of these ids meanwhile.
        const mayRetry = isFault(error, 'duplicate') || isFault(error, 'conflict');
        if (!mayRetry || tries >= TRIES_MAX) throw asUnavailable(error);
      }
    }
  }

  /** Finds the rows of the run that have one of these ids. */
  async #rowsWithIds(
    runId: string,
    rowIds: readonly string[],
  ): Promise<ReadonlyMap<string, RowPlace>> {
    const places = new Map<string, RowPlace>();
    for (let at = 0; at < rowIds.length; at += IDS_PER_QUERY) {
      const batch = rowIds.slice(at, at + IDS_PER_QUERY);
      const rows = await this.#database.read((db) =>
        db
          .selectFrom('run_rows')
          .selectAll()
          .where('run_id', '=', runId)
          .where('row_id', 'in', batch)
          .execute(),
      );
      for (const row of rows) {
        places.set(row.row_id, {
          digest: hex(row.digest),
          part: row.part,
          fromByte: row.from_byte,
          position: row.position,
          state: row.open,
        });
      }
    }
    return places;
  }

  async finishChunk(
    run: RunRecord,
    chunk: RunChunk,
    owner: string,
    rendered: RenderedChunk,
    audit: (documentId: string, document: PackedDocument) => NewAudit,
  ): Promise<boolean> {
    const nowMs = this.#clock.wallMs();
    const expiresAtMs = nowMs + run.spec.retentionSeconds * 1000;
    const { pieces } = rendered;
    const { runId } = run;
    const pack =
      rendered.documents.length === 0
        ? null
        : await writePack(this.#vault, { pieces, runId, atMs: nowMs, expiresAtMs });
    const packId = pack?.file_id ?? null;
    const hasNames = rendered.documents.some(({ naming }) => naming !== null);
    const namesRowOf = hasNames ? await this.#names.maker() : null;
    const script = await finishChunkScript({
      run,
      chunk,
      owner,
      rendered,
      pack,
      nowMs,
      expiresAtMs,
      namesRowOf,
      auditRowOf: (documentId, document) => auditRow(this.#database, audit(documentId, document)),
    });
    try {
      await this.#database.commit(script);
      return true;
    } catch (error) {
      if (error instanceof CommitUnknown) {
        const isFinished = await this.#isFinished(chunk.chunkId, packId);
        if (isFinished) return true;
        // The transaction may still commit. If it does not, the sweep removes the pack as an orphan.
        throw asUnavailable(error);
      }
      if (packId !== null) await discardFile(this.#vault, packId, 'run');
      if (error instanceof Miscount) return false;
      throw asUnavailable(error);
    }
  }

  async #isFinished(chunkId: string, packId: string | null): Promise<boolean> {
    const row = await this.#database.read((db) =>
      db
        .selectFrom('run_chunks')
        .select(['state', 'pack_id'])
        .where('chunk_id', '=', chunkId)
        .executeTakeFirst(),
    );
    return row?.state === CHUNK_STATES.done && row.pack_id === packId;
  }

  async workLeft(runId: string): Promise<RunWorkLeft> {
    const count = sql<number>`count(*)`.as('count');
    const [parts, chunks] = await Promise.all([
      this.#database.read((db) =>
        db
          .selectFrom('run_parts')
          .select(count)
          .where('run_id', '=', runId)
          .whereRef('checked_to', '<', 'bytes')
          .executeTakeFirst(),
      ),
      this.#database.read((db) =>
        db
          .selectFrom('run_chunks')
          .select(count)
          .where('run_id', '=', runId)
          .where('state', 'in', [CHUNK_STATES.ready, CHUNK_STATES.leased])
          .executeTakeFirst(),
      ),
    ]);
    return { parts: parts?.count ?? 0, chunks: chunks?.count ?? 0 };
  }
}

function releaseParts(db: Kysely<Schema>, owner: string) {
  return db
    .updateTable('run_parts')
    .set({ owner: null, lease_until_ms: 0 })
    .where('owner', '=', owner);
}

function releaseChunks(db: Kysely<Schema>, owner: string) {
  return db
    .updateTable('run_chunks')
    .set({ owner: null, lease_until_ms: 0, state: CHUNK_STATES.ready })
    .where('owner', '=', owner)
    .where('state', '=', CHUNK_STATES.leased);
}

/**
 * Selects chunks that nobody renders: they are ready, or their owner has not renewed its lease. The
 * leases of `owner` last while it lives, whatever its clock says.
 */
function isFree(nowMs: number, owner: string | null) {
  return (where: ExpressionBuilder<Schema, 'run_chunks'>): Expression<SqlBool> => {
    const ended = [where('state', '=', CHUNK_STATES.leased), where('lease_until_ms', '<=', nowMs)];
    if (owner !== null) ended.push(where('owner', '!=', owner));
    return where.or([where('state', '=', CHUNK_STATES.ready), where.and(ended)]);
  };
}

async function asChunk(row: RunSchema['run_chunks']): Promise<RunChunk> {
  return {
    chunkId: row.chunk_id,
    runId: row.run_id,
    part: row.part,
    fromByte: row.from_byte,
    toByte: row.to_byte,
    sha256: hex(row.sha256),
    rows: await decodeRows(row.results),
  };
}
