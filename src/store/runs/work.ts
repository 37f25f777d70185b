import { type Expression, type ExpressionBuilder, sql, type SqlBool } from 'kysely';
import { auditRow } from '../audit.ts';
import type { SteadyClock } from '../clock.ts';
import type { Database } from '../database/database.ts';
import { asUnavailable, CommitUnknown, isFault } from '../database/database-fault.ts';
import type { Schema } from '../database/schema.ts';
import type { Vault } from '../encryption/vault.ts';
import { hex, uuidv7 } from '../ids.ts';
import { asPart, asRun, decodeRows } from './codec.ts';
import { addingChunk, type RowPlace } from './adding.ts';
import { finishing } from './finishing.ts';
import { CHUNK_STATES, type RunSchema } from './run-schema.ts';
import type {
  CheckedChunkRow,
  PackedDocument,
  RenderedChunk,
  RunChunk,
  RunPart,
  RunRecord,
  RunWork,
  RunWorkLeft,
} from './types.ts';
import { Miscount } from '../database/script.ts';
import type { NewAudit } from '../audit.ts';
import { StorageUnavailable, type StoredFile } from '../store.ts';

/** A lease expires when its owner has not renewed it for this long. */
const LEASE_MS = 20_000;
/** Candidates tried for one lease, because several instances compete for the same ones. */
const CANDIDATES = 8;
const TRIES_MAX = 4;
const IDS_PER_QUERY = 250;

/**
 * Distributes the work of runs among instances. A chunk is added together with the progress of its
 * part, and finished together with its documents, each in one transaction that checks the lease: two
 * owners may both believe that they hold it, but only one of them can commit.
 */
export class RunWorks implements RunWork {
  readonly #database: Database;
  readonly #vault: Vault;
  readonly #clock: SteadyClock;

  constructor(database: Database, vault: Vault, clock: SteadyClock) {
    this.#database = database;
    this.#vault = vault;
    this.#clock = clock;
  }

  async active(): Promise<readonly RunRecord[]> {
    const rows = await this.#database.read((db) =>
      db
        .selectFrom('runs')
        .selectAll()
        .where('state', 'in', ['checking', 'running'])
        .orderBy('run_id')
        .execute(),
    );
    return rows.map(asRun);
  }

  async activeOne(runId: string): Promise<RunRecord | null> {
    const row = await this.#database.read((db) =>
      db
        .selectFrom('runs')
        .selectAll()
        .where('run_id', '=', runId)
        .where('state', 'in', ['checking', 'running'])
        .executeTakeFirst(),
    );
    return row === undefined ? null : asRun(row);
  }

  async freeChunks(runId: string, countMax: number): Promise<readonly string[]> {
    const nowMs = this.#clock.wallMs();
    const rows = await this.#database.read((db) =>
      db
        .selectFrom('run_chunks')
        .select('chunk_id')
        .where('run_id', '=', runId)
        .where(isFree(nowMs))
        .limit(sql.lit(countMax))
        .execute(),
    );
    return rows.map(({ chunk_id: chunkId }) => chunkId);
  }

  async leasePart(runId: string, owner: string): Promise<RunPart | null> {
    const nowMs = this.#clock.wallMs();
    const candidates = await this.#database.read((db) =>
      db
        .selectFrom('run_parts')
        .selectAll()
        .where('run_id', '=', runId)
        .where('lease_until_ms', '<=', nowMs)
        .whereRef('checked_to', '<', 'bytes')
        .orderBy('part')
        .limit(sql.lit(CANDIDATES))
        .execute(),
    );
    for (const row of candidates) {
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

  async leaseChunk(runId: string, owner: string, wanted?: string): Promise<RunChunk | null> {
    const nowMs = this.#clock.wallMs();
    const chunkIds = wanted === undefined ? await this.freeChunks(runId, CANDIDATES) : [wanted];
    for (const chunkId of chunkIds) {
      const result = await this.#database.write((db) =>
        db
          .updateTable('run_chunks')
          .set({ state: CHUNK_STATES.leased, owner, lease_until_ms: nowMs + LEASE_MS })
          .where('chunk_id', '=', chunkId)
          .where(isFree(nowMs))
          .executeTakeFirst(),
      );
      if (result.numUpdatedRows === 1n) return this.#chunk(chunkId);
    }
    return null;
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

  async release(owner: string, held?: Parameters<RunWork['release']>[1]): Promise<void> {
    if (held === undefined || 'part' in held) await this.#releaseParts(owner, held);
    if (held === undefined || 'chunkId' in held) await this.#releaseChunks(owner, held?.chunkId);
  }

  async #releaseParts(owner: string, held?: { runId: string; part: number }): Promise<void> {
    await this.#database.write((db) => {
      const query = db
        .updateTable('run_parts')
        .set({ owner: null, lease_until_ms: 0 })
        .where('owner', '=', owner);
      return held === undefined
        ? query.execute()
        : query.where('run_id', '=', held.runId).where('part', '=', held.part).execute();
    });
  }

  async #releaseChunks(owner: string, chunkId?: string): Promise<void> {
    await this.#database.write((db) => {
      const query = db
        .updateTable('run_chunks')
        .set({ owner: null, lease_until_ms: 0, state: CHUNK_STATES.ready })
        .where('owner', '=', owner)
        .where('state', '=', CHUNK_STATES.leased);
      return chunkId === undefined
        ? query.execute()
        : query.where('chunk_id', '=', chunkId).execute();
    });
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
    chunk: { toByte: number; sha256: string; rows: readonly CheckedChunkRow[] },
  ): Promise<boolean> {
    const ids = chunk.rows.map(({ rowId }) => rowId).filter((rowId) => rowId !== '');
    for (let tries = 1; ; tries += 1) {
      const known = await this.#known(run.runId, [...new Set(ids)]);
      const script = await addingChunk({
        run,
        part,
        owner,
        chunk,
        known,
        chunkId: uuidv7(this.#clock.wallMs()),
      });
      try {
        await this.#database.commit(script);
        return true;
      } catch (error) {
        if (error instanceof Miscount) return false;
        // Another part has added one of these ids meanwhile: try again.
        const again = isFault(error, 'duplicate') || isFault(error, 'conflict');
        if (!again || tries >= TRIES_MAX) throw asUnavailable(error);
      }
    }
  }

  async #known(runId: string, rowIds: readonly string[]): Promise<ReadonlyMap<string, RowPlace>> {
    const known = new Map<string, RowPlace>();
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
        known.set(row.row_id, {
          digest: hex(row.digest),
          part: row.part,
          fromByte: row.from_byte,
          position: row.position,
          state: row.open,
        });
      }
    }
    return known;
  }

  async finishChunk(
    run: RunRecord,
    chunk: RunChunk,
    owner: string,
    rendered: RenderedChunk,
    audit: (documentId: string, document: PackedDocument) => NewAudit,
  ): Promise<boolean> {
    const nowMs = this.#clock.wallMs();
    const packId = rendered.documents.length === 0 ? null : uuidv7(nowMs);
    const audits = (documentId: string, document: PackedDocument): ReturnType<typeof auditRow> =>
      auditRow(audit(documentId, document));
    const wrappedKey =
      packId === null ? null : await this.#vault.put(packId, rendered.pieces, 'run');
    const finish = { run, chunk, owner, rendered, packId, wrappedKey, nowMs, audits };
    const script = await finishing(finish);
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
      if (packId !== null) await this.#discard(packId);
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

  /** Best effort: a file that remains is an orphan, which the sweep removes. */
  async #discard(packId: string): Promise<void> {
    try {
      await this.#vault.remove(packId, 'run');
    } catch (error) {
      if (!(error instanceof StorageUnavailable)) throw error;
    }
  }

  async workLeft(runId: string): Promise<RunWorkLeft> {
    const counted = sql<number>`count(*)`.as('found');
    const [parts, chunks] = await Promise.all([
      this.#database.read((db) =>
        db
          .selectFrom('run_parts')
          .select(counted)
          .where('run_id', '=', runId)
          .whereRef('checked_to', '<', 'bytes')
          .executeTakeFirst(),
      ),
      this.#database.read((db) =>
        db
          .selectFrom('run_chunks')
          .select(counted)
          .where('run_id', '=', runId)
          .where('state', 'in', [CHUNK_STATES.ready, CHUNK_STATES.leased])
          .executeTakeFirst(),
      ),
    ]);
    return { parts: parts?.found ?? 0, chunks: chunks?.found ?? 0 };
  }
}

/** Chunks that nobody renders: ready, or leased by an owner that has not renewed its lease. */
function isFree(nowMs: number) {
  return (where: ExpressionBuilder<Schema, 'run_chunks'>): Expression<SqlBool> =>
    where.or([
      where('state', '=', CHUNK_STATES.ready),
      where.and([where('state', '=', CHUNK_STATES.leased), where('lease_until_ms', '<=', nowMs)]),
    ]);
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
