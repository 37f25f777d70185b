import type { Failure, Outcome } from '../errors.ts';
import { fail, succeed } from '../errors.ts';
import type { RequestHeaders } from './http/headers.ts';

/** The strong entity tag of a file with this SHA-256 (RFC 9110 §8.8.3). */
export function entityTag(hash: string): string {
  return `"${hash}"`;
}

/**
 * The draft that a request expects to replace: the hash in `If-Match`, null for `If-None-Match: *` (no
 * draft yet), undefined without a condition (RFC 9110 §13.1).
 */
export function expectedHash({
  ifMatch,
  ifNoneMatch,
}: RequestHeaders): Outcome<string | null | undefined> {
  if (ifMatch !== '' && ifNoneMatch !== '') {
    return fail('bad_request', 'If-Match and If-None-Match exclude each other.');
  }
  if (ifNoneMatch !== '') {
    return ifNoneMatch.trim() === '*'
      ? succeed(null)
      : fail('bad_request', 'If-None-Match must be *: no draft may exist yet.');
  }
  if (ifMatch === '') return succeed(undefined);
  const [, hash] = /^\s*"([0-9a-f]{64})"\s*$/.exec(ifMatch) ?? [];
  return hash === undefined
    ? fail('bad_request', 'If-Match must be the one ETag that the draft was read or saved with.')
    : succeed(hash);
}

/** The refusal when the draft has changed since the caller read it. */
export function changedSince(): Failure {
  return fail('precondition_failed');
}
