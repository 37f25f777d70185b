import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { Approval } from '../api/types.ts';
import { ApiError } from '../api/client.ts';
import { isAdmin, session, tell } from '../app/state.ts';
import { t, type TextKey } from '../i18n/i18n.ts';
import { ActionDialog } from '../ui/action-dialog.tsx';
import { Button, ErrorNotice, Notice } from '../ui/parts.tsx';
import { askForApproval, withdraw } from './api.ts';
import { tellIfDecided } from './decided.tsx';
import { isNoteTooLong, NoteInput } from './note-input.tsx';
import { decidersText } from './publisher.ts';
import { NobodyDecides, RequestNotice } from './request-view.tsx';
import { refreshWaiting } from './waiting.ts';

interface AskProps {
  readonly templateId: string;
  /** Hash of the draft that this page compares. */
  readonly draft: string;
  readonly approval: Approval | null;
  /** Nobody in the team may decide about the draft. */
  readonly lacksApprover: boolean;
  readonly isReady: boolean;
  readonly onDone: () => void;
  /** The reason why the user has to ask and cannot publish. */
  readonly children: ComponentChildren;
}

/**
 * The note to begin with: that of the earlier request, unless the request is open or its draft was
 * published.
 */
function firstNote(approval: Approval | null): string {
  const isOver = approval === null || approval.state === 'open' || approval.state === 'published';
  return isOver ? '' : approval.note;
}

/**
 * Asks a colleague for approval of the draft, or withdraws the request. The buttons are in a bar
 * that stays in view below a page taller than the window, as those of a publisher's decision are.
 */
export function AskForApproval(props: AskProps) {
  const { templateId, draft, approval, lacksApprover, isReady, onDone, children } = props;
  const [note, setNote] = useState(firstNote(approval));
  const [isBusy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<ApiError | null>(null);
  /** The note is asked for, because it was left empty: its input may be far above the button. */
  const [isAsked, setAsked] = useState(false);
  const isOpen = approval?.state === 'open';
  const mayWithdraw = isAdmin.value || approval?.askedBy === `user:${session.value.userId}`;
  const act = async (change: () => Promise<Approval>, said: TextKey): Promise<void> => {
    setBusy(true);
    setRefusal(null);
    try {
      await change();
      tell('good', () => t(said));
      void refreshWaiting();
      onDone();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (tellIfDecided(error)) onDone();
      else setRefusal(error);
    }
    setBusy(false);
  };
  const ask = (): Promise<void> =>
    act(
      () => askForApproval(templateId, draft, note),
      lacksApprover ? 'approval.ask_done_nobody' : 'approval.ask_done',
    );
  const take = (): void => void act(() => withdraw(templateId, draft), 'approval.withdraw_done');
  return (
    <>
      <Standing approval={approval} lacksApprover={lacksApprover} />
      {isOpen ? null : (
        <NoteInput id="approval-note" label={t('approval.note')} value={note} onChange={setNote} />
      )}
      <section class="card stack decision" aria-label={t('approval.ask')}>
        {refusal === null ? null : <ErrorNotice error={refusal} retry={onDone} />}
        <div class="stack asking">
          {children}
          {lacksApprover ? null : (
            <span class="small soft">
              {t(decidersText(isOpen ? 'approval.waits' : 'approval.ask_hint'))}
            </span>
          )}
        </div>
        {isOpen ? null : (
          <Button
            kind="main"
            icon="check"
            busy={isBusy}
            disabled={!isReady || isNoteTooLong(note)}
            onClick={() => (note.trim() === '' ? setAsked(true) : void ask())}
          >
            {t('approval.ask')}
          </Button>
        )}
        {isOpen && mayWithdraw ? (
          <Button busy={isBusy} onClick={take}>
            {t('approval.withdraw')}
          </Button>
        ) : null}
      </section>
      {isAsked ? (
        <AskNote note={note} onChange={setNote} onClose={() => setAsked(false)} ask={ask} />
      ) : null}
    </>
  );
}

interface AskNoteProps {
  readonly note: string;
  readonly onChange: (note: string) => void;
  readonly onClose: () => void;
  readonly ask: () => Promise<void>;
}

/** Asks for the note, which is what whoever decides reads first; a request may do without. */
function AskNote({ note, onChange, onClose, ask }: AskNoteProps) {
  const act = async (): Promise<boolean> => {
    await ask();
    return true;
  };
  const without = (): void => {
    onClose();
    void ask();
  };
  return (
    <ActionDialog
      title={t('approval.ask')}
      action={t('approval.ask')}
      isReady={note.trim() !== '' && !isNoteTooLong(note)}
      other={
        note.trim() === '' ? <Button onClick={without}>{t('approval.ask_bare')}</Button> : null
      }
      onClose={onClose}
      act={act}
    >
      <p>{t('approval.ask_note')}</p>
      <NoteInput id="asked-note" label={t('approval.note')} value={note} onChange={onChange} />
    </ActionDialog>
  );
}

/** The request as it stands; before somebody asks, that nobody may decide. */
function Standing({ approval, lacksApprover }: Pick<AskProps, 'approval' | 'lacksApprover'>) {
  return (
    <>
      {approval === null ? null : (
        <RequestNotice approval={approval} lacksApprover={lacksApprover} />
      )}
      {lacksApprover && approval?.state !== 'open' ? (
        <Notice tone="warn" title={t('approval.nobody_title')}>
          <NobodyDecides />
        </Notice>
      ) : null}
    </>
  );
}
