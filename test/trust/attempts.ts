import { ACCESS_ATTEMPTS } from './access.ts';
import { APPROVING } from './approving.ts';
import type { Attempt } from './attempt.ts';
import { PUBLISHING_ATTEMPTS } from './publishing.ts';
import { SIGNING_ATTEMPTS } from './signing.ts';

/**
 * Attacks on approval, signature, audit and verification, each with its outcome. The table of
 * docs/security.md is made from this one, and attempts.test.ts makes each attempt at a service.
 */
export const ATTEMPTS: readonly Attempt[] = [
  ...PUBLISHING_ATTEMPTS,
  ...APPROVING,
  ...SIGNING_ATTEMPTS,
  ...ACCESS_ATTEMPTS,
];
