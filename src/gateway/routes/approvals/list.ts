import * as api from '../../../api/approvals.ts';
import { fail, succeed } from '../../../errors.ts';
import type { ListedApproval } from '../../../store/store.ts';
import { LIST_PAGING, listReply } from '../../list-pages.ts';
import { json, parameter, type Operation } from '../../openapi/operation.ts';
import { jsonReply, type PendingReply } from '../../reply/reply.ts';
import { describedRoute, type GuardedCall, type GuardedRoute, type Services } from '../../route.ts';
import { findApprovers } from './approvers.ts';
import { describeApproval } from './describe.ts';

const LIST_APPROVALS = {
  operationId: 'listApprovals',
  summary: "Requests for approval of the team's drafts",
  note:
    'Those that are open, outdated or sent back. With waiting, a page may hold fewer than asked for: go ' +
    'on while next is not null.',
  parameters: [
    parameter(
      'query',
      'waiting',
      { type: 'boolean' },
      true,
      'true: only open ones that the caller may decide; none for an Editor.',
    ),
    ...LIST_PAGING,
  ],
  replies: {
    200: { description: 'The list.', content: json(api.approvalList, api.APPROVALS_EXAMPLE) },
  },
  errors: ['bad_request'],
} satisfies Operation;

/** The requests of a team; with `waiting`, the inbox of an approver. */
export function approvalListRoute(services: Services): GuardedRoute {
  return describedRoute({
    method: 'GET',
    path: '/v1/approvals',
    access: { scope: null, keyRefusal: 'draft_requires_user', roles: ['Editor', 'Admin'] },
    counted: false,
    bodyBytesMax: 0,
    operation: LIST_APPROVALS,
    run: (call) => list(services, call),
  });
}

async function list(services: Services, call: GuardedCall): PendingReply<api.ApprovalList> {
  const { principal, query } = call;
  const waiting = new URLSearchParams(query).get('waiting') ?? 'false';
  if (waiting !== 'true' && waiting !== 'false') {
    return fail('bad_request', 'waiting must be true or false.');
  }
  const isAdmin = principal.kind === 'user' && principal.role === 'Admin';
  if (waiting === 'true' && !isAdmin) {
    return succeed(jsonReply<api.ApprovalList>(200, { approvals: [], next: null }));
  }
  const waitingFor = waiting === 'true' ? principal.id : null;
  const mayBeApproved = await findApprovers(services, principal.teamId);
  const describe = (item: ListedApproval): api.ListedApproval => {
    const { name, version, contributors } = item;
    const mayDecide = isAdmin && item.state === 'open' && !contributors.includes(principal.id);
    const hasApprover = mayBeApproved(contributors);
    return { ...describeApproval(item), name, version, contributors, hasApprover, mayDecide };
  };
  const { approvals } = services.store;
  return listReply(
    query,
    'approvals',
    (after, countMax) => approvals.page(principal.teamId, after, countMax, { waitingFor }),
    describe,
  );
}
