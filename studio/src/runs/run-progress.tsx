import { formatNumber, t } from '../i18n/i18n.ts';
import type { RunState } from './types.ts';
import type { Run } from './api.ts';
import { hasUnchecked, progressOf } from './api.ts';
import { Badge } from '../ui/parts.tsx';

const TONES = {
  receiving: 'neutral',
  checking: 'accent',
  running: 'accent',
  paused: 'warn',
  stopped: 'bad',
  done: 'good',
  cancelled: 'neutral',
} as const satisfies Record<RunState, string>;

export function StateBadge({ run }: { readonly run: Run }) {
  const { state, dryRun } = run;
  // A dry run ends in the state in which more rows can be received.
  const isChecked = dryRun && state === 'receiving' && !hasUnchecked(run);
  // Rows that were added to a run whose documents are made: no check has seen them.
  if (state === 'done' && hasUnchecked(run)) {
    return <Badge tone="warn">{t('run_state.rows_added')}</Badge>;
  }
  return (
    <Badge tone={TONES[state]}>{t(isChecked ? 'run_state.checked' : `run_state.${state}`)}</Badge>
  );
}

/** The progress bar of a run; renders nothing when the run is not under way. */
export function Progress({ run }: { readonly run: Run }) {
  const share = progressOf(run);
  if (share === null) return null;
  const percent = Math.floor(share * 100);
  return (
    <span class="run-progress">
      <progress max={100} value={percent} aria-label={t('runs.progress')} />
      <span class="small soft tabular">{formatNumber(percent)} %</span>
    </span>
  );
}
