import { setTimeout as pause } from 'node:timers/promises';
import type { HttpFigure } from '../figures.ts';
import { runRound } from '../round.ts';
import type { Round, TrialRun } from '../round.ts';
import { prepareCompany } from './company.ts';
import type { CompanyName } from './company.ts';

/** Wait until the service's memory has settled after connections opened or closed. */
const SETTLE_MS = 1_000;

/** Runs the same load without the company, with it, and without it again. */
export async function runBesideCompany(
  run: TrialRun,
  name: CompanyName,
  round: Round,
): Promise<HttpFigure[]> {
  const { service, plan } = run;
  const settle = (): Promise<void> => pause(Math.min(SETTLE_MS, plan.loadMs));
  const arrive = await prepareCompany(name, service, plan.httpCompany, round.peakPerSecond);
  const before = await runAlone(run, round);
  const rssMb = service.rssMb();
  const company = await arrive();
  let idleMb: number;
  let beside: readonly HttpFigure[];
  try {
    await settle();
    idleMb = service.rssMb() - rssMb;
    beside = await runRound(run, round);
  } finally {
    await company.release();
  }
  await settle();
  const after = await runAlone(run, round);
  const aloneP99Ms = (before.p99Ms + after.p99Ms) / 2;
  return beside.map((figure) => {
    const addedMb = Math.max(idleMb, figure.rssMb - before.rssMb);
    const p99Ratio = figure.p99Ms / aloneP99Ms;
    return { ...figure, company: { p99Ratio, addedMb, returnMs: null, cpuRatio: null } };
  });
}

/** The figure of the load itself in a round that nobody disturbs. */
export async function runAlone(run: TrialRun, round: Round): Promise<HttpFigure> {
  const [figure] = await runRound(run, round);
  return figure;
}
