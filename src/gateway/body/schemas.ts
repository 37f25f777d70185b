import { PLAIN_PATTERN } from '../../api/schema.ts';
import { ROLES, SCOPES } from '../../store/store.ts';
import { HASH, NOTE_TEXT } from './approval-schemas.ts';

/** Schemas of request bodies, which validate requests and are part of /openapi.json. */

/** Scopes that an Admin may grant; the identity sync reaches all teams and is left to the operator. */
export const TEAM_SCOPES = SCOPES.filter((scope) => scope !== 'identity-sync');

const idText = { type: 'string', minLength: 1, maxLength: 128 } as const;

export const VERIFY_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  minProperties: 1,
  maxProperties: 1,
  properties: {
    sha256: {
      type: 'string',
      pattern: '^[0-9a-fA-F]{64}$',
      description: 'Hexadecimal SHA-256 of the file.',
    },
    reference: {
      type: 'string',
      minLength: 1,
      maxLength: 255,
      description: 'The reference that is printed on the document.',
    },
  },
} as const;

export const PUBLISH_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  properties: {
    note: {
      ...NOTE_TEXT,
      description:
        'Why, kept with the version. When left out, it is the note of the request for approval.',
    },
    compared: {
      type: 'object',
      additionalProperties: false,
      required: ['draft', 'published'],
      description:
        'What the publisher has compared. Required once a version of the template is published.',
      properties: {
        draft: { ...HASH, description: 'Hash of the draft, as getTemplate tells it.' },
        published: {
          ...HASH,
          type: ['string', 'null'],
          description: 'Hash of the latest version in use; null: no version is in use.',
        },
        changes: {
          type: 'array',
          maxItems: 1_000,
          items: { type: 'string', maxLength: 16 },
          description:
            'The id of each change that checkDraft lists: the publisher has seen it. Required where ' +
            'publishing takes two people.',
        },
      },
    },
  },
} as const;

export const ROLLBACK_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['version'],
  properties: {
    version: {
      type: 'integer',
      minimum: 1,
      maximum: 2_147_483_647,
      description: 'The version whose content is published again.',
    },
    note: { ...NOTE_TEXT, description: 'Why, kept with the new version.' },
  },
} as const;

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
      items: { type: 'string', enum: TEAM_SCOPES },
    },
    rateLimitPerMinute: {
      type: 'integer',
      minimum: 1,
      maximum: 1_000_000,
      description: "Generate calls per minute. The service's default when omitted.",
    },
    expiresAt: {
      type: 'string',
      format: 'date-time',
      description: 'ISO 8601. The key does not expire when omitted.',
    },
  },
} as const;

const ROLE = { type: 'string', enum: [...ROLES] } as const;

export const ROLE_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['role'],
  properties: {
    role: ROLE,
    was: { ...ROLE, description: 'Refuses the change if the user has another role by now.' },
  },
} as const;

export const NEW_USER_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['userId', 'role'],
  properties: {
    userId: { type: 'string', minLength: 1, maxLength: 128 },
    displayName: { type: 'string', maxLength: 255 },
    email: { type: 'string', maxLength: 255 },
    role: ROLE,
  },
} as const;

export const IDENTITIES_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  properties: {
    teams: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['teamId', 'name'],
        properties: {
          teamId: idText,
          name: { type: 'string', maxLength: 200, pattern: PLAIN_PATTERN },
          active: { type: 'boolean' },
        },
      },
    },
    users: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['userId', 'teamId', 'role'],
        properties: {
          userId: idText,
          teamId: idText,
          role: { type: 'string', enum: [...ROLES] },
          displayName: { type: 'string', maxLength: 200, pattern: PLAIN_PATTERN },
          email: { type: 'string', maxLength: 320 },
          active: { type: 'boolean' },
        },
      },
    },
    full: {
      type: 'boolean',
      description:
        'Deactivate every team that teams does not list, and every user that users does not.' +
        ' Concerns only the lists that are sent; each must name somebody.',
    },
    deactivatesAtMost: {
      type: 'integer',
      minimum: 0,
      description:
        'Refuse the sync when it would deactivate more teams and users than this. Lifts the share ' +
        'that the operator may have set.',
    },
  },
} as const;
