import type { Outcome } from '../../errors.ts';
import { succeed } from '../../errors.ts';
import type { Role } from '../../store/store.ts';
import { auditRecord } from '../audit.ts';
import type { Access } from '../auth.ts';
import { readJsonBody } from '../json-body.ts';
import type { Reply } from '../reply.ts';
import { jsonReply } from '../reply.ts';
import type { GuardedCall, GuardedRoute, Services } from '../route.ts';
import { IDENTITIES_SCHEMA } from '../schemas.ts';
import { createValidator } from '../validator.ts';

/** Room for 50,000 users in one request. */
const BODY_BYTES_MAX = 16 * 1024 * 1024;
const PATH = '/v1/sync/identities';
const ACCESS: Access = { scope: 'identity-sync', keyRefusal: 'insufficient_scope', roles: [] };

interface SentIdentities {
  readonly teams?: readonly { teamId: string; name: string; active?: boolean }[];
  readonly users?: readonly {
    userId: string;
    teamId: string;
    role: Role;
    displayName?: string;
    email?: string;
    active?: boolean;
  }[];
  readonly full?: boolean;
}

const validate = createValidator<SentIdentities>(IDENTITIES_SCHEMA);

/** GET and POST /v1/sync/identities: who is there, and who should be. */
export function identityRoutes(services: Services): readonly GuardedRoute[] {
  const common = { kind: 'guarded', path: PATH, access: ACCESS, counted: false } as const;
  return [
    { ...common, method: 'GET', bodyBytesMax: 0, run: () => list(services) },
    {
      ...common,
      method: 'POST',
      bodyBytesMax: BODY_BYTES_MAX,
      run: (call) => synchronise(services, call),
    },
  ];
}

async function list(services: Services): Promise<Outcome<Reply>> {
  const teams = await services.store.teams.list();
  const users = await services.store.users.list(null);
  return succeed(jsonReply(200, { teams, users }));
}

async function synchronise(services: Services, call: GuardedCall): Promise<Outcome<Reply>> {
  const sent = readJsonBody(call, validate);
  if (!sent.ok) return sent;
  const { teams = [], users = [], full = false } = sent.value;
  const synced = await services.store.users.sync({
    teams: teams.map(({ teamId, name, active = true }) => ({ teamId, name, active })),
    users: users.map(({ displayName = '', email = '', active = true, ...user }) => ({
      ...user,
      displayName,
      email,
      active,
    })),
    full,
  });
  if (!synced.ok) return synced;
  const { exchange, principal } = call;
  const atMs = services.nowMs();
  await services.store.audit.add(
    auditRecord(exchange, principal, atMs, 'identities.sync', 'succeeded', '', {}),
  );
  return succeed(jsonReply(200, synced.value));
}
