import { type ClientCall, exampleOf, exampleRows } from './client-calls.ts';
import type { Operation } from './description.ts';

/** What a sample in a language of the packages is made of. */
export interface Sample {
  readonly operation: Operation;
  readonly call: ClientCall;
  readonly origin: string;
}

const KEY = 'ik_YOUR_KEY';

function indent(text: string, by: string): string {
  return text.replaceAll('\n', `\n${by}`);
}

/** The body without the members that the methods choose by themselves. */
function sentBody(operation: Operation): Readonly<Record<string, unknown>> {
  const { mode: _, ...sent } = exampleOf(operation);
  return sent;
}

/** A module for a folder in which `intaglio-client` is installed. */
export function nodeSample(sample: Sample): string {
  const { call, origin } = sample;
  const asked = `intaglio.${call.method}(${nodeArgs(sample)})`;
  const line =
    call.gives === 'rows'
      ? `for await (const row of ${asked}) console.log(row);`
      : `console.log(await ${asked});`;
  return [
    "import { Intaglio, ServiceError } from 'intaglio-client';",
    '',
    `const intaglio = new Intaglio({ url: '${origin}', apiKey: '${KEY}' });`,
    'try {',
    `  ${indent(line, '  ')}`,
    '} catch (error) {',
    '  if (!(error instanceof ServiceError)) throw error;',
    '  console.error(error.message);',
    '  for (const { field, reason } of error.fields) console.error(`  ${field}: ${reason}`);',
    '  process.exitCode = 1;',
    '}',
  ].join('\n');
}

function nodeArgs({ operation, call }: Sample): string {
  const args = call.args.map((one) => (typeof one === 'string' ? `'${one}'` : String(one)));
  const body = JSON.stringify(sentBody(operation), null, 2);
  switch (operation.operationId) {
    case 'generateDocument':
    case 'createRun':
    case 'syncIdentities':
      return body;
    case 'putRunPart': {
      const rows = JSON.stringify(exampleRows(operation));
      return [...args, `{\n  format: 'ndjson',\n  rows: ${rows},\n}`].join(', ');
    }
    case 'withdrawRunRows':
      return [...args, JSON.stringify(exampleOf(operation)['rows'])].join(', ');
    default:
      return args.join(', ');
  }
}

/** A program with `intaglio_client` installed, or beside it. */
export function pythonSample(sample: Sample): string {
  const { call, origin } = sample;
  const method = call.method.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const asked = `intaglio.${method}(${pythonArgs(sample)})`;
  const isIterated = call.gives === 'rows' || call.gives === 'list';
  const lines = isIterated ? [`for row in ${asked}:`, '    print(row)'] : [`print(${asked})`];
  return [
    'import sys',
    '',
    'from intaglio_client import Intaglio, ServiceError',
    '',
    `with Intaglio("${origin}", "${KEY}") as intaglio:`,
    '    try:',
    ...lines.map((line) => `        ${indent(line, '        ')}`),
    '    except ServiceError as refused:',
    '        print(refused, file=sys.stderr)',
    '        for one in refused.fields:',
    `            print(f"  {one['field']}: {one['reason']}", file=sys.stderr)`,
    '        sys.exit(1)',
  ].join('\n');
}

function pythonArgs({ operation, call }: Sample): string {
  const args = call.args.map((one) => JSON.stringify(one));
  const body = sentBody(operation);
  switch (operation.operationId) {
    case 'generateDocument': {
      const given = [python(body['templateId']), python(body['data'])];
      return [...given, `options=${python(body['options'])}`].join(', ');
    }
    case 'createRun':
    case 'syncIdentities':
      return python(body);
    case 'putRunPart':
      return [...args, JSON.stringify(exampleRows(operation))].join(', ');
    case 'withdrawRunRows':
      return [...args, python(body['rows'])].join(', ');
    default:
      return args.join(', ');
  }
}

/** A value of JSON as Python writes it. */
function python(value: unknown): string {
  if (value === null || value === undefined) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'object') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(python).join(', ')}]`;
  const members = Object.entries(value).map(
    ([name, one]) => `    ${JSON.stringify(name)}: ${indent(python(one), '    ')},`,
  );
  return members.length === 0 ? '{}' : `{\n${members.join('\n')}\n}`;
}
