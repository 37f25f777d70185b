import { cpus } from 'node:os';
import { type ChildProcess, fork } from 'node:child_process';
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
    const { loadWarmUpMs: warmUpMs, loadMs: ms } = plan;
    rates.push(await measurePool({ folder, settings, threads, warmUpMs, ms }, plan.loadRounds));
  }
  return rates;
}

async function measurePool(given: PoolArguments, rounds: number): Promise<ThreadRate> {
  const pool = await PoolProcess.start(given);
  try {
    const measured: PoolRound[] = [];
    for (let round = 0; round < rounds; round++) measured.push(await pool.round());
    return {
      threads: given.threads,
      documentsPerSecond: spread(measured.map((round) => round.documentsPerSecond)),
      cpuMs: spread(measured.map((round) => round.cpuMs)),
      rssMb: Math.max(...measured.map((round) => round.rssMb)),
    };
  } finally {
    await pool.stop();
  }
}

/** A process with a pool that is warm. */
export class PoolProcess {
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess) {
    this.#child = child;
  }

  static async start(given: PoolArguments): Promise<PoolProcess> {
    const child = fork(SCRIPT, [JSON.stringify(given)], { execArgv: SERVICE_FLAGS });
    const pool = new PoolProcess(child);
    try {
      await pool.#nextMessage();
      return pool;
    } catch (error) {
      child.kill('SIGKILL');
      throw error;
    }
  }

  /** Keeps every thread busy for a while. */
  async round(): Promise<PoolRound> {
    const answer = this.#nextMessage();
    this.#child.send('round');
    // pool.ts answers with nothing else.
    return (await answer) as PoolRound;
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    if (this.#child.connected) this.#child.disconnect();
    await ended;
  }

  async #nextMessage(): Promise<unknown> {
    const ended = new AbortController();
    const end = (): void => ended.abort();
    this.#child.once('exit', end);
    try {
      const signal = AbortSignal.any([ended.signal, AbortSignal.timeout(REPLY_TIMEOUT_MS)]);
      const [message] = (await once(this.#child, 'message', { signal })) as [unknown];
      return message;
    } finally {
      this.#child.off('exit', end);
    }
  }
}
