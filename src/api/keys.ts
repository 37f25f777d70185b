import { type Scope, SCOPES } from '../store/store.ts';
import {
  list,
  next,
  object,
  PLAIN_PATTERN,
  text,
  time,
  timeOrNull,
  type TypeOf,
  uuid,
} from './schema.ts';

/** API keys: schemas, types and examples. */

/** Scopes that an Admin may grant; the identity sync reaches all teams and is left to the operator. */
type TeamScope = Exclude<Scope, 'identity-sync'>;
export const TEAM_SCOPES = SCOPES.filter((scope): scope is TeamScope => scope !== 'identity-sync');

const scope = { type: 'string', enum: TEAM_SCOPES } as const;

export const KEY_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['name', 'scopes'],
  properties: {
    name: {
      type: 'string',
      minLength: 1,
      maxLength: 100,
      pattern: PLAIN_PATTERN,
      description: 'For people.',
    },
    scopes: {
      type: 'array',
      minItems: 1,
      uniqueItems: true,
      items: scope,
    },
    rateLimitPerMinute: {
      type: 'integer',
      minimum: 1,
      maximum: 1_000_000,
      description:
        'Calls per minute: those to generate, and those that create, check or start a run, whatever' +
        " their outcome. The service's default when omitted.",
    },
    expiresAt: {
      type: 'string',
      format: 'date-time',
      description: 'ISO 8601. The key does not expire when omitted.',
    },
  },
} as const;

const ofKey = {
  keyId: uuid,
  name: text,
  scopes: list(scope),
  rateLimitPerMinute: {
    type: ['integer', 'null'],
    description: "Calls per minute. null: the service's default.",
  },
  createdAt: time,
  revokedAt: timeOrNull,
  expiresAt: timeOrNull,
  lastUsedAt: { ...timeOrNull, description: 'Exact to a minute.' },
} as const;
export const key = object(ofKey);
export const keyList = object({ keys: list(key), next });
export const createdKey = object({ ...ofKey, apiKey: text });

export type CreateKeyRequest = TypeOf<typeof KEY_SCHEMA>;
export type Key = TypeOf<typeof key>;
export type KeyList = TypeOf<typeof keyList>;
export type CreatedKey = TypeOf<typeof createdKey>;

export const KEY_ID = '5d0f7c1e-3b2a-4c6d-8e9f-0a1b2c3d4e5f';
const AT = '2026-11-22T03:04:05.678Z';
const KEY_EXAMPLE = {
  keyId: KEY_ID,
  name: 'core banking',
  scopes: ['generate', 'documents:read'],
  rateLimitPerMinute: null,
  createdAt: AT,
  revokedAt: null,
  expiresAt: null,
  lastUsedAt: AT,
} satisfies Key;
export const KEYS_EXAMPLE = { keys: [KEY_EXAMPLE], next: null } satisfies KeyList;
export const NEW_KEY_EXAMPLE = {
  name: 'core banking',
  scopes: ['generate', 'documents:read'],
} satisfies CreateKeyRequest;
export const CREATED_KEY_EXAMPLE = {
  ...KEY_EXAMPLE,
  lastUsedAt: null,
  apiKey: `ik_${'x'.repeat(43)}`,
} satisfies CreatedKey;
export const REVOKED_KEY_EXAMPLE = { ...KEY_EXAMPLE, revokedAt: AT } satisfies Key;
