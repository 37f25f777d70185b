import type { Plan } from '../suites/plan.ts';
import type { HttpFigure } from './figures.ts';
import type { LoadResult } from '../../lab/load/load.ts';
import { answersPerSecond, runOverload } from './load/overload.ts';
import { runDeliveredLoad, runLoad } from '../../lab/load/run-load.ts';
import { measurePeak } from './peak.ts';
import { hasWrk, runWrk } from '../../lab/load/wrk.ts';
import type { Service } from '../../lab/service/service.ts';
import { PEAK } from './trials.ts';
import type { Pressure, Trial } from './trials.ts';

/** One kind of load on a running service. */
export interface TrialRun {
  readonly service: Service;
  readonly trial: Trial;
  readonly plan: Plan;
}

/** The facts that one round of it needs. */
export interface Round {
  /** Counted from 0. */
  readonly index: number;
  /** 0 when the load does not depend on the peak. */
  readonly peakPerSecond: number;
  /** The stored document that requests attach; empty when they attach none. */
  readonly attachedId: string;
}

/** Requests to send, and the key they carry. */
interface KeyedPressure extends Pressure {
  readonly key: string;
}

/** The figure of the load itself first, then those of the other key and the other generator. */
type RoundFigures = readonly [HttpFigure, ...HttpFigure[]];

/** A shorter load may be over on a busy machine before the first document, and is repeated. */
const LONG_MS = 2_000;
/** Length of a measurement of the peak by wrk, as a share of a load's. */
const PEAK_SHARE = 0.75;

/** Runs the load once, beside it that of the other key, and then the same by another generator. */
export async function runRound(run: TrialRun, round: Round): Promise<RoundFigures> {
  const { service, trial } = run;
  const key = keyOf(service, round);
  const load = { ...trial.pressure(round.peakPerSecond, round.attachedId), key };
  const measure = usesWrk(trial) ? measureByWrk : measureLoad;
  const [figure, beside] = await Promise.all([measure(run, load), measureOtherKey(run)]);
  const repeated = trial.isRepeated && hasWrk() ? await repeatLoad(run, load) : null;
  return [figure, ...[beside, repeated].filter((each) => each !== null)];
}

/** At ten times the peak, one key would exceed the highest rate limit: the rounds take turns. */
function keyOf({ keys }: Service, { index }: Round): string {
  // The second key is reserved for the load of the other caller.
  const [first, , ...more] = keys;
  return [first, ...more][index % (1 + more.length)] ?? first;
}

/** One load by our own generator, with the service's CPU and memory meanwhile. */
async function measureLoad(
  { service, trial, plan }: TrialRun,
  load: KeyedPressure,
): Promise<HttpFigure> {
  const times = { warmUpMs: plan.loadMs, durationMs: plan.loadMs };
  const run = plan.loadMs < LONG_MS ? runDeliveredLoad : runLoad;
  const { result, rssMb } = await run(service, { ...load, ...times });
  const figure = figureOf(trial, result, rssMb);
  const { perSecond } = load;
  if (perSecond === null || trial.peak !== 'reached') return figure;
  const reachedPerSecond = answersPerSecond(result);
  const asked = { targetPerSecond: perSecond, connections: null };
  return { ...figure, offer: { generator: 'own', reachedPerSecond, ...asked } };
}

/** One overload by wrk. */
async function measureByWrk(
  { service, trial, plan }: TrialRun,
  { key, mix, perSecond }: KeyedPressure,
): Promise<HttpFigure> {
  if (perSecond === null) throw new Error('an overload is an open loop');
  const times = { warmUpMs: plan.loadMs, durationMs: plan.loadMs };
  const { offer, result, rssMb } = await runOverload(service, { key, mix, perSecond, ...times });
  return { ...figureOf(trial, result, rssMb), offer };
}

/** The requests of the second key meanwhile; null when the load has none. */
async function measureOtherKey({ service, trial, plan }: TrialRun): Promise<HttpFigure | null> {
  const { otherKey } = trial;
  if (otherKey === null) return null;
  const { description, pressure } = otherKey;
  const named = { ...trial, name: `${trial.name}, other key`, description };
  const [, key] = service.keys;
  return measureLoad({ service, trial: named, plan }, { ...pressure, key });
}

/** The same load by wrk, which shares no code with our generator. */
async function repeatLoad(
  { service, trial, plan }: TrialRun,
  load: KeyedPressure,
): Promise<HttpFigure> {
  const times = { warmUpMs: 0, durationMs: plan.loadMs };
  const { result, rssMb } = await runWrk(service, { ...load, ...times });
  const named = { ...trial, name: `${trial.name}, wrk`, description: 'the same' };
  return figureOf(named, result, rssMb);
}

/** The peak by the generator of the load that is compared with it. */
export async function peakOf({ service, trial, plan }: TrialRun): Promise<number> {
  if (!usesWrk(trial)) return measurePeak(service, plan);
  const load = { ...PEAK, key: service.keys[0], durationMs: PEAK_SHARE * plan.loadMs };
  const { result } = await runWrk(service, load);
  return (result.delivered * 1000) / result.durationMs;
}

function usesWrk({ prefersWrk }: Trial): boolean {
  return prefersWrk && hasWrk();
}

/** One result of a load; `rssMb`: resident memory of the service meanwhile, never empty. */
export function figureOf(
  { name, description, otherKey }: Trial,
  result: LoadResult,
  rssMb: readonly number[],
): HttpFigure {
  const { due, written } = result.timing;
  const answers = Object.values(result.statuses).reduce((sum, count) => sum + count, 0);
  return {
    name,
    load: description,
    durationS: result.durationMs / 1000,
    rounds: 1,
    documentsPerSecond: (result.delivered * 1000) / result.durationMs,
    ofPeak: null,
    ...due,
    writtenP50Ms: written.p50Ms,
    writtenP99Ms: written.p99Ms,
    statuses: result.statuses,
    refusalP50Ms: result.refusals?.due.p50Ms ?? null,
    refusalWrittenP50Ms: result.refusals?.written.p50Ms ?? null,
    cpuMsPerRequest: otherKey === null ? result.serviceCpuMs / Math.max(1, answers) : null,
    generatorCores: result.generatorCpuMs / result.durationMs,
    offer: null,
    rssMb: Math.round(Math.max(...rssMb)),
    company: null,
    each: [],
  };
}
