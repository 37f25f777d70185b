import type { Failure, Outcome } from '../../errors.ts';
import { fail, succeed } from '../../errors.ts';
import type { IdentitySync, IdentityTeam, Role, UserRecord } from '../../store/store.ts';
import { auditRecord } from '../audit.ts';
import type { Access } from '../auth.ts';
import { Turns } from '../../turns.ts';
import { isJson } from '../http/headers.ts';
import type { ItemTaker } from '../json-lists.ts';
import { readLists } from '../json-lists.ts';
import type { Reply } from '../reply.ts';
import { JSON_TYPE, jsonReply } from '../reply.ts';
import type { GuardedCall, GuardedRoute, Services } from '../route.ts';
import { IDENTITIES_SCHEMA } from '../schemas.ts';
import type { Validator } from '../validator.ts';
import { createValidator } from '../validator.ts';

/** Room for 50,000 users in one request. */
const BODY_BYTES_MAX = 16 * 1024 * 1024;
const PATH = '/v1/sync/identities';
const ACCESS: Access = { scope: 'identity-sync', keyRefusal: 'insufficient_scope', roles: [] };

interface SentTeam {
  readonly teamId: string;
  readonly name: string;
  readonly active?: boolean;
}

interface SentUser {
  readonly userId: string;
  readonly teamId: string;
  readonly role: Role;
  readonly displayName?: string;
  readonly email?: string;
  readonly active?: boolean;
}

const { teams: TEAMS, users: USERS } = IDENTITIES_SCHEMA.properties;
const validate = createValidator<{ readonly full?: boolean }>(IDENTITIES_SCHEMA);
const validateTeam = createValidator<SentTeam>(TEAMS.items);
const validateUser = createValidator<SentUser>(USERS.items);

/** GET and POST /v1/sync/identities: who is there, and who should be. */
export function identityRoutes(services: Services): readonly GuardedRoute[] {
  const common = { kind: 'guarded', path: PATH, access: ACCESS, counted: false } as const;
  return [
    // Each call holds all rows and their text, some 30 MB for 60,000 users.
    { ...common, method: 'GET', bodyBytesMax: 0, oneAtATime: true, run: () => list(services) },
    {
      ...common,
      method: 'POST',
      bodyBytesMax: BODY_BYTES_MAX,
      oneAtATime: true,
      run: (call) => synchronise(services, call),
    },
  ];
}

async function list(services: Services): Promise<Outcome<Reply>> {
  const teams = await services.store.teams.list();
  const users = await services.store.users.list(null);
  const body = `{"teams":${await listText(teams)},"users":${await listText(users)}}`;
  return succeed({ status: 200, headers: JSON_TYPE, body });
}

/** As JSON.stringify, in turns. */
async function listText(items: readonly object[]): Promise<string> {
  const turns = new Turns();
  const texts: string[] = [];
  for (const item of items) {
    texts.push(JSON.stringify(item));
    if (turns.isOver) await turns.next();
  }
  return `[${texts.join(',')}]`;
}

async function synchronise(services: Services, call: GuardedCall): Promise<Outcome<Reply>> {
  if (!isJson(call.exchange.headers.contentType)) {
    return fail('bad_request', 'Content-Type must be application/json.');
  }
  const sent = await readIdentities(call.body);
  if (!sent.ok) return sent;
  const synced = await services.store.users.sync(sent.value);
  if (!synced.ok) return synced;
  const { exchange, principal } = call;
  const atMs = services.nowMs();
  await services.store.audit.add(
    auditRecord(exchange, principal, atMs, 'identities.sync', 'succeeded', '', {}),
  );
  return succeed(jsonReply(200, synced.value));
}

async function readIdentities(body: Uint8Array): Promise<Outcome<IdentitySync>> {
  const teams = new Taker('teams', validateTeam, completeTeam);
  const users = new Taker('users', validateUser, completeUser);
  const others = await readLists(body, { teams, users });
  if (!others.ok) return others;
  const checked = validate(others.value);
  if (!checked.ok) return checked;
  const full = checked.value.full === true;
  return succeed({ teams: teams.kept, users: users.kept, full });
}

function completeTeam({ teamId, name, active = true }: SentTeam): IdentityTeam {
  return { teamId, name, active };
}

function completeUser(user: SentUser): UserRecord {
  const { userId, teamId, role, displayName = '', email = '', active = true } = user;
  return { userId, teamId, role, displayName, email, active };
}

/** Checks and keeps the items of one list of the body. */
class Taker<Sent, Kept> implements ItemTaker {
  /** null: the body has no such list. */
  kept: Kept[] | null = null;
  readonly #name: string;
  readonly #check: Validator<Sent>;
  readonly #complete: (sent: Sent) => Kept;

  constructor(name: string, check: Validator<Sent>, complete: (sent: Sent) => Kept) {
    this.#name = name;
    this.#check = check;
    this.#complete = complete;
  }

  begin(): void {
    this.kept = [];
  }

  take(item: unknown, index: number): Failure | null {
    const sent = this.#check(item, `${this.#name}[${index}]`);
    if (!sent.ok) return sent;
    this.kept?.push(this.#complete(sent.value));
    return null;
  }
}
