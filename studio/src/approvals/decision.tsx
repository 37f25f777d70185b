import { useState } from 'preact/hooks';
import { ApiError, callJson, path } from '../api/client.ts';
import type { Approval, PublishedVersion, Template } from '../api/types.ts';
import { navigate } from '../app/router.tsx';
import { isAdmin, session } from '../app/state.ts';
import { ChangedBy, usePersons } from '../audit/principals.tsx';
import { t } from '../i18n/i18n.ts';
import { Button, ErrorNotice } from '../ui/parts.tsx';
import { AskForApproval } from './ask.tsx';
import { tellIfDecided } from './decided.tsx';
import { keepComment, maySendBack } from './kept-comment.tsx';
import { isNoteTooLong, NoteInput } from './note-input.tsx';
import { notePublished } from './published.tsx';
import { isContributor, isPublisher, isSentBack, lacksApprover } from './publisher.ts';
import { RequestNotice } from './request-view.tsx';
import { SendBackButton } from './send-back.tsx';
import { refreshWaiting } from './waiting.ts';
import { useRequestWatch } from './watch-request.ts';

/** What was compared on this page; a request to publish must name it. */
export interface Compared {
  readonly draft: string;
  readonly published: string | null;
  readonly changes: readonly string[];
}

interface DecisionProps {
  readonly state: Template;
  readonly compared: Compared;
  /** The draft has no errors, and every sample could be compared. */
  readonly isClean: boolean;
  /** It is clean, and each change was confirmed. */
  readonly isReady: boolean;
  readonly isDone: boolean;
  /** What a publisher confirms. */
  readonly seen: string;
  /** What is missing before the draft can be published. */
  readonly notReady: string;
  readonly reload: () => void;
}

/**
 * Who may publish decides about the draft; everybody else asks for approval. A draft that was sent back
 * has nothing to publish: its authors may ask again, and others read above what was said.
 */
export function Decision(props: DecisionProps) {
  const { state, compared, isClean, reload } = props;
  const { templateId, draft, approval } = state;
  useRequestWatch(state, reload);
  const contributors = draft?.contributors ?? [];
  const mayPublish = isPublisher(state);
  if (mayPublish && !isSentBack(approval)) return <Approver {...props} />;
  if (mayPublish && !isContributor(draft)) return null;
  const isStuck = lacksApprover(draft);
  const who = isAdmin.value ? 'publish.four_eyes' : 'publish.admin_only';
  const title = t(isStuck ? 'approval.nobody_title' : who);
  return (
    <AskForApproval
      key={approval?.state ?? ''}
      templateId={templateId}
      draft={compared.draft}
      approval={approval}
      lacksApprover={isStuck}
      isReady={isClean}
      onDone={reload}
    >
      {mayPublish ? null : (
        <>
          <strong>{title}</strong>
          <ChangedBy contributors={contributors} />
        </>
      )}
    </AskForApproval>
  );
}

/** The publisher confirms having seen the comparison; the service refuses any other draft. */
function Approver(props: DecisionProps) {
  const { state, compared, isReady, isDone, seen, notReady, reload } = props;
  const { templateId, draft, approval } = state;
  const isAsked = approval?.state === 'open';
  const [isSeen, setSeen] = useState(false);
  const [note, setNote] = useState(isAsked ? approval.note : '');
  const [isBusy, setBusy] = useState(false);
  const [refusal, setRefusal] = useState<ApiError | null>(null);
  const publish = async (): Promise<void> => {
    setBusy(true);
    try {
      await publishDraft(templateId, note.trim(), compared);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (tellIfDecided(error)) reload();
      else setRefusal(error);
    }
    setBusy(false);
  };
  const version = draft?.version ?? 1;
  const contributors = draft?.contributors ?? [];
  return (
    <>
      {approval === null ? null : <Overruling approval={approval} />}
      <NoteInput
        id="publish-note"
        label={t('approval.version_note')}
        value={note}
        onChange={setNote}
      />
      <section class="card stack decision">
        <label class="choice">
          <input
            type="checkbox"
            checked={isReady && isSeen}
            disabled={!isReady}
            onChange={(event) => setSeen(event.currentTarget.checked)}
          />
          <span>{seen}</span>
        </label>
        {refusal === null ? null : <ErrorNotice error={refusal} retry={reload} />}
        <div class="row">
          {isDone && !isReady ? <p class="soft">{notReady}</p> : null}
          {maySendBack(state) ? (
            <SendBackButton templateId={templateId} draft={compared.draft} onDone={reload} />
          ) : null}
          <Button
            kind="main"
            icon="check"
            busy={isBusy}
            disabled={!isReady || !isSeen || isNoteTooLong(note)}
            onClick={() => void publish()}
          >
            {t('publish.publish', { version })}
          </Button>
          <ChangedBy contributors={contributors} />
        </div>
      </section>
    </>
  );
}

/**
 * Tells a publisher, above the comparison, what was asked for and why, or who sent the draft back.
 * Authors read it where they ask.
 */
export function Asked({ state }: { readonly state: Template }) {
  const { approval, draft } = state;
  if (approval === null || !isPublisher(state)) return null;
  return isSentBack(approval) && isContributor(draft) ? null : (
    <RequestNotice approval={approval} />
  );
}

/** Says that a publication without a new request overrules whoever sent an earlier text back. */
function Overruling({ approval }: { readonly approval: Approval }) {
  const { state, current, decidedBy } = approval;
  const isOwn = decidedBy === `user:${session.value.userId}`;
  const nameOf = usePersons([decidedBy]);
  if (state !== 'sent_back' || current || isOwn) return null;
  return <p class="small soft">{t('approval.overrules', { who: nameOf(decidedBy) })}</p>;
}

/** Publishes the draft that was compared, and opens its template. */
async function publishDraft(templateId: string, note: string, compared: Compared): Promise<void> {
  const body = { note, compared };
  const address = path`/v1/templates/${templateId}/publish`;
  const { version } = await callJson<PublishedVersion>(address, { method: 'POST', body });
  keepComment(templateId, '');
  notePublished(templateId, version);
  void refreshWaiting();
  navigate(`/templates/${encodeURIComponent(templateId)}`);
}
