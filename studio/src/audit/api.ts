import { callJson, query } from '../api/client.ts';
import type { AuditPage } from '../api/types.ts';
import { dayStart } from '../ui/list.tsx';

export interface AuditFilters {
  readonly principal: string;
  readonly action: string;
  readonly outcome: string;
  readonly templateId: string;
  readonly from: string;
  readonly to: string;
}

/** Filters for more than one action. By default documents are hidden: there are too many of them. */
const ACTION_FILTERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '': { without: 'generate' },
  all: {},
};

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
    principal: isName ? `user:${principal}` : principal,
    from: dayStart(from),
    to: dayStart(to, 1),
    after,
    limit,
  });
  return callJson<AuditPage>(`/v1/audit${asked}`, { signal });
}
