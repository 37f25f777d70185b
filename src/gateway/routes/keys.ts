import * as api from '../../api/keys.ts';
import { emptyBody, uuid } from '../../api/schema.ts';
import { fail, succeed } from '../../errors.ts';
import { describeKey, type KeyRecord, type ListPage } from '../../store/store.ts';
import type { AuditAction } from '../audit.ts';
import { auditRecord, SUCCEEDED } from '../audit.ts';
import { readJsonBody } from '../body/json-body.ts';
import { LIST_PAGING, listReply } from '../list-pages.ts';
import { jsonReply, type PendingReply } from '../reply/reply.ts';
import { json, parameter } from '../openapi/operation.ts';
import type { GuardedCall, GuardedRoute, Services } from '../route.ts';
import { describedRoute, isoTime } from '../route.ts';
import { createValidator } from '../body/validator.ts';

const BODY_BYTES_MAX = 4_096;
const validate = createValidator(api.KEY_SCHEMA);

/** The API keys of the caller's team, for its Admins. */
export function keyRoutes(services: Services): readonly GuardedRoute[] {
  const access = { scope: null, keyRefusal: 'insufficient_scope', roles: ['Admin'] } as const;
  const shared = { access, counted: false } as const;
  return [
    describedRoute({
      ...shared,
      method: 'GET',
      path: '/v1/keys',
      bodyBytesMax: 0,
      operation: {
        operationId: 'listKeys',
        summary: "API keys of the caller's team",
        note:
          'The newest come first. Keys of the identity sync are not shown. A page may hold fewer ' +
          'than asked for.',
        parameters: LIST_PAGING,
        replies: {
          200: { description: 'The keys.', content: json(api.keyList, api.KEYS_EXAMPLE) },
        },
        errors: ['bad_request'],
      },
      run: (call) => list(services, call),
    }),
    describedRoute({
      ...shared,
      method: 'POST',
      path: '/v1/keys',
      bodyBytesMax: BODY_BYTES_MAX,
      operation: {
        operationId: 'createKey',
        summary: 'Create an API key',
        note: 'apiKey is shown only once.',
        body: json(api.KEY_SCHEMA, api.NEW_KEY_EXAMPLE),
        replies: {
          201: { description: 'Created.', content: json(api.createdKey, api.CREATED_KEY_EXAMPLE) },
        },
        errors: ['bad_request'],
      },
      run: (call) => create(services, call),
    }),
    describedRoute({
      ...shared,
      method: 'POST',
      path: '/v1/keys/:id/revoke',
      bodyBytesMax: BODY_BYTES_MAX,
      operation: {
        operationId: 'revokeKey',
        summary: 'Revoke an API key',
        note: 'The key stops working within seconds.',
        parameters: [parameter('path', 'id', uuid, api.KEY_ID, 'Identifier of the key.')],
        body: json(emptyBody, {}),
        replies: {
          200: { description: 'The key.', content: json(api.key, api.REVOKED_KEY_EXAMPLE) },
        },
        errors: ['not_found'],
      },
      run: (call) => revoke(services, call),
    }),
  ];
}

function list(services: Services, { principal, query }: GuardedCall): PendingReply<api.KeyList> {
  const read = async (after: string, countMax: number): Promise<ListPage<TeamKey> | null> => {
    const page = await services.store.keys.page(principal.teamId, after, countMax);
    return page === null ? null : { ...page, items: page.items.filter(isOfTeam) };
  };
  return listReply(query, 'keys', read, describe);
}

/** Excludes keys of the identity sync: they concern all teams and belong to the operator. */
function isOfTeam(key: KeyRecord): key is TeamKey {
  return !key.scopes.includes('identity-sync');
}

type TeamKey = KeyRecord & Pick<api.Key, 'scopes'>;

async function create(services: Services, call: GuardedCall): PendingReply<api.CreatedKey> {
  const sent = readJsonBody(call, validate);
  if (!sent.ok) return sent;
  const { name, scopes, rateLimitPerMinute = null, expiresAt } = sent.value;
  const { teamId } = call.principal;
  const expiresAtMs = expiresAt === undefined ? null : Date.parse(expiresAt);
  const added = await services.store.keys.add({
    teamId,
    name,
    scopes,
    rateLimitPerMinute,
    expiresAtMs,
  });
  if (!added.ok) return added;
  const { record: key, apiKey } = added.value;
  await record(services, call, 'keys.create', key);
  return succeed(jsonReply(201, { ...describe({ ...key, scopes }), apiKey }));
}

async function revoke(services: Services, call: GuardedCall): PendingReply<api.Key> {
  const [keyId = ''] = call.params;
  const { keys } = services.store;
  const { teamId } = call.principal;
  const key = await keys.get(teamId, keyId);
  // Key ids are random, so those of another team cannot be guessed, and a 404 needs no audit
  // record.
  if (key === null || !isOfTeam(key)) return fail('not_found', 'There is no such key.');
  if (await keys.revoke(keyId)) await record(services, call, 'keys.revoke', key);
  const now = await keys.get(teamId, keyId);
  return now === null || !isOfTeam(now)
    ? fail('not_found')
    : succeed(jsonReply(200, describe(now)));
}

function record(
  services: Services,
  call: GuardedCall,
  action: AuditAction,
  key: KeyRecord,
): Promise<void> {
  const subject = { detail: describeKey(key) };
  return services.store.audit.add(auditRecord(call, services.nowMs(), action, SUCCEEDED, subject));
}

function describe(key: TeamKey): api.Key {
  const { keyId, name, scopes, rateLimitPerMinute } = key;
  const { createdAtMs, revokedAtMs, expiresAtMs, lastUsedAtMs } = key;
  return {
    keyId,
    name,
    scopes,
    rateLimitPerMinute,
    createdAt: isoTime(createdAtMs),
    revokedAt: timeOrNull(revokedAtMs),
    expiresAt: timeOrNull(expiresAtMs),
    lastUsedAt: timeOrNull(lastUsedAtMs),
  };
}

function timeOrNull(ms: number | null): string | null {
  return ms === null ? null : isoTime(ms);
}
