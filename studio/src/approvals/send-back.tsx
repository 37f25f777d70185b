import { useState } from 'preact/hooks';
import { hasVisible } from '../../../src/runtime/readable-name.ts';
import { ApiError } from '../api/client.ts';
import { tell } from '../app/state.ts';
import { t } from '../i18n/i18n.ts';
import { Button, Dialog, ErrorNotice } from '../ui/parts.tsx';
import { sendBack } from './api.ts';
import { tellIfDecided } from './decided.tsx';
import { keepComment, keptComment } from './kept-comment.tsx';
import { isNoteTooLong, NoteInput } from './note-input.tsx';
import { refreshWaiting } from './waiting.ts';

interface ButtonProps {
  readonly templateId: string;
  /** Hash of the draft that this page compares. */
  readonly draft: string;
  readonly onDone: () => void;
}

/** Opens the dialog that sends the draft back. */
export function SendBackButton(props: ButtonProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button icon="history" onClick={() => setOpen(true)}>
        {t('approval.send_back')}
      </Button>
      {isOpen ? <SendBack {...props} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

interface SendBackProps extends ButtonProps {
  readonly onClose: () => void;
}

/**
 * Asks why, and sends the draft back to its authors. The comment is kept until it is sent: after a
 * decision of somebody else, the page shows it beside that decision.
 */
function SendBack({ templateId, draft, onClose, onDone }: SendBackProps) {
  const [comment, setComment] = useState(keptComment(templateId));
  const [isBusy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<ApiError | null>(null);
  const change = (typed: string): void => {
    keepComment(templateId, typed);
    setComment(typed);
  };
  /** What was typed is kept, and somebody who closed the dialog by mistake learns where. */
  const close = (): void => {
    if (hasVisible(keptComment(templateId))) tell('good', () => t('approval.comment_kept'));
    onClose();
  };
  const send = async (event: SubmitEvent): Promise<void> => {
    event.preventDefault();
    setBusy(true);
    try {
      await sendBack(templateId, draft, comment.trim());
      keepComment(templateId, '');
      tell('good', () => t('approval.send_back_done'));
      void refreshWaiting();
      onClose();
      onDone();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setBusy(false);
      if (!tellIfDecided(error)) {
        setRefusal(error);
        return;
      }
      onClose();
      onDone();
    }
  };
  return (
    <Dialog title={t('approval.send_back')} onClose={close}>
      <form class="body" onSubmit={(event) => void send(event)}>
        <NoteInput
          id="send-back-comment"
          label={t('approval.comment')}
          hint={t('approval.comment_hint')}
          value={comment}
          required
          onChange={change}
        />
        {refusal === null ? null : <ErrorNotice error={refusal} />}
        <div class="dialog-actions">
          <Button onClick={close}>{t('action.cancel')}</Button>
          <Button
            kind="main"
            type="submit"
            busy={isBusy}
            disabled={!hasVisible(comment) || isNoteTooLong(comment)}
          >
            {t('approval.send_back')}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
