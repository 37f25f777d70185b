import { listApprovals } from '../approvals/api.ts';
import { callJson, path } from '../api/client.ts';
import { listTemplates } from '../api/templates.ts';
import type { Template, User } from '../api/types.ts';
import { t } from '../i18n/i18n.ts';
import { useLoad } from '../ui/use-load.ts';

/** Requests, and templates of the list, that are looked at; a dialog shows no more names. */
const LISTED_MAX = 100;
/** Drafts whose contributors are read, by a request each. */
const DRAFTS_MAX = 30;

/** Work of a person that colleagues have to go on with; names of templates. */
interface Work {
  readonly requests: readonly string[];
  readonly drafts: readonly string[];
  /** There are more requests or drafts than were looked at. */
  readonly isCut: boolean;
}

async function readWork(userId: string, signal: AbortSignal): Promise<Work> {
  const person = `user:${userId}`;
  const approvals = await listApprovals(LISTED_MAX, null, signal);
  const requests = approvals.items
    .filter(({ state, askedBy }) => state === 'open' && askedBy === person)
    .map(({ name, templateId }) => name || templateId);
  const templates = await listTemplates({ search: '', limit: LISTED_MAX }, null, signal);
  const withDraft = templates.items.filter(({ hasDraft }) => hasDraft);
  const looked = withDraft.slice(0, DRAFTS_MAX);
  const states = await Promise.all(
    looked.map(({ templateId }) =>
      callJson<Template>(path`/v1/templates/${templateId}`, { signal }),
    ),
  );
  const drafts = states
    .filter(({ draft }) => draft?.contributors.includes(person) === true)
    .map(({ name, templateId }) => name || templateId);
  const isCut =
    approvals.next !== null || templates.next !== null || looked.length < withDraft.length;
  return { requests, drafts, isCut };
}

/** What a person who is shut out leaves open: requests for approval, and drafts. */
export function OpenWork({ user }: { readonly user: User }) {
  const { loaded } = useLoad((signal) => readWork(user.userId, signal), [user.userId]);
  // Without an answer the dialog says what stays, as it always does.
  if (loaded.state !== 'ready') return null;
  const { requests, drafts, isCut } = loaded.value;
  return (
    <>
      {requests.length === 0 ? null : (
        <p>{t('users.work_requests', { templates: requests.join(', ') })}</p>
      )}
      {drafts.length === 0 ? null : (
        <p>{t('users.work_drafts', { templates: drafts.join(', ') })}</p>
      )}
      {isCut ? <p class="small soft">{t('users.work_more')}</p> : null}
    </>
  );
}
