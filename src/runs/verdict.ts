import { equalDecimals } from '../store/runs/sums/decimal-sum.ts';
import { fileSums } from '../store/runs/sums/totals.ts';
import type { ExceptionSums } from '../store/runs/sums/exception-sums.ts';
import type { RunReason, RunRecord, RunState, RunSums } from '../store/runs/types.ts';

/**
 * Lists the reasons that stop a run after its check, before any document is made: faulty rows,
 * corrections that were refused, and control totals that the rows of the file do not match, faulty
 * and withdrawn ones included. An amount that cannot be read counts as 0. Withdrawn rows do not count
 * if the documents of an earlier start have the totals already.
 */
export function afterCheck(
  run: RunRecord,
  sums: RunSums,
  exceptions: ExceptionSums,
): readonly RunReason[] {
  const { received, identical } = run.counts;
  const faults = [...invalidReasons(run), ...refusedReasons(run)];
  if (documentsReachTotals(run, sums)) return faults;
  return [
    ...faults,
    ...rowReasons(run, received - identical),
    ...sumReasons(run, sums, [exceptions.open, exceptions.withdrawn], exceptions.unread),
  ];
}

/**
 * Lists the reasons that stop a run at its end: rows without an outcome, and control totals that the
 * documents do not match, together with the rows that were withdrawn.
 */
export function afterRun(
  run: RunRecord,
  sums: RunSums,
  { withdrawn, unread }: ExceptionSums,
): readonly RunReason[] {
  const { counts } = run;
  if (documentsReachTotals(run, sums)) return [];
  const rows = rowReasons(run, counts.stored + counts.withdrawn);
  const ofWithdrawn = { open: [], withdrawn: unread.withdrawn };
  const added = sumReasons(run, sums, [withdrawn], ofWithdrawn);
  return [...lossReasons(run), ...rows, ...added];
}

/**
 * Lists the reasons that a run at rest still has after rows were withdrawn: those that its next start
 * would find, since all its rows are checked. Empty: it can go on. null: it rests for another
 * reason, such as a damaged part, which no withdrawal mends.
 */
export function afterWithdrawal(
  run: RunRecord,
  sums: RunSums,
  exceptions: ExceptionSums,
): readonly RunReason[] | null {
  const { reasons, counts, spec, isDryRun } = run;
  const isOfVerdict = ({ name }: RunReason): boolean =>
    FINDINGS.has(name) || Object.hasOwn(spec.expectedSums, name);
  if (!reasons.every(isOfVerdict)) return null;
  const found = afterCheck(run, sums, exceptions);
  if (found.length > 0) return found;
  if (counts.pending === 0) return isDryRun ? [] : afterRun(run, sums, exceptions);
  // Rows that failed stop a run of either rule while it renders.
  return reasons.some(({ name }) => name === 'invalid_share') ? shareReasons(run) : [];
}

/** Reasons beside control sums that rows give, and that a withdrawal may take away. */
const FINDINGS: ReadonlySet<string> = new Set(['rows', 'invalid', 'invalid_share', 'corrections']);

/**
 * Whether the stored documents alone have all control totals, and all other rows are withdrawn. Such
 * rows were added after the totals had been reached, often the same file once more: a run whose own
 * rows are withdrawn lacks them in its documents. Without this, it could never be done again, and a
 * new run would make every document a second time.
 */
function documentsReachTotals(run: RunRecord, sums: RunSums): boolean {
  const { stored, pending, invalid, failed } = run.counts;
  if (stored === 0 || pending + invalid + failed > 0) return false;
  const none = { open: [], withdrawn: [] };
  return [...rowReasons(run, stored), ...sumReasons(run, sums, [], none)].length === 0;
}

/** Nothing is left to render, yet valid rows have no document: the database has lost their chunks. */
function lossReasons({ counts: { pending } }: RunRecord): readonly RunReason[] {
  if (pending === 0) return [];
  return [{ name: 'input', expected: 'an outcome of every row', actual: `${pending} lost` }];
}

function invalidReasons(run: RunRecord): readonly RunReason[] {
  if (run.spec.onInvalid === 'skip') return shareReasons(run);
  const { invalid } = run.counts;
  return invalid === 0 ? [] : [{ name: 'invalid', expected: '0', actual: String(invalid) }];
}

function refusedReasons({ counts: { refused } }: RunRecord): readonly RunReason[] {
  if (refused === 0) return [];
  return [{ name: 'corrections', expected: '0 refused', actual: `${refused} refused` }];
}

/** Returns the reason when the share of invalid and failed rows exceeds its limit. */
export function shareReasons({ spec, counts }: RunRecord): readonly RunReason[] {
  const { received, identical, withdrawn, invalid, failed } = counts;
  const rows = received - identical - withdrawn;
  const share = rows === 0 ? 0 : (invalid + failed) / rows;
  if (share <= spec.invalidShareMax) return [];
  const actual = share.toFixed(6);
  return [{ name: 'invalid_share', expected: `at most ${spec.invalidShareMax}`, actual }];
}

function rowReasons({ spec }: RunRecord, actual: number): readonly RunReason[] {
  const { expectedRows } = spec;
  if (expectedRows === null || expectedRows === actual) return [];
  return [{ name: 'rows', expected: String(expectedRows), actual: String(actual) }];
}

function sumReasons(
  { spec }: RunRecord,
  sums: RunSums,
  further: readonly (readonly string[])[],
  { open, withdrawn }: ExceptionSums['unread'],
): readonly RunReason[] {
  const actuals = fileSums(sums, further);
  return Object.entries(spec.expectedSums).flatMap(([name, expected], index) => {
    const actual = actuals[name] ?? '0';
    if (equalDecimals(expected, actual)) return [];
    const [unread = 0, unreadWithdrawn = 0] = [open[index], withdrawn[index]];
    return [
      {
        name,
        expected,
        actual,
        ...(unread > 0 && { unread }),
        ...(unreadWithdrawn > 0 && { unreadWithdrawn }),
      },
    ];
  });
}

/** The state that follows a check which found `reasons` to stop. */
export function stateAfterCheck(run: RunRecord, reasons: readonly RunReason[]): RunState {
  if (run.isDryRun) return 'receiving';
  return reasons.length > 0 ? 'stopped' : 'running';
}
