import { createHash } from 'node:crypto';
import * as api from '../../api/drafts.ts';
import type { Outcome } from '../../errors.ts';
import { fail, succeed } from '../../errors.ts';
import { LIMITS } from '../../limits.ts';
import { hashInSlices } from '../../runtime/hash-in-slices.ts';
import { shareInSlices } from '../../runtime/share-in-slices.ts';
import { isId, newIdFault } from '../../runtime/id-rule.ts';
import { nameFault } from '../../runtime/readable-name.ts';
import type { NewAudit } from '../../store/store.ts';
import type { CheckResult, RenderedDocument, SharedTemplate } from '#engine';
import { auditRecord, SUCCEEDED } from '../audit.ts';
import { changedSince, entityTag, expectedHash } from '../conditions.ts';
import { reportRender } from '../generate/stages.ts';
import { isJson } from '../http/content.ts';
import { CONDITIONS, DRAFT_ID, json, parameter, type Operation } from '../openapi/operation.ts';
import { mixedReply } from '../reply/mixed.ts';
import { jsonReply, type JsonReply, type PendingReply, type PlainReply } from '../reply/reply.ts';
import type { GuardedCall, GuardedRoute, Services } from '../route.ts';
import { beforeNotFound, describedRoute } from '../route.ts';

/** Limit of the findings in a response. */
export const FINDINGS_MAX = 100;
/** The query parameter that asks for a preview with a save. */
const PREVIEW = 'preview';
const SAMPLE_INDEX = /^(?:0|[1-9]\d{0,5})$/;
const NO_INDEX = 'preview must be the index of a sample, counted from 0.';

const MIXED = {
  'multipart/mixed': {
    schema: { type: 'string', format: 'binary', description: 'A JSON part, then a PDF part.' },
  },
};

const SAVE_DRAFT = {
  operationId: 'saveDraft',
  summary: 'Save a draft',
  note:
    'The templateId of the file is the one above. With preview, the draft is also rendered with one of its samples, and the reply holds both, as ' +
    'multipart/mixed: the JSON, then the PDF. A sample that is absent, not valid or cannot be ' +
    'rendered never prevents the save: the reply is the JSON alone, and previewDraft says why. Such ' +
    'a save counts as a preview, too.',
  parameters: [
    DRAFT_ID,
    parameter(
      'query',
      PREVIEW,
      { type: 'integer', minimum: 0 },
      0,
      'Index of the sample to render as a preview, counted from 0.',
    ),
    CONDITIONS.match,
    CONDITIONS.noneMatch,
  ],
  body: json(api.templateFile, api.TEMPLATE_FILE_EXAMPLE),
  replies: {
    200: {
      description: 'Saved; what a check of it found.',
      content: { ...json(api.draftSaved, api.SAVED_DRAFT_EXAMPLE), ...MIXED },
    },
  },
  errors: ['bad_request', 'precondition_failed', 'payload_too_large', 'rate_limited', 'overloaded'],
} satisfies Operation;

const CHECK_DRAFT = {
  operationId: 'checkDraft',
  summary: 'Check the draft as publishing it would',
  note:
    'Samples are rendered; nothing is changed. changes lists what the draft changes in the version in ' +
    'use, apart from samples.',
  parameters: [DRAFT_ID],
  replies: {
    200: {
      description: 'The findings.',
      content: json(api.draftCheck, api.DRAFT_CHECK_EXAMPLE),
    },
  },
  errors: ['not_found', 'rate_limited', 'overloaded'],
} satisfies Operation;

/** Saving a draft and checking it: for Editors and Admins. */
export function draftRoutes(services: Services): readonly GuardedRoute[] {
  return [
    describedRoute({
      method: 'PUT',
      path: '/v1/templates/:id/draft',
      access: { scope: null, keyRefusal: 'draft_requires_user', roles: ['Editor', 'Admin'] },
      counted: false,
      isPreview: (query) => new URLSearchParams(query).has(PREVIEW),
      takesUnfinished: true,
      bodyBytesMax: LIMITS.templateBytesMax,
      operation: SAVE_DRAFT,
      run: (call) => saveDraft(services, call),
    }),
    describedRoute({
      method: 'GET',
      path: '/v1/templates/:id/draft/check',
      access: { scope: null, keyRefusal: 'draft_requires_user', roles: ['Editor', 'Admin'] },
      counted: false,
      bodyBytesMax: 0,
      oneAtATime: true,
      operation: CHECK_DRAFT,
      run: (call) => checkDraft(services, call),
    }),
  ];
}

async function saveDraft(
  services: Services,
  call: GuardedCall,
): Promise<Outcome<JsonReply<api.SavedDraft> | PlainReply>> {
  if (!isJson(call.exchange.headers.contentType)) {
    return fail('bad_request', 'Content-Type must be application/json.');
  }
  const [templateId = ''] = call.params;
  const { templates } = services.store;
  const { teamId, id: by } = call.principal;
  const idFault = newIdFault(templateId);
  const mayHaveId =
    idFault === null || (isId(templateId) && (await templates.find(teamId, templateId)).found);
  if (!mayHaveId) return fail('bad_request', `templateId ${idFault}.`);
  const replaces = expectedHash(call.exchange.headers);
  if (!replaces.ok) return replaces;
  const previewOf = readPreview(call.query);
  if (!previewOf.ok) return previewOf;
  // A renderer parses the file: parsing it here would delay every other request.
  const template = await share(templateId, call.body);
  const checked = await checkBeforeSave(services, call, template, previewOf.value);
  if (!checked.ok) return checked;
  const name = nameOf(checked.value, templateId);
  if (!name.ok) return name;
  const { fields, preview } = checked.value;
  const audit = savedRecord(services, call, templateId);
  const shown =
    preview === undefined ? undefined : previewRecord(services, call, templateId, preview);
  const saving = { by, replaces: replaces.value, fields, audit, preview: shown };
  const { source: cleaned } = checked.value;
  const stored = cleaned === undefined ? template : await share(templateId, cleaned);
  // Shared memory reaches the thread that writes SQLite without a copy.
  const source = new Uint8Array(stored.source);
  if (!(await templates.saveDraft(teamId, templateId, name.value, source, saving))) {
    return changedSince();
  }
  services.templates.keepDraft(stored);
  const findings = checked.value.findings.slice(0, FINDINGS_MAX);
  const headers = { ETag: entityTag(stored.hash) };
  const saved: api.SavedDraft = { templateId, status: 'draft', findings };
  if (preview === undefined) return succeed(jsonReply(200, saved, headers));
  return succeed(mixedReply(200, saved, preview.pdf, headers));
}

/** Index of the sample to be rendered; undefined: no preview is asked for. */
function readPreview(query: string): Outcome<number | undefined> {
  if (query === '') return succeed(undefined);
  const [index, ...others] = new URLSearchParams(query).getAll(PREVIEW);
  if (index === undefined) return succeed(undefined);
  const isIndex = others.length === 0 && SAMPLE_INDEX.test(index);
  return isIndex ? succeed(Number(index)) : fail('bad_request', NO_INDEX);
}

/** Checks a draft and renders its preview; a preview that fails does not prevent the save. */
async function checkBeforeSave(
  services: Services,
  call: GuardedCall,
  template: SharedTemplate,
  previewOf: number | undefined,
): Promise<Outcome<CheckResult>> {
  const checked = await check(services, call, template, { previewOf });
  if (checked.ok || previewOf === undefined || checked.code === 'overloaded') return checked;
  return check(services, call, template);
}

/** Reports what publishing would find: samples are rendered, nothing is changed. */
async function checkDraft(services: Services, call: GuardedCall): PendingReply<api.DraftCheck> {
  const [templateId = ''] = call.params;
  const found = await services.templates.draft(call.principal.teamId, templateId);
  if (!found.found) {
    const subject = { templateId };
    const refusal = await beforeNotFound(services, call, found.why, 'templates.read', subject);
    return refusal ?? fail('not_found', 'There is no draft of such a template.');
  }
  const { shared: draft } = found.value;
  const against = await inUse(services, call.principal.teamId, templateId);
  const checked = await check(services, call, draft, { renderSamples: true, against });
  if (!checked.ok) return checked;
  const { samples, changes } = checked.value;
  const findings = checked.value.findings.slice(0, FINDINGS_MAX);
  const { version, hash: draftHash } = draft;
  const headers = { ETag: entityTag(draftHash) };
  const published = against?.hash ?? null;
  const body = { templateId, version, findings, samples, published, changes };
  return succeed(jsonReply<api.DraftCheck>(200, body, headers));
}

/** The newest version in use; null: no version is in use. */
export async function inUse(
  services: Services,
  teamId: string,
  templateId: string,
): Promise<SharedTemplate | null> {
  // Another instance may have published since.
  services.templates.forgetLatest(teamId, templateId);
  const found = await services.templates.published(teamId, templateId, null);
  return found.found ? found.value.shared : null;
}

/** The template's name in the file; refused when its templateId is not that of the address. */
function nameOf({ label, findings }: CheckResult, templateId: string): Outcome<string> {
  if (label === null) return fail('bad_request', findings[0]?.message);
  if (label.templateId !== templateId) {
    return fail('bad_request', 'templateId in the file must be the one in the address.');
  }
  const fault = nameFault(label.name);
  if (fault !== null) return fail('bad_request', `name ${fault}.`);
  return succeed(label.name);
}

async function share(templateId: string, file: Uint8Array): Promise<SharedTemplate> {
  const hash = createHash('sha256');
  await hashInSlices(hash, file);
  const source = await shareInSlices(file);
  return { hash: hash.digest('hex'), source, templateId, version: 0 };
}

/** Options of a check; by default nothing is rendered. */
interface Checking {
  readonly renderSamples?: boolean;
  readonly previewOf?: number | undefined;
  readonly against?: SharedTemplate | null;
}

/** Checks a template in a renderer; a preview is counted and timed like any document. */
export async function check(
  services: Services,
  call: GuardedCall,
  template: SharedTemplate,
  { renderSamples = false, previewOf, against }: Checking = {},
): Promise<Outcome<CheckResult>> {
  const submittedAtMs = performance.now();
  const atMs = services.nowMs();
  const compared = against === undefined ? {} : { against };
  const job = { kind: 'check', template, renderSamples, previewOf, atMs, ...compared } as const;
  const ticket = services.pool.check(job, call.principal.id, call.principal.teamId);
  const forget = call.exchange.onAbort(() => ticket.cancel());
  const result = await ticket.result;
  forget();
  if (result.ok && result.value.preview !== undefined) {
    const { pages, pdf, times } = result.value.preview;
    services.metrics.delivered(pages, pdf.byteLength, times, ticket.queuedMs);
    reportRender(call, submittedAtMs, ticket.queuedMs, times);
  }
  return result;
}

function savedRecord(services: Services, call: GuardedCall, templateId: string): NewAudit {
  const subject = { templateId, version: null };
  return auditRecord(call, services.nowMs(), 'templates.draft', SUCCEEDED, subject);
}

/** The record of a preview is that of a generation; the store adds the version of the draft. */
function previewRecord(
  services: Services,
  call: GuardedCall,
  templateId: string,
  { pages, pdf, sha256 }: RenderedDocument,
): NewAudit {
  const bytes = pdf.byteLength;
  const subject = {
    templateId,
    version: null,
    draft: true,
    mode: 'sync',
    pages,
    bytes,
    sha256,
  } as const;
  return auditRecord(call, services.nowMs(), 'generate', SUCCEEDED, subject);
}
