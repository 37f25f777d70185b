import * as api from '../../api/verify.ts';
import type { Outcome } from '../../errors.ts';
import { fail, succeed } from '../../errors.ts';
import { ROLES, type DocumentRecord } from '../../store/store.ts';
import { isJson, isPdf } from '../http/content.ts';
import { readJsonBody } from '../body/json-body.ts';
import { jsonReply, type PendingReply } from '../reply/reply.ts';
import { json, PDF } from '../openapi/operation.ts';
import { describeNaming } from '../pdf-file.ts';
import type { GuardedCall, GuardedRoute, Services } from '../route.ts';
import { describedRoute, isoTime } from '../route.ts';
import { createValidator } from '../body/validator.ts';

const BODY_BYTES_MAX = 4_096;
/** Limit of the documents in a response: the same request may have been stored many times. */
const NAMED_MAX = 20;
const BODY_HINT =
  'Send {"sha256": "…"} or {"reference": "…"}, or the PDF itself with Content-Type application/pdf.';
const validate = createValidator(api.VERIFY_SCHEMA);

/** POST /v1/verify, with a digest or the file itself: whether such a file was issued to the caller's team. */
export function verifyRoute(services: Services): GuardedRoute {
  return describedRoute({
    method: 'POST',
    path: '/v1/verify',
    access: { scope: 'documents:read', keyRefusal: 'insufficient_scope', roles: ROLES },
    counted: false,
    bodyBytesMax: BODY_BYTES_MAX,
    digestsPdf: true,
    bodyHint: BODY_HINT,
    operation: {
      operationId: 'verifyFile',
      summary: "Whether a file was issued to the caller's team",
      note:
        'Takes the digest, the file itself (at most 64 MB), which is not kept, or a reference. ' +
        'Signatures are not checked: a PDF reader does that, or the command `./intaglio verify`. ' +
        'References of documents that have expired are forgotten.',
      body: { ...json(api.VERIFY_SCHEMA, api.VERIFY_EXAMPLE), ...PDF },
      replies: {
        200: {
          description: 'issued, and where it is true which documents have these bytes.',
          content: json(api.verification, api.VERIFICATION_EXAMPLE),
        },
      },
      errors: ['bad_request', 'payload_too_large'],
    },
    run: (call) => verify(services, call),
  });
}

async function verify(services: Services, call: GuardedCall): PendingReply<api.Verification> {
  const asked = readAsked(call);
  if (!asked.ok) return asked;
  const { sha256, reference } = asked.value;
  const told =
    reference === undefined
      ? await tell(services, call, (sha256 ?? '').toLowerCase())
      : await tellByReference(services, call, reference);
  return succeed(jsonReply(200, told));
}

/** The digest of the PDF in the body, or what the JSON body names. */
function readAsked(call: GuardedCall): Outcome<api.VerifyRequest> {
  if (call.digest !== '') return succeed({ sha256: call.digest });
  const { contentType } = call.exchange.headers;
  if (isPdf(contentType)) return fail('bad_request', 'The body is empty: send the PDF itself.');
  if (!isJson(contentType)) {
    return fail('bad_request', 'Content-Type must be application/json or application/pdf.');
  }
  return readJsonBody(call, validate);
}

/**
 * The stored documents of the caller's team that have a reference. Only the digest of a file can show
 * that it is one of them.
 */
async function tellByReference(
  services: Services,
  { principal: { teamId } }: GuardedCall,
  asked: string,
): Promise<api.Verification> {
  const filter = { teamId, reference: asked, countMax: NAMED_MAX };
  const { documents: found, reference = asked } = await services.store.documents.list(filter);
  const [first] = found;
  const documents = await describeNamed(services, found);
  // References end with their documents: that none is found does not prove that none was issued. No
  // date can be given: the retention may have been changed, and runs may have another one.
  const rest = { reference, documents, madeHere: [], drafts: [] };
  if (first === undefined) return { issued: false, ...rest };
  return { issued: true, sha256: first.sha256, ...describe(first), ...rest };
}

/** The caller's team's stored documents and sync responses with these bytes. */
async function tell(
  services: Services,
  call: GuardedCall,
  sha256: string,
): Promise<api.Verification> {
  const { teamId } = call.principal;
  const { store } = services;
  const [stored, sync] = await Promise.all([
    store.documents.findBySha256(teamId, sha256, NAMED_MAX),
    store.audit.findBySha256(teamId, sha256, NAMED_MAX),
  ]);
  const documents = await describeNamed(services, stored);
  const fromDrafts = sync.filter(({ draft }) => draft);
  const drafts = fromDrafts.map(({ atMs, requestId, templateId }) => ({
    at: isoTime(atMs),
    requestId,
    templateId,
  }));
  // A document that was made from no draft has a version.
  const madeHere = sync.flatMap(({ atMs, requestId, templateId, version, draft }) =>
    draft || version === null ? [] : [{ at: isoTime(atMs), requestId, templateId, version }],
  );
  const [first] = stored;
  if (first === undefined) return { issued: false, documents, madeHere, drafts };
  return { issued: true, sha256, ...describe(first), documents, madeHere, drafts };
}

/** Documents with the reference and the file name of each that has them. */
async function describeNamed(
  { store }: Services,
  documents: readonly DocumentRecord[],
): Promise<api.VerifiedDocument[]> {
  const names = await store.names.of(documents.map(({ documentId }) => documentId));
  return documents.map((document) => ({
    ...describe(document),
    ...describeNaming(names.get(document.documentId)),
  }));
}

function describe(document: DocumentRecord): api.VerifiedDocument {
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
