import type { Outcome } from '../../errors.ts';
import { succeed } from '../../errors.ts';
import { ROLES } from '../../store/store.ts';
import { readJsonBody } from '../json-body.ts';
import type { Reply } from '../reply.ts';
import { jsonReply } from '../reply.ts';
import type { GuardedCall, GuardedRoute, Services } from '../route.ts';
import { isoTime } from '../route.ts';
import { VERIFY_SCHEMA } from '../schemas.ts';
import { createValidator } from '../validator.ts';

const BODY_BYTES_MAX = 4_096;
const validate = createValidator<{ sha256: string }>(VERIFY_SCHEMA);

/** POST /v1/verify: whether a file with this digest was issued to the caller's team. */
export function verifyRoute(services: Services): GuardedRoute {
  return {
    kind: 'guarded',
    method: 'POST',
    path: '/v1/verify',
    access: { scope: 'documents:read', keyRefusal: 'insufficient_scope', roles: ROLES },
    counted: false,
    bodyBytesMax: BODY_BYTES_MAX,
    run: (call) => verify(services, call),
  };
}

async function verify(services: Services, call: GuardedCall): Promise<Outcome<Reply>> {
  const sent = readJsonBody(call, validate);
  if (!sent.ok) return sent;
  const sha256 = sent.value.sha256.toLowerCase();
  const document = await services.store.documents.findBySha256(call.principal.teamId, sha256);
  if (document === null) return succeed(jsonReply(200, { issued: false }));
  const { documentId, templateId, version, createdAtMs, expiresAtMs, gone } = document;
  return succeed(
    jsonReply(200, {
      issued: true,
      documentId,
      templateId,
      version,
      sha256,
      createdAt: isoTime(createdAtMs),
      expiresAt: isoTime(expiresAtMs),
      available: !gone,
    }),
  );
}
