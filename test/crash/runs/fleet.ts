import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { RunRecord } from '../../../src/store/runs/types.ts';
import type { Redis } from '../../../lab/servers/redis.ts';
import type { MariaDb } from '../../../lab/servers/mariadb.ts';
import type { Place } from '../invariants.ts';
import {
  addRun,
  countAudits,
  countFaults,
  fileNames,
  filesOf,
  manifestOf,
  open,
  prepare,
  type RowsPlan,
  rowFaults,
  serve,
  untilSettled,
} from './kill-run.ts';

/** The programs of a fleet that are killed and started again. */
export const STRIKES = ['instance', 'redis', 'redis without its data', 'database'] as const;
export type Strike = (typeof STRIKES)[number];

const INSTANCES = 2;
/** The latest time of a strike after the start of a run: it may hit any stage of the run. */
const STRIKE_MS_MAX = 2_500;

export interface FleetPlan extends RowsPlan {
  readonly database: Pick<MariaDb, 'restart'>;
  readonly redis: Redis;
}

/**
 * Two instances with one database, one Redis and one folder, which make runs while programs die.
 */
export class Fleet {
  readonly #plan: FleetPlan;
  readonly #instances: ChildProcess[] = [];
  readonly #known = new Set<string>();
  #stored = 0;

  private constructor(plan: FleetPlan) {
    this.#plan = plan;
  }

  static async start(plan: FleetPlan): Promise<Fleet> {
    const fleet = new Fleet(plan);
    await prepare(plan.place);
    await Promise.all(Array.from({ length: INSTANCES }, (_, index) => fleet.#serve(index)));
    return fleet;
  }

  async #serve(index: number): Promise<void> {
    const settings = { INTAGLIO_QUEUE_URL: this.#plan.redis.url, INTAGLIO_POOL_THREADS: '1' };
    this.#instances[index] = await serve(this.#plan.place, settings);
  }

  /**
   * Makes a run, and kills the programs of `strikes` while it runs. Returns a line per violation.
   */
  async run(strikes: readonly Strike[]): Promise<readonly string[]> {
    const runId = await addRun(this.#plan);
    for (const strike of strikes) {
      await pause(Math.random() * STRIKE_MS_MAX);
      await this.#strike(strike);
    }
    const run = await untilSettled(this.#plan.place, runId);
    return this.#checkRun(run);
  }

  async #strike(strike: Strike): Promise<void> {
    const { database, redis } = this.#plan;
    switch (strike) {
      case 'instance': {
        const index = Math.floor(Math.random() * INSTANCES);
        await this.#end(index, 'SIGKILL');
        return this.#serve(index);
      }
      case 'redis':
        return redis.restart('kept');
      case 'redis without its data':
        return redis.restart('lost');
      case 'database':
        return database.restart();
    }
  }

  async #end(index: number, signal: NodeJS.Signals): Promise<void> {
    const instance = this.#instances[index];
    if (instance === undefined || instance.exitCode !== null || instance.signalCode !== null)
      return;
    const ended = once(instance, 'exit');
    instance.kill(signal);
    await ended;
  }

  async #checkRun(run: RunRecord): Promise<readonly string[]> {
    const store = await open(this.#plan.place);
    try {
      const rows = await manifestOf(store, run);
      const violations = [...rowFaults(this.#plan, rows), ...countFaults(run, rows)];
      if (run.state !== 'done') {
        violations.push(`the run is ${run.state}: ${JSON.stringify(run.reasons)}`);
      }
      const { stored } = run.counts;
      const audits = await countAudits(store, run.runId);
      if (audits !== stored) violations.push(`${audits} audit records, ${stored} rows stored`);
      for (const id of await filesOf(store, run, rows)) this.#known.add(id);
      this.#stored += stored;
      return violations;
    } finally {
      await store.close();
    }
  }

  /**
   * Stops the instances and checks all files: each document is whole, and no other file is left.
   */
  async end(): Promise<{
    readonly violations: readonly string[];
    readonly stored: number;
    readonly orphans: number;
  }> {
    await this.close();
    const { place }: { readonly place: Place } = this.#plan;
    const store = await open(place);
    try {
      const violations: string[] = [];
      const scrubbed = await store.documents.scrub({
        bytesPerSecond: 1e12,
        onFinding: (id, finding) => violations.push(`${id}: ${finding}`),
      });
      if (scrubbed.checked !== this.#stored) {
        violations.push(`${scrubbed.checked} documents, ${this.#stored} rows stored`);
      }
      const { orphans } = await store.documents.sweep(Date.now());
      for (const name of await fileNames(place)) {
        if (![...this.#known].some((id) => name.includes(id)))
          violations.push(`${name}: left over`);
      }
      return { violations, stored: this.#stored, orphans };
    } finally {
      await store.close();
    }
  }

  async close(): Promise<void> {
    await Promise.all(this.#instances.map((_, index) => this.#end(index, 'SIGTERM')));
  }
}
