import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { ApiError } from '../api/client.ts';
import { t } from '../i18n/i18n.ts';
import { Button, Dialog, ErrorNotice } from './parts.tsx';

interface ActionDialogProps {
  readonly title: string;
  readonly action: string;
  /** `danger`: what it does takes something away. */
  readonly kind?: 'main' | 'danger';
  readonly isReady: boolean;
  /** Nothing is left to be done or cancelled. */
  readonly isNews?: boolean;
  /** A second action, which stands before the main one. */
  readonly other?: ComponentChildren;
  readonly onClose: () => void;
  /** Resolves to false when the dialog has to stay open. */
  readonly act: () => Promise<boolean>;
  readonly children: ComponentChildren;
}

/** A dialog that does one thing, and stays open with the reason when that is refused. */
export function ActionDialog(props: ActionDialogProps) {
  const { title, action, kind = 'main', isReady, isNews = false, other, children } = props;
  const { onClose, act } = props;
  const [isBusy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<ApiError | null>(null);
  const submit = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    if (!isReady || isBusy) return;
    setBusy(true);
    setRefusal(null);
    try {
      if (await act()) onClose();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setRefusal(error);
    }
    setBusy(false);
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form class="body" onSubmit={(event) => void submit(event)} noValidate>
        {children}
        {refusal === null ? null : <ErrorNotice error={refusal} />}
        <div class="dialog-actions">
          {isNews ? null : <Button onClick={onClose}>{t('action.cancel')}</Button>}
          {other}
          <Button kind={kind} type="submit" busy={isBusy} disabled={!isReady}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
