import { ROLES } from '../store/store.ts';
import { flag, list, next, object, text, timeOrNull, type TypeOf } from './schema.ts';

/** Users of a team: schemas, types and examples. */

export const role = { type: 'string', enum: ROLES } as const;

export const ROLE_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['role'],
  properties: {
    role,
    was: { ...role, description: 'Refuses the change if the user has another role by now.' },
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
    role,
  },
} as const;

export const user = object({
  userId: text,
  displayName: text,
  email: text,
  role,
  active: { ...flag, description: 'false: the user cannot sign in.' },
  lastSignInAt: { ...timeOrNull, description: 'null: never since this is recorded.' },
});
export const userList = object({ users: list(user), next });

export const userName = object({
  userId: text,
  displayName: text,
  active: { ...flag, description: 'false: the user cannot sign in.' },
});
export const userNameList = object({ users: list(userName), next });

export type UserName = TypeOf<typeof userName>;
export type UserNameList = TypeOf<typeof userNameList>;
export type CreateUserRequest = TypeOf<typeof NEW_USER_SCHEMA>;
export type User = TypeOf<typeof user>;
export type UserList = TypeOf<typeof userList>;

export const USER_EXAMPLE = {
  userId: 'mali',
  displayName: 'มะลิ ใจงาม',
  email: 'mali@bank.example',
  role: 'Editor',
  active: true,
  lastSignInAt: '2026-11-22T03:04:05.678Z',
} satisfies User;
export const USERS_EXAMPLE = { users: [USER_EXAMPLE], next: null } satisfies UserList;
export const USER_NAMES_EXAMPLE = {
  users: [{ userId: 'mali', displayName: 'มะลิ ใจงาม', active: true }],
  next: null,
} satisfies UserNameList;
export const NEW_USER_EXAMPLE = {
  userId: 'mali',
  displayName: 'มะลิ ใจงาม',
  role: 'Editor',
} satisfies CreateUserRequest;
export const CREATED_USER_EXAMPLE = {
  ...USER_EXAMPLE,
  email: '',
  lastSignInAt: null,
} satisfies User;
