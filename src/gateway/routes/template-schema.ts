import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { DATA_SCHEMA_EXAMPLE, type DataSchema, dataSchema } from '../../api/fields.ts';
import { version as versionNumber } from '../../api/schema.ts';
import type { Outcome } from '../../errors.ts';
import { fail, succeed } from '../../errors.ts';
import type { SharedTemplate } from '#engine';
import { entityTag } from '../conditions.ts';
import { json, parameter, TEMPLATE_ID } from '../openapi/operation.ts';
import { JSON_TYPE, type JsonReply, type PlainReply, writtenReply } from '../reply/reply.ts';
import type { GuardedCall, GuardedRoute, Services } from '../route.ts';
import { beforeNotFound, describedRoute } from '../route.ts';
import { NO_VERSION, readVersion } from './fields.ts';

/** Limit of the cached schemas, by the hash of their template. */
const SCHEMA_BYTES_KEPT_MAX = 16 * 1_048_576;

interface Kept {
  readonly body: Uint8Array;
  readonly tag: string;
}

type Schemas = LRUCache<string, Kept>;

/** GET /v1/templates/:id/schema: JSON Schema of the data that a published version takes. */
export function templateSchemaRoute(services: Services): GuardedRoute {
  const kept: Schemas = new LRUCache({
    maxSize: SCHEMA_BYTES_KEPT_MAX,
    sizeCalculation: ({ body }) => body.byteLength,
  });
  return describedRoute({
    method: 'GET',
    path: '/v1/templates/:id/schema',
    access: {
      scope: 'templates:read',
      keyRefusal: 'insufficient_scope',
      roles: ['Editor', 'Admin'],
    },
    counted: false,
    bodyBytesMax: 0,
    operation: {
      operationId: 'getDataSchema',
      summary: 'JSON Schema of the data of a template version',
      note: 'If-None-Match with the ETag of an earlier answer gets 304 while the schema is the same.',
      parameters: [
        TEMPLATE_ID,
        parameter(
          'query',
          'version',
          versionNumber,
          3,
          'A published version; the latest if left out.',
        ),
      ],
      replies: {
        200: {
          description: 'The schema, as JSON Schema 2020-12.',
          content: json(dataSchema, DATA_SCHEMA_EXAMPLE),
        },
        304: { description: 'The schema is the same.' },
      },
      errors: ['bad_request', 'not_found', 'template_archived', 'rate_limited'],
    },
    run: (call) => describe(services, kept, call),
  });
}

async function describe(
  services: Services,
  kept: Schemas,
  call: GuardedCall,
): Promise<Outcome<JsonReply<DataSchema> | PlainReply>> {
  const versions = new URLSearchParams(call.query).getAll('version');
  if (versions.length > 1) return fail('bad_request', 'version may be given once.');
  const [text] = versions;
  const wanted = text === undefined ? succeed(null) : readVersion(text);
  if (!wanted.ok) return wanted;
  const version = wanted.value;
  const [templateId = ''] = call.params;
  const found = await services.templates.published(call.principal.teamId, templateId, version);
  if (!found.found) {
    const subject = { templateId, version };
    const refusal = await beforeNotFound(services, call, found.why, 'templates.fields', subject);
    return refusal ?? fail('not_found', NO_VERSION);
  }
  const { shared } = found.value;
  const known = kept.get(shared.hash);
  const made = known === undefined ? await makeSchema(services, call, shared) : succeed(known);
  if (!made.ok) return made;
  kept.set(shared.hash, made.value);
  const { body, tag } = made.value;
  const headers = { ...JSON_TYPE, ETag: tag };
  const isSame = call.exchange.headers.ifNoneMatch.split(',').some((one) => isTag(one, tag));
  if (isSame) return succeed({ status: 304, headers, body: new Uint8Array() });
  return succeed(writtenReply<DataSchema>(body, { headers }));
}

/** Weak comparison (RFC 9110 §13.1.2): a proxy that compresses makes the tag weak. */
function isTag(sent: string, tag: string): boolean {
  const one = sent.trim();
  return one === '*' || one.replace(/^W\//, '') === tag;
}

/** A renderer makes it: parsing a template of up to 8 MB here would delay every other request. */
async function makeSchema(
  services: Services,
  { exchange, principal }: GuardedCall,
  template: SharedTemplate,
): Promise<Outcome<Kept>> {
  const { pool, nowMs } = services;
  const job = { kind: 'check', template, only: 'schema', renderSamples: false } as const;
  const ticket = pool.check({ ...job, atMs: nowMs() }, principal.id, principal.teamId);
  const forget = exchange.onAbort(() => ticket.cancel());
  const checked = await ticket.result;
  forget();
  if (!checked.ok) return checked;
  const body = checked.value.fields;
  const tag = entityTag(createHash('sha256').update(body).digest('hex'));
  return succeed({ body, tag });
}
