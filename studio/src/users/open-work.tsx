import { listApprovals } from '../approvals/api.ts';
import { callJson, path } from '../api/client.ts';
import { listTemplates } from '../api/templates.ts';
import type { Template, User } from '../api/types.ts';
import { Link } from '../app/router.tsx';
import { formatTime, t } from '../i18n/i18n.ts';
import { isUnfinished, listRuns, type Run } from '../runs/api.ts';
import { useLoad } from '../ui/use-load.ts';

/** Requests, and templates of the list, that are looked at, and pages of runs. */
const LISTED_MAX = 100;
/** Drafts whose contributors are read, by a request each. */
const DRAFTS_MAX = 30;
const RUN_PAGES_MAX = 4;

/** Work of a person that colleagues have to go on with: names of templates, and runs. */
interface Work {
  readonly requests: readonly string[];
  readonly drafts: readonly string[];
  readonly runs: readonly Run[];
  /** There are more requests, drafts or runs than were looked at. */
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
  const runs = await readRuns(person, signal);
  const isCut =
    approvals.next !== null ||
    templates.next !== null ||
    looked.length < withDraft.length ||
    runs.isCut;
  return { requests, drafts, runs: runs.unfinished, isCut };
}

/** Runs of a person that are neither done nor cancelled, the newest first. */
async function readRuns(
  person: string,
  signal: AbortSignal,
): Promise<{ readonly unfinished: readonly Run[]; readonly isCut: boolean }> {
  const unfinished: Run[] = [];
  let after: string | null = null;
  for (let pages = 0; pages < RUN_PAGES_MAX; pages += 1) {
    const page = await listRuns({ templateId: '', from: '', to: '' }, after, signal);
    const own = page.items.filter(({ createdBy }) => createdBy === person);
    unfinished.push(...own.filter(isUnfinished));
    after = page.next;
    if (after === null) break;
  }
  return { unfinished, isCut: after !== null };
}

/** What a person who is shut out leaves open: requests for approval, drafts, and runs. */
export function OpenWork({ user }: { readonly user: User }) {
  const { loaded } = useLoad((signal) => readWork(user.userId, signal), [user.userId]);
  // Without an answer the dialog says what stays, as it always does.
  if (loaded.state !== 'ready') return null;
  const { requests, drafts, runs, isCut } = loaded.value;
  return (
    <>
      {requests.length === 0 ? null : (
        <p>{t('users.work_requests', { templates: requests.join(', ') })}</p>
      )}
      {drafts.length === 0 ? null : (
        <p>{t('users.work_drafts', { templates: drafts.join(', ') })}</p>
      )}
      {runs.length === 0 ? null : <UnfinishedRuns runs={runs} />}
      {isCut ? <p class="small soft">{t('users.work_more')}</p> : null}
    </>
  );
}

function UnfinishedRuns({ runs }: { readonly runs: readonly Run[] }) {
  return (
    <div>
      <p>{t('users.work_runs')}</p>
      <ul>
        {runs.map(({ runId, name, templateId, createdAt }) => (
          <li key={runId}>
            <Link to={`/runs/${runId}`}>{name || templateId}</Link>{' '}
            <span class="small soft">{formatTime(createdAt)}</span>
          </li>
        ))}
      </ul>
    </div>
  );
}
