import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeMachine } from './harness/machine.ts';
import { compareServices } from './http/compare.ts';
import type { ServiceComparison } from './http/compare.ts';
import { measureGateway } from './http/gateway.ts';
import { measureHttp } from './http/http.ts';
import { measureSoak } from './http/soak.ts';
import { parseOptions, USAGE } from './options.ts';
import type { BenchName, BenchOptions } from './options.ts';
import { formatHtml } from './report/html.ts';
import { fillPage } from './report/page.ts';
import type { LeftOut, Report } from './report/report.ts';
import { formatHeader, formatLeftOut, formatTable, reportTables } from './report/table.ts';
import { checkOut, provideStudio } from './suites/compare.ts';
import type { Checkout } from './suites/compare.ts';
import { measureScene } from './suites/drawing.ts';
import type { Drawing } from './suites/drawing.ts';
import { measureFirsts } from './suites/firsts.ts';
import { measureMicro } from './suites/micro.ts';
import { FULL, SMOKE } from './suites/plan.ts';
import type { Plan } from './suites/plan.ts';
import { measureFleet } from './suites/runs-fleet.ts';
import { measurePrints } from './suites/runs-prints.ts';
import { measureRuns } from './suites/runs.ts';
import { measurePool } from './suites/pool.ts';
import { profileShape } from './suites/profile.ts';
import { measureRows } from './suites/rows.ts';
import { startColdEngine, startEngine, startPeers, stopAll } from './suites/subjects.ts';
import type { Running } from './suites/subjects.ts';

type Figures = Omit<Report, 'schema' | 'machine' | 'smoke' | 'loadAfter' | 'durationS'>;
type Draft = { -readonly [K in keyof Figures]: Figures[K] } & { peersLeftOut: LeftOut[] };

/** Documents of the run bench, at full and at smoke size. */
const RUN_DOCUMENTS = { full: 100_000, smoke: 300 } as const;
/** Documents of a run on a fleet, which keeps its files in memory, and of a print file. */
const LOCAL_DOCUMENTS = 10_000;
/** The benches that `all` runs, in this order. */
const PARTS = ['engine', 'first', 'rows', 'pool', 'micro', 'http'] as const;

/** Progress and reasons go to standard error; standard output holds the tables only. */
function progress(text: string): void {
  process.stderr.write(`${text}\n`);
}

async function drawShapes(
  subjects: readonly Running[],
  plan: Plan,
  note: (text: string) => void,
): Promise<Drawing[]> {
  const drawings: Drawing[] = [];
  for (const shape of plan.shapes) {
    progress(`${shape}: ${subjects.length} subjects in turns`);
    const scene = { shape, rows: shape === 'B' ? plan.rows : null };
    drawings.push(...(await measureScene(subjects, scene, plan, note)));
  }
  return drawings;
}

async function benchEngine(
  options: BenchOptions,
  plan: Plan,
  leftOut: LeftOut[],
  note: (text: string) => void,
): Promise<Drawing[]> {
  const leaveOut = (peer: string, reason: string): void => {
    leftOut.push({ peer, reason });
    progress(`${peer} left out: ${reason}`);
  };
  const subjects = [await startEngine(plan)];
  try {
    subjects.push(await startColdEngine(plan));
    const choice = { names: options.peers, install: options.install };
    subjects.push(...(await startPeers(choice, plan, leaveOut)));
    return await drawShapes(subjects, plan, note);
  } finally {
    await stopAll(subjects);
  }
}

async function compareEngines(
  checkouts: readonly Checkout[],
  plan: Plan,
  note: (text: string) => void,
): Promise<Drawing[]> {
  const subjects: Running[] = [];
  try {
    for (const [i, { commit, root }] of checkouts.entries()) {
      subjects.push(await startEngine(plan, `${'AB'[i] ?? ''} ${commit}`, root));
    }
    return await drawShapes(subjects, plan, note);
  } finally {
    await stopAll(subjects);
  }
}

async function benchCommits(
  revisions: readonly [string, string],
  { name, rest, settings }: BenchOptions,
  plan: Plan,
  note: (text: string) => void,
): Promise<{ drawings: Drawing[]; services: ServiceComparison[] }> {
  const first = checkOut(revisions[0]);
  try {
    const second = checkOut(revisions[1]);
    try {
      if (name === 'http') {
        provideStudio(first);
        provideStudio(second);
        const services = await compareServices([first, second], settings, rest, plan, progress);
        return { drawings: [], services };
      }
      return { drawings: await compareEngines([first, second], plan, note), services: [] };
    } finally {
      second.remove();
    }
  } finally {
    first.remove();
  }
}

async function benchProfiles(plan: Plan): Promise<Figures['profiles']> {
  const folder = mkdtempSync(join(tmpdir(), 'intaglio-profile-'));
  try {
    const profiles = [];
    for (const shape of plan.shapes) {
      progress(`profile of ${shape}`);
      profiles.push(await profileShape(shape, false, plan, join(folder, `${shape}.cpuprofile`)));
    }
    return profiles;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Parts of `http` that are not loads. The soak takes minutes: only by name or in smoke. */
const APART = ['gateway', 'soak'];

function httpNames({ name, rest, smoke }: BenchOptions): readonly string[] {
  if (name === 'http') return rest;
  return smoke ? [...(SMOKE.httpLoads ?? []), ...APART] : [];
}

async function benchHttp(
  names: readonly string[],
  plan: Plan,
  draft: Draft,
  note: (text: string) => void,
): Promise<void> {
  const loads = names.filter((name) => !APART.includes(name));
  if (loads.length > 0 || names.length === 0) draft.http = await measureHttp(plan, loads, note);
  if (names.includes('gateway') || names.length === 0) draft.gateway = [await measureGateway(plan)];
  if (names.includes('soak')) draft.soak = await measureSoak(plan, progress);
}

async function runBench(
  name: BenchName,
  options: BenchOptions,
  plan: Plan,
  draft: Draft,
  note: (text: string) => void,
): Promise<void> {
  progress(`bench ${name}`);
  switch (name) {
    case 'all': {
      const run = (each: BenchName): Promise<void> => runBench(each, options, plan, draft, note);
      // Smoke figures mean nothing: the parts may disturb each other.
      if (options.smoke) await Promise.all(PARTS.map(run));
      else for (const each of PARTS) await run(each);
      break;
    }
    case 'engine':
      draft.drawings = [
        ...draft.drawings,
        ...(await benchEngine(options, plan, draft.peersLeftOut, note)),
      ];
      break;
    case 'first':
      draft.firsts = await measureFirsts(plan);
      break;
    case 'rows':
      draft.rows = await measureRows(plan);
      break;
    case 'pool':
      draft.pool = await measurePool(plan);
      break;
    case 'micro': {
      const only = options.name === 'micro' ? (options.rest[0] ?? null) : null;
      draft.micro = await measureMicro(only, Math.min(plan.rounds, 5), note);
      break;
    }
    case 'http':
      await benchHttp(httpNames(options), plan, draft, note);
      break;
    case 'runs': {
      const documents =
        options.documents ?? (options.smoke ? RUN_DOCUMENTS.smoke : RUN_DOCUMENTS.full);
      const lines = options.rest.includes('fleet')
        ? await measureFleet(options.documents ?? LOCAL_DOCUMENTS, options.rounds)
        : options.rest.includes('prints')
          ? await measurePrints(options.documents ?? LOCAL_DOCUMENTS)
          : await measureRuns(documents);
      for (const line of lines) note(line);
      break;
    }
    case 'profile':
      draft.profiles = await benchProfiles(plan);
      break;
  }
}

async function write(report: Report, options: BenchOptions): Promise<void> {
  const tables = reportTables(report).map(formatTable);
  const notes = report.notes.map((note) => `note: ${note}`);
  const leftOut = formatLeftOut(report);
  if (leftOut !== null) notes.push(leftOut);
  process.stdout.write(`${[formatHeader(report), ...tables, ...notes].join('\n\n')}\n`);
  if (options.json !== null) writeFileSync(options.json, `${JSON.stringify(report, null, 2)}\n`);
  if (options.html !== null) writeFileSync(options.html, formatHtml(report));
  if (options.page !== null) await writePage(options.page, report);
}

/** As the check of formats wants it. */
async function writePage(path: string, report: Report): Promise<void> {
  const filled = fillPage(readFileSync(path, 'utf8'), report);
  const { format, resolveConfig } = await import('prettier');
  const settings = await resolveConfig(path);
  writeFileSync(path, await format(filled, { ...settings, parser: 'markdown' }));
}

/** A wrong page is worse than a slow one: these make the bench fail. */
function faultsOf(report: Report): string[] {
  return report.drawings
    .filter(({ version }) => version === report.drawings[0]?.version)
    .filter(({ check }) => check.valid === false || check.stringsFound < check.strings)
    .map(
      ({ subject, shape, words, check }) =>
        `${subject} drew ${shape} (${words} words) wrong: ${check.stringsFound} of ` +
        `${check.strings} strings found, valid: ${String(check.valid)}`,
    );
}

/** Runs the benches the command line asks for. 0; 1 when a page is wrong; 2 for a wrong call. */
export async function main(argv: readonly string[]): Promise<number> {
  const options = parseOptions(argv);
  if (typeof options === 'string') {
    process.stderr.write(`${options}\n\n${USAGE}`);
    return 2;
  }
  if (options.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const machine = describeMachine();
  const size = options.smoke ? SMOKE : FULL;
  const core = machine.cores > 1 ? size.core : null;
  const rounds = options.rounds ?? size.rounds;
  const soakDocuments = options.documents ?? size.soakDocuments;
  // As a part of `all`, each load runs once, so that `all` stays under 15 minutes.
  const isHttp = options.name === 'http';
  const usual = options.compare === null ? size.httpRounds : size.httpRounds * 2;
  const httpRounds = options.rounds ?? (isHttp ? usual : 1);
  const shapes = options.shapes;
  const plan: Plan = { ...size, core, rounds, httpRounds, soakDocuments, shapes };
  const notes: string[] = [];
  const note = (text: string): void => {
    notes.push(text);
    progress(text);
  };
  const draft: Draft = {
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
    notes,
  };
  const startMs = performance.now();
  if (options.compare === null) await runBench(options.name, options, plan, draft, note);
  else Object.assign(draft, await benchCommits(options.compare, options, plan, note));
  const report: Report = {
    schema: 1,
    machine,
    smoke: options.smoke,
    loadAfter: loadavg()[0] ?? 0,
    durationS: (performance.now() - startMs) / 1000,
    ...draft,
  };
  await write(report, options);
  const faults = faultsOf(report);
  for (const fault of faults) process.stderr.write(`${fault}\n`);
  return faults.length === 0 ? 0 : 1;
}

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
