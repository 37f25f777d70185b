import type { Outcome } from '../../errors.ts';
import { fail, succeed } from '../../errors.ts';
import type { Found } from '../../store/store.ts';
import type { Reply } from '../reply.ts';
import { jsonReply } from '../reply.ts';
import type { GuardedCall, GuardedRoute, Services } from '../route.ts';
import { beforeNotFound } from '../route.ts';
import type { LoadedTemplate } from '../template-cache.ts';

/** What a field discovery asks for. */
interface Wanted {
  readonly draft: boolean;
  readonly version: number | null;
}

const NO_VERSION = 'There is no such template, or no such published version of it.';
const NO_DRAFT = 'There is no draft of such a template.';

/** GET /v1/templates/:id/fields: the field contract of a template version, or of the draft. */
export function fieldsRoute(services: Services): GuardedRoute {
  return {
    kind: 'guarded',
    method: 'GET',
    path: '/v1/templates/:id/fields',
    access: {
      scope: 'templates:read',
      keyRefusal: 'insufficient_scope',
      roles: ['Editor', 'Admin'],
    },
    counted: false,
    bodyBytesMax: 0,
    run: (call) => describe(services, call),
  };
}

async function describe(services: Services, call: GuardedCall): Promise<Outcome<Reply>> {
  const wanted = readQuery(call);
  if (!wanted.ok) return wanted;
  const [templateId = ''] = call.params;
  const found = await find(services, call.principal.teamId, templateId, wanted.value);
  if (!found.found) {
    const { version } = wanted.value;
    const subject = { templateId, version };
    const refusal = await beforeNotFound(services, call, found.why, 'templates.fields', subject);
    return refusal ?? fail('not_found', wanted.value.draft ? NO_DRAFT : NO_VERSION);
  }
  const { shared, status, fields } = found.value;
  const contract = { templateId: shared.templateId, version: shared.version, status, fields };
  return succeed(jsonReply(200, contract));
}

function find(
  services: Services,
  teamId: string,
  templateId: string,
  { draft, version }: Wanted,
): Promise<Found<LoadedTemplate>> {
  return draft
    ? services.templates.draft(teamId, templateId)
    : services.templates.published(teamId, templateId, version);
}

function readQuery({ query, principal }: GuardedCall): Outcome<Wanted> {
  const parameters = new URLSearchParams(query);
  const drafts = parameters.getAll('draft');
  const versions = parameters.getAll('version');
  // Who may not see drafts is told so, whatever else is wrong with the question.
  if (drafts.includes('true') && principal.kind === 'key') return fail('draft_requires_user');
  if (drafts.length > 1 || versions.length > 1) {
    return fail('bad_request', 'draft and version may be given once each.');
  }
  const [draft = 'false'] = drafts;
  const [version = null] = versions;
  if (draft !== 'true' && draft !== 'false') {
    return fail('bad_request', 'draft must be true or false.');
  }
  if (version === null) return succeed({ draft: draft === 'true', version: null });
  if (draft === 'true') return fail('bad_request', 'version and draft exclude each other.');
  if (!/^(?:0|[1-9]\d*)$/.test(version)) {
    return fail('bad_request', 'version must be a whole number without leading zeros.');
  }
  return succeed({ draft: false, version: Number(version) });
}
