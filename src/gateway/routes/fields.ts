import { LRUCache } from 'lru-cache';
import { CONTRACT_EXAMPLE, type FieldContract, fieldContract } from '../../api/fields.ts';
import { version as versionNumber } from '../../api/schema.ts';
import type { Outcome } from '../../errors.ts';
import { fail, succeed } from '../../errors.ts';
import type { Found, TemplateStatus } from '../../store/store.ts';
import type { SharedTemplate } from '#engine';
import { type PendingReply, writtenReply } from '../reply/reply.ts';
import { json, parameter, TEMPLATE_ID } from '../openapi/operation.ts';
import type { GuardedCall, GuardedRoute, Services } from '../route.ts';
import { beforeNotFound, describedRoute } from '../route.ts';

/** Parameters of a field discovery. */
interface Wanted {
  readonly draft: boolean;
  readonly version: number | null;
}

/**
 * Limit of cached response bodies, which let concurrent requests for a long contract share its
 * memory.
 */
const BODY_BYTES_KEPT_MAX = 16 * 1_048_576;
type Bodies = LRUCache<string, Uint8Array>;

export const NO_VERSION = 'There is no such template, or no such published version of it.';
const NO_DRAFT = 'There is no draft of such a template.';

/** GET /v1/templates/:id/fields: the field contract of a template version, or of the draft. */
export function fieldsRoute(services: Services): GuardedRoute {
  const bodies: Bodies = new LRUCache({
    maxSize: BODY_BYTES_KEPT_MAX,
    sizeCalculation: (body) => body.byteLength,
  });
  return describedRoute({
    method: 'GET',
    path: '/v1/templates/:id/fields',
    access: {
      scope: 'templates:read',
      keyRefusal: 'insufficient_scope',
      roles: ['Editor', 'Admin'],
    },
    counted: false,
    bodyBytesMax: 0,
    operation: {
      operationId: 'getFieldContract',
      summary: 'Field contract of a template version',
      note: 'Only users can read the contract of a draft.',
      parameters: [
        TEMPLATE_ID,
        parameter(
          'query',
          'version',
          versionNumber,
          3,
          'A published version; the latest if left out.',
        ),
        parameter('query', 'draft', { type: 'boolean' }, false, 'true: the current draft.'),
      ],
      replies: {
        200: {
          description: 'The contract.',
          content: json(fieldContract, CONTRACT_EXAMPLE),
        },
      },
      errors: [
        'bad_request',
        'draft_requires_user',
        'not_found',
        'template_archived',
        'rate_limited',
      ],
    },
    run: (call) => describe(services, bodies, call),
  });
}

async function describe(
  services: Services,
  bodies: Bodies,
  call: GuardedCall,
): PendingReply<FieldContract> {
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
  const { version, status, hash } = found.value;
  const head = JSON.stringify({ templateId, version, status }).slice(0, -1);
  // The fields depend only on the source, so an entry under its hash never changes.
  const name = hash + head;
  let body = bodies.get(name);
  if (body === undefined) {
    const fields = await fieldsOf(services, call, found.value);
    if (!fields.ok) return fields;
    // The list may be long, so its bytes are inserted without parsing them.
    body = Buffer.concat([Buffer.from(`${head},"fields":`), fields.value, Buffer.from('}')]);
    bodies.set(name, body);
  }
  return succeed(writtenReply<FieldContract>(body));
}

/** A template whose contract is requested. */
interface Described {
  readonly hash: string;
  readonly version: number;
  readonly status: TemplateStatus;
  /** null: the draft was replaced meanwhile. */
  readonly load: () => Promise<SharedTemplate | null>;
}

async function find(
  { templates, store }: Services,
  teamId: string,
  templateId: string,
  { draft, version }: Wanted,
): Promise<Found<Described>> {
  if (!draft) {
    const found = await templates.published(teamId, templateId, version);
    if (!found.found) return found;
    const { shared, status } = found.value;
    const load = (): Promise<SharedTemplate> => Promise.resolve(shared);
    return { found: true, value: { hash: shared.hash, version: shared.version, status, load } };
  }
  const found = await store.templates.draftHash(teamId, templateId);
  if (!found.found) return found;
  const { hash } = found.value;
  const load = async (): Promise<SharedTemplate | null> => {
    const source = await templates.draft(teamId, templateId);
    return source.found && source.value.shared.hash === hash ? source.value.shared : null;
  };
  return { found: true, value: { ...found.value, status: 'draft', load } };
}

/**
 * Field descriptors of a template, as stored when it was checked. If they are missing, a renderer
 * computes them: parsing a template of up to 8 MB here would delay every other request.
 */
export async function fieldsOf(
  services: Services,
  { exchange, principal }: GuardedCall,
  { hash, load }: Pick<Described, 'hash' | 'load'>,
): Promise<Outcome<Uint8Array>> {
  const { pool, store } = services;
  const kept = await store.templates.fields(hash);
  if (kept !== null) return succeed(kept);
  const template = await load();
  if (template === null) return fail('overloaded', 'The draft is being changed. Ask again.');
  const atMs = services.nowMs();
  const job = { kind: 'check', template, only: 'fields', renderSamples: false, atMs } as const;
  const ticket = pool.check(job, principal.id, principal.teamId);
  const forget = exchange.onAbort(() => ticket.cancel());
  const checked = await ticket.result;
  forget();
  if (!checked.ok) return checked;
  await store.templates.keepFields(hash, checked.value.fields);
  return succeed(checked.value.fields);
}

function readQuery({ query, principal }: GuardedCall): Outcome<Wanted> {
  const parameters = new URLSearchParams(query);
  const drafts = parameters.getAll('draft');
  const versions = parameters.getAll('version');
  // For a caller that may not see drafts this is the first defect to report.
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
  const number = readVersion(version);
  return number.ok ? succeed({ draft: false, version: number.value }) : number;
}

/** The number of a published version, as a query names it. */
export function readVersion(version: string): Outcome<number> {
  if (!/^(?:0|[1-9]\d*)$/.test(version)) {
    return fail('bad_request', 'version must be a whole number without leading zeros.');
  }
  return succeed(Number(version));
}
