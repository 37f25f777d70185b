import type { Success } from '../../errors.ts';
import { fail } from '../../errors.ts';

/**
 * Why a sign-in fails, and the response of API clients. The sign-in page of the Studio gets the name
 * alone and explains it in the language of the user.
 */
export const SIGN_IN_FAILURES = {
  expired: fail('unauthenticated', 'The login took too long. Start again at /auth/login.'),
  not_completed: fail(
    'unauthenticated',
    'The login was not completed. Start again at /auth/login.',
  ),
  too_many: fail('rate_limited', 'Too many sign-ins from this address. Retry in a minute.'),
  inactive: fail('forbidden', 'This user or team is not active.'),
  unknown_user: fail('forbidden', 'This user is not known here.'),
  no_role: fail('forbidden', 'The identity provider names no team and role of this user.'),
  not_admitted: fail('forbidden', 'This user cannot be admitted to its team.'),
  provider_unavailable: fail(
    'storage_unavailable',
    'The identity provider does not answer. Retry later.',
  ),
} as const;

export type SignInFailure = keyof typeof SIGN_IN_FAILURES;

/** Result of a step of a sign-in. */
export type SignInStep<T> = Success<T> | RefusedSignIn;

interface RefusedSignIn {
  readonly ok: false;
  readonly reason: SignInFailure;
}

export function refuseSignIn(reason: SignInFailure): RefusedSignIn {
  return { ok: false, reason };
}
