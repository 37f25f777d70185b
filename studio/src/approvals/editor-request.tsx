import { useEffect, useState } from 'preact/hooks';
import { ApiError, callJson, path } from '../api/client.ts';
import type { Approval, Template } from '../api/types.ts';
import { usePersons } from '../audit/principals.tsx';
import type { DraftSession } from '../editor/draft.ts';
import { LeaveLink } from '../editor/saving/leave-link.tsx';
import { isOwnDraft } from '../editor/saving/template-state.ts';
import { formatAgo, formatTime, t } from '../i18n/i18n.ts';
import { Notice } from '../ui/parts.tsx';
import { NoDraft } from './decided.tsx';
import { isPublisher, lacksApprover, losesRightByChange } from './publisher.ts';
import { NobodyDecides, RequestNotice } from './request-view.tsx';
import { useRequestWatch } from './watch-request.ts';

interface RequestProps {
  readonly draft: DraftSession;
  /** The template when the editor was opened. */
  readonly opened: Template | null;
}

/** What became of the request for approval of the draft that is being edited, and of its template. */
export function EditorRequest({ draft, opened }: RequestProps) {
  const { state, isEarlier } = useTemplate(draft, opened);
  // A conflict says itself who has changed, published or discarded the draft.
  if (state === null || draft.save.value.state === 'conflict') return null;
  if (state.archivedAt !== null) {
    const title = t('template.archived_since', { when: formatTime(state.archivedAt) });
    return (
      <div class="work-notice">
        <Notice tone="warn" title={title}>
          <p>{t('template.archived_draft')}</p>
        </Notice>
      </div>
    );
  }
  if (!isEarlier && draft.isPublishedIn(state)) {
    return (
      <div class="work-notice">
        <NoDraft state={state} shown={state.latestVersion} />
      </div>
    );
  }
  // Whoever opens the editor needs no word of a request that was withdrawn before.
  const { approval } = state;
  const isOld = approval?.state === 'withdrawn' && opened?.approval?.state === 'withdrawn';
  const isShown = approval !== null && approval.state !== 'published' && !isOld;
  if (isShown) {
    return (
      <div class="work-notice">
        <Request draft={draft} state={state} approval={approval} />
      </div>
    );
  }
  return losesRightByChange(state) ? (
    <div class="work-notice">
      <Notice tone="warn" title={t('approval.would_contribute')} />
    </div>
  ) : null;
}

interface KnownTemplate {
  readonly state: Template | null;
  /**
   * Whether the state was read before this editor began its draft. A new draft is a copy of the
   * published version and has its hash, so such a state would say that the draft was published.
   */
  readonly isEarlier: boolean;
}

/** The template as it is now, as far as its request is concerned: what this editor saves counts at once. */
function useTemplate(draft: DraftSession, opened: Template | null): KnownTemplate {
  const { templateId, tag } = draft;
  const [state, setState] = useState(opened);
  const [isEarlier, setEarlier] = useState(tag === null);
  const hasNoDraft = tag === null;
  useEffect(() => {
    if (hasNoDraft) setEarlier(true);
  }, [hasNoDraft]);
  const isBehind = tag !== null && (isEarlier || isOutdated(state, tag));
  const change = (found: Template): void => {
    setState(found);
    if (found.draft !== null) setEarlier(false);
  };
  useEffect(() => {
    if (!isBehind) return undefined;
    const controller = new AbortController();
    void readQuietly(templateId, controller.signal, (found) => {
      setState(found);
      setEarlier(false);
    });
    return () => controller.abort();
  }, [isBehind]);
  useRequestWatch(state, change, (signal) => draft.look(signal));
  return { state, isEarlier };
}

/** Whether a save of this editor has ended the request, brought it back, or made its user an author. */
function isOutdated(state: Template | null, tag: string): boolean {
  if (state === null) return true;
  const { approval, draft } = state;
  const isCurrent = `"${approval?.draft}"` === tag;
  if (approval !== null && approval.current !== isCurrent) return true;
  return losesRightByChange(state) && `"${draft?.hash}"` !== tag;
}

async function readQuietly(
  templateId: string,
  signal: AbortSignal,
  use: (state: Template) => void,
): Promise<void> {
  try {
    use(await callJson<Template>(path`/v1/templates/${templateId}`, { signal }));
  } catch (error) {
    // The editor keeps what it shows; its saves say that the service does not answer.
    if (!signal.aborted && !(error instanceof ApiError)) throw error;
  }
}

interface RequestStateProps {
  readonly draft: DraftSession;
  readonly state: Template;
  readonly approval: Approval;
}

function Request({ draft, state, approval }: RequestStateProps) {
  const { askedBy, askedAt } = approval;
  const nameOf = usePersons([askedBy]);
  const asked = { who: nameOf(askedBy), when: formatAgo(askedAt) };
  const loses = losesRightByChange(state);
  if (approval.state === 'open') {
    return (
      <Notice tone={loses ? 'warn' : 'info'} title={t('approval.asked', asked)}>
        <p>{t('approval.change_ends')}</p>
        {loses ? <p>{t('approval.would_contribute')}</p> : null}
        {lacksApprover(state.draft) ? <NobodyDecides /> : null}
      </Notice>
    );
  }
  if (approval.state !== 'outdated') return <RequestNotice approval={approval} />;
  const isOwn = isOwnDraft(state);
  const page = `/templates/${encodeURIComponent(state.templateId)}/publish`;
  return (
    <Notice tone="warn" title={t(isOwn ? 'approval.ended' : 'approval.outdated', asked)}>
      <p>{t(isOwn ? 'approval.undo_or_ask' : 'approval.ask_again')}</p>
      <LeaveLink draft={draft} to={page}>
        {t(isPublisher(state) ? 'template.review' : 'approval.ask')}
      </LeaveLink>
    </Notice>
  );
}
