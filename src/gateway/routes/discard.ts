import { DISCARDED_EXAMPLE, discarded, type DiscardedDraft } from '../../api/drafts.ts';
import { fail, succeed } from '../../errors.ts';
import { auditRecord, FORBIDDEN, SUCCEEDED } from '../audit.ts';
import { changedSince, expectedHash } from '../conditions.ts';
import { CONDITIONS, DRAFT_ID, json, type Operation } from '../openapi/operation.ts';
import { jsonReply, type PendingReply } from '../reply/reply.ts';
import {
  beforeNotFound,
  describedRoute,
  type GuardedCall,
  type GuardedRoute,
  type Services,
} from '../route.ts';

const ACTION = 'templates.discard';

const DISCARD_DRAFT = {
  operationId: 'discardDraft',
  summary: 'Discard a draft',
  note:
    'If-Match is required. Versions and documents stay; a request for approval goes with the draft. A ' +
    'template that was never published is removed, and its id is free again. Whoever contributed to ' +
    'the draft still counts as a contributor to the next version.',
  parameters: [DRAFT_ID, CONDITIONS.match],
  replies: {
    200: {
      description: 'The draft is gone.',
      content: json(discarded, DISCARDED_EXAMPLE),
    },
  },
  errors: ['bad_request', 'not_found', 'precondition_failed', 'rate_limited'],
} satisfies Operation;

/** Discarding drafts: for Editors and Admins. */
export function discardRoute(services: Services): GuardedRoute {
  return describedRoute({
    method: 'DELETE',
    path: '/v1/templates/:id/draft',
    access: { scope: null, keyRefusal: 'draft_requires_user', roles: ['Editor', 'Admin'] },
    counted: false,
    bodyBytesMax: 0,
    operation: DISCARD_DRAFT,
    run: (call) => discard(services, call),
  });
}

async function discard(services: Services, call: GuardedCall): PendingReply<DiscardedDraft> {
  const [templateId = ''] = call.params;
  const { teamId, id: by } = call.principal;
  const { templates, audit } = services.store;
  const expected = expectedHash(call.exchange.headers);
  if (!expected.ok) return expected;
  if (typeof expected.value !== 'string') {
    return fail('bad_request', 'If-Match must be the ETag that the draft was read or saved with.');
  }
  const subject = { templateId };
  const record = auditRecord(call, services.nowMs(), ACTION, SUCCEEDED, subject);
  const draft = expected.value;
  const result = await templates.discardDraft({ teamId, templateId, draft, by, audit: record });
  switch (result) {
    case 'versions':
    case 'nothing':
      return succeed(jsonReply(200, { templateId, removed: result === 'nothing' }));
    case 'changed':
      return changedSince();
    case 'role_lost':
      await audit.add(auditRecord(call, services.nowMs(), ACTION, FORBIDDEN, subject));
      return fail('forbidden', 'Your role was taken away meanwhile: nothing was changed.');
    case 'absent': {
      const owner = await templates.find(teamId, templateId);
      const why = owner.found ? 'absent' : owner.why;
      const refusal = await beforeNotFound(services, call, why, ACTION, subject);
      return refusal ?? fail('not_found', 'There is no such template.');
    }
  }
}
