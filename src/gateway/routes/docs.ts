import { hash } from 'node:crypto';
import { succeed } from '../../errors.ts';
import { packageVersion } from '../../runtime/package-version.ts';
import { openApi } from '../openapi/openapi.ts';
import { jsonReply } from '../reply/reply.ts';
import { type PublicRoute, type Route, type Services, undescribedRoute } from '../route.ts';
import { StudioFiles } from '../studio-files.ts';
import { builtPage } from './studio.ts';

const STYLE = `
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; }
h2 { border-top: 1px solid #ccc; margin-top: 2rem; padding-top: 1rem; }
h2 code { background: #eef; padding: .1em .4em; }
pre { background: #f6f6f6; max-height: 24rem; overflow: auto; padding: .8rem; }
table { border-collapse: collapse; } td { border: 1px solid #ddd; padding: .3rem .6rem; }
`;
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${hash('sha256', STYLE, 'base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/**
 * GET /openapi.json, and GET /docs, its interactive form; a plain page when the browser application
 * is not built.
 */
export function docsRoutes(
  services: Services,
  described: readonly Route[],
): readonly PublicRoute[] {
  // Built at the first request, because the address is not known earlier.
  let description: object | null = null;
  const describe = (): object =>
    (description ??= openApi(services.baseUrl(), packageVersion(), described));
  const { studioFolder } = services.options;
  const files = studioFolder === null ? null : new StudioFiles(studioFolder);
  return [
    undescribedRoute({
      method: 'GET',
      path: '/openapi.json',
      run: () => succeed(jsonReply(200, describe())),
    }),
    undescribedRoute({
      method: 'GET',
      path: '/docs',
      run: async () => {
        const built = files === null ? null : await builtPage(files, 'docs.html', '');
        if (built !== null) return succeed(built);
        const headers = {
          'Content-Type': 'text/html; charset=utf-8',
          'Content-Security-Policy': POLICY,
          'Referrer-Policy': 'no-referrer',
        };
        return succeed({ status: 200, headers, body: page(describe()) });
      },
    }),
  ];
}

interface Described {
  readonly info: { readonly title: string; readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
}

interface DescribedOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly { name: string; in: string; description: string }[];
  readonly requestBody?: { readonly content: Media };
  readonly responses: Readonly<
    Record<string, { readonly description: string; readonly content?: Media }>
  >;
}

/** By media type. */
type Media = Readonly<Record<string, { readonly schema: unknown; readonly example?: unknown }>>;

function page(description: object): string {
  // `openApi` has just built it.
  const { info, paths, tags, components } = description as Described;
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method, path, operation })),
  );
  const groups = tags.map(({ name, description: note }) => [
    `<h1>${escape(name)}</h1><p>${escape(note)}</p>`,
    ...operations
      .filter(({ operation }) => operation.tags.includes(name))
      .map(({ method, path, operation }) => section(method, path, operation)),
  ]);
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) =>
      `<h2 id="${escape(name)}"><code>${escape(name)}</code></h2>${block(schema)}`,
  );
  return [
    '<!doctype html><html lang="en"><meta charset="utf-8">',
    `<title>${escape(info.title)}</title><style>${STYLE}</style>`,
    `<h1>${escape(info.title)}</h1><p>${escape(info.description)} `,
    'Machine-readable: <a href="/openapi.json">/openapi.json</a>.</p>',
    ...groups.flat(),
    '<h1>Schemas</h1>',
    ...schemas,
    '</html>',
  ].join('\n');
}

function section(method: string, path: string, operation: DescribedOperation): string {
  const { operationId, summary, description, parameters = [], requestBody, responses } = operation;
  return [
    `<h2 id="${escape(operationId)}"><code>${escape(`${method.toUpperCase()} ${path}`)}</code> `,
    `${escape(summary)}</h2>`,
    `<p>${escape(description)}</p>`,
    parameters.length === 0 ? '' : '<h3>Parameters</h3>',
    parameters.length === 0 ? '' : rows(parameters.map((p) => [p.name, p.in, p.description])),
    requestBody === undefined ? '' : '<h3>Body</h3>',
    requestBody === undefined ? '' : bodies(requestBody.content, true),
    '<h3>Responses</h3>',
    rows(Object.entries(responses).map(([status, reply]) => [status, reply.description])),
    ...Object.values(responses).map(({ content = {} }) => bodies(content, false)),
  ].join('\n');
}

function bodies(content: Media, withSchema: boolean): string {
  return Object.entries(content)
    .flatMap(([type, { schema, example }]) => {
      const name = `<p><code>${escape(type)}</code></p>`;
      const shown = example === undefined ? [] : [name, block(example)];
      if (!withSchema) return shown;
      const detail = `<details><summary>Schema</summary>${block(schema)}</details>`;
      return [...(shown.length === 0 ? [name] : shown), detail];
    })
    .join('\n');
}

function block(value: unknown): string {
  return `<pre>${escape(JSON.stringify(value, null, 2))}</pre>`;
}

function rows(cells: readonly (readonly string[])[]): string {
  return `<table>${cells.map((row) => `<tr>${row.map(cell).join('')}</tr>`).join('')}</table>`;
}

function cell(content: string): string {
  return `<td>${escape(content).replaceAll('\n\n', '<br>')}</td>`;
}

function escape(content: string): string {
  return content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
