import { forecastErrors } from '../../lab/forecast.ts';
import type { Spread } from '../../lab/stats.ts';
import type { Forecast, ForecastWithheld, ThreadRate } from './figures.ts';

/**
 * Growth of HTTP's CPU with the size of the file, which is copied: it doubles at 0.4 MB (1 / 2.4).
 */
const HTTP_SHARE_PER_MB = 2.4;
/**
 * Renderers take longer on cores that they share with the HTTP thread and with callers, because the
 * caches hold less of their code and data. For five templates on two cores shared with callers,
 * `--http`, in turns with a pool, measured 13 to 31 % more; the median was 18 %.
 */
const SHARED_CORES = { share: 0.18, error: 0.08 } as const;
const CORES = [1, 2, 4, 8, 16, 32] as const;
/** A pool's CPU of a document and that of a warm document differ by this factor at most. */
const POOL_RATIO_MAX = 2;
/** CPU that a pool adds to each document, however small: the job and the file go between threads. */
const POOL_ADDS_MS = 0.1;

/**
 * Documents a second of a service that has all of N cores and as many threads, while more requests
 * wait than it can serve. Load balancers, callers and databases need cores of their own.
 */
export function forecastsOf(
  rates: readonly ThreadRate[],
  httpCpuMs: Spread,
  bytes: number,
): readonly Forecast[] {
  return CORES.map((cores) => forecastOf(rates, httpCpuMs, bytes, cores));
}

/**
 * Why a forecast would mislead; null: each pool took about as much CPU for a document as a warm
 * process.
 */
export function withheldBy(
  rates: readonly ThreadRate[],
  warmCpuMs: number,
): ForecastWithheld | null {
  const pools = rates
    .filter(({ cpuMs }) => !isNear(cpuMs.median, warmCpuMs))
    .map(({ threads, cpuMs: { median } }) => ({
      threads,
      cpuMs: median,
      ratio: Math.max(median / warmCpuMs, warmCpuMs / median),
    }));
  return pools.length === 0 ? null : { warmCpuMs, pools };
}

/** Whether a pool's CPU of a document is near enough to that of a warm document to count with it. */
export function isNear(poolCpuMs: number, warmCpuMs: number): boolean {
  return (
    poolCpuMs <= POOL_RATIO_MAX * warmCpuMs + POOL_ADDS_MS &&
    warmCpuMs <= POOL_RATIO_MAX * poolCpuMs
  );
}

/**
 * CPU milliseconds of a document of `bytes` over HTTP. `poolCpuMs`: in the pool; `httpCpuMs`: added
 * by HTTP to a small document.
 */
export function costOverHttp(poolCpuMs: number, httpCpuMs: number, bytes: number): number {
  const httpMs = httpCpuMs * (1 + (HTTP_SHARE_PER_MB * bytes) / 2 ** 20);
  return poolCpuMs * (1 + SHARED_CORES.share) + httpMs;
}

function forecastOf(
  rates: readonly ThreadRate[],
  httpCpuMs: Spread,
  bytes: number,
  cores: number,
): Forecast {
  const measured =
    rates.find(({ threads }) => threads === cores) ??
    rates.toSorted((a, b) => b.threads - a.threads)[0];
  if (measured === undefined) throw new Error('a pool was measured');
  const { cpuMs, threads } = measured;
  const costMs = costOverHttp(cpuMs.median, httpCpuMs.median, bytes);
  const errors = [
    (cpuMs.max - cpuMs.min) / 2 / costMs,
    (httpCpuMs.max - httpCpuMs.min) / 2 / costMs,
    SHARED_CORES.error,
    ...forecastErrors(cores, threads),
  ];
  const error = Math.hypot(...errors);
  const documentsPerSecond = (cores * 1000) / costMs;
  const low = documentsPerSecond / (1 + error);
  return { cores, documentsPerSecond, low, high: documentsPerSecond * (1 + error) };
}
