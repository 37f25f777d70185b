import { type Kysely, sql } from 'kysely';
import { LRUCache } from 'lru-cache';
import { LIMITS } from '../../limits.ts';
import type { Database } from '../database/database.ts';
import { DOCUMENT_STATES, type Schema } from '../database/schema.ts';
import type { ScriptStatement } from '../database/script.ts';
import { storedStates } from './guarded/states.ts';
import type { NoRoom, RunState } from './types.ts';

/*
 * What a team's uploaded rows take, and how many of its runs are active, is bounded. `run_usage` has
 * one row for each team: the transactions that add a part or start a run change or lock it first, so
 * that of two of them, in whichever instance, the second one sees what the first one took.
 */

/** Bounds of what runs take. */
export interface RunBounds {
  /** Bytes of all parts that a run ever received, decompressed and in UTF-8. */
  readonly runBytesMax: number;
  /** Stored bytes and number of the parts of a team, until the sweep has removed their files. */
  readonly teamBytesMax: number;
  readonly teamPartsMax: number;
  /** Runs of a team that are being checked or rendered, or are paused. */
  readonly teamActiveMax: number;
}

export const DEFAULT_BOUNDS: RunBounds = {
  runBytesMax: LIMITS.runMbMax * 1_048_576,
  teamBytesMax: LIMITS.teamRunMbMax * 1_048_576,
  teamPartsMax: LIMITS.teamRunPartsMax,
  teamActiveMax: LIMITS.teamRunsActiveMax,
};

/** Thrown when there is no room for a part of a source. */
export class RunFull extends Error {
  override readonly name = 'RunFull';
  readonly why: NoRoom;

  constructor(why: NoRoom) {
    super(`there is no room for a part: ${why}`);
    this.why = why;
  }
}

/** States of an active run, which counts until it has ended. */
export const ACTIVE_STATES: readonly RunState[] = ['checking', 'running', 'paused'];

/** Time between two countings of what a team stores, in one process. */
const COUNT_MS = 600_000;
const TEAMS_KNOWN_MAX = 10_000;
/** How long a refused start makes the next ones ask first: no transaction then locks the team's row. */
const CROWDED_MS = 60_000;

/** The rows of teams in `run_usage`. */
export class RunUsage {
  readonly bounds: RunBounds;
  readonly #database: Database;
  readonly #nowMs: () => number;
  /** Teams that have a row, and when this process counted what they store. */
  readonly #teams = new Map<string, number>();
  /** Teams that were refused a start lately. */
  readonly #crowded = new LRUCache<string, true>({ max: TEAMS_KNOWN_MAX, ttl: CROWDED_MS });

  /** `nowMs` is monotonic. */
  constructor(database: Database, bounds: RunBounds, nowMs = () => performance.now()) {
    this.#database = database;
    this.bounds = bounds;
    this.#nowMs = nowMs;
  }

  /** Inserts the team's row, if it has none. */
  async begin(teamId: string): Promise<void> {
    if (this.#teams.has(teamId)) return;
    await this.#database.write((db) => {
      const row = db.insertInto('run_usage').values({ team_id: teamId, bytes: 0, parts: 0 });
      return (this.#database.dialect === 'sqlite' ? row.orIgnore() : row.ignore()).execute();
    });
    if (this.#teams.size >= TEAMS_KNOWN_MAX) this.#teams.clear();
    this.#teams.set(teamId, Number.NEGATIVE_INFINITY);
  }

  /** Why a team has no room for a part; null: it has. Counts again before it says so. */
  async lacks(teamId: string, bytes: number): Promise<NoRoom | null> {
    const lack = await this.#lack(teamId, bytes);
    if (lack === null || !(await this.#count(teamId))) return lack;
    return this.#lack(teamId, bytes);
  }

  async #lack(teamId: string, bytes: number): Promise<NoRoom | null> {
    const row = await this.#database.read((db) =>
      db.selectFrom('run_usage').selectAll().where('team_id', '=', teamId).executeTakeFirst(),
    );
    const { bytes: stored, parts } = row ?? { bytes: 0, parts: 0 };
    if (stored + bytes > this.bounds.teamBytesMax) return 'team_full';
    return parts >= this.bounds.teamPartsMax ? 'team_parts' : null;
  }

  /** Whether the team's active runs are as many as they may be. */
  async hasAllActive(db: Kysely<Schema>, teamId: string): Promise<boolean> {
    const active = await db
      .selectFrom('runs')
      .select(sql<number>`count(*)`.as('count'))
      .where('team_id', '=', teamId)
      .where('state', 'in', storedStates(ACTIVE_STATES))
      .executeTakeFirst();
    return (active?.count ?? 0) >= this.bounds.teamActiveMax;
  }

  /** The team was refused a start. */
  noteCrowded(teamId: string): void {
    this.#crowded.set(teamId, true);
  }

  /** Whether a team that was refused a start lately still has as many active runs as it may. */
  async isCrowded(teamId: string): Promise<boolean> {
    if (!this.#crowded.has(teamId)) return false;
    if (await this.#database.read((db) => this.hasAllActive(db, teamId))) return true;
    this.#crowded.delete(teamId);
    return false;
  }

  /** The statement that takes room for a part, or changes no row. */
  taking(teamId: string, bytes: number): ScriptStatement {
    const { teamBytesMax, teamPartsMax } = this.bounds;
    return {
      sql:
        'update run_usage set bytes = bytes + ?, parts = parts + 1' +
        ' where team_id = ? and bytes <= ? and parts < ?',
      parameters: [bytes, teamId, teamBytesMax - bytes, teamPartsMax],
      changes: 1,
    };
  }

  /**
   * Counts what a team stores: an instance of the previous version, which counts nothing, may have
   * removed parts. False: this process has counted it a while ago.
   */
  async #count(teamId: string): Promise<boolean> {
    const nowMs = this.#nowMs();
    if (nowMs - (this.#teams.get(teamId) ?? Number.NEGATIVE_INFINITY) < COUNT_MS) return false;
    await this.begin(teamId);
    this.#teams.set(teamId, nowMs);
    const { available, deleting } = DOCUMENT_STATES;
    await this.#database.transact(async (trx) => {
      await lockUsage(this.#database, trx, teamId);
      const row = await trx
        .selectFrom('runs')
        .innerJoin('run_files', 'run_files.run_id', 'runs.run_id')
        .select([
          sql<number | string | null>`sum(run_files.bytes)`.as('bytes'),
          sql<number>`count(*)`.as('parts'),
        ])
        .where('runs.team_id', '=', teamId)
        .where('run_files.kind', '=', 'part')
        .where('run_files.state', 'in', [available, deleting])
        .executeTakeFirst();
      const usage = { bytes: Number(row?.bytes ?? 0), parts: row?.parts ?? 0 };
      await trx.updateTable('run_usage').set(usage).where('team_id', '=', teamId).execute();
    });
    return true;
  }
}

type Transaction = Parameters<Parameters<Database['transact']>[0]>[0];

/** Locks the row of a team until COMMIT. SQLite has one writer at a time. */
export async function lockUsage(
  { dialect }: Database,
  trx: Transaction,
  teamId: string,
): Promise<void> {
  if (dialect === 'sqlite') return;
  await trx
    .selectFrom('run_usage')
    .select('parts')
    .where('team_id', '=', teamId)
    .forUpdate()
    .execute();
}

/** Gives back what parts of a team took whose files were removed. */
export async function freeUsage(
  trx: Transaction,
  teamId: string,
  freed: { readonly bytes: number; readonly parts: number },
): Promise<void> {
  const { bytes, parts } = freed;
  await trx
    .updateTable('run_usage')
    // Below zero after an instance of the previous version has added parts.
    .set({
      bytes: sql<number>`case when bytes > ${bytes} then bytes - ${bytes} else 0 end`,
      parts: sql<number>`case when parts > ${parts} then parts - ${parts} else 0 end`,
    })
    .where('team_id', '=', teamId)
    .execute();
}
