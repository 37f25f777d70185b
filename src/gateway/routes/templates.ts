import * as api from '../../api/templates.ts';
import type { Failure, Outcome } from '../../errors.ts';
import { fail, succeed } from '../../errors.ts';
import type { PublicationRefusal, TemplateSearch } from '../../store/store.ts';
import { publicationNote, ROLES } from '../../store/store.ts';
import { auditRecord, detailOf, SUCCEEDED } from '../audit.ts';
import { readJsonBody } from '../body/json-body.ts';
import { createValidator } from '../body/validator.ts';
import { changedSince, expectedHash } from '../conditions.ts';
import { LIST_PAGING, listReply } from '../list-pages.ts';
import { jsonReply, type PendingReply } from '../reply/reply.ts';
import {
  json,
  filter,
  parameter,
  DRAFT_ID,
  CONDITIONS,
  type Operation,
} from '../openapi/operation.ts';
import type { GuardedCall, GuardedRoute, Services } from '../route.ts';
import { shownText } from '../../runtime/readable-name.ts';
import { beforeNotFound, describedRoute, isoTime } from '../route.ts';
import type { LoadedTemplate } from '../template-cache.ts';
import type { SharedTemplate, TemplateChange } from '#engine';
import { check, FINDINGS_MAX, inUse } from './drafts.ts';

const PUBLISH = 'templates.publish';
const SEARCH_LENGTH_MAX = 255;
const UNSEEN =
  'compared is missing: compare the draft with the latest version, and name the hashes of both.';

const UNCONFIRMED =
  'compared.changes lacks changes of the template: read each that checkDraft lists, and send its id.';

const validatePublish = createValidator(api.PUBLISH_SCHEMA);

const LIST_TEMPLATES = {
  operationId: 'listTemplates',
  summary: "Templates of the caller's team",
  note: 'With a search, a page may hold fewer than asked for: go on while next is not null.',
  parameters: [
    filter('search', 'receipt', 'Part of the identifier or the name, in any case.'),
    filter(
      'templateId',
      'receipt',
      'Exactly this template, archived or not, whatever else is asked; the list is empty when the identifier is free.',
    ),
    parameter(
      'query',
      'published',
      { type: 'boolean' },
      true,
      'true: only those with a version that can be used.',
    ),
    parameter(
      'query',
      'archived',
      { type: 'boolean' },
      true,
      'true: only archived ones, which are left out otherwise.',
    ),
    ...LIST_PAGING,
  ],
  replies: {
    200: {
      description: 'The list.',
      content: json(api.templateList, api.TEMPLATES_EXAMPLE),
    },
  },
  errors: ['bad_request'],
} satisfies Operation;

const PUBLISH_TEMPLATE = {
  operationId: 'publishTemplate',
  summary: 'Publish the draft as the next version',
  note: 'Once a version is published, compared must name both sides.',
  parameters: [DRAFT_ID, CONDITIONS.match],
  body: json(api.PUBLISH_SCHEMA, {}),
  replies: {
    201: { description: 'Published.', content: json(api.published, api.PUBLISHED_EXAMPLE) },
  },
  errors: [
    'bad_request',
    'not_found',
    'approval_conflict',
    'template_archived',
    'precondition_failed',
    'overloaded',
  ],
} satisfies Operation;

/** The template list and publishing: for browser users. */
export function templateRoutes(services: Services): readonly GuardedRoute[] {
  return [
    describedRoute({
      method: 'GET',
      path: '/v1/templates',
      access: { scope: null, keyRefusal: 'insufficient_scope', roles: ROLES },
      counted: false,
      bodyBytesMax: 0,
      operation: LIST_TEMPLATES,
      run: (call) => list(services, call),
    }),
    describedRoute({
      method: 'POST',
      path: '/v1/templates/:id/publish',
      access: { scope: null, keyRefusal: 'draft_requires_user', roles: ['Admin'] },
      counted: false,
      bodyBytesMax: 32_768,
      operation: PUBLISH_TEMPLATE,
      run: (call) => publish(services, call),
    }),
  ];
}

async function list(
  { store: { templates } }: Services,
  { principal, query }: GuardedCall,
): PendingReply<api.TemplateList> {
  const search = readSearch(query);
  if (!search.ok) return search;
  return listReply(
    query,
    'templates',
    (after, countMax) => templates.page(principal.teamId, after, countMax, search.value),
    ({ updatedAtMs, archivedAtMs, ...summary }) => ({
      ...summary,
      updatedAt: isoTime(updatedAtMs),
      archivedAt: archivedAtMs === null ? null : isoTime(archivedAtMs),
    }),
  );
}

/** Reads the search of the query; undefined: there is none. */
function readSearch(query: string): Outcome<TemplateSearch | undefined> {
  const asked = new URLSearchParams(query);
  const text = asked.get('search') ?? '';
  const templateId = asked.get('templateId') ?? undefined;
  const published = asked.get('published') ?? 'false';
  if (text.length > SEARCH_LENGTH_MAX) {
    return fail('bad_request', `search may have at most ${SEARCH_LENGTH_MAX} characters.`);
  }
  if (published !== 'true' && published !== 'false') {
    return fail('bad_request', 'published must be true or false.');
  }
  const archived = asked.get('archived') ?? 'false';
  if (archived !== 'true' && archived !== 'false') {
    return fail('bad_request', 'archived must be true or false.');
  }
  const isPublished = published === 'true';
  const isArchived = archived === 'true';
  if (templateId !== undefined) return succeed({ text, templateId, isPublished, isArchived });
  const isAll = text.trim() === '' && !isPublished && !isArchived;
  return succeed(isAll ? undefined : { text, isPublished, isArchived });
}

async function publish(services: Services, call: GuardedCall): PendingReply<api.PublishedVersion> {
  const [templateId = ''] = call.params;
  const { teamId } = call.principal;
  const found = await services.templates.draft(teamId, templateId);
  if (!found.found) {
    const subject = { templateId };
    const refusal = await beforeNotFound(services, call, found.why, PUBLISH, subject);
    return refusal ?? fail('not_found', 'There is no draft of such a template.');
  }
  const draft: LoadedTemplate = found.value;
  const { hash: draftHash } = draft.shared;
  const archived = await refuseArchived(services, teamId, templateId);
  if (archived !== null) return archived;
  const compared = await readCompared(services, call, templateId, draftHash);
  if (!compared.ok) return compared;
  const refused = await refusePublishing(services, call, templateId, draftHash);
  if (refused !== null) return refused;
  const { published: against, changes } = compared.value;
  const checked = await check(services, call, draft.shared, { renderSamples: true, against });
  if (!checked.ok) return checked;
  const unseen = refuseUnseen(services, checked.value.changes, changes);
  if (unseen !== null) return unseen;
  const errors = checked.value.findings.filter((finding) => finding.severity === 'error');
  if (errors.length > 0) {
    const fields = errors
      .slice(0, FINDINGS_MAX)
      .map(({ path, message }) => ({ field: path, reason: message }));
    return fail('bad_request', 'The draft has errors and cannot be published.', fields);
  }
  // The draft was stored by a version of the service that cleaned its PDFs in another way.
  if (checked.value.source !== undefined) {
    return fail('bad_request', 'The draft holds a PDF that has to be cleaned: save it once more.');
  }
  const { templates } = services.store;
  const published = await templates.publishByRules(
    teamId,
    templateId,
    draftHash,
    call.principal.id,
    {
      replaces: against?.hash ?? null,
      note: compared.value.note,
      isOther: services.options.publishApprovals,
      demandsAdmin: true,
    },
  );
  if (published === null) return changedSince();
  if (typeof published === 'string') {
    return refusePublication(services, call, draft.shared, published);
  }
  const { version, contributors, note, overruled } = published;
  services.templates.forgetLatest(teamId, templateId);
  const subject = {
    templateId,
    version,
    contributors,
    detail: detailOf(publicationNote(note, overruled)),
  };
  const record = auditRecord(call, services.nowMs(), PUBLISH, SUCCEEDED, subject);
  await services.store.audit.add(record);
  return succeed(jsonReply(201, { templateId, version }));
}

/** Refuses what would bring an archived template into use; null: it is not archived. */
export async function refuseArchived(
  { store }: Services,
  teamId: string,
  templateId: string,
): Promise<Failure | null> {
  const found = await store.templates.find(teamId, templateId);
  return found.found && found.value.archivedAtMs !== null ? fail('template_archived') : null;
}

/** What the publisher compared the draft with. */
interface Seen {
  /** The version in use; null: there is none. */
  readonly published: SharedTemplate | null;
  /** Names of the changes that the publisher has confirmed; undefined: none were sent. */
  readonly changes: readonly string[] | undefined;
  /** Why it is published; undefined: the note of the request for approval. */
  readonly note: string | undefined;
}

/**
 * Reads what the publisher has compared. Publishing is refused unless this draft was compared with
 * the version in use.
 */
async function readCompared(
  services: Services,
  call: GuardedCall,
  templateId: string,
  draftHash: string,
): Promise<Outcome<Seen>> {
  const sent = call.body.length === 0 ? succeed({}) : readJsonBody(call, validatePublish);
  if (!sent.ok) return sent;
  const { compared, note }: api.PublishRequest = sent.value;
  const { teamId } = call.principal;
  const hash = await services.store.templates.publishedHash(teamId, templateId);
  if (compared === undefined && hash !== null) return fail('bad_request', UNSEEN);
  const isCurrent =
    compared === undefined || (compared.draft === draftHash && compared.published === hash);
  if (!isCurrent) return changedSince();
  const published = hash === null ? null : await inUse(services, teamId, templateId);
  if ((published?.hash ?? null) !== hash) return changedSince();
  const shown = note === undefined ? undefined : shownText(note);
  return succeed({ published, changes: compared?.changes, note: shown });
}

/**
 * Refuses a publication when a change of the template was not confirmed: samples need not show it.
 * Where publishing takes two people, the confirmation is required.
 */
function refuseUnseen(
  { options }: Services,
  changes: readonly TemplateChange[],
  confirmed: readonly string[] | undefined,
): Failure | null {
  if (confirmed === undefined && !options.publishApprovals) return null;
  const seen = new Set(confirmed);
  const unseen = changes.filter(({ id }) => !seen.has(id));
  if (unseen.length === 0) return null;
  const fields = unseen.slice(0, FINDINGS_MAX).map(({ path, line, lineBefore }) => ({
    field: path,
    reason: `not confirmed, line ${line ?? lineBefore ?? 1}`,
  }));
  return fail('bad_request', UNCONFIRMED, fields);
}

/** null: the caller has seen the current draft and may publish it. */
async function refusePublishing(
  services: Services,
  call: GuardedCall,
  templateId: string,
  draftHash: string,
): Promise<Failure | null> {
  const seen = expectedHash(call.exchange.headers);
  if (!seen.ok) return seen;
  if (seen.value !== undefined && seen.value !== draftHash) return changedSince();
  if (!services.options.publishApprovals) return null;
  const { teamId, id } = call.principal;
  const found = await services.store.templates.find(teamId, templateId);
  const draft = found.found ? found.value.draft : null;
  if (draft?.hash !== draftHash) return changedSince();
  if (!draft.contributors.includes(id)) return null;
  return refusePublication(services, call, { templateId, version: draft.version }, 'contributed');
}

/** Why a publication is refused, in words; the code of each is that of the response. */
const REFUSALS = {
  contributed: fail(
    'forbidden',
    'You contributed to this draft: another Admin, who did not, has to publish it.',
  ),
  role_lost: fail('forbidden', 'Your role was taken away meanwhile: nothing was published.'),
  sent_back: fail(
    'approval_conflict',
    'This draft was sent back: it can be published once it is changed, or once approval is asked for again.',
  ),
} as const satisfies Record<PublicationRefusal, Failure>;

async function refusePublication(
  services: Services,
  call: GuardedCall,
  { templateId, version }: { readonly templateId: string; readonly version: number },
  why: PublicationRefusal,
): Promise<Failure> {
  const refusal = REFUSALS[why];
  const subject = { templateId, version };
  const result = { outcome: 'denied', code: refusal.code } as const;
  await services.store.audit.add(auditRecord(call, services.nowMs(), PUBLISH, result, subject));
  return refusal;
}
