import type { RunRecord } from '../../store/runs/types.ts';
import type { Store } from '../../store/store.ts';
import { afterWithdrawal } from '../verdict.ts';

/**
 * Writes what still holds of the reasons of a run after rows of it were withdrawn. Without this, the
 * run would show the numbers of its last check, and advise what these need, until its next start.
 */
export async function judgeAgain(
  store: Pick<Store, 'runs' | 'runTotals' | 'runExceptions'>,
  { teamId, runId }: RunRecord,
): Promise<void> {
  const found = await store.runs.find(teamId, runId);
  if (!found.found) return;
  const run = found.value;
  const { state, reasons, counts } = run;
  const isAtRest = state === 'stopped' || state === 'receiving';
  // The next check judges rows that have come since the last one.
  const isChecked = counts.bytesChecked === counts.bytesReceived;
  if (!isAtRest || !isChecked || reasons.length === 0) return;
  const isSummed = Object.keys(run.spec.expectedSums).length > 0;
  const { sums } = isSummed ? await store.runTotals.of(run) : { sums: {} };
  const left = afterWithdrawal(run, sums, await store.runExceptions.sums(run));
  if (left !== null) await store.runs.noteReasons(run, left, null);
}
