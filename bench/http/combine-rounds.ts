import { median } from '../../lab/stats.ts';
import type { CompanyFigure, HttpFigure } from './figures.ts';

type NumericKeys<T> = { [K in keyof T]: T[K] extends number ? K : never }[keyof T];

/** Combines the rounds of a load into one figure: medians, summed statuses, the peak memory. */
export function combineRounds(rounds: readonly HttpFigure[]): HttpFigure {
  const [first] = rounds;
  if (first === undefined) throw new Error('a load runs at least once');
  const middle = (name: NumericKeys<HttpFigure>): number =>
    median(rounds.map((round) => round[name]));
  return {
    name: first.name,
    load: first.load,
    rounds: rounds.length,
    durationS: middle('durationS'),
    documentsPerSecond: middle('documentsPerSecond'),
    ofPeak: medianOf(rounds.map(({ ofPeak }) => ofPeak)),
    p50Ms: middle('p50Ms'),
    p95Ms: middle('p95Ms'),
    p99Ms: middle('p99Ms'),
    writtenP50Ms: middle('writtenP50Ms'),
    writtenP99Ms: middle('writtenP99Ms'),
    statuses: sumStatuses(rounds),
    refusalP50Ms: medianOf(rounds.map(({ refusalP50Ms }) => refusalP50Ms)),
    refusalWrittenP50Ms: medianOf(rounds.map(({ refusalWrittenP50Ms }) => refusalWrittenP50Ms)),
    cpuMsPerRequest: medianOf(rounds.map(({ cpuMsPerRequest }) => cpuMsPerRequest)),
    generatorCores: middle('generatorCores'),
    offer: first.offer,
    rssMb: Math.max(...rounds.map(({ rssMb }) => rssMb)),
    company: combineCompany(rounds),
    each: rounds,
  };
}

function combineCompany(rounds: readonly HttpFigure[]): CompanyFigure | null {
  const known = rounds.flatMap(({ company }) => (company === null ? [] : [company]));
  if (known.length === 0) return null;
  return {
    p99Ratio: median(known.map(({ p99Ratio }) => p99Ratio)),
    addedMb: median(known.map(({ addedMb }) => addedMb)),
    returnMs: medianOf(known.map(({ returnMs }) => returnMs)),
    cpuRatio: medianOf(known.map(({ cpuRatio }) => cpuRatio)),
  };
}

/** The median of the rounds that have the figure; null when no round has it. */
function medianOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : median(known);
}

function sumStatuses(rounds: readonly HttpFigure[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const { statuses } of rounds) {
    for (const [status, count] of Object.entries(statuses)) {
      sums[status] = (sums[status] ?? 0) + count;
    }
  }
  return sums;
}
