import type { Operation } from './description.ts';
import { exampleBody, fileNameOf, isJson, successTypes, takesKey } from './description.ts';

export const LANGUAGES = ['curl', 'Node', 'Python', 'Java'] as const;
export type SampleLanguage = (typeof LANGUAGES)[number];

/** The parts of a request, filled with the examples of the description. */
interface Call {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [string, string])[];
  /** '' for none. */
  readonly body: string;
  readonly hasJsonBody: boolean;
  /** Where the response is saved; '' for one that is printed. */
  readonly file: string;
  /** Whether the response that is printed is JSON. */
  readonly givesJson: boolean;
}

/** A short program that calls an operation. */
export function sampleOf(operation: Operation, language: SampleLanguage, origin: string): string {
  const call = callOf(operation, origin);
  switch (language) {
    case 'curl':
      return curl(call);
    case 'Node':
      return node(call);
    case 'Python':
      return python(call);
    case 'Java':
      return java(call);
  }
}

function callOf(operation: Operation, origin: string): Call {
  const { method, path, parameters = [] } = operation;
  let url = path;
  const query: string[] = [];
  for (const { in: place, name, example, required } of parameters) {
    const value = encodeURIComponent(
      typeof example === 'string' ? example : JSON.stringify(example),
    );
    if (place === 'path') url = url.replace(`{${name}}`, value);
    else if (place === 'query' && required === true) query.push(`${name}=${value}`);
  }
  const body = exampleBody(operation);
  const isOpen = operation.security?.length === 0;
  const access = takesKey(operation)
    ? (['X-Api-Key', 'ik_YOUR_KEY'] as const)
    : (['Cookie', 'intaglio_session=YOUR_SESSION'] as const);
  const headers = [
    ...(isOpen ? [] : [access]),
    ...(body === null ? [] : [['Content-Type', body.type] as const]),
  ];
  // Where a call has JSON or a file as its response, the example leads to the JSON.
  const types = successTypes(operation);
  const givesJson = types.some(isJson);
  const search = query.length === 0 ? '' : `?${query.join('&')}`;
  return {
    method,
    url: origin + url + search,
    headers,
    body: body?.text ?? '',
    hasJsonBody: body !== null && isJson(body.type),
    file: givesJson ? '' : fileNameOf(types[0] ?? ''),
    givesJson,
  };
}

function indent(text: string, by: string): string {
  return text.replaceAll('\n', `\n${by}`);
}

function curl({ method, url, headers, body, file }: Call): string {
  const lines = [`curl --fail-with-body -X ${method} '${url}'`];
  for (const [name, value] of headers) lines.push(`-H '${name}: ${value}'`);
  if (body !== '') lines.push(`--data-binary '${body.replaceAll("'", `'\\''`)}'`);
  if (file !== '') lines.push(`-o ${file}`);
  return lines.join(' \\\n  ');
}

function node({ method, url, headers, body, hasJsonBody, file, givesJson }: Call): string {
  const sent = hasJsonBody ? `JSON.stringify(${indent(body, '  ')})` : JSON.stringify(body);
  const lines = headers.map(([name, value]) => `    '${name}': '${value}',`);
  return [
    ...(file !== '' ? ["import { writeFile } from 'node:fs/promises';", ''] : []),
    `const response = await fetch('${url}', {`,
    `  method: '${method}',`,
    ...(lines.length === 0 ? [] : ['  headers: {', ...lines, '  },']),
    ...(body === '' ? [] : [`  body: ${sent},`]),
    '});',
    'if (!response.ok) throw new Error(await response.text());',
    file !== ''
      ? `await writeFile('${file}', Buffer.from(await response.arrayBuffer()));`
      : `console.log(await response.${givesJson ? 'json' : 'text'}());`,
  ].join('\n');
}

function python({ method, url, headers, body, file }: Call): string {
  const lines = headers.map(([name, value]) => `        "${name}": "${value}",`);
  const data = body.replaceAll('\\', '\\\\').replaceAll('"""', '\\"\\"\\"');
  return [
    'import urllib.request',
    '',
    ...(body === '' ? [] : [`body = """${data}"""`, '']),
    'request = urllib.request.Request(',
    `    "${url}",`,
    `    method="${method}",`,
    ...(lines.length === 0 ? [] : ['    headers={', ...lines, '    },']),
    ...(body === '' ? [] : ['    data=body.encode(),']),
    ')',
    'with urllib.request.urlopen(request) as response:',
    file !== ''
      ? `    open("${file}", "wb").write(response.read())`
      : '    print(response.read().decode())',
  ].join('\n');
}

function java({ method, url, headers, body, file }: Call): string {
  const block = indent(body.replaceAll('\\', '\\\\'), '        ').replace(/^/, '        ');
  const publisher =
    body === '' ? 'BodyPublishers.noBody()' : `BodyPublishers.ofString("""\n${block}""")`;
  const handler =
    file !== '' ? `BodyHandlers.ofFile(Path.of("${file}"))` : 'BodyHandlers.ofString()';
  return [
    'import java.net.URI;',
    'import java.net.http.HttpClient;',
    'import java.net.http.HttpRequest;',
    'import java.net.http.HttpRequest.BodyPublishers;',
    'import java.net.http.HttpResponse.BodyHandlers;',
    ...(file !== '' ? ['import java.nio.file.Path;'] : []),
    '',
    `var request = HttpRequest.newBuilder(URI.create("${url}"))`,
    ...headers.map(([name, value]) => `    .header("${name}", "${value}")`),
    `    .method("${method}", ${publisher})`,
    '    .build();',
    'var response = HttpClient.newHttpClient()',
    `    .send(request, ${handler});`,
    'System.out.println(response.statusCode() + " " + response.body());',
  ].join('\n');
}
