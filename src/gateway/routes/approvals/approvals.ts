import * as api from '../../../api/approvals.ts';
import type { Failure } from '../../../errors.ts';
import { fail, succeed } from '../../../errors.ts';
import type { Approval, ApprovalOutcome, ApprovalRefusal, Role } from '../../../store/store.ts';
import { type AuditAction, auditRecord, detailOf, SUCCEEDED } from '../../audit.ts';
import { readJsonBody } from '../../body/json-body.ts';
import { createValidator, type Validator } from '../../body/validator.ts';
import { changedSince } from '../../conditions.ts';
import { json, TEMPLATE_ID, type Operation } from '../../openapi/operation.ts';
import { jsonReply, type PendingReply } from '../../reply/reply.ts';
import { hasVisible, shownText } from '../../../runtime/readable-name.ts';
import {
  beforeNotFound,
  describedRoute,
  type GuardedCall,
  type GuardedRoute,
  type Services,
} from '../../route.ts';
import { refuseArchived } from '../templates.ts';
import { describeApproval } from './describe.ts';
import { approvalListRoute } from './list.ts';

/** A note of 1,000 characters that are all escaped is 12 KB. */
const BODY_BYTES_MAX = 32_768;
/** The body of a request; the schema of each action says which texts it takes. */
interface Sent {
  readonly draft: string;
  readonly note?: string;
  readonly comment?: string;
}

/** A change of a request for approval. */
interface Action {
  readonly name: Extract<AuditAction, `approvals.${string}`>;
  /** The end of its path. */
  readonly tail: '' | '/send-back' | '/withdraw';
  readonly roles: readonly Role[];
  readonly operation: ReturnType<typeof describe>;
  readonly validate: Validator<Sent>;
}

function describe(
  operationId: string,
  summary: string,
  note: string,
  [schema, body, reply]: readonly [schema: object, body: object, reply: api.Approval],
) {
  return {
    operationId,
    summary,
    note,
    parameters: [TEMPLATE_ID],
    body: json(schema, body),
    replies: { 200: { description: 'The request.', content: json(api.approval, reply) } },
    errors: [
      'bad_request',
      'not_found',
      'approval_conflict',
      'template_archived',
      'precondition_failed',
      'rate_limited',
    ],
  } satisfies Operation;
}

const ACTIONS: readonly Action[] = [
  {
    name: 'approvals.ask',
    tail: '',
    roles: ['Editor', 'Admin'],
    validate: createValidator(api.ASK_SCHEMA),
    operation: describe(
      'askForApproval',
      'Ask for approval of the draft',
      'One request is open for a template. A change of the draft ends it: ask again then. The same ' +
        'request once more changes nothing.',
      [api.ASK_SCHEMA, api.ASKING_EXAMPLE, api.APPROVAL_EXAMPLE],
    ),
  },
  {
    name: 'approvals.send_back',
    tail: '/send-back',
    roles: ['Admin'],
    validate: createValidator(api.SEND_BACK_SCHEMA),
    operation: describe(
      'sendBackDraft',
      'Send the draft back to its authors',
      'Only somebody who did not contribute to the draft. It cannot be published until it is ' +
        'changed, or approval is asked for again.',
      [api.SEND_BACK_SCHEMA, api.SENDING_BACK_EXAMPLE, api.SENT_BACK_EXAMPLE],
    ),
  },
  {
    name: 'approvals.withdraw',
    tail: '/withdraw',
    roles: ['Editor', 'Admin'],
    validate: createValidator(api.WITHDRAW_SCHEMA),
    operation: describe(
      'withdrawApproval',
      'Withdraw the request for approval',
      'Only whoever asked, or an Admin. The draft stays as it is.',
      [api.WITHDRAW_SCHEMA, api.WITHDRAWING_EXAMPLE, api.WITHDRAWN_EXAMPLE],
    ),
  },
];

/** Asking for approval of a draft, and what approvers and authors do with the request. */
export function approvalRoutes(services: Services): readonly GuardedRoute[] {
  return [
    ...ACTIONS.map((action) =>
      describedRoute({
        method: 'POST',
        path: `/v1/templates/:id/approval${action.tail}`,
        access: { scope: null, keyRefusal: 'draft_requires_user', roles: action.roles },
        counted: false,
        bodyBytesMax: BODY_BYTES_MAX,
        operation: action.operation,
        run: (call) => act(services, call, action),
      }),
    ),
    approvalListRoute(services),
  ];
}

async function act(
  services: Services,
  call: GuardedCall,
  { name, validate }: Action,
): PendingReply<api.Approval> {
  const sent = readJsonBody(call, validate);
  if (!sent.ok) return sent;
  const { draft, comment = '' } = sent.value;
  const note = shownText(sent.value.note ?? '');
  if (name === 'approvals.send_back' && !hasVisible(comment)) {
    return fail('bad_request', 'comment must have a visible character.');
  }
  const [templateId = ''] = call.params;
  const { teamId, id: by } = call.principal;
  const detail = detailOf(name === 'approvals.send_back' ? comment : note);
  const audit = auditRecord(call, services.nowMs(), name, SUCCEEDED, { templateId, detail });
  const archived =
    name === 'approvals.ask' ? await refuseArchived(services, teamId, templateId) : null;
  if (archived !== null) return archived;
  const change = { teamId, templateId, draft, by, audit };
  const { approvals } = services.store;
  const outcome = await decide(approvals, name, { ...change, note, comment });
  if (outcome.ok) return succeed(jsonReply(200, describeApproval(outcome.approval)));
  return refuse(services, call, name, outcome);
}

type Approvals = Services['store']['approvals'];
type Change = Parameters<Approvals['ask']>[0] & Parameters<Approvals['sendBack']>[0];

function decide(
  approvals: Approvals,
  name: Action['name'],
  change: Change,
): Promise<ApprovalOutcome> {
  switch (name) {
    case 'approvals.ask':
      return approvals.ask(change);
    case 'approvals.send_back':
      return approvals.sendBack(change);
    case 'approvals.withdraw':
      return approvals.withdraw(change);
  }
}

/** Records who was refused for lack of a right; other refusals are about timing. */
async function refuse(
  services: Services,
  call: GuardedCall,
  name: Action['name'],
  { why, approval }: { readonly why: ApprovalRefusal; readonly approval: Approval | null },
): Promise<Failure> {
  const [templateId = ''] = call.params;
  if (why === 'absent') {
    const owner = await services.store.templates.find(call.principal.teamId, templateId);
    const missing = owner.found ? 'absent' : owner.why;
    const refusal = await beforeNotFound(services, call, missing, name, { templateId });
    return refusal ?? fail('not_found', ABSENT);
  }
  const failure = failureOf(why, approval);
  if (failure.code === 'forbidden') {
    const denied = { outcome: 'denied', code: failure.code } as const;
    const record = auditRecord(call, services.nowMs(), name, denied, { templateId });
    await services.store.audit.add(record);
  }
  return failure;
}

const ABSENT = 'There is no such template with a draft, or nobody has asked for its approval.';

function failureOf(why: Exclude<ApprovalRefusal, 'absent'>, approval: Approval | null): Failure {
  switch (why) {
    case 'changed':
      return changedSince();
    case 'contributed':
      return fail(
        'forbidden',
        'You contributed to this draft: withdraw the request, or change the draft.',
      );
    case 'foreign':
      return fail(
        'forbidden',
        `${approval?.askedBy ?? 'Somebody else'} asked for approval: only they or an Admin withdraw it.`,
      );
    case 'role_lost':
      return fail('forbidden', 'Your role was taken away meanwhile: nothing was changed.');
    case 'decided':
      return fail('approval_conflict', decisionOf(approval));
  }
}

/** Says what was decided first; names are those of audit records. */
function decisionOf(approval: Approval | null): string {
  switch (approval?.state) {
    case 'open':
      return `${approval.askedBy} has asked for approval of this draft already.`;
    case 'sent_back':
      return `${approval.decidedBy} has sent this draft back already.`;
    case 'withdrawn':
      return `${approval.decidedBy} has withdrawn this request.`;
    case 'published':
      return `${approval.decidedBy} has published this draft already.`;
    case 'outdated':
    case undefined:
      return 'The request is not open any more.';
  }
}
