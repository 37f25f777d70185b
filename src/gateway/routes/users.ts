import type { Failure, Outcome } from '../../errors.ts';
import { fail, succeed } from '../../errors.ts';
import type { Role, UserRecord } from '../../store/store.ts';
import { type AuditAction, auditRecord, SUCCEEDED } from '../audit.ts';
import { readJsonBody } from '../body/json-body.ts';
import { ROLE_SCHEMA } from '../body/schemas.ts';
import { createValidator } from '../body/validator.ts';
import { LIST_PAGING, listReply } from '../list-pages.ts';
import { json, parameter } from '../openapi/operation.ts';
import * as schemas from '../openapi/schemas.ts';
import { STUDIO_EXAMPLES as examples } from '../openapi/studio-examples.ts';
import * as studio from '../openapi/studio-schemas.ts';
import { jsonReply, type Reply } from '../reply/reply.ts';
import { beforeNotFound, type GuardedCall, type GuardedRoute, type Services } from '../route.ts';

const BODY_BYTES_MAX = 1_024;
const validateRole = createValidator<{ readonly role: Role }>(ROLE_SCHEMA);

/** The changes that an Admin can make to a user of the team. */
interface UserAction {
  readonly name: 'role' | 'deactivate' | 'reactivate' | 'sign-out';
  readonly operationId: string;
  readonly summary: string;
  readonly note: string;
  readonly takesRole?: boolean;
}

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

/** The users of the caller's team, for its Admins. */
export function userRoutes(services: Services): readonly GuardedRoute[] {
  const access = { scope: null, keyRefusal: 'insufficient_scope', roles: ['Admin'] } as const;
  const shared = { kind: 'guarded', access, counted: false } as const;
  const replies = { 200: { description: 'The user.', content: json(studio.user, examples.user) } };
  const id = parameter('path', 'id', schemas.text, examples.user.userId, 'Id of the user.');
  return [
    {
      ...shared,
      method: 'GET',
      path: '/v1/users',
      bodyBytesMax: 0,
      operation: {
        operationId: 'listUsers',
        summary: "Users of the caller's team",
        parameters: LIST_PAGING,
        replies: {
          200: { description: 'The users.', content: json(studio.userList, examples.users) },
        },
        errors: ['bad_request'],
      },
      run: ({ principal, query }) =>
        listReply(
          query,
          'users',
          (after, countMax) => services.store.users.page(principal.teamId, after, countMax),
          describe,
        ),
    },
    ...ACTIONS.map(({ name, operationId, summary, note, takesRole = false }): GuardedRoute => ({
      ...shared,
      method: 'POST',
      path: `/v1/users/:id/${name}`,
      bodyBytesMax: BODY_BYTES_MAX,
      operation: {
        operationId,
        summary,
        note,
        parameters: [id],
        body: takesRole ? json(ROLE_SCHEMA, { role: 'Viewer' }) : json(schemas.emptyBody, {}),
        replies,
        errors: ['bad_request', 'not_found', 'rate_limited'],
      },
      run: (call) => act(services, call, name),
    })),
  ];
}

async function act(
  services: Services,
  call: GuardedCall,
  name: UserAction['name'],
): Promise<Outcome<Reply>> {
  const action: AuditAction = `users.${name}`;
  const found = await findUser(services, call, action);
  if (!found.ok) return found;
  const before = found.value;
  const { users, sessions } = services.store;
  let after: UserRecord | null = before;
  if (name === 'role') {
    const sent = readJsonBody(call, validateRole);
    if (!sent.ok) return sent;
    after = await users.change(before.userId, sent.value);
  } else if (name === 'sign-out') await sessions.endAll(before.userId);
  else after = await users.change(before.userId, { active: name === 'reactivate' });
  if (after === null) return fail('not_found', NO_USER);
  const role = before.role === after.role ? after.role : `${before.role} to ${after.role}`;
  const subject = { detail: `user ${after.userId}, ${role}` };
  const record = auditRecord(call, services.nowMs(), action, SUCCEEDED, subject);
  await services.store.audit.add(record);
  return succeed(jsonReply(200, describe(after)));
}

const NO_USER = 'The team has no such user.';

/** The user of the team that the address names, who is not the caller. */
async function findUser(
  services: Services,
  call: GuardedCall,
  action: AuditAction,
): Promise<Outcome<UserRecord>> {
  const [userId = ''] = call.params;
  const user = await services.store.users.find(userId);
  if (user === null || user.teamId !== call.principal.teamId) {
    const why = user === null ? 'absent' : 'foreign';
    const refusal: Failure | null = await beforeNotFound(services, call, why, action, {});
    return refusal ?? fail('not_found', NO_USER);
  }
  if (`user:${userId}` === call.principal.id) {
    // Otherwise a team could be left without an Admin by one click.
    return fail('bad_request', 'You cannot change your own user. Ask another Admin.');
  }
  return succeed(user);
}

function describe({ userId, displayName, email, role, active }: UserRecord): object {
  return { userId, displayName, email, role, active };
}
