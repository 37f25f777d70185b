import assert from 'node:assert';
import { hash } from 'node:crypto';
import type { Failure, Outcome } from '../../errors.ts';
import { fail, succeed } from '../../errors.ts';
import { LIMITS } from '../../limits.ts';
import type { IdempotencyClaim, NewAudit } from '../../store/store.ts';
import type { SignatureOffer, SignedBy } from '../../sign/signing.ts';
import { runInSlices } from '../../runtime/time-slice.ts';
import type { RenderJob, RenderedDocument } from '../../workers/job.ts';
import type { AuditSubject } from '../audit.ts';
import { auditRecord } from '../audit.ts';
import type { Envelope, ReadRequest } from '../body/envelope.ts';
import { readingRequest } from '../body/envelope.ts';
import { checkingWellFormed, type ParsedBody } from '../body/parsed-body.ts';
import { isJson } from '../http/headers.ts';
import { EXAMPLES } from '../openapi/examples.ts';
import { json, type Operation, parameter, PDF } from '../openapi/operation.ts';
import * as schemas from '../openapi/schemas.ts';
import { STUDIO_EXAMPLES } from '../openapi/studio-examples.ts';
import type { Reply } from '../reply/reply.ts';
import { jsonReply, prepared } from '../reply/reply.ts';
import type { GuardedCall, GuardedRoute, Services } from '../route.ts';
import { isoTime, linkTo, beforeNotFound } from '../route.ts';
import type { LoadedTemplate } from '../template-cache.ts';
import { readAttachments } from './attachments.ts';
import { claimRequest } from './claim.ts';
import { renderOver, stageOver, timing } from './stages.ts';

const PDF_TYPE = prepared({ 'Content-Type': 'application/pdf' });

/** A generate request whose template was found; from now on it gets exactly one audit record. */
interface Generation {
  readonly call: GuardedCall;
  readonly envelope: Envelope;
  readonly parsed: ParsedBody;
  readonly template: LoadedTemplate;
  readonly claim: IdempotencyClaim | null;
  /** Time of the job, for the creation date of the document and of records. */
  readonly atMs: number;
}

/** A finished PDF and the times of its stages. */
interface Product {
  readonly pdf: Uint8Array;
  readonly pages: number;
  readonly sha256: string;
  /** The signer; null: the PDF is not signed. */
  readonly signedBy: SignedBy | null;
  /** True: nothing else refers to the PDF's bytes; their memory can be freed once they are sent. */
  readonly ownsBody: boolean;
}

/** Why a generation failed after its template was found, and what its audit record says. */
interface Refusal {
  readonly failure: Failure;
  /** 'none': no record, because the pool refused the job (full, malformed). */
  readonly audit: 'failed' | 'denied' | 'none';
  readonly documentId: string;
}

type Produced = { readonly ok: true; readonly product: Product } | (Refusal & { ok: false });

const OPERATION: Operation = {
  operationId: 'generateDocument',
  summary: 'Generate a document',
  parameters: [
    parameter(
      'header',
      'Idempotency-Key',
      { type: 'string', minLength: 1, maxLength: 255 },
      'R-2026-0042',
      'Mode async: a repeated call makes no second one. 1 to 255 printable ASCII characters.',
    ),
  ],
  body: json(schemas.generateBody, EXAMPLES.generate),
  replies: {
    200: {
      description: 'Mode sync: the PDF. Nothing is stored.',
      headers: schemas.RATE_HEADERS,
      content: PDF,
    },
    201: {
      description: 'Mode async: stored.',
      headers: schemas.RATE_HEADERS,
      content: json(schemas.acknowledgement, EXAMPLES.acknowledgement),
    },
  },
  errors: [
    'bad_request',
    'invalid_data',
    'draft_requires_user',
    'not_found',
    'idempotency_conflict',
    'gone',
    'payload_too_large',
    'render_failed',
    'rate_limited',
    'not_implemented',
    'protection_unavailable',
    'signing_unavailable',
    'overloaded',
  ],
};

const PREVIEW: Operation = {
  operationId: 'previewDraft',
  summary: 'A draft as it looks with some data',
  note:
    'The body is that of generateDocument with draft true. Counted apart from it: ' +
    `${LIMITS.previewsPerMinuteMax} a minute for each user, one at a time.`,
  body: json(schemas.generateBody, STUDIO_EXAMPLES.preview),
  replies: {
    200: {
      description: 'The PDF. Nothing is stored.',
      headers: schemas.RATE_HEADERS,
      content: PDF,
    },
  },
  errors: [
    'bad_request',
    'invalid_data',
    'not_found',
    'payload_too_large',
    'render_failed',
    'rate_limited',
    'overloaded',
  ],
};

/** POST /v1/generate. Its checks have the order of design 9. */
export function generateRoute(services: Services): GuardedRoute {
  return {
    kind: 'guarded',
    method: 'POST',
    path: '/v1/generate',
    access: { scope: 'generate', keyRefusal: 'insufficient_scope', roles: ['Editor', 'Admin'] },
    counted: true,
    bodyBytesMax: services.options.bodyBytesMax,
    operation: OPERATION,
    run: (call) => generate(services, call),
  };
}

/**
 * POST /v1/previews: a preview of a draft for its editor, one at a time. It has a separate limit,
 * so that editing does not use up the calls that generating needs.
 */
export function previewRoute(services: Services): GuardedRoute {
  return {
    kind: 'guarded',
    method: 'POST',
    path: '/v1/previews',
    access: { scope: null, keyRefusal: 'draft_requires_user', roles: ['Editor', 'Admin'] },
    counted: false,
    isPreview: true,
    oneAtATime: true,
    bodyBytesMax: services.options.bodyBytesMax,
    operation: PREVIEW,
    run: (call) => preview(services, call),
  };
}

async function preview(services: Services, call: GuardedCall): Promise<Outcome<Reply>> {
  const read = await readRequest(call);
  if (!read.ok) return read;
  const { envelope, parsed } = read.value;
  if (envelope.draft) return withTemplate(services, call, envelope, parsed, null);
  const refusal = fail('bad_request', 'draft must be true: published versions are generated.');
  return malformedOr(call.body, parsed, refusal);
}

async function generate(services: Services, call: GuardedCall): Promise<Outcome<Reply>> {
  const read = await readRequest(call);
  if (!read.ok) return read;
  const { envelope, parsed } = read.value;
  if (envelope.mode === 'sync') return withTemplate(services, call, envelope, parsed, null);

  const { exchange, principal, body } = call;
  const claimed = await claimRequest(services, exchange, principal.teamId, body);
  if (!claimed.ok) return claimed;
  if (claimed.value.kind === 'done') return succeed(created(services, claimed.value.document));
  const { claim } = claimed.value;
  let settled = false;
  try {
    const answer = await withTemplate(services, call, envelope, parsed, claim);
    settled = answer.ok;
    return answer;
  } finally {
    if (claim !== null && !settled) await services.store.idempotency.release(claim);
  }
}

/** Reads the request and reports every fault that the body alone shows. */
async function readRequest(call: GuardedCall): Promise<Outcome<ReadRequest>> {
  const { contentType, idempotencyKey } = call.exchange.headers;
  if (!isJson(contentType)) return fail('bad_request', 'Content-Type must be application/json.');
  const isKey = call.principal.kind === 'key';
  return runInSlices(readingRequest(call.body, isKey, idempotencyKey !== ''));
}

/**
 * A long body has been parsed only partly; malformed JSON takes precedence over the later refusal.
 */
async function malformedOr(body: Uint8Array, parsed: ParsedBody, later: Failure): Promise<Failure> {
  const wellFormed = await runInSlices(checkingWellFormed(body, parsed));
  return wellFormed.ok ? later : wellFormed;
}

async function withTemplate(
  services: Services,
  call: GuardedCall,
  envelope: Envelope,
  parsed: ParsedBody,
  claim: IdempotencyClaim | null,
): Promise<Outcome<Reply>> {
  const { templateId, version, draft } = envelope;
  const { teamId } = call.principal;
  const found = draft
    ? await services.templates.draft(teamId, templateId)
    : await services.templates.published(teamId, templateId, version);
  if (!found.found) {
    const refusal = await malformedOr(call.body, parsed, fail('not_found', missing(envelope)));
    if (refusal.code === 'not_found') {
      const subject = { templateId, version, mode: envelope.mode };
      return (await beforeNotFound(services, call, found.why, 'generate', subject)) ?? refusal;
    }
    return refusal;
  }
  const generation: Generation = {
    call,
    envelope,
    parsed,
    template: found.value,
    claim,
    atMs: services.nowMs(),
  };
  const produced = await produce(services, generation);
  return produced.ok
    ? deliver(services, generation, produced.product)
    : refuse(services, generation, produced);
}

/** The message is the same for a template of another team. */
function missing({ draft, version }: Envelope): string {
  if (draft) return 'There is no draft of a template with this templateId.';
  const which = version === null ? '' : ' in this version';
  return `There is no published template with this templateId${which}.`;
}

async function produce(services: Services, generation: Generation): Promise<Produced> {
  const { call, envelope } = generation;
  const { protection } = envelope;
  if (protection !== null && !(await services.protector.available())) {
    return failedUnread(generation, fail('protection_unavailable'), 'failed');
  }
  const { teamId } = call.principal;
  if (envelope.signature && offerOf(services, teamId).bytesMax === 0) {
    return failedUnread(generation, fail('signing_unavailable'), 'failed');
  }
  const attachments = await readAttachments(services, teamId, envelope.attach);
  if (!attachments.ok && attachments.failure.code === 'overloaded') {
    return failedUnread(generation, attachments.failure, 'none');
  }
  const offer = offerOf(services, teamId);
  const job = jobOf(generation, attachments.ok ? attachments.files : null, offer);
  const rendered = await render(services, generation, job);
  if (attachments.ok) attachments.release();
  if (!rendered.ok) return rendered;
  if (!attachments.ok) {
    const { failure, foreignId } = attachments;
    return failed(failure, foreignId === '' ? 'failed' : 'denied', foreignId);
  }
  const { document } = rendered;
  if (document.signature !== undefined) return sign(services, generation, document);
  assert(!envelope.signature, 'what must be signed has a place for it');
  if (protection === null)
    return { ok: true, product: { ...document, signedBy: null, ownsBody: true } };
  const startMs = performance.now();
  const secured = await services.protector.protect(document.pdf, protection);
  if (!secured.ok) return failed(secured, secured.code === 'overloaded' ? 'none' : 'failed');
  stageOver(services, call, 'protect', startMs);
  const sha256 = hash('sha256', secured.value, 'hex');
  const { pages } = document;
  const product = { pdf: secured.value, pages, sha256, signedBy: null, ownsBody: false };
  return { ok: true, product };
}

/** What the document must know of the team's signer before it is rendered. */
function offerOf({ signing }: Services, teamId: string): SignatureOffer {
  return signing?.offerFor(teamId) ?? { bytesMax: 0, signer: '' };
}

/** Signs a document that must be signed; if signing fails, the document is not delivered. */
async function sign(
  services: Services,
  { call }: Generation,
  { pdf, pages, signature }: RenderedDocument,
): Promise<Produced> {
  const { teamId } = call.principal;
  const startMs = performance.now();
  const signed =
    signature === undefined || services.signing === undefined
      ? fail('signing_unavailable')
      : await services.signing.sign(teamId, pdf, signature);
  if (!signed.ok) return failed(signed, 'failed');
  stageOver(services, call, 'sign', startMs);
  const { pdf: file, sha256, by } = signed.value;
  const { subject, serialNumber } = by;
  const { ids } = call.exchange;
  services.log.info({ msg: 'signed', ...ids, teamId, signer: subject, serialNumber });
  return { ok: true, product: { pdf: file, pages, sha256, signedBy: by, ownsBody: file === pdf } };
}

function failed(
  failure: Failure,
  audit: Refusal['audit'],
  documentId = '',
): Refusal & { readonly ok: false } {
  return { ok: false, failure, audit, documentId };
}

/** No renderer has read the data: malformed JSON outranks `failure`, and leaves no record. */
async function failedUnread(
  { call, parsed }: Generation,
  failure: Failure,
  audit: Refusal['audit'],
): Promise<Refusal & { readonly ok: false }> {
  const refusal = await malformedOr(call.body, parsed, failure);
  return failed(refusal, refusal === failure ? audit : 'none');
}

/** `attachments` null: one of them is refused, and only invalid data could outrank that. */
function jobOf(
  generation: Generation,
  attachments: readonly Uint8Array[] | null,
  offer: SignatureOffer,
): RenderJob {
  const { call, envelope, parsed, template, atMs } = generation;
  return {
    kind: 'render',
    template: template.shared,
    body: call.body,
    dataStart: parsed.dataStart,
    dataEnd: parsed.dataEnd,
    atMs,
    attachments: attachments ?? [],
    watermark: envelope.watermark,
    metadata: envelope.metadata,
    checkOnly: attachments === null,
    isProtected: envelope.protection !== null,
    signature: { isAsked: envelope.signature, ...offer },
    digest: envelope.protection === null,
    isPreview: envelope.draft,
  };
}

type Rendered =
  { readonly ok: true; readonly document: RenderedDocument } | (Refusal & { readonly ok: false });

async function render(
  services: Services,
  generation: Generation,
  job: RenderJob,
): Promise<Rendered> {
  const { call } = generation;
  const { exchange, principal } = call;
  const { floodGate } = services;
  const submittedMs = performance.now();
  const ticket = services.pool.submit(job, principal.id);
  floodGate.enter(principal.id);
  const forget = exchange.onAbort(() => ticket.cancel());
  const result = await ticket.result;
  forget();
  floodGate.leave(principal.id);
  const turnedAway = !result.ok && result.code === 'overloaded' && !ticket.ran;
  if (turnedAway && !exchange.gone) floodGate.refused(principal.id, performance.now());
  if (!result.ok) {
    // A renderer reports malformed JSON itself; a job that never ran must be checked here.
    if (result.code === 'overloaded') {
      return ticket.ran ? failed(result, 'none') : failedUnread(generation, result, 'none');
    }
    return failed(result, result.code === 'bad_request' ? 'none' : 'failed');
  }
  const { times, pages, pdf } = result.value;
  const { queuedMs } = ticket;
  services.metrics.delivered(pages, pdf.byteLength, times, queuedMs);
  renderOver(call, submittedMs, queuedMs, times);
  return { ok: true, document: result.value };
}

/** Answers after the audit record, and for a stored document its row, are durable. */
async function deliver(
  services: Services,
  generation: Generation,
  product: Product,
): Promise<Outcome<Reply>> {
  const { envelope, template, atMs, call } = generation;
  const { pdf, pages, sha256, signedBy } = product;
  const startMs = performance.now();
  const subject = { pages, bytes: pdf.byteLength, sha256, signedBy };
  let reply: Reply;
  if (envelope.mode === 'sync') {
    await services.timingMask.time(
      services.store.audit.add(record(generation, 'succeeded', '', subject)),
    );
    reply = { status: 200, headers: PDF_TYPE, body: pdf, ownsBody: product.ownsBody };
  } else {
    const { templateId, version } = template.shared;
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
      (documentId) => record(generation, 'succeeded', '', { ...subject, documentId }),
      generation.claim,
    );
    reply = created(services, document);
  }
  const storeMs = stageOver(services, call, 'store', startMs);
  const { exchange } = call;
  exchange.serverTiming = `${exchange.serverTiming}, ${timing('store', storeMs)}`;
  return succeed(reply);
}

function created(
  services: Services,
  document: { documentId: string; sha256: string; expiresAtMs: number },
): Reply {
  const { documentId, sha256, expiresAtMs } = document;
  const url = linkTo(services, document);
  const expiresAt = isoTime(expiresAtMs);
  const headers = { Location: `${services.baseUrl()}/v1/documents/${documentId}` };
  return jsonReply(201, { documentId, url, sha256, expiresAt }, headers);
}

async function refuse(
  services: Services,
  generation: Generation,
  refusal: Refusal,
): Promise<Failure> {
  const { failure, audit, documentId } = refusal;
  if (audit !== 'none') {
    await services.store.audit.add(record(generation, audit, failure.code, { documentId }));
  }
  return failure;
}

function record(
  generation: Generation,
  outcome: 'succeeded' | 'failed' | 'denied',
  code: Failure['code'] | '',
  subject: AuditSubject,
): NewAudit {
  const { call, envelope, template, atMs } = generation;
  const { templateId, version } = template.shared;
  return auditRecord(call.exchange, call.principal, atMs, 'generate', outcome, code, {
    templateId,
    version,
    mode: envelope.mode,
    ...subject,
  });
}
