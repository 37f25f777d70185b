import { randomUUID } from 'node:crypto';
import { CompiledQuery, sql } from 'kysely';
import { fail, type Outcome, succeed } from '../../errors.ts';
import type { Database } from '../database/database.ts';
import { clip, digest, hex, isUuid, randomToken } from '../ids.ts';
import { nameFault } from '../../runtime/readable-name.ts';
import type { Schema } from '../database/schema.ts';
import { type KeyLookup, type KeyStore, type KeyRecord, SCOPES, type Scope } from './types.ts';
import type { ListPage } from '../terms.ts';
import { listDigests } from './digest-list.ts';
import { teamExists } from './teams.ts';

const NAME_CHARACTERS_MAX = 255;
const RATE_MAX = 1_000_000;
/** The last use of a key is written at most once in this time. */
const TOUCH_MS = 60_000;
/** The prefix, and 256 bits in base64url. */
const API_KEY = /^ik_[A-Za-z0-9_-]{43}$/;
const UNKNOWN: KeyLookup = { state: 'unknown' };

/** API keys. Only their SHA-256 is stored and looked up, so keys themselves are never compared. */
export function keys(database: Database, wallMs: () => number): KeyStore {
  return {
    add: (key) => addKey(database, key, wallMs()),
    async find(apiKey) {
      const [found] = await findKeys(database, [apiKey], wallMs());
      return found ?? UNKNOWN;
    },
    findAll: (apiKeys) => findKeys(database, apiKeys, wallMs()),
    touch: (keyId) => touchKey(database, keyId, wallMs()),
    async list(teamId) {
      const rows = await database.read((db) => {
        let query = db.selectFrom('api_keys').selectAll();
        if (teamId !== null) query = query.where('team_id', '=', teamId);
        return query.orderBy('team_id').orderBy('created_at_ms').execute();
      });
      return rows.map(asKey);
    },
    page: (teamId, after, countMax) => listPage(database, teamId, after, countMax),
    get: (teamId, keyId) => getKey(database, teamId, keyId),
    async revoke(keyId) {
      if (!isUuid(keyId)) return false;
      const result = await database.write((db) =>
        db
          .updateTable('api_keys')
          .set({ revoked_at_ms: wallMs() })
          .where('key_id', '=', keyId)
          .where('revoked_at_ms', 'is', null)
          .executeTakeFirst(),
      );
      return result.numUpdatedRows === 1n;
    },
  };
}

async function getKey(
  database: Database,
  teamId: string,
  keyId: string,
): Promise<KeyRecord | null> {
  const row = await database.read((db) =>
    db
      .selectFrom('api_keys')
      .selectAll()
      .where('key_id', '=', keyId)
      .where('team_id', '=', teamId)
      .executeTakeFirst(),
  );
  return row === undefined ? null : asKey(row);
}

/** Lists a page of keys, the newest first, in the reverse order of the index `api_keys_order`. */
async function listPage(
  database: Database,
  teamId: string,
  after: string,
  countMax: number,
): Promise<ListPage<KeyRecord> | null> {
  const last = after === '' ? null : await getKey(database, teamId, after);
  if (after !== '' && last === null) return null;
  const rows = await database.read((db) => {
    let query = db.selectFrom('api_keys').selectAll().where('team_id', '=', teamId);
    if (last !== null) {
      const { createdAtMs } = last;
      query = query
        .where('created_at_ms', '<=', createdAtMs)
        .where((where) =>
          where.or([where('created_at_ms', '<', createdAtMs), where('key_id', '<', after)]),
        );
    }
    return query
      .orderBy('created_at_ms', 'desc')
      .orderBy('key_id', 'desc')
      .limit(sql.lit(countMax))
      .execute();
  });
  const next = rows.length < countMax ? null : (rows.at(-1)?.key_id ?? null);
  return { items: rows.map(asKey), next };
}

async function addKey(
  database: Database,
  key: Parameters<KeyStore['add']>[0],
  nowMs: number,
): Promise<Outcome<{ record: KeyRecord; apiKey: string }>> {
  const scopes = SCOPES.filter((scope) => key.scopes.includes(scope));
  const expiresAtMs = key.expiresAtMs ?? null;
  const defect = defectOf(scopes, key.rateLimitPerMinute);
  if (defect !== null) return fail('bad_request', defect);
  const fault = key.name === '' ? null : nameFault(key.name);
  if (fault !== null) return fail('bad_request', `name ${fault}.`);
  if (expiresAtMs !== null && expiresAtMs <= nowMs) {
    return fail('bad_request', 'The expiry of a key must lie in the future.');
  }
  if (!(await teamExists(database, key.teamId))) {
    return fail('not_found', 'There is no such team.');
  }
  const apiKey = `ik_${randomToken()}`;
  const row = {
    key_id: randomUUID(),
    digest: digest(apiKey),
    team_id: key.teamId,
    name: clip(key.name, NAME_CHARACTERS_MAX),
    scopes: scopes.join(' '),
    rate_limit_per_minute: key.rateLimitPerMinute,
    created_at_ms: nowMs,
    revoked_at_ms: null,
    expires_at_ms: expiresAtMs,
    last_used_at_ms: null,
  };
  await database.write((db) => db.insertInto('api_keys').values(row).execute());
  return succeed({ record: asKey(row), apiKey });
}

/**
 * Finds the rows of keys. A key for syncing works even when its team is inactive, else a sync could
 * lock itself out. Building this with kysely would cost as much as running it.
 */
const FIND_KEYS =
  'select api_keys.* from api_keys inner join teams on teams.team_id = api_keys.team_id' +
  " where (teams.active = 1 or api_keys.scopes = 'identity-sync') and api_keys.digest";

async function findKeys(
  database: Database,
  apiKeys: readonly string[],
  nowMs: number,
): Promise<readonly KeyLookup[]> {
  const list = listDigests(apiKeys, API_KEY);
  if (list === null) return apiKeys.map(() => UNKNOWN);
  const query = CompiledQuery.raw(`${FIND_KEYS} ${list.condition}`, [...list.parameters]);
  const { rows } = await database.read((db) => db.executeQuery<Schema['api_keys']>(query));
  const found = new Map(rows.map((row) => [hex(row.digest), row]));
  return list.digests.map((sha256) => {
    const row = found.get(sha256);
    return row === undefined ? UNKNOWN : validityOf(asKey(row), nowMs);
  });
}

async function touchKey(database: Database, keyId: string, nowMs: number): Promise<void> {
  await database.write((db) =>
    db
      .updateTable('api_keys')
      .set({ last_used_at_ms: nowMs })
      .where('key_id', '=', keyId)
      // Every instance calls this; only one of them writes.
      .where((where) =>
        where.or([
          where('last_used_at_ms', 'is', null),
          where('last_used_at_ms', '<=', nowMs - TOUCH_MS),
        ]),
      )
      .execute(),
  );
}

function validityOf(record: KeyRecord, nowMs: number): KeyLookup {
  if (record.revokedAtMs !== null) return { state: 'revoked', record };
  const isExpired = record.expiresAtMs !== null && record.expiresAtMs <= nowMs;
  return { state: isExpired ? 'expired' : 'valid', record };
}

function defectOf(scopes: readonly Scope[], rateLimitPerMinute: number | null): string | null {
  if (scopes.length === 0) return `A key needs at least one scope of ${SCOPES.join(', ')}.`;
  if (scopes.includes('identity-sync') && scopes.length > 1) {
    return 'The scope identity-sync must not be combined with any other scope.';
  }
  if (rateLimitPerMinute === null) return null;
  const fits =
    Number.isInteger(rateLimitPerMinute) &&
    rateLimitPerMinute >= 1 &&
    rateLimitPerMinute <= RATE_MAX;
  return fits ? null : `A rate limit is a whole number from 1 to ${RATE_MAX} per minute.`;
}

function asKey(row: Schema['api_keys']): KeyRecord {
  const scopes = row.scopes.split(' ');
  return {
    keyId: row.key_id,
    teamId: row.team_id,
    name: row.name,
    scopes: SCOPES.filter((scope) => scopes.includes(scope)),
    rateLimitPerMinute: row.rate_limit_per_minute,
    createdAtMs: row.created_at_ms,
    revokedAtMs: row.revoked_at_ms,
    expiresAtMs: row.expires_at_ms,
    lastUsedAtMs: row.last_used_at_ms,
  };
}
