import { useState } from 'preact/hooks';
import type { Template } from '../api/types.ts';
import { usePersons } from '../audit/principals.tsx';
import { createKeeper } from '../form/kept.ts';
import { formatAgo, formatTime, t } from '../i18n/i18n.ts';
import { Button, CopyButton, Notice } from '../ui/parts.tsx';
import { isContributor, isPublisher } from './publisher.ts';
import { Words } from './request-view.tsx';

/** Comments that were typed to send a draft back and were not sent, by template. */
const comments = createKeeper<string>(20);

export function keptComment(templateId: string): string {
  return comments.of(templateId) ?? '';
}

export function keepComment(templateId: string, comment: string): void {
  comments.keep(templateId, comment === '' ? null : comment);
}

/** Whether the reader may send the draft back now. */
export function maySendBack(state: Template): boolean {
  const { draft, approval } = state;
  return approval?.state === 'open' && isPublisher(state) && !isContributor(draft);
}

/**
 * Shows a comment that cannot be sent because somebody else decided: who decided what last and when,
 * which may be later than what kept the comment from being sent, and the text to copy.
 */
export function UnsentComment({ state }: { readonly state: Template }) {
  const [, setTurn] = useState(0);
  const { templateId } = state;
  const comment = keptComment(templateId);
  const nameOf = usePersons(decidersOf(state));
  if (comment === '' || maySendBack(state)) return null;
  const discard = (): void => {
    keepComment(templateId, '');
    setTurn((before) => before + 1);
  };
  return (
    <Notice tone="warn" title={t('approval.unsent')}>
      <p>{t('approval.unsent_now', { state: decisionText(state, nameOf) })}</p>
      <Words text={comment} />
      <div class="row">
        <CopyButton text={comment} label={t('approval.unsent_copy')} />
        <Button kind="quiet" icon="trash" onClick={discard}>
          {t('approval.unsent_discard')}
        </Button>
      </div>
    </Notice>
  );
}

/** The people whom the text about the last decision may name. */
function decidersOf({ approval, versions, latestVersion }: Template): readonly string[] {
  const last = versions.find(({ version }) => version === latestVersion);
  return [last?.publishedBy, approval?.askedBy, approval?.decidedBy].filter(
    (principal) => principal !== undefined,
  );
}

/** Who decided what about the draft last, and when. */
function decisionText(
  { approval, draft, versions, latestVersion }: Template,
  nameOf: (principal: string) => string,
): string {
  const last = versions.find(({ version }) => version === latestVersion);
  if (draft === null) {
    if (last === undefined) return t('conflict.discarded_title');
    const { version, publishedBy, publishedAt } = last;
    const who = nameOf(publishedBy);
    return t('publish.meanwhile', { who, when: formatTime(publishedAt), version });
  }
  if (approval === null) return t('approval.unsent_no_request');
  const { askedBy, askedAt, decidedBy, decidedAt } = approval;
  const asked = { who: nameOf(askedBy), when: formatAgo(askedAt) };
  const decided = { who: nameOf(decidedBy), when: formatAgo(decidedAt ?? askedAt) };
  switch (approval.state) {
    case 'sent_back':
      return t('approval.sent_back', decided);
    case 'withdrawn':
      return t('approval.withdrawn', decided);
    case 'outdated':
      return t('approval.outdated', asked);
    case 'open':
      return t('approval.unsent_other_request');
    case 'published':
      return t('approval.unsent_no_request');
  }
}
