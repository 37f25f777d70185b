import { setTimeout as pause } from 'node:timers/promises';
import { progress } from '../harness/progress.ts';
import { median } from '../../lab/stats.ts';
import { SHAPE_NAMES } from '../../lab/shapes/sheet.ts';
import type { Plan } from '../suites/plan.ts';
import type { SoakSlice } from './figures.ts';
import { runLoad } from '../../lab/load/run-load.ts';
import { startService } from '../../lab/service/service.ts';
import type { Service } from '../../lab/service/service.ts';
import { SOAK } from './trials.ts';

/** Until the service has noticed that the connections of a slice are closed. */
const SETTLE_MS = 200;

async function runSlice(service: Service, plan: Plan, before: number): Promise<SoakSlice> {
  const part = { warmUpMs: 0, durationMs: plan.loadMs, key: service.keys[0] };
  const { result, rssMb } = await runLoad(service, { ...SOAK, ...part });
  await pause(SETTLE_MS);
  const answers = Object.values(result.statuses).reduce((sum, count) => sum + count, 0);
  return {
    documents: before + result.delivered,
    documentsPerSecond: (result.delivered * 1000) / result.durationMs,
    p99Ms: result.timing.due.p99Ms,
    rssMb: median(rssMb),
    descriptors: service.descriptors(),
    children: service.children(),
    errors: answers - result.delivered,
  };
}

/**
 * Loads one service with mixed documents until it has delivered `plan.soakDocuments`: memory,
 * descriptors and processes must stay what they were.
 */
export async function measureSoak(plan: Plan): Promise<SoakSlice[]> {
  const service = await startService(SHAPE_NAMES);
  const slices: SoakSlice[] = [];
  try {
    for (let done = 0; done < plan.soakDocuments;) {
      const slice = await runSlice(service, plan, done);
      if (slice.documents === done) throw new Error('the soak delivers nothing');
      done = slice.documents;
      slices.push(slice);
      progress(`soak: ${done} documents, ${slice.rssMb.toFixed(0)} MB, ${slice.errors} errors`);
    }
    return slices;
  } finally {
    await service.stop();
  }
}

/** The result of a soak. */
export interface SoakSummary {
  /** The slice in which the first tenth was done, and the last one. */
  readonly early: SoakSlice;
  readonly last: SoakSlice;
  /** Memory at the end over memory after the first tenth. */
  readonly rssRatio: number;
  readonly errors: number;
}

/** null: too few slices to say anything. */
export function summarizeSoak(slices: readonly SoakSlice[]): SoakSummary | null {
  const last = slices.at(-1);
  if (last === undefined || slices.length < 2) return null;
  const early = slices.find(({ documents }) => documents >= last.documents / 10) ?? last;
  const errors = slices.reduce((sum, slice) => sum + slice.errors, 0);
  return { early, last, rssRatio: last.rssMb / early.rssMb, errors };
}
