import type { Outcome } from '../../errors.ts';
import { succeed } from '../../errors.ts';
import { ROLES, type DocumentRecord } from '../../store/store.ts';
import { readJsonBody } from '../json-body.ts';
import type { Reply } from '../reply.ts';
import { jsonReply } from '../reply.ts';
import type { GuardedCall, GuardedRoute, Services } from '../route.ts';
import { isoTime } from '../route.ts';
import { VERIFY_SCHEMA } from '../schemas.ts';
import { createValidator } from '../validator.ts';

const BODY_BYTES_MAX = 4_096;
/** Documents of one digest that an answer names: the same data gives the same bytes each time. */
const NAMED_MAX = 20;
const validate = createValidator<{ sha256: string }>(VERIFY_SCHEMA);

/** A stored document as the answer names it. */
interface Described {
  readonly documentId: string;
  readonly templateId: string;
  readonly version: number;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly available: boolean;
}

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
  return succeed(jsonReply(200, await tell(services, call, sent.value.sha256.toLowerCase())));
}

/** Stored documents and answers in mode sync with these bytes, as far as they are the own team's. */
async function tell(services: Services, call: GuardedCall, sha256: string): Promise<object> {
  const { teamId } = call.principal;
  const { store } = services;
  const [stored, sync] = await Promise.all([
    store.documents.findBySha256(teamId, sha256, NAMED_MAX),
    store.audit.findBySha256(teamId, sha256, NAMED_MAX),
  ]);
  const documents = stored.map(describe);
  const madeHere = sync.map(({ atMs, requestId, templateId, version }) => ({
    at: isoTime(atMs),
    requestId,
    templateId,
    version,
  }));
  const [first] = documents;
  if (first === undefined) return { issued: false, documents, madeHere };
  return { issued: true, sha256, ...first, documents, madeHere };
}

function describe(document: DocumentRecord): Described {
  const { documentId, templateId, version, createdAtMs, expiresAtMs, gone, damaged } = document;
  return {
    documentId,
    templateId,
    version,
    createdAt: isoTime(createdAtMs),
    expiresAt: isoTime(expiresAtMs),
    available: !gone && !damaged,
  };
}
