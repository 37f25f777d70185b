import type { Run } from './types.ts';

/** The properties of a run that tell it. Tests run this file without a browser. */
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
 * What a start does about invalid rows: there are none; the run may leave them out when asked to; it
 * may not, because so large a share stops it at once, whatever its rule; or its rule leaves them out
 * without being asked.
 */
export type LeavingOut = 'none' | 'offered' | 'too many' | 'by rule';

export function leavingOut(run: Ruled): LeavingOut {
  if (run.counts.invalid === 0) return 'none';
  if (faultyShare(run) > run.invalidShareMax) return 'too many';
  return run.onInvalid === 'skip' ? 'by rule' : 'offered';
}
