import type { Log } from '../../log/log.ts';
import type { RunRecord } from '../../store/runs/types.ts';
import type { Store } from '../../store/store.ts';
import type { RowSigner, SignerAway } from './row-signer.ts';

/** What operators and callers see of a run that waits for its signer. */

type Runs = Pick<Store, 'runs'>;

/** Says why a run waits. False: nothing was done for it. */
export async function noteWait(
  { runs }: Runs,
  log: Log,
  { runId, state, starts }: RunRecord,
  { message }: SignerAway,
): Promise<false> {
  log.warn({ msg: 'a run waits for its signer', runId, reason: message });
  const reasons = [{ name: 'signer', expected: 'a signature', actual: message }];
  // A run that is checked keeps its state as it is: a move to `checking` begins another check.
  const change = { from: ['running'], to: 'running', reasons, starts } as const;
  if (state === 'running') await runs.move(runId, change);
  return false;
}

/** A chunk of the run is stored. Returns whether its team waited for the signer before. */
export async function clearWait(
  { runs }: Runs,
  signer: RowSigner,
  run: RunRecord,
): Promise<boolean> {
  if (!run.spec.signature) return false;
  const hasWaited = signer.clear(run) || run.reasons.length > 0;
  const change = { from: ['running'], to: 'running', starts: run.starts } as const;
  if (hasWaited) await runs.move(run.runId, change);
  return hasWaited;
}
