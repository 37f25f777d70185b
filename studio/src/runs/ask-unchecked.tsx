import { tell } from '../app/state.ts';
import { formatNumber, t } from '../i18n/i18n.ts';
import { ActionDialog } from '../ui/action-dialog.tsx';
import { Button } from '../ui/parts.tsx';
import type { Run } from './api.ts';
import { listCorrected, sendCorrections } from './exceptions.ts';
import { useKeptEdits } from './kept-edits.tsx';

interface AskProps {
  readonly run: Run;
  readonly show: (run: Run) => void;
  readonly onClose: () => void;
  /** Starts the run without the corrections. */
  readonly onStart: () => void;
}

/** Asks before a start that would leave out corrections which were typed and not sent. */
export function AskUnchecked({ run, show, onClose, onStart }: AskProps) {
  const [edits, change] = useKeptEdits(run.runId);
  const count = formatNumber(edits.size);
  const check = async (): Promise<boolean> => {
    const corrected = await listCorrected(run, edits);
    if (corrected.length === 0) {
      tell('bad', () => t('faulty.kept_gone', { count: formatNumber(edits.size) }));
      return true;
    }
    show(await sendCorrections(run, corrected, edits, change));
    return true;
  };
  const startWithout = (
    <Button
      onClick={() => {
        onStart();
        onClose();
      }}
    >
      {t('faulty.start_without')}
    </Button>
  );
  return (
    <ActionDialog
      title={t('faulty.ask_title', { count })}
      action={t('faulty.check', { count })}
      isReady={true}
      other={startWithout}
      onClose={onClose}
      act={check}
    >
      <p>{t('faulty.ask_text')}</p>
    </ActionDialog>
  );
}
