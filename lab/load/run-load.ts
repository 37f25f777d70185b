import { join } from 'node:path';
import { runScript } from '../process/script.ts';
import type { Load, LoadResult, Windows } from './load.ts';
import type { Service } from '../service/service.ts';

/** The script of the load generator, which takes a `Load` as its argument. */
export const GENERATOR = join(import.meta.dirname, 'load.ts');
const SAMPLE_MS = 100;
const TIMEOUT_MARGIN_MS = 90_000;
/** Loads of a service that delivers nothing, each twice as long as the one before. */
const TRIES_MAX = 7;

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
    const result = (await runGenerator([load], timeoutMs)) as LoadResult;
    return { result, rssMb };
  } finally {
    clearInterval(sampler);
  }
}

/**
 * Puts a load on a running service, which is repeated for twice as long when nothing was delivered: a
 * busy machine may hold a service up for longer than a short load lasts. Throws when nothing ever was.
 */
export async function runDeliveredLoad(
  service: Service,
  part: Omit<Load, 'url' | 'pid'>,
): Promise<LoadRun> {
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const run = await runLoad(service, { ...part, durationMs: part.durationMs * 2 ** tries });
    if (run.result.delivered > 0) return run;
  }
  throw new Error('a service delivers nothing');
}

/** Puts a closed loop on a running service without a pause; gives a result for each window. */
export async function runLoadInWindows(
  service: Service,
  part: Omit<Load, 'url' | 'pid' | 'warmUpMs' | 'durationMs'>,
  windows: Windows,
): Promise<readonly LoadResult[]> {
  const durationMs = windows.count * windows.lengthMs;
  const warmUpMs = windows.beginAtMs - Date.now();
  const load: Load = { ...part, url: service.url, pid: service.pid, warmUpMs, durationMs };
  const timeoutMs = TIMEOUT_MARGIN_MS + warmUpMs + durationMs;
  return (await runGenerator([load, windows], timeoutMs)) as readonly LoadResult[];
}

/** The result is the generator's last line. */
async function runGenerator(args: readonly object[], timeoutMs: number): Promise<unknown> {
  const words = args.map((arg) => JSON.stringify(arg));
  const output = await runScript(GENERATOR, words, timeoutMs);
  return JSON.parse(output.trim().split('\n').at(-1) ?? '');
}
