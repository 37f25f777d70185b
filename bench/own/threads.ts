import { cpus } from 'node:os';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { EngineSettings } from '#engine';
import { SERVICE_FLAGS } from '../../lab/flags.ts';
import { step } from '../harness/progress.ts';
import { spread } from '../../lab/stats.ts';
import type { ThreadRate } from './figures.ts';
import type { PoolArguments, PoolRound } from './pool.ts';
import type { OwnPlan } from './turns.ts';

const SCRIPT = join(import.meta.dirname, 'pool.ts');
const REPLY_TIMEOUT_MS = 120_000;

/** Documents a second of a pool with one thread, two and as many as cores, each in a process. */
export async function measureThreads(
  folder: string,
  settings: Partial<EngineSettings>,
  plan: OwnPlan,
): Promise<readonly ThreadRate[]> {
  const counts = [...new Set([1, 2, cpus().length])].toSorted((a, b) => a - b);
  const rates: ThreadRate[] = [];
  for (const threads of counts) {
    step(`pool of ${threads}`);
    rates.push(await measurePool({ folder, settings, threads, ms: plan.loadMs }, plan.loadRounds));
  }
  return rates;
}

async function measurePool(given: PoolArguments, rounds: number): Promise<ThreadRate> {
  const child = fork(SCRIPT, [JSON.stringify({ ...given, rounds })], { execArgv: SERVICE_FLAGS });
  const ended = once(child, 'exit');
  try {
    const signal = AbortSignal.timeout(REPLY_TIMEOUT_MS + rounds * given.ms * 3);
    const [message] = (await Promise.race([
      once(child, 'message', { signal }),
      ended.then(() => {
        throw new Error('the process of the pool ended');
      }),
    ])) as [readonly PoolRound[]];
    return {
      threads: given.threads,
      documentsPerSecond: spread(message.map((round) => round.documentsPerSecond)),
      cpuMs: spread(message.map((round) => round.cpuMs)),
      rssMb: Math.max(...message.map((round) => round.rssMb)),
    };
  } finally {
    if (child.connected) child.disconnect();
    await ended;
  }
}
