import type { RunReason, RunRecord } from '../../store/runs/types.ts';

/** A reason with what to do about it, where the numbers alone would mislead. */
interface AdvisedReason extends RunReason {
  readonly advice?: string;
}

/** Whether the reasons of a run have an advice. */
export function isAdvised(run: RunRecord): boolean {
  return advisedReasons(run, false).some(({ advice }) => advice !== undefined);
}

/**
 * The reasons of a run. If all documents that its control total expects are stored, and further rows
 * have come, the reason says so: nothing is missing, and a new run would make every document again.
 * `hasExpired`: all stored documents have expired.
 */
export function advisedReasons(run: RunRecord, hasExpired: boolean): readonly AdvisedReason[] {
  return run.reasons.map((reason) => {
    const advice = adviceOn(run, reason, hasExpired);
    return advice === null ? reason : { ...reason, advice };
  });
}

function adviceOn(
  { spec, state, counts }: RunRecord,
  { name }: RunReason,
  hasExpired: boolean,
): string | null {
  const { expectedRows, expectedSums } = spec;
  const { stored, pending, invalid, failed } = counts;
  const isRows = name === 'rows' && !Object.hasOwn(expectedSums, name);
  const isAtRest = state === 'stopped' || state === 'receiving';
  if (!isRows || !isAtRest || stored === 0 || stored !== expectedRows) return null;
  const open = invalid + failed;
  const further = pending + open;
  if (further === 0) return null;
  const documents =
    stored === 1
      ? `The expected document ${hasExpired ? 'was' : 'is'}`
      : `All ${stored} expected documents ${hasExpired ? 'were' : 'are'}`;
  const rows = further === 1 ? 'further row was' : `${further} further rows were`;
  return (
    `${documents} stored. The ${rows} added later, or the control total is too low.` +
    ` ${whatToDo(pending)} A new run makes all its documents again;` +
    ` ${hasExpired ? sayExpired(stored) : sayValid(stored)}.`
  );
}

function sayExpired(stored: number): string {
  return stored === 1
    ? 'the stored one has expired'
    : `the ${stored} that were stored have expired`;
}

function sayValid(stored: number): string {
  return stored === 1
    ? 'the stored one stays valid until it expires'
    : `the ${stored} that are stored stay valid until they expire`;
}

function whatToDo(pending: number): string {
  if (pending > 0) {
    const valid = pending === 1 ? '1 of them is' : `${pending} of them are`;
    return (
      `${valid} valid and cannot be withdrawn: start with a higher total to make documents of such rows.` +
      ' If they were added by mistake, cancel the run, and make no new one.'
    );
  }
  return 'Withdraw rows that were added by mistake, and start again.';
}
