import { equalDecimals } from '../store/runs/decimal-sum.ts';
import type { RunReason, RunRecord, RunSums } from '../store/runs/types.ts';

/**
 * Lists the reasons that stop a run after its check: too many invalid rows, or control totals that do
 * not match. Sums are compared only when no row is invalid, because amounts of invalid rows are unknown.
 */
export function afterCheck(run: RunRecord, sums: RunSums): readonly RunReason[] {
  const { received, invalid } = run.counts;
  const reasons = [...shareReasons(run), ...rowReasons(run, received)];
  return invalid > 0 ? reasons : [...reasons, ...sumReasons(run, sums)];
}

/** Lists the reasons that stop a run at its end: control totals that the documents do not match. */
export function afterRun(run: RunRecord, sums: RunSums): readonly RunReason[] {
  return [...rowReasons(run, run.counts.stored), ...sumReasons(run, sums)];
}

/** Returns the reason when the share of invalid and failed rows exceeds its limit. */
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
