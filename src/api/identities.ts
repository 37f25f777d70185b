import { count, flag, list, object, PLAIN_PATTERN, text, type TypeOf } from './schema.ts';
import { role } from './users.ts';

/** Teams and users of all teams, for the system that manages them: schemas, types and examples. */

const idText = { type: 'string', minLength: 1, maxLength: 128 } as const;

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
          active: flag,
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
          role,
          displayName: { type: 'string', maxLength: 200, pattern: PLAIN_PATTERN },
          email: { type: 'string', maxLength: 320 },
          active: flag,
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

const team = object({ teamId: text, name: text, active: flag });
const member = object({
  userId: text,
  teamId: text,
  role,
  displayName: text,
  email: text,
  active: flag,
});
export const identities = object({ teams: list(team), users: list(member) });

export const changeCounts = object({
  created: count,
  updated: count,
  deactivated: count,
  unchanged: count,
});
export const identityCounts = object({ teams: changeCounts, users: changeCounts });

export type SyncIdentitiesRequest = TypeOf<typeof IDENTITIES_SCHEMA>;
export type SentTeam = TypeOf<typeof IDENTITIES_SCHEMA.properties.teams.items>;
export type SentUser = TypeOf<typeof IDENTITIES_SCHEMA.properties.users.items>;
export type Identities = TypeOf<typeof identities>;
export type IdentityTeam = TypeOf<typeof team>;
export type IdentityUser = TypeOf<typeof member>;
export type IdentityCounts = TypeOf<typeof identityCounts>;

export const IDENTITIES_EXAMPLE = {
  teams: [{ teamId: 'retail', name: 'Retail banking', active: true }],
  users: [
    {
      userId: 'anong',
      teamId: 'retail',
      role: 'Editor',
      displayName: 'Anong S.',
      email: 'anong@bank.example',
      active: true,
    },
  ],
} satisfies Identities & SyncIdentitiesRequest;
export const IDENTITY_COUNTS_EXAMPLE = {
  teams: { created: 1, updated: 0, deactivated: 0, unchanged: 0 },
  users: { created: 1, updated: 0, deactivated: 0, unchanged: 0 },
} satisfies IdentityCounts;
