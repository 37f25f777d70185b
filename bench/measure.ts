import { join } from 'node:path';
import { temporaryFolder } from '../lab/process/interrupt.ts';
import { SHAPES } from '../lab/shapes/index.ts';
import { progress } from './harness/progress.ts';
import { leftOutChecks } from './harness/tools.ts';
import type { FlameGraph } from './flame/page.ts';
import { describeMachine } from '../lab/machine.ts';
import { writeFlames } from './flame/write.ts';
import { measureGateway } from './http/gateway.ts';
import { measureHttp } from './http/http.ts';
import { measureSoak } from './http/soak.ts';
import { measureInvoices } from './invoice/invoice.ts';
import { measureMonthEnd } from './month-end/month-end.ts';
import { HTTP_PARTS } from './names.ts';
import type { BenchName, BenchOptions } from './options.ts';
import type { Figures, NamedTable } from './report/report.ts';
import { compareCommits } from './suites/compare.ts';
import { benchEngine } from './suites/engine.ts';
import { measureFirsts } from './suites/firsts.ts';
import { measureMicro } from './suites/micro.ts';
import { SMOKE } from './suites/plan.ts';
import type { Plan } from './suites/plan.ts';
import { measurePool } from './suites/pool.ts';
import { profileShape } from './suites/profile.ts';
import { measureRows } from './suites/rows.ts';
import type { Run } from './suites/run.ts';
import { measureFleet } from './suites/runs-fleet.ts';
import { measureGuarded } from './suites/runs-guarded.ts';
import { measurePrints } from './suites/runs-prints.ts';
import { measureRuns } from './suites/runs.ts';

type SingleBench = Exclude<BenchName, 'all'>;

const BENCHES: Readonly<Record<SingleBench, (run: Run) => Promise<Partial<Figures>>>> = {
  engine: benchEngine,
  first: async ({ plan }) => ({ firsts: await measureFirsts(plan) }),
  rows: async ({ plan }) => ({ rows: await measureRows(plan) }),
  pool: async ({ plan }) => ({ pool: await measurePool(plan) }),
  micro: benchMicro,
  http: benchHttp,
  runs: benchRuns,
  profile: benchProfiles,
  invoice: benchInvoices,
  'month-end': benchMonthEnd,
};

/** The benches that `all` runs, in this order. */
const BENCHES_OF_ALL = ['engine', 'first', 'rows', 'pool', 'micro', 'http'] as const;

const MICRO_ROUNDS_MAX = 5;

/** Documents of the run bench, at full and at smoke size. */
const RUN_DOCUMENTS = { full: 100_000, smoke: 300 } as const;
/** Documents of each part of the bench of shape Z. */
const MONTH_END_DOCUMENTS = { full: 20_000, smoke: 100 } as const;
/** Documents of a run on a fleet, which keeps its files in memory, and of a print file. */
const LOCAL_DOCUMENTS = 10_000;

/** Documents of each guarded run that `all` makes. */
const GUARDED_OF_ALL = { full: 1_000, smoke: 20 } as const;

export const NO_FIGURES: Figures = {
  drawings: [],
  firsts: [],
  rows: [],
  pool: [],
  micro: [],
  http: [],
  services: [],
  peersLeftOut: [],
  gateway: [],
  soak: [],
  profiles: [],
  tables: [],
  notes: [],
};

/** Receives all figures measured so far, each time one of several benches has ended. */
export type KeepFigures = (figures: Figures) => Promise<void>;

/** Runs the benches that the options name, or compares the two commits that they name. */
export async function measureFigures(
  options: BenchOptions,
  plan: Plan,
  keep: KeepFigures,
): Promise<Figures> {
  const notes: string[] = [];
  const note = (text: string): void => {
    notes.push(text);
    progress(text);
  };
  if (options.compare === null) for (const line of leftOutChecks(options.name)) note(line);
  const run: Run = { options, plan, note };
  const together = (parts: readonly Partial<Figures>[]): Figures =>
    parts.reduce<Figures>((all, part) => ({ ...all, ...part }), { ...NO_FIGURES, notes });
  const parts =
    options.compare === null
      ? await runBenches(run, (measured) => keep(together(measured)))
      : [await compareCommits(options.compare, run)];
  return together(parts);
}

async function runBenches(
  run: Run,
  keep: (parts: readonly Partial<Figures>[]) => Promise<void>,
): Promise<readonly Partial<Figures>[]> {
  const { name, smoke } = run.options;
  if (name !== 'all') return [await runBench(name, run)];
  // Smoke figures mean nothing: the benches may disturb each other.
  const parts = smoke
    ? await Promise.all(BENCHES_OF_ALL.map((each) => runBench(each, run)))
    : await inTurn(
        BENCHES_OF_ALL.map((each) => () => runBench(each, run)),
        keep,
      );
  // It draws in this process, which cannot keep its connections to other services meanwhile.
  return [...parts, await benchGuarded(run)];
}

/**
 * Runs benches one after the other and keeps all figures after each, because a signal or a fault
 * may come a quarter of an hour after the first one.
 */
export async function inTurn<T>(
  runs: readonly (() => Promise<T>)[],
  keep: (measured: readonly T[]) => Promise<void>,
): Promise<readonly T[]> {
  const measured: T[] = [];
  for (const run of runs) {
    measured.push(await run());
    await keep(measured);
  }
  return measured;
}

/**
 * Runs with passwords and with signatures as a part of `all`: a minute. A run that fails or stands
 * still is noted, so that the figures of the quarter of an hour before it are kept.
 */
async function benchGuarded({ options: { smoke }, note }: Run): Promise<Partial<Figures>> {
  progress('bench runs guarded');
  const documents = smoke ? GUARDED_OF_ALL.smoke : GUARDED_OF_ALL.full;
  try {
    return { tables: await measureGuarded(documents, smoke, note) };
  } catch (error) {
    if (smoke || !(error instanceof Error)) throw error;
    note(`runs guarded failed: ${error.message}`);
    return {};
  }
}

function runBench(name: SingleBench, run: Run): Promise<Partial<Figures>> {
  progress(`bench ${name}`);
  return BENCHES[name](run);
}

async function benchMicro({ options, plan, note }: Run): Promise<Partial<Figures>> {
  const only = options.name === 'micro' ? (options.rest[0] ?? null) : null;
  return { micro: await measureMicro(only, Math.min(plan.rounds, MICRO_ROUNDS_MAX), note) };
}

async function benchHttp({ options, plan, note }: Run): Promise<Partial<Figures>> {
  const names = httpNames(options);
  const loads = names.filter((name) => !HTTP_PARTS.includes(name));
  const figures: { -readonly [K in keyof Figures]?: Figures[K] } = {};
  if (loads.length > 0 || names.length === 0) figures.http = await measureHttp(plan, loads, note);
  if (names.includes('gateway') || names.length === 0) {
    figures.gateway = [await measureGateway(plan)];
  }
  if (names.includes('soak')) figures.soak = await measureSoak(plan);
  return figures;
}

/** The loads and parts to measure; none named: every load and the gateway. */
function httpNames({ name, rest, smoke }: BenchOptions): readonly string[] {
  if (name === 'http') return rest;
  return smoke ? [...(SMOKE.httpLoads ?? []), ...HTTP_PARTS] : [];
}

async function benchRuns({ options, note }: Run): Promise<Partial<Figures>> {
  return { tables: await measureRunTables(options, note) };
}

async function benchInvoices({ options, note }: Run): Promise<Partial<Figures>> {
  return { tables: [await measureInvoices(options, note)] };
}

async function benchMonthEnd({ options, note }: Run): Promise<Partial<Figures>> {
  const { documents, smoke } = options;
  const sizes = smoke ? MONTH_END_DOCUMENTS.smoke : MONTH_END_DOCUMENTS.full;
  return { tables: [await measureMonthEnd(documents ?? sizes, note)] };
}

function measureRunTables(
  { documents, rest, rounds, smoke }: BenchOptions,
  note: Run['note'],
): Promise<readonly NamedTable[]> {
  if (rest.includes('fleet')) return measureFleet(documents ?? LOCAL_DOCUMENTS, rounds);
  if (rest.includes('guarded')) return measureGuarded(documents ?? LOCAL_DOCUMENTS, smoke, note);
  if (rest.includes('prints')) return measurePrints(documents ?? LOCAL_DOCUMENTS);
  return measureRuns(documents ?? (smoke ? RUN_DOCUMENTS.smoke : RUN_DOCUMENTS.full));
}

async function benchProfiles({ options, plan }: Run): Promise<Pick<Figures, 'profiles'>> {
  // Measured before the profiles run, because they raise the load average themselves.
  const machine = describeMachine();
  const { path: folder, remove } = temporaryFolder('intaglio-profile-');
  try {
    const profiles = [];
    const graphs: FlameGraph[] = [];
    for (const shape of plan.shapes) {
      progress(`profile of ${shape}`);
      const path = join(folder, `${shape}.cpuprofile`);
      const { result, tree } = await profileShape(shape, plan, path);
      profiles.push(result);
      graphs.push({ title: `${shape}: ${SHAPES[shape].title}`, tree, rows: result.rows });
    }
    if (options.html !== null) writeFlames(options.html, graphs, machine);
    return { profiles };
  } finally {
    remove();
  }
}
