import { emptyBody, text } from '../../api/schema.ts';
import * as api from '../../api/users.ts';
import type { Failure, Outcome } from '../../errors.ts';
import { fail, succeed } from '../../errors.ts';
import { type MemberChange, type MemberRecord, ROLES, typedUserFault } from '../../store/store.ts';
import { type AuditAction, auditRecord, FORBIDDEN, SUCCEEDED } from '../audit.ts';
import { readJsonBody } from '../body/json-body.ts';
import { createValidator } from '../body/validator.ts';
import { LIST_PAGING, listReply } from '../list-pages.ts';
import { json, parameter } from '../openapi/operation.ts';
import { jsonReply, type PendingReply } from '../reply/reply.ts';
import {
  beforeNotFound,
  describedRoute,
  type GuardedCall,
  type GuardedRoute,
  isoTime,
  type Services,
} from '../route.ts';

const BODY_BYTES_MAX = 1_024;
/** Four bytes a character, with names and quotes. */
const NEW_USER_BYTES_MAX = 4_096;

const validateRole = createValidator(api.ROLE_SCHEMA);
const validateUser = createValidator(api.NEW_USER_SCHEMA);

/** The changes that an Admin can make to a user of the team. */
interface UserAction {
  readonly name: 'role' | 'deactivate' | 'reactivate' | 'sign-out';
  readonly operationId: string;
  readonly summary: string;
  readonly note: string;
  readonly takesRole?: boolean;
}

const NEW_USER_NOTE =
  'The id is the one that the identity provider gives the user, exactly. It opens no session: the user ' +
  'signs in at the provider, or by a link that an operator makes.';

const NAMES_NOTE =
  'Versions, drafts and requests for approval name people by their id. Every user of the team may ask ' +
  'who that is. Roles, e-mail addresses and states are in listUsers, for Admins.';

const ACTIONS: readonly UserAction[] = [
  {
    name: 'role',
    operationId: 'setUserRole',
    summary: 'Change the role of a user',
    note: 'It counts from the next request on. An identity sync that names another role undoes it.',
    takesRole: true,
  },
  {
    name: 'deactivate',
    operationId: 'deactivateUser',
    summary: 'Deactivate a user',
    note: 'Sessions and sign-in links of the user end at once.',
  },
  {
    name: 'reactivate',
    operationId: 'reactivateUser',
    summary: 'Reactivate a user',
    note: 'The user signs in again; former sessions stay ended.',
  },
  {
    name: 'sign-out',
    operationId: 'signOutUser',
    summary: 'End all sessions of a user',
    note: 'Also ends unused sign-in links. The user may sign in again.',
  },
];

/** The users of the caller's team, for its Admins, and their names for everybody in it. */
export function userRoutes(services: Services): readonly GuardedRoute[] {
  const access = { scope: null, keyRefusal: 'insufficient_scope', roles: ['Admin'] } as const;
  const shared = { access, counted: false } as const;
  const replies = { 200: { description: 'The user.', content: json(api.user, api.USER_EXAMPLE) } };
  const id = parameter('path', 'id', text, api.USER_EXAMPLE.userId, 'Id of the user.');
  return [
    describedRoute({
      ...shared,
      method: 'GET',
      path: '/v1/users',
      bodyBytesMax: 0,
      operation: {
        operationId: 'listUsers',
        summary: "Users of the caller's team",
        parameters: LIST_PAGING,
        replies: {
          200: { description: 'The users.', content: json(api.userList, api.USERS_EXAMPLE) },
        },
        errors: ['bad_request'],
      },
      run: ({ principal, query }) =>
        listReply(
          query,
          'users',
          (after, countMax) => services.store.members.page(principal.teamId, after, countMax),
          describe,
        ),
    }),
    namesRoute(services),
    describedRoute({
      ...shared,
      method: 'POST',
      path: '/v1/users',
      bodyBytesMax: NEW_USER_BYTES_MAX,
      operation: {
        operationId: 'createUser',
        summary: "Add a user to the caller's team",
        note: NEW_USER_NOTE,
        body: json(api.NEW_USER_SCHEMA, api.NEW_USER_EXAMPLE),
        replies: {
          201: { description: 'The user.', content: json(api.user, api.CREATED_USER_EXAMPLE) },
        },
        errors: ['bad_request'],
      },
      run: (call) => create(services, call),
    }),
    ...ACTIONS.map(({ name, operationId, summary, note, takesRole = false }) =>
      describedRoute({
        ...shared,
        method: 'POST',
        path: `/v1/users/:id/${name}`,
        bodyBytesMax: BODY_BYTES_MAX,
        operation: {
          operationId,
          summary,
          note,
          parameters: [id],
          body: takesRole ? json(api.ROLE_SCHEMA, { role: 'Viewer' }) : json(emptyBody, {}),
          replies,
          errors: takesRole
            ? ['bad_request', 'not_found', 'precondition_failed', 'rate_limited']
            : ['bad_request', 'not_found', 'rate_limited'],
        },
        run: (call) => act(services, call, name),
      }),
    ),
  ];
}

/** Names of the users whose identifiers versions, drafts and requests hold. */
function namesRoute(services: Services): GuardedRoute {
  return describedRoute({
    access: { scope: null, keyRefusal: 'insufficient_scope', roles: ROLES },
    counted: false,
    method: 'GET',
    path: '/v1/user-names',
    bodyBytesMax: 0,
    operation: {
      operationId: 'listUserNames',
      summary: "Names of the users of the caller's team",
      note: NAMES_NOTE,
      parameters: LIST_PAGING,
      replies: {
        200: {
          description: 'The names.',
          content: json(api.userNameList, api.USER_NAMES_EXAMPLE),
        },
      },
      errors: ['bad_request'],
    },
    run: ({ principal, query }) =>
      listReply(
        query,
        'users',
        (after, countMax) => services.store.members.page(principal.teamId, after, countMax),
        ({ userId, displayName, active }): api.UserName => ({ userId, displayName, active }),
      ),
  });
}

async function create(services: Services, call: GuardedCall): PendingReply<api.User> {
  const sent = readJsonBody(call, validateUser);
  if (!sent.ok) return sent;
  const { teamId, id: by } = call.principal;
  const fault = typedUserFault(sent.value);
  if (fault !== null) return fail('bad_request', fault);
  const user = { ...sent.value, teamId };
  const action = 'users.create';
  const subject = { detail: `user ${user.userId}, ${user.role}` };
  const record = auditRecord(call, services.nowMs(), action, SUCCEEDED, subject);
  const added = await services.store.members.add(user, by, record);
  if (added === 'role_lost') return refuseLost(services, call, action);
  return added.ok ? succeed(jsonReply(201, describe(added.value))) : added;
}

async function act(
  services: Services,
  call: GuardedCall,
  name: UserAction['name'],
): PendingReply<api.User> {
  const [userId = ''] = call.params;
  const { teamId, id: by } = call.principal;
  const action: AuditAction = `users.${name}`;
  const change = changeOf(call, name);
  if (!change.ok) return change;
  if (`user:${userId}` === by && name !== 'sign-out') {
    // Whoever changes others stays an Admin, so that a team is never left without one.
    return fail('bad_request', 'You cannot change your own user. Ask another Admin.');
  }
  const audit = (before: MemberRecord, after: MemberRecord) => {
    const role = before.role === after.role ? after.role : `${before.role} to ${after.role}`;
    const subject = { detail: `user ${after.userId}, ${role}` };
    return auditRecord(call, services.nowMs(), action, SUCCEEDED, subject);
  };
  const result = await services.store.members.act({
    teamId,
    userId,
    by,
    change: change.value,
    audit,
  });
  switch (result.kind) {
    case 'done':
      return succeed(jsonReply(200, describe(result.member)));
    case 'stale':
      return fail('precondition_failed', `The user is ${result.member.role} by now. Look again.`);
    case 'role_lost':
      return refuseLost(services, call, action);
    case 'absent':
    case 'foreign': {
      const refusal = await beforeNotFound(services, call, result.kind, action, {});
      return refusal ?? fail('not_found', 'The team has no such user.');
    }
  }
}

function changeOf(call: GuardedCall, name: UserAction['name']): Outcome<MemberChange> {
  if (name === 'sign-out') return succeed({ kind: 'sign-out' });
  if (name !== 'role') return succeed({ kind: 'active', active: name === 'reactivate' });
  const sent = readJsonBody(call, validateRole);
  return sent.ok ? succeed({ kind: 'role', ...sent.value }) : sent;
}

/** Another Admin was faster: of two who deactivate each other, only one does. */
async function refuseLost(
  services: Services,
  call: GuardedCall,
  action: AuditAction,
): Promise<Failure> {
  await services.store.audit.add(auditRecord(call, services.nowMs(), action, FORBIDDEN));
  return fail('forbidden', 'Your role was taken away meanwhile: nothing was changed.');
}

function describe(member: MemberRecord): api.User {
  const { userId, displayName, email, role, active, lastSignInAtMs } = member;
  const lastSignInAt = lastSignInAtMs === null ? null : isoTime(lastSignInAtMs);
  return { userId, displayName, email, role, active, lastSignInAt };
}
