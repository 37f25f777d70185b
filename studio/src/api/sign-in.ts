/** Why the service sent a person back from the identity provider to the sign-in page. */
export const SIGN_IN_FAILURES = [
  'expired',
  'not_completed',
  'too_many',
  'inactive',
  'unknown_user',
  'no_role',
  'not_admitted',
  'provider_unavailable',
] as const;

export type SignInFailure = (typeof SIGN_IN_FAILURES)[number];
