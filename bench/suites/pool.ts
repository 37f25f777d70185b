import { join } from 'node:path';
import { runScript } from '../harness/script.ts';
import { ratioSpread, spread } from '../harness/stats.ts';
import type { Spread } from '../harness/stats.ts';
import type { ShapeName } from '../shapes/sheet.ts';
import type { Plan } from './plan.ts';

/** Documents through the pool, without HTTP. */
export interface PoolRate {
  readonly shape: ShapeName;
  readonly threads: number;
  readonly documentsPerSecond: Spread;
  /** All threads together. */
  readonly cpuMsPerDocument: Spread;
  readonly rssMb: number;
  /** Documents per second over those of one thread, in the same rounds. */
  readonly speedUp: Spread;
}

interface PoolLine {
  readonly documentsPerSecond: number;
  readonly cpuMsPerDocument: number;
  readonly rssMb: number;
}

const SCRIPT = join(import.meta.dirname, '..', 'engine', 'pool.ts');
const THREADS = [1, 2] as const;
const POOL_ROUNDS_MAX = 3;

async function measureOnce(shape: ShapeName, threads: number, plan: Plan): Promise<PoolLine> {
  const rows = plan.rows === null ? [] : ['--rows', String(plan.rows)];
  const args = ['--shape', shape, '--threads', String(threads), '--ms', String(plan.loadMs)];
  const output = await runScript(SCRIPT, [...args, ...rows], 60_000 + 4 * plan.loadMs);
  // The script's last line is this object.
  return JSON.parse(output.trim().split('\n').at(-1) ?? '') as PoolLine;
}

/** One thread and two in turns. */
export async function measurePool(plan: Plan): Promise<PoolRate[]> {
  const rates: PoolRate[] = [];
  for (const shape of plan.sideShapes) {
    const lines = new Map<number, PoolLine[]>(THREADS.map((threads) => [threads, []]));
    for (let round = 0; round < Math.min(plan.rounds, POOL_ROUNDS_MAX); round++) {
      for (const [threads, list] of lines) list.push(await measureOnce(shape, threads, plan));
    }
    const rate = (list: readonly PoolLine[]): number[] =>
      list.map(({ documentsPerSecond }) => documentsPerSecond);
    const single = rate(lines.get(1) ?? []);
    for (const [threads, list] of lines) {
      rates.push({
        shape,
        threads,
        documentsPerSecond: spread(rate(list)),
        cpuMsPerDocument: spread(list.map(({ cpuMsPerDocument }) => cpuMsPerDocument)),
        rssMb: Math.round(Math.max(...list.map(({ rssMb }) => rssMb))),
        speedUp: ratioSpread(rate(list), single),
      });
    }
  }
  return rates;
}
