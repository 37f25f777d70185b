import { join } from 'node:path';
import { runScript } from '../../harness/script.ts';
import type { Plan } from '../../suites/plan.ts';
import type { Load, LoadResult } from './load.ts';
import type { Service } from '../service.ts';
import { PEAK } from '../trials.ts';

const SCRIPT = join(import.meta.dirname, 'load.ts');
const SAMPLE_MS = 100;
const TIMEOUT_MARGIN_MS = 90_000;

export interface LoadRun {
  readonly result: LoadResult;
  /** Resident memory of the service, sampled. Never empty. */
  readonly rssMb: readonly number[];
}

/** Puts a load on a running service from a separate process. */
export async function runLoad(service: Service, part: Omit<Load, 'url' | 'pid'>): Promise<LoadRun> {
  const load: Load = { ...part, url: service.url, pid: service.pid };
  const rssMb = [service.rssMb()];
  const sampler = setInterval(() => rssMb.push(service.rssMb()), SAMPLE_MS);
  try {
    const timeoutMs = TIMEOUT_MARGIN_MS + load.warmUpMs + load.durationMs;
    const output = await runScript(SCRIPT, [JSON.stringify(load)], timeoutMs);
    // The generator's last line is its result.
    const result = JSON.parse(output.trim().split('\n').at(-1) ?? '') as LoadResult;
    return { result, rssMb };
  } finally {
    clearInterval(sampler);
  }
}

/** Measures the peak rate of the service, in delivered receipts per second. */
export async function measurePeak(service: Service, plan: Plan): Promise<number> {
  const times = { warmUpMs: plan.loadMs / 4, durationMs: plan.loadMs / 2 };
  const { result } = await runLoad(service, { ...PEAK, ...times, key: service.keys[0] });
  return (result.delivered * 1000) / result.durationMs;
}
