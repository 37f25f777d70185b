import { join } from 'node:path';
import type { PoolLine } from '../engine/pool-load.ts';
import { step } from '../harness/progress.ts';
import { runScript } from '../../lab/process/script.ts';
import { ratioSpread, spread } from '../../lab/stats.ts';
import type { Spread } from '../../lab/stats.ts';
import type { ShapeName } from '../../lab/shapes/sheet.ts';
import type { Plan } from './plan.ts';

/** Documents through the pool, without HTTP. */
export interface PoolRate {
  readonly shape: ShapeName;
  readonly threads: number;
  /** All threads of the process on one core, or free to use every core. */
  readonly cores: 'one' | 'all';
  readonly documentsPerSecond: Spread;
  /** All threads together. */
  readonly cpuMsPerDocument: Spread;
  readonly rssMb: number;
  /** Documents per second over those of one thread on one core, in the same rounds. */
  readonly overOneCore: Spread;
  /** Over those of one thread that may use all cores, as its collector and main thread do. */
  readonly overOneThread: Spread;
}

const SCRIPT = join(import.meta.dirname, '..', 'engine', 'pool.ts');
const POOL_ROUNDS_MAX = 3;
/** Long enough for a busy machine; it ends only a script that hangs. */
const TIMEOUT_MS = 600_000;

interface Arrangement {
  readonly threads: number;
  readonly cores: 'one' | 'all';
}

const ONE_CORE: Arrangement = { threads: 1, cores: 'one' };
const ONE_THREAD: Arrangement = { threads: 1, cores: 'all' };
const TWO_THREADS: Arrangement = { threads: 2, cores: 'all' };
const ARRANGEMENTS = [ONE_CORE, ONE_THREAD, TWO_THREADS];
const CORE = 1;

async function measureOnce(
  shape: ShapeName,
  { threads, cores }: Arrangement,
  plan: Plan,
): Promise<PoolLine> {
  const rows = plan.rows === null ? [] : ['--rows', String(plan.rows)];
  const args = ['--shape', shape, '--threads', String(threads), '--ms', String(plan.loadMs)];
  const core = cores === 'one' ? CORE : null;
  const output = await runScript(SCRIPT, [...args, ...rows], TIMEOUT_MS + 4 * plan.loadMs, core);
  // The script's last line is this object.
  return JSON.parse(output.trim().split('\n').at(-1) ?? '') as PoolLine;
}

function ratesOf(lines: readonly PoolLine[]): number[] {
  return lines.map(({ documentsPerSecond }) => documentsPerSecond);
}

/** Measures, in turns, one thread on one core, one thread on all cores, and two threads. */
export async function measurePool(plan: Plan): Promise<PoolRate[]> {
  const rates: PoolRate[] = [];
  for (const shape of plan.sideShapes) {
    const lines = new Map<Arrangement, PoolLine[]>(ARRANGEMENTS.map((one) => [one, []]));
    const rounds = Math.min(plan.rounds, POOL_ROUNDS_MAX);
    for (let round = 0; round < rounds; round++) {
      step(`pool ${shape}: round ${round + 1} of ${rounds}`);
      for (const [arrangement, list] of lines) {
        list.push(await measureOnce(shape, arrangement, plan));
      }
    }
    const oneCore = ratesOf(lines.get(ONE_CORE) ?? []);
    const oneThread = ratesOf(lines.get(ONE_THREAD) ?? []);
    for (const [arrangement, list] of lines) {
      rates.push({
        shape,
        ...arrangement,
        documentsPerSecond: spread(ratesOf(list)),
        cpuMsPerDocument: spread(list.map(({ cpuMsPerDocument }) => cpuMsPerDocument)),
        rssMb: Math.round(Math.max(...list.map(({ rssMb }) => rssMb))),
        overOneCore: ratioSpread(ratesOf(list), oneCore),
        overOneThread: ratioSpread(ratesOf(list), oneThread),
      });
    }
  }
  return rates;
}
