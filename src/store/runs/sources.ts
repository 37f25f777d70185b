import type { SteadyClock } from '../clock.ts';
import type { Database } from '../database/database.ts';
import { putRows } from './guarded/protected-rows.ts';
import { asUnavailable, CommitUnknown, isFault } from '../database/database-fault.ts';
import { Miscount } from '../database/script.ts';
import type { SourceFiles } from '../files/source-files.ts';
import type { Vault } from '../encryption/vault.ts';
import { fromHex, hex, uuidv7 } from '../ids.ts';
import { type SourceRefusal, type StoredFile, StorageUnavailable } from '../terms.ts';
import { LEASE_MS, LeaseWatch } from '../leases.ts';
import { RunFull, type RunUsage } from './bounds.ts';
import { addPartScript } from './part-script.ts';
import { type RunSchema, SOURCE_STATES } from '../database/tables/runs.ts';
import type { NewRunPart, RunRecord, RunSources, SourceProgress, WholeSource } from './types.ts';

/**
 * Progress of runs in reading their source files. Adding a part and counting it are one transaction
 * that demands the lease: two readers may both believe that they hold it, but only one can commit.
 */
export class Sources implements RunSources {
  readonly #database: Database;
  readonly #vault: Vault;
  readonly #sources: SourceFiles;
  readonly #clock: SteadyClock;
  readonly #watch: LeaseWatch;
  readonly #usage: RunUsage;

  constructor(
    database: Database,
    vault: Vault,
    sources: SourceFiles,
    clock: SteadyClock,
    usage: RunUsage,
  ) {
    this.#database = database;
    this.#vault = vault;
    this.#sources = sources;
    this.#clock = clock;
    this.#watch = new LeaseWatch(LEASE_MS, () => clock.monotonicMs());
    this.#usage = usage;
  }

  open(teamId: string, path: string): Promise<StoredFile | SourceRefusal> {
    return this.#sources.open(teamId, path);
  }

  async progress(runId: string): Promise<SourceProgress> {
    const row = await this.#row(runId);
    const { parts = 0, state, bytes = 0, sha256 = null, encoding = null } = row ?? {};
    const isRead = state === SOURCE_STATES.read;
    return { parts, isRead, bytes, sha256: sha256 === null ? null : hex(sha256), encoding };
  }

  #row(runId: string): Promise<RunSchema['run_sources'] | undefined> {
    return this.#database.read((db) =>
      db.selectFrom('run_sources').selectAll().where('run_id', '=', runId).executeTakeFirst(),
    );
  }

  async lease(runId: string, owner: string): Promise<number | null> {
    const nowMs = this.#clock.wallMs();
    const row = (await this.#row(runId)) ?? (await this.#begin(runId));
    // The leases of this instance last while it lives, whatever its clock says.
    if (row === null || row.state !== SOURCE_STATES.open || row.owner === owner) return null;
    if (row.lease_until_ms > nowMs && !this.#watch.hasEnded(runId, row)) return null;
    const result = await this.#database.write((db) =>
      db
        .updateTable('run_sources')
        .set({ owner, lease_until_ms: nowMs + LEASE_MS })
        .where('run_id', '=', runId)
        .where('state', '=', SOURCE_STATES.open)
        .where('parts', '=', row.parts)
        .where('lease_until_ms', '=', row.lease_until_ms)
        .executeTakeFirst(),
    );
    return result.numUpdatedRows === 1n ? row.parts : null;
  }

  /** Inserts the row of a source; null: another instance was first. */
  async #begin(runId: string): Promise<RunSchema['run_sources'] | null> {
    const row = {
      run_id: runId,
      state: SOURCE_STATES.open,
      owner: null,
      lease_until_ms: 0,
      parts: 0,
      bytes: 0,
      sha256: null,
      encoding: null,
    };
    try {
      await this.#database.write((db) => db.insertInto('run_sources').values(row).execute());
      return row;
    } catch (error) {
      if (isFault(error, 'duplicate')) return null;
      throw error;
    }
  }

  async renew(owner: string): Promise<void> {
    await this.#database.write((db) =>
      db
        .updateTable('run_sources')
        .set({ lease_until_ms: this.#clock.wallMs() + LEASE_MS })
        .where('owner', '=', owner)
        .execute(),
    );
  }

  async release(owner: string, runId: string): Promise<void> {
    await this.#database.write((db) =>
      db
        .updateTable('run_sources')
        .set({ owner: null, lease_until_ms: 0 })
        .where('owner', '=', owner)
        .where('run_id', '=', runId)
        .execute(),
    );
  }

  async releaseAll(owner: string): Promise<void> {
    await this.#database.write((db) =>
      db
        .updateTable('run_sources')
        .set({ owner: null, lease_until_ms: 0 })
        .where('owner', '=', owner)
        .execute(),
    );
  }

  async addPart(
    run: RunRecord,
    owner: string,
    part: NewRunPart,
    rows: Uint8Array,
  ): Promise<boolean> {
    const { runId, teamId } = run;
    const nowMs = this.#clock.wallMs();
    const fileId = uuidv7(nowMs);
    const bytes = rows.byteLength;
    await this.#usage.begin(teamId);
    await this.#demandRoom(run, bytes);
    const wrappedKey = await putRows(this.#vault, run.spec, fileId, rows);
    const countPart = {
      sql: 'update run_sources set parts = ? where run_id = ? and owner = ? and parts = ?',
      parameters: [part.part, runId, owner, part.part - 1],
      changes: 1,
    };
    const file = { fileId, bytes, wrappedKey, nowMs };
    try {
      await this.#database.commit([
        countPart,
        ...addPartScript(run, part, file, ['checking'], this.#usage),
      ]);
      return true;
    } catch (error) {
      // A file that remains is an orphan, which the sweep removes.
      if (!(error instanceof CommitUnknown)) await this.#discard(fileId);
      if (error instanceof Miscount) {
        // The lease was lost, unless another part took the room meanwhile.
        await this.#demandRoom(run, bytes);
        return false;
      }
      if (isFault(error, 'duplicate')) return false;
      throw asUnavailable(error);
    }
  }

  /** Throws `RunFull` when run or team have no room for a part. */
  async #demandRoom({ runId, teamId }: RunRecord, bytes: number): Promise<void> {
    const run = await this.#database.read((db) =>
      db
        .selectFrom('runs')
        .select('bytes_received')
        .where('run_id', '=', runId)
        .executeTakeFirstOrThrow(),
    );
    if (run.bytes_received + bytes > this.#usage.bounds.runBytesMax) throw new RunFull('run_full');
    const lack = await this.#usage.lacks(teamId, bytes);
    if (lack !== null) throw new RunFull(lack);
  }

  async #discard(fileId: string): Promise<void> {
    try {
      await this.#vault.remove(fileId, 'run');
    } catch (error) {
      if (!(error instanceof StorageUnavailable)) throw error;
    }
  }

  async finish({ runId }: RunRecord, owner: string, whole: WholeSource): Promise<boolean> {
    const result = await this.#database.write((db) =>
      db
        .updateTable('run_sources')
        .set({
          state: SOURCE_STATES.read,
          bytes: whole.bytes,
          sha256: fromHex(whole.sha256),
          encoding: whole.encoding,
        })
        .where('run_id', '=', runId)
        .where('owner', '=', owner)
        .where('parts', '=', whole.parts)
        .executeTakeFirst(),
    );
    return result.numUpdatedRows === 1n;
  }
}
