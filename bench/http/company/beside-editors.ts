import { combineRounds } from '../combine-rounds.ts';
import type { HttpFigure } from '../figures.ts';
import { prepareEditors } from '../load/editors.ts';
import type { TrialRun } from '../round.ts';
import { runAlone } from './beside-company.ts';

const EDITORS = 10;
/** Pairs of turns, one without and one with editors. */
const PAIRS_A_ROUND = 4;

/**
 * Runs the load in short turns alone and beside editors: they take so little that the machine's
 * drift between two long loads would hide it. Each round has several pairs of turns, and their
 * figure is the share of documents delivered beside them.
 */
export async function runBesideEditors({ service, trial, plan }: TrialRun): Promise<HttpFigure> {
  const { arrive, pace } = await prepareEditors(service, Math.ceil(EDITORS * plan.httpCompany));
  const run = { service, trial, plan: { ...plan, loadMs: plan.loadMs / 2 } };
  const runTurn = (index: number): Promise<HttpFigure> =>
    runAlone(run, { index, peakPerSecond: 0, attachedId: '' });
  const runTurnBeside = async (index: number): Promise<HttpFigure> => {
    const company = await arrive();
    try {
      return await runTurn(index);
    } finally {
      await company.release();
    }
  };
  const pairs: HttpFigure[] = [];
  for (let i = 0; i < PAIRS_A_ROUND * plan.httpRounds; i++) {
    // Alone and beside alternate in going first, so that a drift cancels out.
    const first = i % 2 === 0 ? await runTurn(i) : null;
    const beside = await runTurnBeside(i);
    pairs.push(compare(beside, first ?? (await runTurn(i))));
  }
  return { ...combineRounds(pairs), load: `${trial.description}: ${pace()}` };
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
