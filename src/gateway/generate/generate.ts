import type { Acknowledgement } from '../../api/documents.ts';
import type { Failure, Outcome } from '../../errors.ts';
import { fail, succeed } from '../../errors.ts';
import type { IdempotencyClaim, NewAudit } from '../../store/store.ts';
import { runInSlices } from '../../runtime/time-slice.ts';
import type { AuditResult, AuditSubject } from '../audit.ts';
import { auditRecord, SUCCEEDED } from '../audit.ts';
import type { Envelope, ReadRequest } from '../body/envelope.ts';
import { readingRequest } from '../body/envelope.ts';
import { malformedOr } from '../body/parsed-body.ts';
import { isJson } from '../http/content.ts';
import { attachment } from '../reply/attachment.ts';
import { type JsonReply, jsonReply, type PlainReply, prepared } from '../reply/reply.ts';
import type { GuardedCall, GuardedRoute, Services } from '../route.ts';
import { beforeNotFound, describedRoute, isoTime, linkTo } from '../route.ts';
import { claimRequest } from './claim.ts';
import { GENERATE, PREVIEW } from './operations.ts';
import type { Generation, Product, Refusal } from './produce.ts';
import { produce } from './produce.ts';
import { recordStage, timing } from './stages.ts';

const PDF_TYPE = prepared({ 'Content-Type': 'application/pdf' });

/** Characters of the data that no font has; absent when all of them are drawn. */
const MISSING_CHARACTERS = 'X-Intaglio-Missing-Characters';

/**
 * POST /v1/generate. Malformed JSON outranks every other fault of the body, then come faults of the
 * options, the template, the data and the attachments.
 */
export function generateRoute(services: Services): GuardedRoute {
  return describedRoute({
    method: 'POST',
    path: '/v1/generate',
    access: { scope: 'generate', keyRefusal: 'insufficient_scope', roles: ['Editor', 'Admin'] },
    counted: true,
    bodyBytesMax: services.options.bodyBytesMax,
    operation: GENERATE,
    run: (call) => generate(services, call),
  });
}

/**
 * POST /v1/previews: a preview of a draft for its editor, one at a time. It has a separate limit,
 * so that editing does not use up the calls that generating needs.
 */
export function previewRoute(services: Services): GuardedRoute {
  return describedRoute({
    method: 'POST',
    path: '/v1/previews',
    access: { scope: null, keyRefusal: 'draft_requires_user', roles: ['Editor', 'Admin'] },
    counted: false,
    isPreview: () => true,
    takesUnfinished: true,
    oneAtATime: true,
    bodyBytesMax: services.options.bodyBytesMax,
    operation: PREVIEW,
    run: (call) => preview(services, call),
  });
}

async function preview(services: Services, call: GuardedCall): Promise<Outcome<PlainReply>> {
  const read = await readRequest(call);
  if (!read.ok) return read;
  const { envelope, parsed } = read.value;
  if (envelope.draft) return answer(services, call, read.value, null, sendDocument);
  const refusal = fail('bad_request', 'draft must be true: published versions are generated.');
  return malformedOr(call.body, parsed, refusal);
}

async function generate(
  services: Services,
  call: GuardedCall,
): Promise<Outcome<PlainReply | JsonReply<Acknowledgement>>> {
  const read = await readRequest(call);
  if (!read.ok) return read;
  if (read.value.envelope.mode === 'sync') {
    return answer(services, call, read.value, null, sendDocument);
  }

  const { exchange, principal, body } = call;
  const claimed = await claimRequest(services, exchange, principal.teamId, body);
  if (!claimed.ok) return claimed;
  if (claimed.value.kind === 'done') return succeed(created(services, claimed.value.document));
  const { claim } = claimed.value;
  let isStored = false;
  try {
    const outcome = await answer(services, call, read.value, claim, storeDocument);
    isStored = outcome.ok;
    return outcome;
  } finally {
    if (claim !== null && !isStored) await services.store.idempotency.release(claim);
  }
}

/** Reads the request and reports every fault that the body alone shows. */
async function readRequest(call: GuardedCall): Promise<Outcome<ReadRequest>> {
  const { contentType, idempotencyKey } = call.exchange.headers;
  if (!isJson(contentType)) return fail('bad_request', 'Content-Type must be application/json.');
  const isKey = call.principal.kind === 'key';
  return runInSlices(readingRequest(call.body, isKey, idempotencyKey !== null));
}

/** Makes the reply to a request from its PDF. */
type Delivery<R> = (services: Services, generation: Generation, product: Product) => Promise<R>;

/** The life of a request that has been read: find its template, produce the PDF, deliver it. */
async function answer<R>(
  services: Services,
  call: GuardedCall,
  { envelope, parsed }: ReadRequest,
  claim: IdempotencyClaim | null,
  delivery: Delivery<R>,
): Promise<Outcome<R>> {
  const { templateId, version, draft } = envelope;
  const { teamId } = call.principal;
  const found = draft
    ? await services.templates.draft(teamId, templateId)
    : await services.templates.published(teamId, templateId, version);
  if (!found.found) {
    const refusal = await malformedOr(call.body, parsed, fail('not_found', missing(envelope)));
    if (refusal.code !== 'not_found') return refusal;
    const subject = { templateId, version, mode: envelope.mode };
    return (await beforeNotFound(services, call, found.why, 'generate', subject)) ?? refusal;
  }
  const template = found.value;
  const generation = { call, envelope, parsed, template, claim, atMs: services.nowMs() };
  const produced = await produce(services, generation);
  return produced.ok
    ? deliver(services, generation, produced.product, delivery)
    : refuse(services, generation, produced);
}

/** The message is the same for a template of another team. */
function missing({ draft, version }: Envelope): string {
  if (draft) return 'There is no draft of a template with this templateId.';
  const which = version === null ? '' : ' in this version';
  return `There is no published template with this templateId${which}.`;
}

/** Answers after the audit record, and for a stored document its row, are durable. */
async function deliver<R>(
  services: Services,
  generation: Generation,
  product: Product,
  delivery: Delivery<R>,
): Promise<Outcome<R>> {
  const { call } = generation;
  const startMs = performance.now();
  const reply = await delivery(services, generation, product);
  const storeMs = recordStage(services, call, 'store', startMs);
  const { exchange } = call;
  exchange.serverTiming = `${exchange.serverTiming}, ${timing('store', storeMs)}`;
  return succeed(reply);
}

/** Replies with the PDF, which is not stored. */
async function sendDocument(
  services: Services,
  generation: Generation,
  product: Product,
): Promise<PlainReply> {
  const { pdf, ownsBody } = product;
  const audit = record(generation, SUCCEEDED, subjectOf(product));
  await services.timingMask.time(services.store.audit.add(audit));
  return { status: 200, headers: headersOf(product), body: pdf, ownsBody };
}

/** A header object that is prepared once, unless the document has something to add. */
function headersOf({ missingCharacters, naming }: Product): Readonly<Record<string, string>> {
  const fileName = naming?.fileName ?? '';
  if (missingCharacters === 0 && fileName === '') return PDF_TYPE;
  return {
    'Content-Type': 'application/pdf',
    ...(missingCharacters === 0 ? {} : { [MISSING_CHARACTERS]: String(missingCharacters) }),
    ...(fileName === '' ? {} : { 'Content-Disposition': attachment(fileName, 'document.pdf') }),
  };
}

async function storeDocument(
  services: Services,
  generation: Generation,
  product: Product,
): Promise<JsonReply<Acknowledgement>> {
  const { call, envelope, template, claim, atMs } = generation;
  const { templateId, version } = template.shared;
  const { pdf, pages, sha256, missingCharacters, naming } = product;
  // Computed before the store gets the bytes, because they are empty once it owns them.
  const subject = subjectOf(product);
  const document = await services.store.documents.add(
    {
      teamId: call.principal.teamId,
      templateId,
      version,
      sha256,
      pages,
      protected: envelope.protection !== null,
      createdAtMs: atMs,
      expiresAtMs: atMs + services.options.retentionSeconds * 1000,
    },
    pdf,
    (documentId) => record(generation, SUCCEEDED, { ...subject, documentId }),
    claim,
    naming,
  );
  return created(services, document, missingCharacters);
}

/** The fields of the audit record that describe the PDF. */
function subjectOf({ pdf, pages, sha256, signedBy }: Product): AuditSubject {
  return { pages, bytes: pdf.byteLength, sha256, signedBy };
}

function created(
  services: Services,
  document: { documentId: string; sha256: string; expiresAtMs: number },
  missingCharacters = 0,
): JsonReply<Acknowledgement> {
  const { documentId, sha256, expiresAtMs } = document;
  const url = linkTo(services, document);
  const expiresAt = isoTime(expiresAtMs);
  const location = { Location: `${services.baseUrl()}/v1/documents/${documentId}` };
  const headers =
    missingCharacters === 0
      ? location
      : { ...location, [MISSING_CHARACTERS]: String(missingCharacters) };
  return jsonReply(201, { documentId, url, sha256, expiresAt }, headers);
}

async function refuse(
  services: Services,
  generation: Generation,
  refusal: Refusal,
): Promise<Failure> {
  const { failure, audit, documentId } = refusal;
  if (audit !== 'none') {
    const result = { outcome: audit, code: failure.code };
    await services.store.audit.add(record(generation, result, { documentId }));
  }
  return failure;
}

function record(generation: Generation, result: AuditResult, subject: AuditSubject): NewAudit {
  const { call, envelope, template, atMs } = generation;
  const { templateId, version } = template.shared;
  return auditRecord(call, atMs, 'generate', result, {
    templateId,
    version,
    draft: envelope.draft,
    mode: envelope.mode,
    ...subject,
  });
}
