import { forecastErrors } from '../../lab/forecast.ts';
import type { Forecast, ThreadRate } from './figures.ts';

/**
 * CPU that HTTP adds to a document of the pool: request, key, rate limit, audit row, reply. On an AMD
 * EPYC `bench http gateway` measured 0.17 ms when it was quiet, and `--http` 0.26 to 0.60 beside other
 * programs; `--http` measures it for a template.
 */
export const GATEWAY = { cpuMs: 0.25, cpuMsPerMb: 0.6, errorMs: 0.15 } as const;
const CORES = [1, 2, 4, 8, 16, 32] as const;

/**
 * Documents a second of a service that has all of N cores and as many threads, while more requests
 * wait than it can serve. Load balancers, callers and databases need cores of their own.
 */
export function forecastsOf(rates: readonly ThreadRate[], bytes: number): readonly Forecast[] {
  return CORES.map((cores) => forecastOf(rates, bytes, cores));
}

/** CPU of a document over HTTP, from that of the pool. */
export function costOverHttp(poolCpuMs: number, bytes: number): number {
  return poolCpuMs + GATEWAY.cpuMs + (GATEWAY.cpuMsPerMb * bytes) / 2 ** 20;
}

function forecastOf(rates: readonly ThreadRate[], bytes: number, cores: number): Forecast {
  const measured =
    rates.find(({ threads }) => threads === cores) ??
    rates.toSorted((a, b) => b.threads - a.threads)[0];
  if (measured === undefined) throw new Error('a pool was measured');
  const { cpuMs, threads } = measured;
  const costMs = costOverHttp(cpuMs.median, bytes);
  const errors = [
    (cpuMs.max - cpuMs.min) / 2 / costMs,
    GATEWAY.errorMs / costMs,
    ...forecastErrors(cores, threads),
  ];
  const error = Math.hypot(...errors);
  const documentsPerSecond = (cores * 1000) / costMs;
  const low = documentsPerSecond / (1 + error);
  return { cores, documentsPerSecond, low, high: documentsPerSecond * (1 + error) };
}
