import { setTimeout as pause } from 'node:timers/promises';
import { step } from '../harness/progress.ts';
import { median } from '../../lab/stats.ts';
import { SHAPE_NAMES } from '../../lab/shapes/sheet.ts';
import type { Plan } from '../suites/plan.ts';
import { combineRounds } from './combine-rounds.ts';
import { runBesideCompany } from './company/beside-company.ts';
import { runBesideEditors } from './company/beside-editors.ts';
import { timeReturn } from './company/bombs.ts';
import type { HttpFigure } from './figures.ts';
import { runLoad } from '../../lab/load/run-load.ts';
import { contractBody } from '../../lab/load/requests.ts';
import { peakOf, runRound } from './round.ts';
import type { Round, TrialRun } from './round.ts';
import { startService, storeDocument } from '../../lab/service/service.ts';
import type { Service } from '../../lab/service/service.ts';
import { PEAK_DRIFT_MAX, runAtSteadyPeak } from './steady-peak.ts';
import type { FramedRound, SteadyRound } from './steady-peak.ts';
import { BOMBS } from '../../lab/service/templates.ts';
import { BOMB_TRIAL, PEAK, TRIALS } from './trials.ts';
import type { Trial } from './trials.ts';

/** With four keys in turn, each serves at most one round a minute: a round takes over 15 s. */
const KEYS_IN_TURN_MAX = 4;

/** The time limit of a document, and the renderers, of the service that bombs are sent to. */
const BOMB_LIMIT_MS = 1_000;
const BOMB_THREADS = 2;
/** The most that a renderer's return is timed: each time needs a fresh bomb template. */
const RETURNS_MAX = BOMBS - 1;
const RECOVERY_MS = 2_000;

const ERROR_CHARACTERS_MAX = 300;

/**
 * Runs the loads on one service; `only` selects them by name; if it is empty, the plan's loads run.
 * A load that fails leaves a note, and the others go on.
 */
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
    for (const trial of trialsOf(wanted)) {
      try {
        const run = { service, trial, plan };
        figures.push(
          ...(await (trial === BOMB_TRIAL ? measureBombs(plan, note) : runTrial(run, note))),
        );
      } catch (error) {
        if (!(error instanceof Error)) throw error;
        note(`http ${trial.name} failed: ${error.message.slice(0, ERROR_CHARACTERS_MAX)}`);
      }
    }
    return figures;
  } finally {
    await service.stop();
  }
}

/** The loads of these names, or all that need not be named. `sync` always runs: it warms up. */
function trialsOf(names: readonly string[] | null): readonly Trial[] {
  return [...TRIALS, BOMB_TRIAL].filter(
    ({ name, isOnlyByName }) =>
      name === 'sync' || (names === null ? !isOnlyByName : names.includes(name)),
  );
}

/** One key for the other key's load, and one per round, up to four. */
function keysFor({ httpRounds }: Plan): number {
  return 1 + Math.min(httpRounds, KEYS_IN_TURN_MAX);
}

/** Runs all rounds of a load. */
async function runTrial(run: TrialRun, note: (text: string) => void): Promise<HttpFigure[]> {
  const { service, trial, plan } = run;
  if (trial.company === 'editors') return [await runBesideEditors(run)];
  const attachedId = trial.attaches ? await storeDocument(service, contractBody()) : '';
  const rounds: (readonly HttpFigure[])[] = [];
  let peakPerSecond = trial.peak === null ? 0 : await peakOf(run);
  let turns = 0;
  for (let number = 0; number < plan.httpRounds; number++) {
    step(`http ${trial.name}: round ${number + 1} of ${plan.httpRounds}`);
    const steady = await runAtSteadyPeak(peakPerSecond, plan.roundTries, (peakBefore) =>
      runFramedRound(run, { index: turns++, peakPerSecond: peakBefore, attachedId }),
    );
    if (steady.tries > 1) note(`http ${trial.name}, round ${number + 1}: ${describe(steady)}`);
    rounds.push(steady.figures);
    // The peak after a round is the one before the next.
    peakPerSecond = steady.lastPeak;
  }
  return (rounds[0] ?? []).map((_, i) =>
    combineRounds(rounds.flatMap((round) => round.slice(i, i + 1))),
  );
}

async function runFramedRound(
  run: TrialRun,
  round: Round,
): Promise<FramedRound<readonly HttpFigure[]>> {
  const { company, peak } = run.trial;
  const figures =
    company === null || company === 'editors'
      ? await runRound(run, round)
      : await runBesideCompany(run, company, round);
  const peakBefore = round.peakPerSecond;
  if (peak === null) return { figures, peakBefore, peakAfter: peakBefore };
  const peakAfter = await peakOf(run);
  const comparedWith = peak === 'offered' ? peakBefore : (peakBefore + peakAfter) / 2;
  return { figures: withShare(figures, comparedWith), peakBefore, peakAfter };
}

/** Why a round was run more than once. */
function describe({ tries, isSteady }: SteadyRound<unknown>): string {
  const drift = `the peak moved by more than ${PEAK_DRIFT_MAX * 100} %`;
  const others = tries === 2 ? 'one try' : `${tries - 1} tries`;
  return isSteady
    ? `${others} did not count, because ${drift} meanwhile`
    : `${drift} in each of ${tries} tries; the steadiest counts`;
}

/** Adds the share of the peak to the first figure, which is that of the load itself. */
function withShare(figures: readonly HttpFigure[], peakPerSecond: number): HttpFigure[] {
  return figures.map((figure, i) =>
    i === 0 ? { ...figure, ofPeak: figure.documentsPerSecond / peakPerSecond } : figure,
  );
}

/** Runs the load beside bombs on a separate service with a short time limit. */
async function measureBombs(plan: Plan, note: (text: string) => void): Promise<HttpFigure[]> {
  const settings = {
    INTAGLIO_RENDER_TIMEOUT_MS: String(BOMB_LIMIT_MS),
    INTAGLIO_POOL_THREADS: String(BOMB_THREADS),
  };
  const service = await startService(['A'], { settings, keysCount: keysFor(plan) });
  try {
    // Warm up first: measuring the peak takes less time than warming up.
    await runLoad(service, { ...PEAK, warmUpMs: 0, durationMs: plan.loadMs, key: service.keys[0] });
    const figures = await runTrial({ service, trial: BOMB_TRIAL, plan }, note);
    const returnMs = await medianReturnMs(service, plan);
    return figures.map((figure) => {
      const { company } = figure;
      return company === null ? figure : { ...figure, company: { ...company, returnMs } };
    });
  } finally {
    await service.stop();
  }
}

/** The time from the limit of bombs on every renderer until a receipt is delivered again. */
async function medianReturnMs(service: Service, plan: Plan): Promise<number> {
  const times: number[] = [];
  for (let i = 0; i < Math.min(RETURNS_MAX, plan.httpRounds * 2); i++) {
    // Wait until the threads that replace the ended ones have loaded.
    await pause(RECOVERY_MS);
    times.push(await timeReturn(service, BOMB_THREADS, BOMB_LIMIT_MS, 1 + i));
  }
  return median(times);
}
