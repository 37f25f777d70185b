import { setTimeout as pause } from 'node:timers/promises';
import { combineRounds } from '../combine-rounds.ts';
import type { HttpFigure } from '../figures.ts';
import { EVERY_MS, prepareEditors } from '../load/editors.ts';
import { runLoadInWindows } from '../../../lab/load/run-load.ts';
import { figureOf } from '../round.ts';
import type { TrialRun } from '../round.ts';
import type { Arrive } from './company.ts';

const EDITORS = 10;
/** Pairs of windows, one without and one with editors. */
const PAIRS_A_ROUND = 10;
/** Time for the generator to start and for the load to become steady. */
const LEAD_MS = 4_000;

/**
 * Runs the load without a pause, in windows alone and beside editors. The editors take so little
 * that the machine's drift would hide it, hence many short windows: in each, every editor saves and
 * previews once. The figure of a pair is the share of documents delivered beside them.
 */
export async function runBesideEditors(run: TrialRun): Promise<HttpFigure> {
  const { service, trial, plan } = run;
  const visits = await prepareEditors(service, Math.ceil(EDITORS * plan.httpCompany));
  try {
    const pairs: HttpFigure[] = [];
    for (let i = 0; i < plan.httpRounds; i++) pairs.push(...(await runWindows(run, visits.arrive)));
    return { ...combineRounds(pairs), load: `${trial.description}: ${visits.pace()}` };
  } finally {
    visits.close();
  }
}

/** One load; returns the figures of its pairs. */
async function runWindows(run: TrialRun, arrive: Arrive): Promise<readonly HttpFigure[]> {
  const { service, trial } = run;
  const windows = {
    beginAtMs: Date.now() + LEAD_MS,
    lengthMs: EVERY_MS,
    count: 2 * PAIRS_A_ROUND,
  };
  const load = { ...trial.pressure(0, ''), key: service.keys[0] };
  const [results, rssMb] = await Promise.all([
    runLoadInWindows(service, load, windows),
    visitWindows(run, arrive, windows.beginAtMs),
  ]);
  const figures = results.map((result, index) =>
    figureOf(trial, result, [rssMb[index] ?? service.rssMb()]),
  );
  return Array.from({ length: PAIRS_A_ROUND }, (_, pair) => {
    const two = figures.slice(2 * pair, 2 * pair + 2);
    const [beside, alone] = isBeside(2 * pair) ? two : two.toReversed();
    if (beside === undefined || alone === undefined) throw new Error('a pair has two windows');
    return compare(beside, alone);
  });
}

/** Alone and beside alternate in going first, so that a drift cancels out. */
function isBeside(window: number): boolean {
  return window % 4 === 1 || window % 4 === 2;
}

/** Has the editors come and go; returns the service's resident memory after each window. */
async function visitWindows(
  { service }: TrialRun,
  arrive: Arrive,
  beginAtMs: number,
): Promise<readonly number[]> {
  const rssMb: number[] = [];
  for (let window = 0; window < 2 * PAIRS_A_ROUND; window++) {
    const startAtMs = beginAtMs + window * EVERY_MS;
    await until(startAtMs);
    const company = isBeside(window) ? await arrive() : null;
    await until(startAtMs + EVERY_MS);
    await company?.release();
    rssMb.push(service.rssMb());
  }
  return rssMb;
}

async function until(atMs: number): Promise<void> {
  await pause(Math.max(0, atMs - Date.now()));
}

function compare(beside: HttpFigure, alone: HttpFigure): HttpFigure {
  return {
    ...beside,
    ofPeak: beside.documentsPerSecond / alone.documentsPerSecond,
    company: {
      p99Ratio: beside.p99Ms / alone.p99Ms,
      addedMb: beside.rssMb - alone.rssMb,
      returnMs: null,
      cpuRatio: (beside.cpuMsPerRequest ?? 0) / (alone.cpuMsPerRequest ?? 1),
    },
  };
}
