import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import type { PoolLine } from '../engine/pool-load.ts';
import { SERVICE_FLAGS } from '../../lab/flags.ts';
import { endWithBench } from '../../lab/process/interrupt.ts';
import { spread } from '../../lab/stats.ts';
import type { Plan } from '../suites/plan.ts';
import type { GatewayShare } from './figures.ts';
import { runLoad } from '../../lab/load/run-load.ts';
import { type Service, startService } from '../../lab/service/service.ts';
import { PEAK } from './trials.ts';

const SCRIPT = join(import.meta.dirname, '..', 'engine', 'pool-turns.ts');
/** Turns of the pool and of the service in each round of the plan. */
const TURNS_PER_ROUND = 4;
/** A long warm-up: code that is still being compiled would cost CPU in the first turns. */
const WARM_UP = 2;
const REPLY_TIMEOUT_MS = 60_000;

/**
 * The cost of the gateway: CPU of a receipt over HTTP (request, key, rate limit, checks, digest,
 * audit row, response) less that of the same receipt through a pool of as many threads, in turns.
 * Both keep all cores busy, but only the service shares them with the load generator: the cache
 * misses that the generator causes count as the gateway's cost.
 */
export async function measureGateway(plan: Plan): Promise<GatewayShare> {
  const settings = { INTAGLIO_POOL_THREADS: String(availableParallelism()) };
  const service = await startService(['A'], { settings });
  try {
    const pool = await startPool();
    try {
      return await takeTurns(service, pool, plan);
    } finally {
      // The pool's process may have failed and closed the channel.
      if (pool.connected) pool.disconnect();
    }
  } finally {
    await service.stop();
  }
}

/** Starts a process with a pool of as many threads as cores, and waits until it is ready. */
async function startPool(): Promise<ChildProcess> {
  const args = [String(availableParallelism()), String(PEAK.callers)];
  const child = endWithBench(fork(SCRIPT, args, { execArgv: SERVICE_FLAGS }));
  try {
    await nextMessage(child);
    return child;
  } catch (error) {
    child.kill();
    throw error;
  }
}

async function takeTurns(service: Service, pool: ChildProcess, plan: Plan): Promise<GatewayShare> {
  const turnMs = plan.loadMs / 2;
  await throughPool(pool, WARM_UP * plan.loadMs);
  await throughService(service, WARM_UP * plan.loadMs);
  const pools: number[] = [];
  const services: number[] = [];
  for (let turn = 0; turn < plan.httpRounds * TURNS_PER_ROUND; turn++) {
    // Pool and service alternate in going first, so that order favours neither.
    if (turn % 2 === 0) pools.push(await throughPool(pool, turnMs));
    services.push(await throughService(service, turnMs));
    if (turn % 2 === 1) pools.push(await throughPool(pool, turnMs));
  }
  return {
    poolCpuMs: spread(pools),
    serviceCpuMs: spread(services),
    addedCpuMs: spread(services.map((cpuMs, i) => cpuMs - (pools[i] ?? Number.NaN))),
  };
}

/** Keeps the pool busy for a while; returns the CPU ms of a receipt. */
async function throughPool(pool: ChildProcess, ms: number): Promise<number> {
  pool.send(ms);
  // pool-turns.ts replies with this.
  const line = (await nextMessage(pool)) as PoolLine;
  return line.cpuMsPerDocument;
}

/** The same over HTTP. */
async function throughService(service: Service, durationMs: number): Promise<number> {
  const times = { warmUpMs: Math.round(durationMs / 8), durationMs };
  const { result } = await runLoad(service, { ...PEAK, ...times, key: service.keys[0] });
  return result.serviceCpuMs / result.delivered;
}

/** The next message; rejects when the process ends instead. */
async function nextMessage(child: ChildProcess): Promise<unknown> {
  const ended = new AbortController();
  const end = (): void => ended.abort();
  child.once('exit', end);
  try {
    const signal = AbortSignal.any([ended.signal, AbortSignal.timeout(REPLY_TIMEOUT_MS)]);
    const [message] = (await once(child, 'message', { signal })) as [unknown];
    return message;
  } catch (error) {
    throw new Error('the process of the pool ended or does not answer', { cause: error });
  } finally {
    child.off('exit', end);
  }
}
