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
  // If the response may be JSON or a file, the sample gets the JSON.
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
  const lines = [`curl -sS --fail-with-body -X ${method} '${url}'`];
  for (const [name, value] of headers) lines.push(`-H '${name}: ${value}'`);
  if (body !== '') lines.push(`--data-binary '${body.replaceAll("'", `'\\''`)}'`);
  // Else a prompt, or the message of curl, would follow on the last line of the response.
  if (file === '') lines.push("-w '\\n'");
  else {
    // A refusal is JSON: it is shown, and not saved under the name of the file.
    lines.push('-o response.tmp', `&& mv response.tmp ${file}`);
    lines.push('|| { cat response.tmp 2> /dev/null; rm -f response.tmp; false; }');
  }
  return lines.join(' \\\n  ');
}

/** Shows what the service refused and why; a proxy may respond with a page instead. */
const NODE_REFUSAL = `if (!response.ok) {
  const { error = '', fields = [] } = await response.json().catch(() => ({}));
  console.error(response.status, error || response.statusText);
  for (const { field, reason } of fields) console.error(\`  \${field}: \${reason}\`);
  process.exit(1);
}`;

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
    NODE_REFUSAL,
    file !== ''
      ? `await writeFile('${file}', Buffer.from(await response.arrayBuffer()));`
      : `console.log(await response.${givesJson ? 'json' : 'text'}());`,
  ].join('\n');
}

const PYTHON_REFUSAL = `except urllib.error.HTTPError as refused:
    if refused.headers.get_content_type() != "application/json":
        sys.exit(f"{refused.code} {refused.reason}")
    told = json.load(refused)
    print(refused.code, told["error"], file=sys.stderr)
    for one in told.get("fields", []):
        print(f"  {one['field']}: {one['reason']}", file=sys.stderr)
    sys.exit(1)`;

function python({ method, url, headers, body, file }: Call): string {
  const lines = headers.map(([name, value]) => `        "${name}": "${value}",`);
  const data = body.replaceAll('\\', '\\\\').replaceAll('"""', '\\"\\"\\"');
  return [
    'import json',
    'import sys',
    'import urllib.error',
    'import urllib.request',
    '',
    ...(body === '' ? [] : [`body = """${data}"""`, '']),
    'request = urllib.request.Request(',
    `    "${url}",`,
    `    method="${method}",`,
    ...(lines.length === 0 ? [] : ['    headers={', ...lines, '    },']),
    ...(body === '' ? [] : ['    data=body.encode(),']),
    ')',
    'try:',
    '    with urllib.request.urlopen(request) as response:',
    file !== ''
      ? `        open("${file}", "wb").write(response.read())`
      : '        print(response.read().decode())',
    PYTHON_REFUSAL,
  ].join('\n');
}

/** A class for `java Call.java`. Java has no reader of JSON, so a refusal is shown as it came. */
function java({ method, url, headers, body, file }: Call): string {
  const inner = '                ';
  const block = inner + indent(body.replaceAll('\\', '\\\\'), inner);
  const publisher =
    body === '' ? 'BodyPublishers.noBody()' : `BodyPublishers.ofString("""\n${block}""")`;
  const [handler, text] =
    file === ''
      ? ['ofString', 'response.body()']
      : ['ofByteArray', 'new String(response.body(), StandardCharsets.UTF_8)'];
  const imports = [
    'java.net.URI',
    'java.net.http.HttpClient',
    'java.net.http.HttpRequest',
    'java.net.http.HttpRequest.BodyPublishers',
    'java.net.http.HttpResponse.BodyHandlers',
    ...(file === '' ? [] : FILE_IMPORTS),
  ];
  const lines = [
    `var request = HttpRequest.newBuilder(URI.create("${url}"))`,
    ...headers.map(([name, value]) => `    .header("${name}", "${value}")`),
    `    .method("${method}", ${publisher})`,
    '    .build();',
    `var response = HttpClient.newHttpClient().send(request, BodyHandlers.${handler}());`,
    'if (response.statusCode() >= 400) {',
    `    System.err.println(response.statusCode() + " " + ${text});`,
    '    System.exit(1);',
    '}',
    file === ''
      ? 'System.out.println(response.body());'
      : `Files.write(Path.of("${file}"), response.body());`,
  ];
  return [
    ...imports.map((name) => `import ${name};`),
    '',
    'public class Call {',
    '    public static void main(String[] args) throws Exception {',
    ...lines.map((line) => `        ${line}`),
    '    }',
    '}',
  ].join('\n');
}

const FILE_IMPORTS = [
  'java.nio.charset.StandardCharsets',
  'java.nio.file.Files',
  'java.nio.file.Path',
];
