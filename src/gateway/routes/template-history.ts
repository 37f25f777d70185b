import { TEMPLATE_FILE_EXAMPLE, type TemplateFile, templateFile } from '../../api/drafts.ts';
import { version as versionNumber } from '../../api/schema.ts';
import * as api from '../../api/templates.ts';
import type { Failure } from '../../errors.ts';
import { fail, succeed } from '../../errors.ts';
import type { TemplateVersion, VersionSummary } from '../../store/store.ts';
import { ROLES } from '../../store/store.ts';
import { auditRecord, FORBIDDEN, rollBackDetail, SUCCEEDED } from '../audit.ts';
import { entityTag } from '../conditions.ts';
import { readJsonBody } from '../body/json-body.ts';
import {
  JSON_TYPE,
  jsonReply,
  type JsonReply,
  type PendingReply,
  writtenReply,
} from '../reply/reply.ts';
import { json, parameter, TEMPLATE_ID, DRAFT_ID, type Operation } from '../openapi/operation.ts';
import { shownText } from '../../runtime/readable-name.ts';
import type { GuardedCall, GuardedRoute, Services } from '../route.ts';
import { beforeNotFound, describedRoute, isoTime } from '../route.ts';
import { createValidator } from '../body/validator.ts';
import { findApprovers } from './approvals/approvers.ts';
import { describeApproval } from './approvals/describe.ts';
import { refuseArchived } from './templates.ts';

const NO_TEMPLATE = 'There is no such template.';
const NO_VERSION = 'There is no such published version of a template.';
const validateRollback = createValidator(api.ROLLBACK_SCHEMA);

const GET_TEMPLATE = {
  operationId: 'getTemplate',
  summary: 'A template with its versions and the state of its draft',
  parameters: [TEMPLATE_ID],
  replies: {
    200: { description: 'The template.', content: json(api.template, api.TEMPLATE_EXAMPLE) },
  },
  errors: ['not_found', 'rate_limited'],
} satisfies Operation;

const GET_DRAFT = {
  operationId: 'getDraft',
  summary: 'The file of the draft',
  note: 'ETag names this state of the draft.',
  parameters: [DRAFT_ID],
  replies: {
    200: {
      description: 'The file as it was saved.',
      content: json(templateFile, TEMPLATE_FILE_EXAMPLE),
    },
  },
  errors: ['not_found', 'rate_limited'],
} satisfies Operation;

const GET_TEMPLATE_VERSION = {
  operationId: 'getTemplateVersion',
  summary: 'The file of a published version',
  parameters: [TEMPLATE_ID, parameter('path', 'version', versionNumber, 1, 'A published version.')],
  replies: {
    200: { description: 'The file.', content: json(templateFile, TEMPLATE_FILE_EXAMPLE) },
  },
  errors: ['not_found', 'rate_limited'],
} satisfies Operation;

const ROLL_BACK_TEMPLATE = {
  operationId: 'rollBackTemplate',
  summary: 'Publish the content of an earlier version again',
  note: 'The draft stays as it is.',
  parameters: [TEMPLATE_ID],
  body: json(api.ROLLBACK_SCHEMA, { version: 2 }),
  replies: {
    201: { description: 'Published.', content: json(api.published, api.PUBLISHED_EXAMPLE) },
  },
  errors: ['bad_request', 'not_found', 'template_archived', 'rate_limited'],
} satisfies Operation;

/** A template with its versions, the sources of draft and versions, and rolling back. */
export function templateHistoryRoutes(services: Services): readonly GuardedRoute[] {
  const reading = { method: 'GET', counted: false, bodyBytesMax: 0 } as const;
  return [
    describedRoute({
      ...reading,
      path: '/v1/templates/:id',
      access: { scope: null, keyRefusal: 'insufficient_scope', roles: ROLES },
      operation: GET_TEMPLATE,
      run: (call) => describe(services, call),
    }),
    describedRoute({
      ...reading,
      path: '/v1/templates/:id/draft',
      access: { scope: null, keyRefusal: 'draft_requires_user', roles: ['Editor', 'Admin'] },
      operation: GET_DRAFT,
      run: (call) => readDraft(services, call),
    }),
    describedRoute({
      ...reading,
      path: '/v1/templates/:id/versions/:version',
      access: { scope: null, keyRefusal: 'insufficient_scope', roles: ['Editor', 'Admin'] },
      operation: GET_TEMPLATE_VERSION,
      run: (call) => readVersion(services, call),
    }),
    describedRoute({
      method: 'POST',
      path: '/v1/templates/:id/rollback',
      access: { scope: null, keyRefusal: 'insufficient_scope', roles: ['Admin'] },
      counted: false,
      bodyBytesMax: 32_768,
      operation: ROLL_BACK_TEMPLATE,
      run: (call) => rollBack(services, call),
    }),
  ];
}

async function describe(services: Services, call: GuardedCall): PendingReply<api.Template> {
  const [templateId = ''] = call.params;
  const { teamId } = call.principal;
  const { templates } = services.store;
  const found = await templates.find(teamId, templateId);
  if (!found.found) {
    const subject = { templateId };
    const refusal = await beforeNotFound(services, call, found.why, 'templates.read', subject);
    return refusal ?? fail('not_found', NO_TEMPLATE);
  }
  const { name, latestVersion, updatedAtMs, archivedAtMs, draft } = found.value;
  const versions = await templates.history(teamId, templateId);
  const approval = draft === null ? null : await services.store.approvals.find(teamId, templateId);
  const hasApprover = draft !== null && (await findApprovers(services, teamId))(draft.contributors);
  return succeed(
    jsonReply<api.Template>(200, {
      templateId,
      name,
      latestVersion,
      updatedAt: isoTime(updatedAtMs),
      archivedAt: archivedAtMs === null ? null : isoTime(archivedAtMs),
      draft: draft === null ? null : { ...draft, savedAt: isoTime(updatedAtMs), hasApprover },
      approval: approval === null ? null : describeApproval(approval),
      versions: versions.map(describeVersion),
    }),
  );
}

function describeVersion(summary: VersionSummary): api.TemplateVersion {
  const { version, hash, bytes, publishedAtMs, publishedBy, unpublishedAtMs } = summary;
  const { note, authors } = summary;
  return {
    version,
    hash,
    bytes,
    publishedAt: isoTime(publishedAtMs),
    publishedBy,
    withdrawnAt: unpublishedAtMs === null ? null : isoTime(unpublishedAtMs),
    note,
    authors,
  };
}

async function readDraft(services: Services, call: GuardedCall): PendingReply<TemplateFile> {
  const [templateId = ''] = call.params;
  const found = await services.store.templates.draft(call.principal.teamId, templateId);
  if (!found.found) {
    const subject = { templateId };
    const refusal = await beforeNotFound(services, call, found.why, 'templates.read', subject);
    return refusal ?? fail('not_found', 'There is no draft of such a template.');
  }
  return succeed(sourceReply(found.value));
}

async function readVersion(services: Services, call: GuardedCall): PendingReply<TemplateFile> {
  const [templateId = '', digits = ''] = call.params;
  if (!/^[1-9]\d{0,9}$/.test(digits)) return fail('not_found', NO_VERSION);
  const version = Number(digits);
  const { teamId } = call.principal;
  const found = await services.store.templates.version(teamId, templateId, version);
  if (found !== null) return succeed(sourceReply(found));
  return noVersion(services, call, 'templates.read', templateId, version);
}

/** The file as saved; `ETag` is the hash of these bytes. */
function sourceReply({ source, hash }: TemplateVersion): JsonReply<TemplateFile> {
  const headers = { ...JSON_TYPE, ETag: entityTag(hash), 'Cache-Control': 'private, no-store' };
  return writtenReply(source, { headers });
}

/**
 * The 404 of a version. Whether there is an audit record depends on the template's owner; the
 * response does not.
 */
async function noVersion(
  services: Services,
  call: GuardedCall,
  action: 'templates.read' | 'templates.rollback',
  templateId: string,
  version: number,
): Promise<Failure> {
  const owner = await services.store.templates.find(call.principal.teamId, templateId);
  const why = owner.found ? 'absent' : owner.why;
  const refusal = await beforeNotFound(services, call, why, action, { templateId, version });
  return refusal ?? fail('not_found', NO_VERSION);
}

/** Publishes the source of an earlier version as the next version. A draft does not change. */
async function rollBack(services: Services, call: GuardedCall): PendingReply<api.PublishedVersion> {
  const sent = readJsonBody(call, validateRollback);
  if (!sent.ok) return sent;
  const [templateId = ''] = call.params;
  const { version } = sent.value;
  const note = shownText(sent.value.note ?? '');
  const { teamId, id } = call.principal;
  const archived = await refuseArchived(services, teamId, templateId);
  if (archived !== null) return archived;
  if (services.options.publishApprovals) return refuseRollBack(services, call, templateId, version);
  const { templates } = services.store;
  const published = await templates.rollBack(teamId, templateId, version, id, note);
  if (published === null) {
    return noVersion(services, call, 'templates.rollback', templateId, version);
  }
  services.templates.forgetLatest(teamId, templateId);
  const detail = rollBackDetail(version, note);
  const subject = { templateId, version: published.version, detail };
  const atMs = services.nowMs();
  await services.store.audit.add(auditRecord(call, atMs, 'templates.rollback', SUCCEEDED, subject));
  return succeed(jsonReply(201, { templateId, version: published.version }));
}

/**
 * Refuses a rollback when publishing needs two Admins: the version must become a draft that another
 * Admin publishes.
 */
async function refuseRollBack(
  services: Services,
  call: GuardedCall,
  templateId: string,
  version: number,
): Promise<Failure> {
  const { teamId } = call.principal;
  const found = await services.store.templates.version(teamId, templateId, version);
  if (found === null) {
    return noVersion(services, call, 'templates.rollback', templateId, version);
  }
  const subject = { templateId, version };
  const atMs = services.nowMs();
  await services.store.audit.add(auditRecord(call, atMs, 'templates.rollback', FORBIDDEN, subject));
  return fail(
    'forbidden',
    'Publishing takes two Admins here: save this version as the draft, and let another Admin publish it.',
  );
}
