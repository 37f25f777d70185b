import { progress, step } from '../harness/progress.ts';
import { spread } from '../../lab/stats.ts';
import type { Spread } from '../../lab/stats.ts';
import { SHAPE_NAMES } from '../../lab/shapes/sheet.ts';
import { ROUNDS_PER_START, startsRatio } from '../harness/starts.ts';
import type { StartsRatio } from '../harness/starts.ts';
import type { Checkout } from '../suites/checkout.ts';
import type { Plan } from '../suites/plan.ts';
import { contractBody } from '../../lab/load/requests.ts';
import { runDeliveredLoad, runLoad } from '../../lab/load/run-load.ts';
import { measurePeak } from './peak.ts';
import type { Service, Settings } from '../../lab/service/service.ts';
import { startService, storeDocument } from '../../lab/service/service.ts';
import type { Pressure, Trial } from './trials.ts';
import { PEAK, TRIALS } from './trials.ts';

/** A figure of two services, and the second's over the first's, taken round by round. */
export interface Pair {
  readonly a: Spread;
  readonly b: Spread;
  readonly ratio: StartsRatio;
}

/** One load on the services of two commits in turns. */
export interface ServiceComparison {
  readonly commits: readonly [string, string];
  readonly name: string;
  readonly load: string;
  readonly documentsPerSecond: Pair;
  /** User and system time of the service and its child processes, over all its responses. */
  readonly cpuMsPerRequest: Pair;
  readonly p99Ms: Pair;
}

/** The loads compared unless the caller names others. */
const LOADS = ['sync', 'mixed', 'attach', 'async', '70 %'];

/** Length of the warm-up, in multiples of a load's duration. */
const WARM_UP = 2;

interface Turn {
  readonly documentsPerSecond: number;
  readonly cpuMsPerRequest: number;
  readonly p99Ms: number;
}

/** A service under comparison, and a document stored in it. */
interface Side {
  readonly service: Service;
  readonly attachedId: string;
}

/** The loads that can be compared: those that need nobody beside the service. */
function trialsOf(names: readonly string[]): readonly Trial[] {
  const wanted = names.length > 0 ? names : LOADS;
  return wanted.map((name) => {
    const trial = TRIALS.find((known) => known.name === name && known.company === null);
    if (trial === undefined) throw new Error(`http ${name} cannot be compared`);
    return trial;
  });
}

async function startSide(root: string, settings: Settings): Promise<Side> {
  // A key for each round: a flood is more than one key may send in a minute.
  const keysCount = ROUNDS_PER_START;
  const service = await startService(SHAPE_NAMES, { root, keysCount, settings });
  try {
    return { service, attachedId: await storeDocument(service, contractBody()) };
  } catch (error) {
    await service.stop();
    throw error;
  }
}

async function takeTurn(
  { service, attachedId }: Side,
  pressureFor: (attachedId: string) => Pressure,
  round: number,
  plan: Plan,
): Promise<Turn> {
  const { keys } = service;
  const key = keys[round % keys.length] ?? keys[0];
  const times = { warmUpMs: Math.round(plan.loadMs / 4), durationMs: plan.loadMs };
  const load = { ...pressureFor(attachedId), ...times, key };
  const { result } = await runDeliveredLoad(service, load);
  const answers = Object.values(result.statuses).reduce((sum, count) => sum + count, 0);
  return {
    documentsPerSecond: (result.delivered * 1000) / result.durationMs,
    cpuMsPerRequest: result.serviceCpuMs / answers,
    p99Ms: result.timing.due.p99Ms,
  };
}

/** Shares of the peak are shares of the lower of both peaks, so that each gets the same requests. */
async function lowerPeak(sides: readonly Side[], plan: Plan): Promise<number> {
  let lowest = Number.POSITIVE_INFINITY;
  for (const { service } of sides) lowest = Math.min(lowest, await measurePeak(service, plan));
  return lowest;
}

/** A long warm-up: code that is still being compiled would cost CPU in the first turns. */
async function warmUp(service: Service, plan: Plan): Promise<void> {
  const times = { warmUpMs: 0, durationMs: WARM_UP * plan.loadMs };
  await runLoad(service, { ...PEAK, ...times, key: service.keys[0] });
}

function pairOf(a: readonly Turn[], b: readonly Turn[], pick: (turn: Turn) => number): Pair {
  const [first, second] = [a.map(pick), b.map(pick)];
  return { a: spread(first), b: spread(second), ratio: startsRatio(second, first) };
}

/** The turns of a load, in order: those of the first commit and those of the second. */
type Turns = readonly [Turn[], Turn[]];

/** Loads both sides in turns. They alternate in going first, so that order favours neither. */
async function takeTurns(
  trial: Trial,
  sides: readonly [Side, Side],
  turns: Turns,
  rounds: readonly number[],
  plan: Plan,
): Promise<void> {
  const peak = trial.peak === null ? 0 : await lowerPeak(sides, plan);
  const pressureFor = (attachedId: string): Pressure => trial.pressure(peak, attachedId);
  for (const round of rounds) {
    step(`http ${trial.name}: round ${round + 1} of ${plan.httpRounds}`);
    for (const side of round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)) {
      turns[side].push(await takeTurn(sides[side], pressureFor, round, plan));
    }
  }
}

function comparisonOf(
  { name, description }: Trial,
  turns: Turns,
  commits: readonly [string, string],
): ServiceComparison {
  const pair = (pick: (turn: Turn) => number): Pair => pairOf(turns[0], turns[1], pick);
  return {
    commits,
    name,
    load: description,
    documentsPerSecond: pair(({ documentsPerSecond }) => documentsPerSecond),
    cpuMsPerRequest: pair(({ cpuMsPerRequest }) => cpuMsPerRequest),
    p99Ms: pair(({ p99Ms }) => p99Ms),
  };
}

/** Starts both services, warms them, hands them to `work` and stops them. */
async function withSides(
  checkouts: readonly [Checkout, Checkout],
  settings: readonly [Settings, Settings],
  plan: Plan,
  work: (sides: readonly [Side, Side]) => Promise<void>,
): Promise<void> {
  const a = await startSide(checkouts[0].root, settings[0]);
  try {
    const b = await startSide(checkouts[1].root, settings[1]);
    try {
      for (const { service } of [a, b]) await warmUp(service, plan);
      await work([a, b]);
    } finally {
      await b.service.stop();
    }
  } finally {
    await a.service.stop();
  }
}

/** A label of the commit and the settings that it runs with. */
function labelOf({ commit }: Checkout, settings: Settings): string {
  const given = Object.entries(settings).map(([name, value]) => ` ${name}=${value}`);
  return commit + given.join('');
}

/**
 * Runs the services of two commits and loads them in turns A B B A, and again with services that
 * were started anew. The bench is this commit's; each service runs its commit's sources and packages
 * under its own settings. `names` lists the loads; if it is empty, LOADS apply.
 */
export async function compareServices(
  checkouts: readonly [Checkout, Checkout],
  settings: readonly [Settings, Settings],
  names: readonly string[],
  plan: Plan,
): Promise<ServiceComparison[]> {
  const measured = trialsOf(names).map((trial) => ({ trial, turns: [[], []] satisfies Turns }));
  const [first, second] = checkouts;
  const commits = [labelOf(first, settings[0]), labelOf(second, settings[1])] as const;
  for (let round = 0; round < plan.httpRounds; round += ROUNDS_PER_START) {
    const rounds = [round, round + 1].filter((each) => each < plan.httpRounds);
    await withSides(checkouts, settings, plan, async (sides) => {
      for (const { trial, turns } of measured) {
        progress(`http ${trial.name}: ${commits.join(' and ')} in turns`);
        await takeTurns(trial, sides, turns, rounds, plan);
      }
    });
  }
  return measured.map(({ trial, turns }) => comparisonOf(trial, turns, commits));
}
