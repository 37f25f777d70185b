import { equalDecimals } from '../store/runs/decimal-sum.ts';
import type { RunReason, RunRecord, RunSums } from '../store/runs/types.ts';

/**
 * What keeps a checked run from running: too many invalid rows, or totals that do not agree. The sums
 * say nothing while a row is invalid, because its amounts are not known.
 */
export function afterCheck(run: RunRecord, sums: RunSums): readonly RunReason[] {
  const { received, invalid } = run.counts;
  const reasons = [...shareReasons(run), ...rowReasons(run, received)];
  return invalid > 0 ? reasons : [...reasons, ...sumReasons(run, sums)];
}

/** What keeps a run from being done: totals of the stored documents that do not agree. */
export function afterRun(run: RunRecord, sums: RunSums): readonly RunReason[] {
  return [...rowReasons(run, run.counts.stored), ...sumReasons(run, sums)];
}

/** Too large a share of the rows came to nothing. */
export function shareReasons({ spec, counts }: RunRecord): readonly RunReason[] {
  const { received, invalid, failed } = counts;
  const share = received === 0 ? 0 : (invalid + failed) / received;
  if (share <= spec.invalidShareMax) return [];
  const actual = share.toFixed(6);
  return [{ name: 'invalid_share', expected: `at most ${spec.invalidShareMax}`, actual }];
}

function rowReasons({ spec }: RunRecord, actual: number): readonly RunReason[] {
  const { expectedRows } = spec;
  if (expectedRows === null || expectedRows === actual) return [];
  return [{ name: 'rows', expected: String(expectedRows), actual: String(actual) }];
}

function sumReasons({ spec }: RunRecord, sums: RunSums): readonly RunReason[] {
  return Object.entries(spec.expectedSums).flatMap(([name, expected]) => {
    const actual = sums[name] ?? '0';
    return equalDecimals(expected, actual) ? [] : [{ name, expected, actual }];
  });
}
