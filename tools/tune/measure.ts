import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Config } from '../../src/settings/config.ts';
import { serviceError } from '#client';
import { CommandFailed } from '../../src/commands/console/failure.ts';
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
import type { Callers, Slice } from './load.ts';
import {
  measureInTurn,
  summarise,
  type Measurements,
  type Schedule,
  type Summary,
} from './rounds.ts';
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
  /** Called after each round with what is known, for a measurement that is stopped. */
  readonly keep: (rows: readonly Row[]) => void;
}

/** By service and round. */
type Slices = Measurements['slices'];

/** What a service is called, and its figures so far. */
export type Row = readonly [name: string, figures: Summary];

export interface Measured extends Summary {
  readonly threads: number;
  /** Rate as a share of the best candidate's. */
  readonly share: number;
}

export interface Report {
  /** Settings to use; null: none was better than the defaults beyond the noise. */
  readonly settings: Settings | null;
  /** The settings that were compared with the defaults. */
  readonly advice: Settings;
  readonly candidates: readonly Measured[];
  readonly peakHeapMb: number;
  readonly advised: Summary;
  readonly defaults: Summary;
  readonly comparison: Comparison;
  /** Noise of the rounds that chose the threads. */
  readonly noise: number;
  /** False: services still became faster when they were measured. */
  readonly isWarm: boolean;
  /** Number of cores that sending the requests kept busy. */
  readonly senderCores: number;
}

/** Rounds that choose the threads. */
const ROUNDS = 7;
/** How often the services of the comparison are started, and the rounds after each start. */
const STARTS = 2;
const ROUNDS_PER_START = 4;
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
  const keepAs =
    (names: readonly string[], before: readonly Row[] = []) =>
    (measured: Slices): void =>
      plan.keep([...before, ...rowsOf(names, measured)]);
  const first = await withTrials(plan, files, settings, async (opening) => {
    // The samples are tried on the first service before the others start, because most mistakes
    // show here.
    const { callers } = await opening.next();
    plan.step('try the samples');
    const bodies = await accepted(callers, bodiesOf(workload.templates), signal);
    const trials = await opening.all();
    const startedMs = performance.now() - startMs;
    // Starting the services of the comparison takes time, too.
    const timeMs = Math.max(0, plan.budgetMs - startedMs * (1 + (2 * STARTS) / trials.length));
    say(planLine(bodies.length, startedMs, timeMs));
    const senderClock = startSenderClock();
    const turns = await takeTurns(plan, trials, bodies, keepAs(threads.map(nameOf)), {
      warmUpMs: timeMs * SHARES.warmUp,
      roundsMs: timeMs * SHARES.choose,
      rounds: ROUNDS,
    });
    return { ...turns, bodies, timeMs, senderCores: senderClock() };
  });
  const { bodies, timeMs, senderCores } = first;
  const slices = first.slices.map(summarise);
  const { index, shares, noise } = choose(first.slices.map(ratesOf), threads.indexOf(plan.cores));
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
  const keep = keepAs(
    ['the best of them', 'the defaults'],
    rowsOf(threads.map(nameOf), first.slices),
  );
  const second = await measureBesideDefaults({ plan, keep }, files, advice, bodies, timeMs);
  const [advised = [], defaults = []] = second.slices;
  const comparison = compare(ratesOf(advised), ratesOf(defaults));
  const measured = threads.map((count, at) => ({
    threads: count,
    share: shares[at] ?? 0,
    ...pick(slices, at),
  }));
  return {
    settings: comparison.verdict === 'better' ? advice : null,
    advice,
    candidates: measured,
    noise,
    peakHeapMb: peak / 1_048_576,
    advised: summarise(advised),
    defaults: summarise(defaults),
    comparison,
    isWarm: first.isWarm && second.isWarm,
    senderCores,
  };
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

function pick(slices: readonly Summary[], index: number): Summary {
  const slice = slices[index];
  if (slice === undefined) throw new Error('each trial has a result');
  return slice;
}

/** What the service with so many threads is called. */
export function nameOf(threads: number): string {
  return `threads: ${threads}`;
}

/** The figures of services by their names, those without a round left out. */
function rowsOf(names: readonly string[], slices: Slices): readonly Row[] {
  return names.flatMap((name, at) => {
    const own = slices[at] ?? [];
    return own.length === 0 ? [] : [[name, summarise(own)] as const];
  });
}

/** Measures services in turn, with these bodies. */
function takeTurns(
  { signal, say, step }: Plan,
  trials: readonly Trial[],
  bodies: readonly Body[],
  keep: (slices: Slices) => void,
  schedule: Schedule,
): Promise<Measurements> {
  const services = trials.map(({ threads, callers }) => ({
    threads,
    run: (durationMs: number) => callers.run(bodies, durationMs, signal),
  }));
  return measureInTurn(services, schedule, { say, step, keep });
}

/**
 * Measures the advice beside the defaults. Two starts of the same settings differ, because V8
 * compiles the same code differently: so both services are started anew for each part of the rounds.
 */
async function measureBesideDefaults(
  { plan, keep }: { readonly plan: Plan; readonly keep: (slices: Slices) => void },
  files: readonly string[],
  advice: Settings,
  bodies: readonly Body[],
  timeMs: number,
): Promise<Measurements> {
  const parts: Measurements[] = [];
  for (let start = 0; start < STARTS; start += 1) {
    const keepPart = (slices: Slices): void => keep(bothOf([...parts.map(slicesOf), slices]));
    parts.push(
      await withTrials(plan, files, [advice, {}], async (opening) =>
        takeTurns(plan, await opening.all(), bodies, keepPart, {
          warmUpMs: (timeMs * SHARES.warmUpAgain) / STARTS,
          roundsMs: (timeMs * SHARES.compare) / STARTS,
          rounds: ROUNDS_PER_START,
        }),
      ),
    );
  }
  return {
    slices: bothOf(parts.map(slicesOf)),
    isWarm: parts.every(({ isWarm }) => isWarm),
  };
}

const slicesOf = ({ slices }: Measurements): Slices => slices;

/** The rounds of both services, of all parts. */
function bothOf(parts: readonly Slices[]): Slices {
  return [0, 1].map((service) => parts.flatMap((slices) => slices[service] ?? []));
}

/** The processor time of this process, in cores, since the last call. */
function startSenderClock(): () => number {
  const cpu = process.cpuUsage();
  const startMs = performance.now();
  return () => {
    const { user, system } = process.cpuUsage(cpu);
    return (user + system) / 1000 / (performance.now() - startMs);
  };
}

const ratesOf = (slices: readonly Slice[]): readonly number[] =>
  slices.map(({ documentsPerSecond }) => documentsPerSecond);

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
      const { detail, code, fields } = serviceError(answer.status, answer.body.toString(), null);
      const defects = fields.map(({ field, reason }) => `\n  ${field}: ${reason}`).join('');
      throw new CommandFailed(`${body.name} fails: ${detail} (${code})${defects}`);
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
