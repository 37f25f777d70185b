import * as api from '../../api/identities.ts';
import type { Failure, Outcome } from '../../errors.ts';
import { fail, succeed } from '../../errors.ts';
import type {
  DeactivationLimit,
  IdentitySync,
  IdentityTeam,
  UserRecord,
} from '../../store/store.ts';
import { auditRecord, SUCCEEDED } from '../audit.ts';
import type { Access } from '../callers/auth.ts';
import { TimeSlice } from '../../runtime/time-slice.ts';
import { isJson } from '../http/content.ts';
import type { ItemTaker } from '../body/json-lists.ts';
import { readLists } from '../body/json-lists.ts';
import { json } from '../openapi/operation.ts';
import { jsonReply, type PendingReply, writtenReply } from '../reply/reply.ts';
import { describedRoute, type GuardedCall, type GuardedRoute, type Services } from '../route.ts';
import type { Validator } from '../body/validator.ts';
import { createValidator } from '../body/validator.ts';

/** Enough for 50,000 users in one request. */
const BODY_BYTES_MAX = 16 * 1024 * 1024;
const TEAMS_AT_ONCE = 1_000;
const PATH = '/v1/sync/identities';
const ACCESS: Access = { scope: 'identity-sync', keyRefusal: 'insufficient_scope', roles: [] };

const { teams: TEAMS, users: USERS } = api.IDENTITIES_SCHEMA.properties;
const validate = createValidator(api.IDENTITIES_SCHEMA);
const validateTeam = createValidator(TEAMS.items);
const validateUser = createValidator(USERS.items);

/** GET and POST /v1/sync/identities: lists and replaces teams and users. */
export function identityRoutes(services: Services): readonly GuardedRoute[] {
  const common = { path: PATH, access: ACCESS, counted: false } as const;
  return [
    // A call holds all rows and their text in memory: about 30 MB for 60,000 users.
    describedRoute({
      ...common,
      method: 'GET',
      bodyBytesMax: 0,
      oneAtATime: true,
      operation: {
        operationId: 'listIdentities',
        summary: 'List all teams and users',
        replies: {
          200: {
            description: 'All teams and users.',
            content: json(api.identities, api.IDENTITIES_EXAMPLE),
          },
        },
        errors: [],
      },
      run: () => list(services),
    }),
    describedRoute({
      ...common,
      method: 'POST',
      bodyBytesMax: BODY_BYTES_MAX,
      oneAtATime: true,
      operation: {
        operationId: 'syncIdentities',
        summary: 'Create, change and deactivate teams and users',
        body: json(api.IDENTITIES_SCHEMA, api.IDENTITIES_EXAMPLE),
        replies: {
          200: {
            description: 'Numbers of changes.',
            content: json(api.identityCounts, api.IDENTITY_COUNTS_EXAMPLE),
          },
        },
        errors: ['bad_request', 'payload_too_large'],
      },
      run: (call) => synchronise(services, call),
    }),
  ];
}

/** The text has about 10 MB for 60,000 users, so it is built, encoded and joined page by page. */
async function list({ store }: Services): PendingReply<api.Identities> {
  const text = new SlicedText();
  text.add('{"teams":[');
  let separator = '';
  const teams = await store.teams.list();
  for (let at = 0; at < teams.length; at += TEAMS_AT_ONCE) {
    await text.addItems(separator, teams.slice(at, at + TEAMS_AT_ONCE));
    separator = ',';
  }
  text.add('],"users":[');
  separator = '';
  for await (const users of store.users.pages(null)) {
    if (users.length === 0) break;
    await text.addItems(separator, users);
    separator = ',';
  }
  text.add(']}');
  const body = await text.join();
  return succeed(writtenReply<api.Identities>(body, { ownsBody: true }));
}

/** Builds a long text as UTF-8 in time slices. */
class SlicedText {
  readonly #slice = new TimeSlice();
  readonly #pieces: Buffer[] = [];
  #bytes = 0;

  add(text: string): void {
    const piece = Buffer.from(text);
    this.#pieces.push(piece);
    this.#bytes += piece.length;
  }

  /** The items of a JSON array, without its brackets. */
  async addItems(
    separator: string,
    items: readonly (api.IdentityTeam | api.IdentityUser)[],
  ): Promise<void> {
    if (this.#slice.isOver) await this.#slice.next();
    this.add(separator + JSON.stringify(items).slice(1, -1));
  }

  /** The whole text, in a buffer that nothing else shares. */
  async join(): Promise<Uint8Array> {
    const joined = Buffer.allocUnsafeSlow(this.#bytes);
    let at = 0;
    for (const piece of this.#pieces) {
      if (this.#slice.isOver) await this.#slice.next();
      at += piece.copy(joined, at);
    }
    return joined;
  }
}

async function synchronise(
  services: Services,
  call: GuardedCall,
): PendingReply<api.IdentityCounts> {
  if (!isJson(call.exchange.headers.contentType)) {
    return fail('bad_request', 'Content-Type must be application/json.');
  }
  const sent = await readIdentities(call.body);
  if (!sent.ok) return sent;
  const { sync, deactivatesAtMost } = sent.value;
  const percentMax = sync.full ? services.options.syncDeactivatePercentMax : null;
  const synced = await services.store.users.sync(sync, limitOf(deactivatesAtMost, percentMax));
  if (!synced.ok) return synced;
  const entry = auditRecord(call, services.nowMs(), 'identities.sync', SUCCEEDED);
  await services.store.audit.add(entry);
  return succeed(jsonReply(200, synced.value));
}

interface SentSync {
  readonly sync: IdentitySync;
  readonly deactivatesAtMost: number | undefined;
}

async function readIdentities(body: Uint8Array): Promise<Outcome<SentSync>> {
  const teams = new Taker('teams', validateTeam, completeTeam);
  const users = new Taker('users', validateUser, completeUser);
  const others = await readLists(body, { teams, users });
  if (!others.ok) return others;
  const checked = validate(others.value);
  if (!checked.ok) return checked;
  const full = checked.value.full === true;
  const { deactivatesAtMost } = checked.value;
  return succeed({ sync: { teams: teams.kept, users: users.kept, full }, deactivatesAtMost });
}

/** `percentMax`: the share that a full sync may deactivate without naming a number; null: any. */
function limitOf(named: number | undefined, percentMax: number | null): DeactivationLimit {
  if (named !== undefined) return { kind: 'count', max: named };
  return percentMax === null ? { kind: 'none' } : { kind: 'percent', max: percentMax };
}

function completeTeam({ teamId, name, active = true }: api.SentTeam): IdentityTeam {
  return { teamId, name, active };
}

function completeUser(user: api.SentUser): UserRecord {
  const { userId, teamId, role, displayName = '', email = '', active = true } = user;
  return { userId, teamId, role, displayName, email, active };
}

/** Checks and collects the items of a list in the body. */
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
