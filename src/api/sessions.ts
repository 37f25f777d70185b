import { flag, object, orNull, text, time, type TypeOf } from './schema.ts';
import { role } from './users.ts';

/** Who is signed in: schemas, types and examples. */

export const session = object({
  userId: text,
  displayName: text,
  teamId: text,
  role,
  expiresAt: time,
  publishApprovals: {
    ...flag,
    description: 'A draft must be published by an Admin other than its last editor.',
  },
});

const named = object({ userId: text, displayName: text, teamId: text });
/** The response to GET /auth/links/:token, which only the Studio calls. */
export const signInLink = object({
  user: named,
  current: orNull(named, 'Who is signed in in this browser; null: nobody.'),
});

export type Session = TypeOf<typeof session>;
export type NamedUser = TypeOf<typeof named>;
export type SignInLink = TypeOf<typeof signInLink>;

export const SESSION_EXAMPLE = {
  userId: 'somchai',
  displayName: 'สมชาย ใจดี',
  teamId: 'retail',
  role: 'Admin',
  expiresAt: '2026-11-22T03:04:05.678Z',
  publishApprovals: false,
} satisfies Session;
