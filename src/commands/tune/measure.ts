import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { readConfig, type Config } from '../../settings/config.ts';
import { readError } from '../batch/client.ts';
import { CommandFailed } from '../console/failure.ts';
import {
  candidates,
  choose,
  compare,
  memoryFor,
  queueFor,
  type Comparison,
  type Settings,
} from './advice.ts';
import { bodiesOf, type Body } from './bodies.ts';
import { peakHeapBytes } from './heap.ts';
import { summarise, type Callers, type Slice } from './load.ts';
import { startTrial, type Trial } from './trial.ts';
import type { Workload } from './workload.ts';

export interface Plan {
  readonly config: Config;
  readonly workload: Workload;
  /** A folder for this measurement, empty at the start. */
  readonly folder: string;
  readonly cores: number;
  readonly memoryBytes: number;
  /** Total time. Each service gets at least one request, so it may take longer. */
  readonly budgetMs: number;
  /** The longest wait in the queue. */
  readonly waitSeconds: number;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
  /** Tells what begins now; a terminal shows only the last step. */
  readonly step: (text: string) => void;
}

export interface Measured extends Slice {
  readonly threads: number;
  /** Rate as a share of the best candidate's. */
  readonly share: number;
}

export interface Report {
  /** Settings to use. */
  readonly settings: Settings;
  /** The advice before the comparison with the defaults, in which it may turn out worse. */
  readonly advice: Settings;
  readonly candidates: readonly Measured[];
  readonly peakHeapMb: number;
  readonly advised: Slice;
  readonly defaults: Slice;
  readonly comparison: Comparison;
  /** Noise of the rounds that chose the threads. */
  readonly noise: number;
  /** Number of cores that sending the requests kept busy. */
  readonly senderCores: number;
}

const ROUNDS = 7;
/** Shares of the time that is left after the services have started, in the order of the steps. */
const SHARES = {
  warmUp: 0.22,
  choose: 0.36,
  heap: 0.07,
  warmUpAgain: 0.13,
  compare: 0.22,
} as const;
/** Callers per renderer of the largest candidate: enough that no renderer waits for work. */
const CALLERS_PER_THREAD = 4;

/** Finds settings by measuring services with different settings in turn. Throws when aborted. */
export async function measure(plan: Plan): Promise<Report> {
  const { config, workload, signal, say } = plan;
  const startMs = performance.now();
  const threads = candidates(plan.cores);
  const files = writeFiles(plan);
  say(`starting services with ${threads.join(', ')} threads`);
  const settings = threads.map((count) => ({ threads: count }));
  const first = await withTrials(plan, files, settings, async (opening) => {
    // The samples are tried on the first service before the others start, because most mistakes
    // show here.
    const { callers } = await opening.next();
    plan.step('try the samples');
    const bodies = await accepted(callers, bodiesOf(workload.templates), signal);
    const trials = await opening.all();
    const startedMs = performance.now() - startMs;
    // Starting the two services of the comparison takes time, too.
    const timeMs = Math.max(0, plan.budgetMs - startedMs * (1 + 2 / trials.length));
    say(planLine(bodies.length, startedMs, timeMs));
    const turns = await measureInTurn(plan, trials, bodies, {
      warmUpMs: timeMs * SHARES.warmUp,
      roundsMs: timeMs * SHARES.choose,
    });
    return { ...turns, bodies, timeMs };
  });
  const { slices, bodies, timeMs, senderCores } = first;
  const { index, shares, noise } = choose(first.rates, threads.indexOf(plan.cores));
  say(`${threads[index]} threads; measuring the heap of a renderer`);
  const peak = await peakHeapBytes(workload.templates, config, timeMs * SHARES.heap, signal);
  const settingsFor = (count: number, slice: Slice): Settings => ({
    threads: count,
    queueMax: queueFor(slice.documentsPerSecond, plan.waitSeconds, {
      memoryBytes: plan.memoryBytes,
      bodyBytesMax: config.bodyBytesMax,
    }),
    memoryMb: memoryFor(peak),
  });
  const advice = settingsFor(threads[index] ?? plan.cores, pick(slices, index));
  say('measuring the advice beside the defaults');
  const second = await withTrials(plan, files, [advice, {}], async (opening) =>
    measureInTurn(plan, await opening.all(), bodies, {
      warmUpMs: timeMs * SHARES.warmUpAgain,
      roundsMs: timeMs * SHARES.compare,
    }),
  );
  const [advised = [], defaults = []] = second.rates;
  const comparison = compare(advised, defaults);
  const measured = threads.map((count, at) => ({
    threads: count,
    share: shares[at] ?? 0,
    ...pick(slices, at),
  }));
  return {
    settings: comparison.verdict === 'better' ? advice : defaultSettings(),
    advice,
    candidates: measured,
    noise,
    peakHeapMb: peak / 1_048_576,
    advised: pick(second.slices, 0),
    defaults: pick(second.slices, 1),
    comparison,
    senderCores,
  };
}

function defaultSettings(): Settings {
  const { poolThreads, poolQueueMax, workerMemoryMb } = readConfig({});
  return { threads: poolThreads, queueMax: poolQueueMax, memoryMb: workerMemoryMb };
}

/**
 * The line that says how many requests are sent, and for how long. The time to start the services
 * is part of the total, and may be all of it on a busy machine.
 */
export function planLine(requests: number, startedMs: number, timeMs: number): string {
  const [started, left] = [startedMs, timeMs].map((ms) => `${(ms / 1000).toFixed(1)} s`);
  const start = `the services started in ${started}`;
  return timeMs < startedMs / 2
    ? `${start}, which leaves too little of --seconds for ${requests} requests: each service is measured for a moment, and the whole takes longer than --seconds; give more`
    : `${start}; measuring ${requests} requests for ${left} more`;
}

/** Writes the templates to files, which the services publish. */
function writeFiles({ workload, folder }: Plan): readonly string[] {
  return workload.templates.map(({ source }, index) => {
    const path = join(folder, `template-${index}.json`);
    writeFileSync(path, source);
    return path;
  });
}

function pick(slices: readonly Slice[], index: number): Slice {
  const slice = slices[index];
  if (slice === undefined) throw new Error('each trial has a result');
  return slice;
}

/** Results of services that were measured in turn; one entry a service in each list. */
interface Measurements {
  readonly slices: readonly Slice[];
  readonly rates: readonly (readonly number[])[];
  readonly senderCores: number;
}

/**
 * Warms up every service, then measures them in rounds, each in another order. Services with more
 * threads warm up for longer, because each thread compiles the templates.
 */
async function measureInTurn(
  { signal, say, step }: Plan,
  trials: readonly Trial[],
  bodies: readonly Body[],
  { warmUpMs, roundsMs }: { readonly warmUpMs: number; readonly roundsMs: number },
): Promise<Measurements> {
  const threads = trials.reduce((sum, trial) => sum + trial.threads, 0);
  for (const [index, trial] of trials.entries()) {
    step(`warm up service ${index + 1} of ${trials.length}`);
    await trial.callers.run(bodies, (warmUpMs * trial.threads) / threads, signal);
  }
  const sliceMs = roundsMs / (trials.length * ROUNDS);
  const results: Slice[][] = trials.map(() => []);
  const cpu = process.cpuUsage();
  const startMs = performance.now();
  step(`measure in ${ROUNDS} rounds`);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (let turn = 0; turn < trials.length; turn += 1) {
      const at = (turn + round) % trials.length;
      const slice = await trials[at]?.callers.run(bodies, sliceMs, signal);
      if (slice !== undefined) results[at]?.push(slice);
    }
    const rates = results.map((slices) => slices.at(-1)?.documentsPerSecond.toFixed(0) ?? '');
    say(`round ${round + 1} of ${ROUNDS}: ${rates.join(', ')} documents/s`);
  }
  const { user, system } = process.cpuUsage(cpu);
  return {
    slices: results.map(summarise),
    rates: results.map((slices) => slices.map((slice) => slice.documentsPerSecond)),
    senderCores: (user + system) / 1000 / (performance.now() - startMs),
  };
}

/**
 * Tries all bodies and returns those that give a document. Throws when a sample fails; a variant
 * that fails is left out.
 */
async function accepted(
  callers: Callers,
  bodies: readonly Body[],
  signal: AbortSignal,
): Promise<readonly Body[]> {
  const acceptedBodies: Body[] = [];
  for (const body of bodies) {
    signal.throwIfAborted();
    const answer = await callers.ask(body.bytes);
    if (answer.status === 200) {
      acceptedBodies.push(body);
    } else if (body.isSample) {
      const { error, code, fields } = readError(answer);
      const defects = fields.map(({ field, reason }) => `\n  ${field}: ${reason}`).join('');
      throw new CommandFailed(`${body.name} fails: ${error} (${code})${defects}`);
    }
  }
  return acceptedBodies;
}

/** Services that are started one after the other. */
interface Opening {
  /** Starts the next one. */
  next(): Promise<Trial>;
  /** Starts those that are left. */
  all(): Promise<readonly Trial[]>;
}

/** Provides services and ends all of them afterwards, also after an error. */
async function withTrials<T>(
  { folder, cores, signal, step }: Plan,
  files: readonly string[],
  settings: readonly Partial<Settings>[],
  use: (opening: Opening) => Promise<T>,
): Promise<T> {
  const callers = CALLERS_PER_THREAD * Math.max(...candidates(cores));
  const trials: Trial[] = [];
  const next = async (): Promise<Trial> => {
    step(`start service ${trials.length + 1} of ${settings.length}`);
    const trialFolder = mkdtempSync(join(folder, 'service-'));
    const trialSettings = { threads: cores, ...settings[trials.length] };
    const trial = await startTrial(trialFolder, files, trialSettings, callers, signal);
    trials.push(trial);
    return trial;
  };
  const all = async (): Promise<readonly Trial[]> => {
    while (trials.length < settings.length) await next();
    return trials;
  };
  try {
    return await use({ next, all });
  } finally {
    await Promise.all(trials.map(async (trial) => trial.stop()));
  }
}
