import { clientCallOf } from './client-calls.ts';
import { nodeSample, pythonSample } from './client-samples.ts';
import type { Operation } from './description.ts';
import { exampleBody, fileNameOf, isJson, successTypes, takesKey } from './description.ts';
import { javaSample } from './java-sample.ts';

export const LANGUAGES = ['curl', 'Node', 'Python', 'Java'] as const;
export type SampleLanguage = (typeof LANGUAGES)[number];

/** The parts of a request, filled with the examples of the description. */
interface Call {
  readonly method: string;
  readonly url: string;
  readonly headers: readonly (readonly [string, string])[];
  /** '' for none. */
  readonly body: string;
  /** Where the response is saved; '' for one that is printed. */
  readonly file: string;
}

/** The languages with a sample of the operation. The packages lack those that only people call. */
export function languagesOf(operation: Operation): readonly SampleLanguage[] {
  return clientCallOf(operation, '') === null ? ['curl'] : LANGUAGES;
}

/** A short program that calls an operation. */
export function sampleOf(operation: Operation, language: SampleLanguage, origin: string): string {
  const call = clientCallOf(operation, origin);
  if (call === null) return curl(callOf(operation, origin));
  switch (language) {
    case 'curl':
      return curl(callOf(operation, origin));
    case 'Node':
      return nodeSample({ operation, call, origin });
    case 'Python':
      return pythonSample({ operation, call, origin });
    case 'Java':
      return javaSample({ operation, call, origin });
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
    file: givesJson ? '' : fileNameOf(types[0] ?? ''),
  };
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
