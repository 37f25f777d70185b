import { availableParallelism } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import type { Ingredient } from '../../../lab/load/requests.ts';
import type { Service } from '../../../lab/service/service.ts';
import type { LoadResult } from '../../../lab/load/load.ts';
import { runLoad } from '../../../lab/load/run-load.ts';
import type { LoadRun } from '../../../lab/load/run-load.ts';
import { runWrk } from '../../../lab/load/wrk.ts';

/**
 * An open-loop overload sent by wrk, which uses less of the shared cores than our own generator. wrk
 * does not time documents and refusals separately, so our own generator does: it adds a few requests
 * a second with the same key.
 */
export interface Overload {
  readonly key: string;
  readonly mix: readonly Ingredient[];
  readonly perSecond: number;
  readonly warmUpMs: number;
  readonly durationMs: number;
}

/** The load that a generator was asked for, and the one that the service got. */
export interface Offer {
  readonly generator: 'wrk' | 'own';
  readonly targetPerSecond: number;
  /** Answers a second; requests that found no connection free are not among them. */
  readonly reachedPerSecond: number;
  /** null: as many as were needed, up to the generator's limit. */
  readonly connections: number | null;
}

export interface OverloadRun extends LoadRun {
  readonly offer: Offer;
}

/** The offer may differ from its target by this share; otherwise the load runs again. */
const OFFER_TOLERANCE = 0.05;
const ATTEMPTS = 3;
const CONNECTIONS_MAX = 4_096;
/** Jobs that the service holds for each thread by default: its share of the queue, and prefetched. */
const JOBS_PER_THREAD = 72;
/** Connections are as many as refusals of this latency occupy, besides those of the jobs. */
const REFUSAL_MS = 10;
/** Requests a second that are timed one by one. */
const TIMED_PER_SECOND = 50;
/** Node starts within this time, so that its CPU is not part of the measured load. */
const START_MS = 500;

function connectionsFor(perSecond: number): number {
  const busy = availableParallelism() * JOBS_PER_THREAD + (perSecond * REFUSAL_MS) / 1000;
  return Math.min(CONNECTIONS_MAX, Math.ceil(busy));
}

/** Answers a second, documents and refusals. */
export function answersPerSecond({ statuses, durationMs }: LoadResult): number {
  const answered = Object.entries(statuses).filter(([name]) => name !== 'unsent');
  return (answered.reduce((sum, [, count]) => sum + count, 0) * 1000) / durationMs;
}

/** Runs the load by wrk, with more connections while the offer is not reached. */
export async function runOverload(service: Service, load: Overload): Promise<OverloadRun> {
  let connections = connectionsFor(load.perSecond);
  let run = await attempt(service, load, connections);
  for (let i = 1; i < ATTEMPTS && !isReached(run.offer); i++) {
    connections = Math.min(CONNECTIONS_MAX, connections * 2);
    run = await attempt(service, load, connections);
  }
  return run;
}

function isReached({ targetPerSecond, reachedPerSecond }: Offer): boolean {
  return Math.abs(reachedPerSecond / targetPerSecond - 1) <= OFFER_TOLERANCE;
}

async function attempt(
  service: Service,
  { key, mix, perSecond, warmUpMs, durationMs }: Overload,
  connections: number,
): Promise<OverloadRun> {
  const timedPerSecond = Math.min(TIMED_PER_SECOND, perSecond / 2);
  const timed = { key, mix, callers: 0, perSecond: timedPerSecond, warmUpMs, durationMs };
  const flood = { key, mix, callers: connections, perSecond: perSecond - timedPerSecond };
  const [{ result: single }, { result, rssMb }] = await Promise.all([
    runLoad(service, timed),
    pause(START_MS).then(async () => {
      await runWrk(service, { ...flood, durationMs: warmUpMs });
      return runWrk(service, { ...flood, durationMs });
    }),
  ]);
  const reachedPerSecond = answersPerSecond(result) + answersPerSecond(single);
  return {
    rssMb,
    offer: { generator: 'wrk', targetPerSecond: perSecond, reachedPerSecond, connections },
    result: {
      ...result,
      generatorCpuMs: result.generatorCpuMs + single.generatorCpuMs,
      timing: single.timing,
      refusals: single.refusals,
    },
  };
}
