import type { FieldDescriptor } from '#engine';
import { isObject, type JsonObject } from '../../src/runtime/json-object.ts';
import { bytesByKind } from './bytes.ts';
import { OwnFault } from './fault.ts';
import type { PublishedFigures } from './figures.ts';
import { makeRows, readRows } from './rows.ts';
import { measureCallers } from './service.ts';
import type { OwnPlan } from './turns.ts';

const TIMEOUT_MS = 120_000;
const FORBIDDEN = 403;
const REASON_LENGTH_MAX = 300;
const FIELDS_SHOWN_MAX = 3;

/** A template of a running service, and a key of it that may generate. */
export interface Published {
  readonly templateId: string;
  readonly url: string;
  readonly key: string;
}

/**
 * Measures a published template by its documents only: API keys cannot read the template file. The
 * rows of `data` are checked by the service. When `data` is null, they are made from the examples or
 * else the fields that the service lists.
 */
export async function measurePublished(
  published: Published,
  data: { readonly text: string; readonly name: string } | null,
  plan: OwnPlan,
): Promise<PublishedFigures> {
  const { templateId, url, key } = published;
  let last: Uint8Array = new Uint8Array(0);
  const check = async (row: Uint8Array): Promise<string | null> => {
    const body = `{"templateId":${JSON.stringify(templateId)},"mode":"sync","data":`;
    const response = await call(
      published,
      '/v1/generate',
      `${body}${Buffer.from(row).toString()}}`,
    );
    if (response.ok) {
      last = new Uint8Array(await response.arrayBuffer());
      return null;
    }
    const reason = reasonOf(await response.text());
    if (response.status === 422 || response.status === 400) return reason;
    throw new OwnFault(`${url} answered ${response.status}: ${reason}`);
  };
  const made =
    data === null
      ? await makeRows(await sampleRows(published), await fieldsOf(published), check)
      : await readRows(data.text, data.name, check);
  const { rows, origin } = made;
  const service = await measureCallers({ url, key, pid: null }, { templateId, rows }, plan, null);
  const bytes = await bytesByKind(last);
  return { schema: 1, template: `${templateId} at ${url}`, data: origin, bytes, service };
}

async function fieldsOf(published: Published): Promise<readonly FieldDescriptor[]> {
  const answer = await readAbout(published, 'fields');
  // As /openapi.json describes it.
  return (answer as { readonly fields: readonly FieldDescriptor[] }).fields;
}

/**
 * Rows from the examples that the JSON Schema of the template takes from its samples: the k-th of each
 * field, the last one where a field has fewer.
 */
async function sampleRows(published: Published): Promise<JsonObject> {
  const schema = await readAbout(published, 'schema');
  const properties = isObject(schema) ? schema['properties'] : null;
  const examples = Object.entries(isObject(properties) ? properties : {}).flatMap(
    ([name, property]): readonly (readonly [string, readonly unknown[]])[] => {
      const listed = isObject(property) ? property['examples'] : null;
      return Array.isArray(listed) && listed.length > 0 ? [[name, listed]] : [];
    },
  );
  const count = Math.max(0, ...examples.map(([, values]) => values.length));
  const samples = Array.from({ length: count }, (_, index) => ({
    data: Object.fromEntries(
      examples.map(([name, values]) => [name, values[Math.min(index, values.length - 1)]]),
    ),
  }));
  return { samples };
}

async function readAbout(published: Published, resource: 'fields' | 'schema'): Promise<unknown> {
  const id = encodeURIComponent(published.templateId);
  const response = await call(published, `/v1/templates/${id}/${resource}`, null);
  const text = await response.text();
  if (response.ok) return JSON.parse(text);
  const cure =
    response.status === FORBIDDEN ? ': rows can be made with it, or given by --data' : '';
  throw new OwnFault(`${published.url} answered ${response.status}: ${reasonOf(text)}${cure}`);
}

/** The sentence of an error of the service with its first fields; the text itself of another server. */
function reasonOf(text: string): string {
  const body = parseJson(text);
  if (!isObject(body) || typeof body['error'] !== 'string') return text.slice(0, REASON_LENGTH_MAX);
  const fields = Array.isArray(body['fields']) ? body['fields'].filter(isObject) : [];
  const defects = fields
    .slice(0, FIELDS_SHOWN_MAX)
    .map(({ field, reason }) => `${String(field)}: ${String(reason)}`);
  const rest = fields.length - defects.length;
  if (rest > 0) defects.push(`${rest} more`);
  return [body['error'].replace(/\.$/, ''), ...defects].join('; ');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

async function call({ url, key }: Published, path: string, body: string | null): Promise<Response> {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const method = body === null ? 'GET' : 'POST';
  try {
    return await fetch(new URL(path, url), { method, headers, body, signal });
  } catch (error) {
    // fetch reports every failure of the connection so.
    if (error instanceof TypeError) throw new OwnFault(`${url} cannot be reached`);
    throw error;
  }
}
