import { isAdmin, session } from '../app/state.ts';
import type { Approval } from '../api/types.ts';
import { useColleagues } from '../audit/principals.tsx';
import { formatAgo, t, type TextKey } from '../i18n/i18n.ts';
import { Notice } from '../ui/parts.tsx';
import '../styles/approvals.css';

interface RequestProps {
  readonly approval: Approval;
  /** Nobody in the team may decide about an open request. */
  readonly lacksApprover?: boolean;
}

/** Tells what became of the last request for approval: who asked and why, who sent it back and why. */
export function RequestNotice({ approval, lacksApprover = false }: RequestProps) {
  const { state, current, askedBy, askedAt, note, decidedBy, decidedAt, comment } = approval;
  const nameOf = useColleagues([askedBy, decidedBy]);
  const asked = { who: nameOf(askedBy), when: formatAgo(askedAt) };
  const decided = { who: nameOf(decidedBy), when: formatAgo(decidedAt ?? askedAt) };
  const isOwn = askedBy === `user:${session.value.userId}`;
  switch (state) {
    case 'open':
      return (
        <Notice tone={lacksApprover ? 'warn' : 'info'} title={t('approval.asked', asked)}>
          <Words text={note} />
          {lacksApprover ? <NobodyDecides /> : null}
        </Notice>
      );
    case 'outdated':
      return (
        <Notice tone="warn" title={t('approval.outdated', asked)}>
          <p>{t(isOwn ? 'approval.ask_again' : 'approval.author_asks_again')}</p>
          <Words text={note} />
        </Notice>
      );
    case 'sent_back':
      return (
        <Notice tone="warn" title={t('approval.sent_back', decided)}>
          <Words text={comment} />
          <p class="small soft">{t(nextStep(current, isOwn))}</p>
        </Notice>
      );
    case 'withdrawn':
      return <Notice tone="info" title={t('approval.withdrawn', decided)} />;
    case 'published':
      return null;
  }
}

/** Says that nobody may decide about the draft, and what helps. */
export function NobodyDecides() {
  return (
    <>
      <p>{t(session.value.publishApprovals ? 'approval.nobody_two' : 'approval.nobody')}</p>
      <p>{t(isAdmin.value ? 'approval.nobody_admin' : 'approval.nobody_editor')}</p>
      {session.value.publishApprovals ? <p>{t('approval.nobody_discard')}</p> : null}
    </>
  );
}

/** What follows after the draft was sent back, as told to its author or to somebody else. */
function nextStep(isCurrent: boolean, isOwn: boolean): TextKey {
  if (isCurrent) return isOwn ? 'approval.change_or_ask' : 'approval.author_changes';
  return isOwn ? 'approval.changed_since' : 'approval.author_changed';
}

/** The words of a person, with their line breaks. */
export function Words({ text }: { readonly text: string }) {
  return text === '' ? null : <p class="words">{text}</p>;
}
