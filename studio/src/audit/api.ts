import { callJson, query } from '../api/client.ts';
import type { AuditPage, AuditRecord } from '../api/types.ts';
import { dayStart, type ListPage } from '../ui/list.tsx';
import { linesOf } from './lines.ts';

export interface AuditFilters {
  readonly principal: string;
  readonly action: string;
  readonly outcome: string;
  readonly templateId: string;
  readonly from: string;
  readonly to: string;
}

/** The action filters that stand for more than one action. */
export const ALL_ACTIONS = 'all';
export const WITHOUT_GENERATE = 'all-but-generate';
const ACTION_FILTERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  [WITHOUT_GENERATE]: { without: 'generate' },
  [ALL_ACTIONS]: {},
};

/**
 * The action filter while nobody has chosen one. A team makes too many documents to list them among
 * other actions; but the documents that a user or key made are what it did.
 */
export function startAction(principal: string): string {
  return principal === '' ? WITHOUT_GENERATE : ALL_ACTIONS;
}

export function fetchRecords(
  filters: AuditFilters,
  after: string | null,
  limit: number,
  signal?: AbortSignal,
): Promise<AuditPage> {
  const { from, to, principal, action, ...others } = filters;
  // A name without a prefix such as `key:` is that of a user.
  const isName = principal !== '' && !principal.includes(':');
  const asked = query({
    ...others,
    ...(ACTION_FILTERS[action] ?? { action }),
    involves: isName ? `user:${principal}` : principal,
    from: dayStart(from),
    to: dayStart(to, 1),
    after,
    limit,
  });
  return callJson<AuditPage>(`/v1/audit${asked}`, { signal });
}

/** Records of the first request, and of each that follows because their lines were few. */
const FIRST_RECORDS = 50;
const FURTHER_RECORDS = 200;
const FURTHER_REQUESTS_MAX = 5;
/** Lines that fill a window. */
const LINES_WANTED = 25;

/** Records for the next lines of the page: a sitting of an editor, hundreds of saves, is one line. */
export async function fetchLines(
  filters: AuditFilters,
  after: string | null,
  signal: AbortSignal,
): Promise<ListPage<AuditRecord>> {
  let { records: items, next } = await fetchRecords(filters, after, FIRST_RECORDS, signal);
  for (let requests = 0; requests < FURTHER_REQUESTS_MAX; requests += 1) {
    if (next === null || linesOf(items).length >= LINES_WANTED) break;
    const page: AuditPage = await fetchRecords(filters, next, FURTHER_RECORDS, signal);
    items = [...items, ...page.records];
    next = page.next;
  }
  return { items, next };
}
