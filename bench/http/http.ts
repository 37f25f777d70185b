import { setTimeout as pause } from 'node:timers/promises';
import { median } from '../harness/stats.ts';
import { SHAPE_NAMES } from '../shapes/sheet.ts';
import type { Plan } from '../suites/plan.ts';
import { dropBombs, timeReturn } from './bombs.ts';
import { combineRounds } from './combine.ts';
import { floodElsewhere } from './elsewhere.ts';
import { prepareEditors } from './load/editors.ts';
import { BOMBS } from './extra.ts';
import type { HttpFigure } from './figures.ts';
import type { LoadResult } from './load/load.ts';
import { contractBody } from './requests.ts';
import { answersPerSecond, runOverload } from './load/overload.ts';
import { measurePeak, runLoad } from './load/run-load.ts';
import { runSecondLoad, secondGenerator } from './load/second-load.ts';
import { startService, storeDocument } from './service.ts';
import type { Service } from './service.ts';
import { holdSlowSenders } from './slow.ts';
import type { Arrive } from './slow.ts';
import { prepareStalledFiles, prepareStalledSync } from './stalled.ts';
import { BOMB_TRIAL, PEAK, REFUSED, TRIALS } from './trials.ts';
import type { CompanyName, Pressure, Trial } from './trials.ts';

/** Wait until the service's memory has settled after connections opened or closed. */
const SETTLE_MS = 1_000;

/** With four keys in turn, each serves at most one round a minute: a round takes over 15 s. */
const KEYS_IN_TURN_MAX = 4;

const SENDERS = 1_000;
const READERS = 200;
const EDITORS = 10;
/** Pairs of turns without and with editors. */
const PAIRS_A_ROUND = 4;

/** Length of a measurement of the peak by wrk, as a share of a load's. */
const PEAK_SHARE = 0.75;

/** The time limit where bombs run, and how often their end is timed. */
const BOMB_LIMIT_MS = 1_000;
const BOMB_THREADS = 2;
const RETURNS = BOMBS - 1;
const RECOVERY_MS = 2_000;

/** `times` multiplies the usual size; `peakPerSecond` is what the service delivers undisturbed. */
type Prepare = (service: Service, times: number, peakPerSecond: number) => Promise<Arrive>;

const COMPANIES: Readonly<Record<Exclude<CompanyName, 'editors'>, Prepare>> = {
  'slow senders': (service, times) =>
    Promise.resolve(() => holdSlowSenders(service, Math.ceil(SENDERS * times))),
  'stalled files': (service, times) => prepareStalledFiles(service, Math.ceil(READERS * times)),
  'stalled sync': (service, times) => prepareStalledSync(service, Math.ceil(READERS * times)),
  'refused elsewhere': (service, _times, peakPerSecond) =>
    Promise.resolve(() => floodElsewhere(service, Math.ceil(REFUSED * peakPerSecond))),
  bombs: (service) => Promise.resolve(() => dropBombs(service)),
};

/** One load on a running service, with the service's own CPU and memory meanwhile. */
async function measureLoad(
  service: Service,
  trial: Trial,
  pressure: Pressure,
  key: string,
  plan: Plan,
): Promise<HttpFigure> {
  const times = { warmUpMs: plan.loadMs, durationMs: plan.loadMs };
  const { result, rssMb } = await runLoad(service, { ...pressure, ...times, key });
  const figure = describe(trial, result, Math.max(...rssMb));
  const { perSecond } = pressure;
  if (perSecond === null || trial.peak !== 'reached') return figure;
  const reachedPerSecond = answersPerSecond(result);
  const asked = { targetPerSecond: perSecond, connections: null };
  return { ...figure, offer: { generator: 'own', reachedPerSecond, ...asked } };
}

/** The same by wrk. */
async function measureByWrk(
  service: Service,
  trial: Trial,
  { mix, perSecond }: Pressure,
  key: string,
  plan: Plan,
): Promise<HttpFigure> {
  if (perSecond === null) throw new Error('an overload is an open loop');
  const times = { warmUpMs: plan.loadMs, durationMs: plan.loadMs };
  const { offer, result, rssMb } = await runOverload(service, { key, mix, perSecond, ...times });
  return { ...describe(trial, result, Math.max(...rssMb)), offer };
}

function usesWrk({ prefersWrk }: Trial): boolean {
  return prefersWrk && secondGenerator() === 'wrk';
}

/** The peak by the generator of the load that is compared with it. */
async function peakOf(service: Service, trial: Trial, plan: Plan): Promise<number> {
  if (!usesWrk(trial)) return measurePeak(service, plan);
  const load = { ...PEAK, key: service.keys[0], durationMs: PEAK_SHARE * plan.loadMs };
  const { result } = await runSecondLoad(service, load, 'wrk');
  return (result.delivered * 1000) / result.durationMs;
}

/** The same load by a generator that shares no code with ours. */
async function repeatLoad(
  service: Service,
  trial: Trial,
  pressure: Pressure,
  key: string,
  plan: Plan,
): Promise<HttpFigure> {
  const times = { warmUpMs: 0, durationMs: plan.loadMs };
  const load = { ...pressure, ...times, key };
  const { generator, result, rssMb } = await runSecondLoad(service, load);
  const named = { ...trial, name: `${trial.name}, ${generator}`, words: 'the same' };
  return describe(named, result, Math.max(...rssMb));
}

function describe({ name, words, otherKey }: Trial, result: LoadResult, rssMb: number): HttpFigure {
  const hasCompany = otherKey !== null;
  const { due, written } = result.timing;
  const answers = Object.values(result.statuses).reduce((sum, count) => sum + count, 0);
  return {
    name,
    load: words,
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
    cpuMsPerRequest: hasCompany ? null : result.serviceCpuMs / Math.max(1, answers),
    generatorCores: result.generatorCpuMs / result.durationMs,
    offer: null,
    rssMb: Math.round(rssMb),
    company: null,
    each: [],
  };
}

/** The facts that a round of a load needs. */
interface Known {
  /** 0 when the load does not depend on the peak. */
  readonly peakPerSecond: number;
  readonly attachedId: string;
  /** Counted from 0. */
  readonly round: number;
}

async function runRound(
  service: Service,
  trial: Trial,
  { peakPerSecond, attachedId, round }: Known,
  plan: Plan,
): Promise<HttpFigure[]> {
  const pressure = trial.pressure(peakPerSecond, attachedId);
  const [first, second, ...more] = service.keys;
  // At ten times the peak, one key would exceed the highest rate limit per minute.
  const key = [first, ...more][round % (1 + more.length)] ?? first;
  const measure = usesWrk(trial) ? measureByWrk : measureLoad;
  const runs = [measure(service, trial, pressure, key, plan)];
  if (trial.otherKey !== null) {
    const { words, pressure: other } = trial.otherKey;
    const named = { ...trial, name: `${trial.name}, other key`, words };
    runs.push(measureLoad(service, named, other, second, plan));
  }
  const figures = await Promise.all(runs);
  if (trial.isRepeated) figures.push(await repeatLoad(service, trial, pressure, key, plan));
  return figures;
}

/** Adds the share of the peak to the first figure, which is that of the load itself. */
function withShare(figures: readonly HttpFigure[], peakPerSecond: number): HttpFigure[] {
  return figures.map((figure, i) =>
    i === 0 ? { ...figure, ofPeak: figure.documentsPerSecond / peakPerSecond } : figure,
  );
}

/** Runs the same load without bad company, with it, and without it again. */
async function runInCompany(
  service: Service,
  trial: Trial,
  company: Exclude<CompanyName, 'editors'>,
  known: Known,
  plan: Plan,
): Promise<HttpFigure[]> {
  const arrive = await COMPANIES[company](service, plan.httpCompany, known.peakPerSecond);
  const [alone] = await runRound(service, trial, known, plan);
  const rssMb = service.rssMb();
  const held = await arrive();
  let idleMb: number;
  let beside: readonly HttpFigure[];
  try {
    await pause(Math.min(SETTLE_MS, plan.loadMs));
    idleMb = service.rssMb() - rssMb;
    beside = await runRound(service, trial, known, plan);
  } finally {
    await held.release();
  }
  await pause(Math.min(SETTLE_MS, plan.loadMs));
  const [again] = await runRound(service, trial, known, plan);
  const aloneMs = ((alone?.p99Ms ?? Number.NaN) + (again?.p99Ms ?? Number.NaN)) / 2;
  return beside.map((figure) => {
    const addedMb = Math.max(idleMb, figure.rssMb - (alone?.rssMb ?? Number.NaN));
    const p99Ratio = figure.p99Ms / aloneMs;
    return { ...figure, company: { p99Ratio, addedMb, returnMs: null, cpuRatio: null } };
  });
}

/**
 * Runs the load in short turns alone and beside editors: they take so little that the machine's
 * drift between two long loads would hide it. Each round has several pairs of turns, and their
 * figure is the share of documents delivered beside them.
 */
async function runBesideEditors(service: Service, trial: Trial, plan: Plan): Promise<HttpFigure[]> {
  const { arrive, pace } = await prepareEditors(service, Math.ceil(EDITORS * plan.httpCompany));
  const turn = { ...plan, loadMs: plan.loadMs / 2 };
  const pairs: HttpFigure[] = [];
  const runAlone = async (round: number): Promise<HttpFigure> => {
    const known = { peakPerSecond: 0, attachedId: '', round };
    const [figure] = await runRound(service, trial, known, turn);
    if (figure === undefined) throw new Error('a load has a figure');
    return figure;
  };
  const runBeside = async (round: number): Promise<HttpFigure> => {
    const held = await arrive();
    try {
      return await runAlone(round);
    } finally {
      await held.release();
    }
  };
  for (let i = 0; i < PAIRS_A_ROUND * plan.httpRounds; i++) {
    // The first turn of a pair is the other one each time, so that a drift cancels out.
    const first = i % 2 === 0 ? await runAlone(i) : null;
    const beside = await runBeside(i);
    const alone = first ?? (await runAlone(i));
    const cpuRatio = (beside.cpuMsPerRequest ?? 0) / (alone.cpuMsPerRequest ?? 1);
    const addedMb = beside.rssMb - alone.rssMb;
    const company = { p99Ratio: beside.p99Ms / alone.p99Ms, addedMb, returnMs: null, cpuRatio };
    const ofPeak = beside.documentsPerSecond / alone.documentsPerSecond;
    pairs.push({ ...beside, ofPeak, company });
  }
  return [{ ...combineRounds(pairs), load: `${trial.words}: ${pace()}` }];
}

/** Runs the bombs on a separate service with a short time limit. */
async function measureBombs(plan: Plan): Promise<HttpFigure[]> {
  const settings = {
    INTAGLIO_RENDER_TIMEOUT_MS: String(BOMB_LIMIT_MS),
    INTAGLIO_POOL_THREADS: String(BOMB_THREADS),
  };
  const service = await startService(['A'], { settings, keysCount: keysFor(plan) });
  try {
    // Warm up first: measuring the peak takes less time than warming up.
    await runLoad(service, { ...PEAK, warmUpMs: 0, durationMs: plan.loadMs, key: service.keys[0] });
    const figures = await runTrial(service, BOMB_TRIAL, plan);
    const times: number[] = [];
    for (let i = 0; i < Math.min(RETURNS, plan.httpRounds * 2); i++) {
      // Wait until the threads that replace the ended ones have loaded.
      await pause(RECOVERY_MS);
      times.push(await timeReturn(service, BOMB_THREADS, BOMB_LIMIT_MS, 1 + i));
    }
    const returnMs = median(times);
    return figures.map((figure) => {
      const { company } = figure;
      return company === null ? figure : { ...figure, company: { ...company, returnMs } };
    });
  } finally {
    await service.stop();
  }
}

/** Runs all rounds of a load. */
async function runTrial(service: Service, trial: Trial, plan: Plan): Promise<HttpFigure[]> {
  const { company, attaches, peak } = trial;
  if (company === 'editors') return runBesideEditors(service, trial, plan);
  const attachedId = attaches ? await storeDocument(service, contractBody()) : '';
  const rounds: HttpFigure[][] = [];
  let after: number | null = null;
  for (let i = 0; i < plan.httpRounds; i++) {
    const before: number = peak === null ? 0 : (after ?? (await peakOf(service, trial, plan)));
    const known = { peakPerSecond: before, attachedId, round: i };
    const figures =
      company === null
        ? await runRound(service, trial, known, plan)
        : await runInCompany(service, trial, company, known, plan);
    after = peak === 'reached' ? await peakOf(service, trial, plan) : null;
    const peakPerSecond = (before + (after ?? before)) / 2;
    rounds.push(peak === null ? figures : withShare(figures, peakPerSecond));
  }
  return (rounds[0] ?? []).map((_, i) =>
    combineRounds(rounds.flatMap((round) => round.slice(i, i + 1))),
  );
}

/** The number of keys: one for the other key's load, and one per round, up to four. */
function keysFor({ httpRounds }: Plan): number {
  return 1 + Math.min(httpRounds, KEYS_IN_TURN_MAX);
}

/** Runs the loads. `only` selects them by name; if it is empty, the plan's loads run. */
export async function measureHttp(
  plan: Plan,
  only: readonly string[],
  note: (text: string) => void,
): Promise<HttpFigure[]> {
  const wanted = only.length > 0 ? only : plan.httpLoads;
  const shapes = plan.httpLoads === null || only.length > 0 ? SHAPE_NAMES : (['A'] as const);
  const service = await startService(shapes, { keysCount: keysFor(plan) });
  const figures: HttpFigure[] = [];
  try {
    for (const trial of [...TRIALS, BOMB_TRIAL]) {
      // `sync` always runs, because it warms up the service.
      const isWanted = wanted === null ? !trial.isOnlyByName : wanted.includes(trial.name);
      if (!isWanted && trial.name !== 'sync') continue;
      try {
        const isBomb = trial === BOMB_TRIAL;
        const made = isBomb ? await measureBombs(plan) : await runTrial(service, trial, plan);
        figures.push(...made);
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        note(`http ${trial.name} failed: ${error.message.slice(0, 300)}`);
      }
    }
    return figures;
  } finally {
    await service.stop();
  }
}
