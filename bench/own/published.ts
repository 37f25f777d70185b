import type { FieldDescriptor } from '#engine';
import { bytesByKind } from './bytes.ts';
import { OwnFault } from './fault.ts';
import type { PublishedFigures } from './figures.ts';
import { makeRows, readRows } from './rows.ts';
import { measureCallers } from './service.ts';
import type { OwnPlan } from './turns.ts';

const TIMEOUT_MS = 120_000;

/** A template of a running service, and a key of it that may generate. */
export interface Published {
  readonly templateId: string;
  readonly url: string;
  readonly key: string;
}

/**
 * Measures a published template by its documents only: API keys cannot read the template file. The
 * rows of `data` are checked by the service, or made from its list of fields when `data` is null.
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
    const text = await response.text();
    if (response.status === 422 || response.status === 400) return text.slice(0, 300);
    throw new OwnFault(`${url} answered ${response.status}: ${text.slice(0, 300)}`);
  };
  const made =
    data === null
      ? await makeRows({}, await fieldsOf(published), check)
      : await readRows(data.text, data.name, check);
  const { rows, origin } = made;
  const service = await measureCallers({ url, key, pid: null }, { templateId, rows }, plan, null);
  const bytes = await bytesByKind(last);
  return { schema: 1, template: `${templateId} at ${url}`, data: origin, bytes, service };
}

async function fieldsOf(published: Published): Promise<readonly FieldDescriptor[]> {
  const id = encodeURIComponent(published.templateId);
  const response = await call(published, `/v1/templates/${id}/fields`, null);
  const text = await response.text();
  if (!response.ok) {
    throw new OwnFault(`${published.url} answered ${response.status}: ${text.slice(0, 300)}`);
  }
  // As /openapi.json describes it.
  return (JSON.parse(text) as { readonly fields: readonly FieldDescriptor[] }).fields;
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
