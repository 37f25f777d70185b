import assert from 'node:assert';
import { hash } from 'node:crypto';
import type { Failure } from '../../errors.ts';
import { fail } from '../../errors.ts';
import { releaseBuffer } from '../../runtime/memory/release-buffer.ts';
import type { Naming } from '../../runtime/naming/naming.ts';
import type { SignatureOffer, SignedBy } from '../../sign/signing.ts';
import type { IdempotencyClaim } from '../../store/store.ts';
import { protectToSign } from '../../protect/signature-room.ts';
import type { Protection, RenderedDocument, RenderJob, SignaturePlace } from '#engine';
import type { Envelope } from '../body/envelope.ts';
import { malformedOr, type ParsedBody } from '../body/parsed-body.ts';
import type { GuardedCall, Services } from '../route.ts';
import type { LoadedTemplate } from '../template-cache.ts';
import { readAttachments } from './attachments.ts';
import { reportRender, recordStage } from './stages.ts';

/** A generate request whose template was found; from now on it gets exactly one audit record. */
export interface Generation {
  readonly call: GuardedCall;
  readonly envelope: Envelope;
  readonly parsed: ParsedBody;
  readonly template: LoadedTemplate;
  readonly claim: IdempotencyClaim | null;
  /** Time of the job, for the creation date of the document and of records. */
  readonly atMs: number;
}

/** A finished PDF. */
export interface Product {
  readonly pdf: Uint8Array;
  readonly pages: number;
  readonly sha256: string;
  /** Characters of the data that no font has. */
  readonly missingCharacters: number;
  /** Reference and file name; null: it has neither. */
  readonly naming: Naming | null;
  /** The signer; null: the PDF is not signed. */
  readonly signedBy: SignedBy | null;
  /** True: nothing else refers to the PDF's bytes; their memory can be freed once they are sent. */
  readonly ownsBody: boolean;
}

/** Why a generation failed after its template was found, and what its audit record says. */
export interface Refusal {
  readonly failure: Failure;
  /** 'none': no record, because the pool refused the job (full, malformed). */
  readonly audit: 'failed' | 'denied' | 'none';
  readonly documentId: string;
}

type Failed = Refusal & { readonly ok: false };
type Produced = { readonly ok: true; readonly product: Product } | Failed;
type Rendered = { readonly ok: true; readonly document: RenderedDocument } | Failed;
/** A document that has to be signed. */
interface Unsigned extends RenderedDocument {
  readonly signature: SignaturePlace;
  /** True: nothing else refers to its bytes. */
  readonly ownsBody: boolean;
}

/**
 * Makes the PDF: reads the attachments, renders, protects and signs. Everything that could
 * refuse the request cheaply comes before the renderer.
 */
export async function produce(services: Services, generation: Generation): Promise<Produced> {
  const { call, envelope } = generation;
  if (envelope.protection !== null && !(await services.protector.available())) {
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
  return finish(services, generation, rendered.document);
}

/**
 * The job of the request. `attachments` null: one of them is refused, so the renderer only checks
 * the data, because invalid data outranks that refusal.
 */
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
    // A draft is never signed, whatever its template says: nobody has published it.
    signature: envelope.draft ? null : { isAsked: envelope.signature, ...offer },
    digest: envelope.protection === null,
    isPreview: envelope.draft,
  };
}

/** Runs the job in the pool; a client that disconnects cancels it. */
async function render(
  services: Services,
  generation: Generation,
  job: RenderJob,
): Promise<Rendered> {
  const { call } = generation;
  const { exchange, principal } = call;
  // `onAbort` tells nothing about a client that has disconnected already.
  if (exchange.gone) return failed(fail('overloaded'), 'none');
  const submittedAtMs = performance.now();
  const ticket = services.pool.submit(job, principal.id, principal.teamId);
  services.floodGate.enter(principal);
  const stopListening = exchange.onAbort(() => ticket.cancel());
  const result = await ticket.result;
  stopListening();
  services.floodGate.leave(principal);
  if (!result.ok) return failedRender(services, generation, result, ticket.ran);
  const { times, pages, pdf, missingCharacters } = result.value;
  const { queuedMs } = ticket;
  if (missingCharacters > 0) reportMissing(services, generation, missingCharacters);
  services.metrics.delivered(pages, pdf.byteLength, times, queuedMs);
  reportRender(call, submittedAtMs, queuedMs, times);
  return { ok: true, document: result.value };
}

/** Tells the operator that a document lacks characters; which ones, only the caller knows. */
function reportMissing(services: Services, { call, template }: Generation, count: number): void {
  const { templateId, version } = template.shared;
  const { teamId } = call.principal;
  const entry = { ...call.exchange.ids, teamId, templateId, version, count };
  services.log.warn({ msg: 'no font has some characters of a document', ...entry });
  services.metrics.lackedCharacters(count);
}

/** `hasRun`: a renderer has read the data, so it would have reported malformed JSON. */
async function failedRender(
  services: Services,
  generation: Generation,
  failure: Failure,
  hasRun: boolean,
): Promise<Failed> {
  if (failure.code === 'bad_request') return failed(failure, 'none');
  if (failure.code !== 'overloaded') return failed(failure, 'failed');
  if (hasRun) return failed(failure, 'none');
  const { exchange, principal, body } = generation.call;
  if (!exchange.gone) services.floodGate.refused(principal, performance.now());
  const refused = await failedUnread(generation, failure, 'none');
  // Nothing else has it: no renderer took it, and of an async request only its digest was kept.
  releaseBuffer(body);
  return refused;
}

/** Protects and signs the document where that is asked for, in this order. */
async function finish(
  services: Services,
  { call, envelope }: Generation,
  document: RenderedDocument,
): Promise<Produced> {
  const { signature } = document;
  assert(!envelope.draft || signature === undefined, 'a draft is never signed');
  assert(!envelope.signature || signature !== undefined, 'what must be signed has a place for it');
  const { protection } = envelope;
  if (protection === null) {
    if (signature !== undefined) {
      return sign(services, call, { ...document, signature, ownsBody: true });
    }
    return { ok: true, product: { ...document, signedBy: null, ownsBody: true } };
  }
  if (signature === undefined) return protect(services, call, document, protection);
  const unsigned = { ...document, signature, ownsBody: false };
  const secured = await protectUnsigned(services, call, unsigned, protection);
  return secured.ok ? sign(services, call, secured.document) : secured;
}

async function protect(
  services: Services,
  call: GuardedCall,
  { pdf, pages, missingCharacters, naming }: RenderedDocument,
  protection: Protection,
): Promise<Produced> {
  const startMs = performance.now();
  const secured = await services.protector.protect(pdf, protection);
  if (!secured.ok) return failedProtection(secured);
  recordStage(services, call, 'protect', startMs);
  const sha256 = hash('sha256', secured.value, 'hex');
  const made = { pdf: secured.value, pages, sha256, missingCharacters, naming };
  return { ok: true, product: { ...made, signedBy: null, ownsBody: false } };
}

/** Protects a document that is signed afterwards: it must not be delivered as it is. */
async function protectUnsigned(
  services: Services,
  call: GuardedCall,
  document: Unsigned,
  protection: Protection,
): Promise<{ readonly ok: true; readonly document: Unsigned } | Failed> {
  const startMs = performance.now();
  const { protector } = services;
  const secured = await protectToSign(protector, document.pdf, protection, document.signature);
  if (!secured.ok) return failedProtection(secured);
  recordStage(services, call, 'protect', startMs);
  const { pdf, place } = secured.value;
  return { ok: true, document: { ...document, pdf, signature: place } };
}

function failedProtection(failure: Failure): Failed {
  return failed(failure, failure.code === 'overloaded' ? 'none' : 'failed');
}

/** The size of a signature of the team, for which the renderer leaves room, and its signer. */
function offerOf({ signing }: Services, teamId: string): SignatureOffer {
  return signing?.offerFor(teamId) ?? { bytesMax: 0, signer: '' };
}

/** Signs a document that must be signed; if signing fails, the document is not delivered. */
async function sign(
  services: Services,
  call: GuardedCall,
  { pdf, pages, missingCharacters, naming, signature, ownsBody }: Unsigned,
): Promise<Produced> {
  const { teamId } = call.principal;
  const startMs = performance.now();
  const signed =
    services.signing === undefined
      ? fail('signing_unavailable')
      : await services.signing.sign(teamId, pdf, signature);
  if (!signed.ok) return failed(signed, 'failed');
  recordStage(services, call, 'sign', startMs);
  const { pdf: file, sha256, by } = signed.value;
  const { subject, serialNumber } = by;
  const { ids } = call.exchange;
  services.log.info({ msg: 'signed', ...ids, teamId, signer: subject, serialNumber });
  const made = { pdf: file, pages, sha256, missingCharacters, naming };
  return { ok: true, product: { ...made, signedBy: by, ownsBody: ownsBody && file === pdf } };
}

function failed(failure: Failure, audit: Refusal['audit'], documentId = ''): Failed {
  return { ok: false, failure, audit, documentId };
}

/** No renderer has read the data: malformed JSON outranks `failure`, and leaves no record. */
async function failedUnread(
  { call, parsed }: Generation,
  failure: Failure,
  audit: Refusal['audit'],
): Promise<Failed> {
  const refusal = await malformedOr(call.body, parsed, failure);
  return failed(refusal, refusal === failure ? audit : 'none');
}
