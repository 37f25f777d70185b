import { hash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { Outcome } from '../../errors.ts';
import { fail, succeed } from '../../errors.ts';
import type { DocumentRecord, IdempotencyClaim } from '../../store/store.ts';
import type { Exchange } from '../exchange.ts';
import type { Services } from '../route.ts';

/** How long a repeated request waits for the first one, and the minimum interval of its polls. */
const WAIT_MS_MAX = 60_000;
const LOOK_MS_MIN = 20;
const LOOK_MS_MAX = 500;

/** Printable ASCII (RFC 9110 field content), bounded. */
const KEY = /^[\x21-\x7e](?:[\x20-\x7e]{0,253}[\x21-\x7e])?$/;

/** The request must run. If it has a key it holds the claim, which it must settle or release. */
interface ToRun {
  readonly kind: 'run';
  readonly claim: IdempotencyClaim | null;
}

export type ClaimResult = ToRun | { readonly kind: 'done'; readonly document: DocumentRecord };

/** `subjectId`: the document or run that the first request with the key created. */
export type KeyedResult = ToRun | { readonly kind: 'done'; readonly subjectId: string };

const RUN: ToRun = { kind: 'run', claim: null };

/** Claims the key of a request that makes a document. */
export async function claimRequest(
  services: Services,
  exchange: Exchange,
  teamId: string,
  body: Uint8Array,
): Promise<Outcome<ClaimResult>> {
  const claimed = await claimKey(services, exchange, teamId, body);
  if (!claimed.ok) return claimed;
  const { value } = claimed;
  return value.kind === 'run' ? succeed(value) : recall(services, teamId, value.subjectId);
}

const UNDER_WAY = 'The first request with this Idempotency-Key is still under way. Retry later.';

/**
 * Claims the request's Idempotency-Key for its team. While another request with the same key and
 * body runs, this one waits for it; with another body it is refused.
 */
export async function claimKey(
  services: Services,
  exchange: Exchange,
  teamId: string,
  body: Uint8Array,
): Promise<Outcome<KeyedResult>> {
  const key = exchange.headers.idempotencyKey;
  if (key === null) return succeed(RUN);
  if (!KEY.test(key)) {
    return fail('bad_request', 'Idempotency-Key must be 1 to 255 printable ASCII characters.');
  }
  const claim: IdempotencyClaim = { teamId, key, bodyHash: hash('sha256', body, 'hex') };
  const untilMs = performance.now() + WAIT_MS_MAX;
  for (let lookMs = LOOK_MS_MIN; ; lookMs = Math.min(2 * lookMs, LOOK_MS_MAX)) {
    const state = await services.store.idempotency.claim(claim, services.nowMs());
    switch (state.state) {
      case 'claimed':
        return succeed({ kind: 'run', claim });
      case 'conflict':
        return fail('idempotency_conflict');
      case 'done':
        return succeed({ kind: 'done', subjectId: state.documentId });
      case 'running':
        if (exchange.gone || performance.now() >= untilMs) return fail('overloaded', UNDER_WAY);
        await pause(lookMs);
    }
  }
}

async function recall(
  services: Services,
  teamId: string,
  documentId: string,
): Promise<Outcome<ClaimResult>> {
  const found = await services.store.documents.find(teamId, documentId);
  if (!found.found) return fail('gone');
  if (!found.value.gone) return succeed({ kind: 'done', document: found.value });
  await services.store.documents.expire(documentId, services.nowMs());
  return fail('gone');
}
