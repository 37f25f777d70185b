import { emptyBody } from '../../api/schema.ts';
import { ARCHIVED_EXAMPLE, archived, type ArchivedTemplate } from '../../api/templates.ts';
import { fail, succeed } from '../../errors.ts';
import { auditRecord, FORBIDDEN, SUCCEEDED } from '../audit.ts';
import { json, TEMPLATE_ID, type Operation } from '../openapi/operation.ts';
import { jsonReply, type PendingReply } from '../reply/reply.ts';
import {
  beforeNotFound,
  describedRoute,
  type GuardedCall,
  type GuardedRoute,
  type Services,
} from '../route.ts';

/** An action of an Admin on a whole template. */
interface Action {
  readonly name: 'templates.archive' | 'templates.unarchive';
  readonly tail: 'archive' | 'unarchive';
  readonly isArchived: boolean;
  readonly operationId: string;
  readonly summary: string;
  readonly note: string;
}

const ACTIONS: readonly Action[] = [
  {
    name: 'templates.archive',
    tail: 'archive',
    isArchived: true,
    operationId: 'archiveTemplate',
    summary: 'Archive a template',
    note:
      'It leaves the lists, and makes no new documents within 3 seconds; runs that have started end. Its ' +
      'versions, its draft and its documents stay, and documents are verified as before.',
  },
  {
    name: 'templates.unarchive',
    tail: 'unarchive',
    isArchived: false,
    operationId: 'unarchiveTemplate',
    summary: 'Take a template out of the archive',
    note: 'It is used as before.',
  },
];

function describe({ operationId, summary, note }: Action) {
  return {
    operationId,
    summary,
    note,
    parameters: [TEMPLATE_ID],
    body: json(emptyBody, {}),
    replies: {
      200: {
        description: 'How it is now.',
        content: json(archived, ARCHIVED_EXAMPLE),
      },
    },
    errors: ['not_found', 'rate_limited'],
  } satisfies Operation;
}

/** Archiving templates: for Admins. */
export function archiveRoutes(services: Services): readonly GuardedRoute[] {
  return ACTIONS.map((action) =>
    describedRoute({
      method: 'POST',
      path: `/v1/templates/:id/${action.tail}`,
      access: { scope: null, keyRefusal: 'insufficient_scope', roles: ['Admin'] },
      counted: false,
      bodyBytesMax: 1_024,
      operation: describe(action),
      run: (call) => act(services, call, action),
    }),
  );
}

async function act(
  services: Services,
  call: GuardedCall,
  { name, isArchived }: Action,
): PendingReply<ArchivedTemplate> {
  const [templateId = ''] = call.params;
  const { teamId, id: by } = call.principal;
  const { templates, audit } = services.store;
  const subject = { templateId };
  const record = auditRecord(call, services.nowMs(), name, SUCCEEDED, subject);
  const result = await templates.setArchived({ teamId, templateId, isArchived, by, audit: record });
  if (result === 'role_lost') {
    await audit.add(auditRecord(call, services.nowMs(), name, FORBIDDEN, subject));
    return fail('forbidden', 'Your role was taken away meanwhile: nothing was changed.');
  }
  if (result === 'absent') {
    const owner = await templates.find(teamId, templateId);
    const why = owner.found ? 'absent' : owner.why;
    const refusal = await beforeNotFound(services, call, why, name, subject);
    return refusal ?? fail('not_found', 'There is no such template.');
  }
  services.templates.forgetLatest(teamId, templateId);
  return succeed(jsonReply(200, { templateId, archived: isArchived }));
}
