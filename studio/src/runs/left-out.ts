import type { Run, RunException } from './types.ts';

/** The properties of a run that `leavingOut` needs. Tests run this file without a browser. */
interface Ruled extends Pick<Run, 'onInvalid' | 'invalidShareMax'> {
  readonly counts: Pick<
    Run['counts'],
    'received' | 'identical' | 'withdrawn' | 'invalid' | 'failed'
  >;
}

/** The share of the rows that are invalid or failed, as the service counts it: 0 to 1. */
export function faultyShare({ counts }: Pick<Ruled, 'counts'>): number {
  const { received, identical, withdrawn, invalid, failed } = counts;
  const rows = received - identical - withdrawn;
  return rows === 0 ? 0 : (invalid + failed) / rows;
}

/**
 * What the start of a run does about invalid rows. `none`: there are none. `offered`: the user may
 * choose to start without them. `too many`: they cannot be left out, because their share is above
 * the limit of the run and would stop it at once. `by rule`: the run leaves them out by its own
 * rule.
 */
export type LeavingOut = 'none' | 'offered' | 'too many' | 'by rule';

export function leavingOut(run: Ruled): LeavingOut {
  if (run.counts.invalid === 0) return 'none';
  if (faultyShare(run) > run.invalidShareMax) return 'too many';
  return run.onInvalid === 'skip' ? 'by rule' : 'offered';
}

/** How the reasons begin that the service gives for a row without an id, and for the id of another row. */
const ID_REASONS = ['row id expected', 'this row id belongs'];
/** From this share on, the column is wrong, not the rows. */
const WRONG_COLUMN_SHARE = 0.9;

/**
 * Whether nearly all rows of the run fail by their id alone, as far as the rows tell that were loaded:
 * another column identifies them, and no correction of single rows helps.
 */
export function isIdColumnWrong(
  run: Pick<Ruled, 'counts'> & Pick<Run, 'idField'>,
  rows: readonly Pick<RunException, 'fields'>[],
): boolean {
  const byId = rows.filter(({ fields = [] }) => {
    const isOfId = fields.every(({ field }) => field === run.idField);
    return isOfId && fields.some(({ reason }) => ID_REASONS.some((id) => reason.startsWith(id)));
  });
  const isMost = faultyShare(run) >= WRONG_COLUMN_SHARE;
  return isMost && byId.length > 0 && byId.length >= rows.length * WRONG_COLUMN_SHARE;
}
