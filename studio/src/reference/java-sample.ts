import { exampleOf, exampleRows } from './client-calls.ts';
import type { Sample } from './client-samples.ts';
import type { Operation } from './description.ts';

/** A call, and the classes that it names beside those of each sample. */
interface JavaCall {
  readonly text: string;
  readonly imports: readonly string[];
}

/** A class for `java -cp intaglio-client-0.1.0.jar Call.java`. */
export function javaSample(sample: Sample): string {
  const { call, origin } = sample;
  const { text, imports } = javaCall(sample);
  const isStream = call.gives === 'rows' || call.gives === 'list';
  const line = isStream ? `${text}.forEach(System.out::println);` : `System.out.println(${text});`;
  const names = ['intaglio.client.Intaglio', 'intaglio.client.ServiceException', ...imports];
  const report = 'one -> System.err.println("  " + one.field() + ": " + one.reason())';
  return [
    ...names.toSorted().map((name) => `import ${name};`),
    '',
    'public class Call {',
    '    public static void main(String[] args) {',
    `        var intaglio = Intaglio.of("${origin}", "ik_YOUR_KEY");`,
    '        try {',
    `            ${line.replaceAll('\n', '\n            ')}`,
    '        } catch (ServiceException refused) {',
    '            System.err.println(refused.getMessage());',
    `            refused.fields().forEach(${report});`,
    '            System.exit(1);',
    '        }',
    '    }',
    '}',
  ].join('\n');
}

const MAP = 'java.util.Map';
const LIST = 'java.util.List';

function javaCall({ operation, call }: Sample): JavaCall {
  const body = exampleOf(operation);
  const args = call.args.map((one) => JSON.stringify(one));
  const name = call.method.replace('.', '().');
  switch (operation.operationId) {
    case 'generateDocument': {
      const { templateId, data, options } = body;
      const made = `DocumentRequest.of(${java(templateId)}, ${java(data)})${optionsOf(options)}`;
      return {
        text: `intaglio.store(${made})`,
        imports: ['intaglio.client.DocumentRequest', LIST, MAP],
      };
    }
    case 'createRun': {
      const { templateId, idField, ...options } = body;
      const made = `RunRequest.of(${java(templateId)}, ${java(idField)})${optionsOf(options)}`;
      return {
        text: `intaglio.runs().create(${made})`,
        imports: ['intaglio.client.RunRequest', MAP],
      };
    }
    case 'putRunPart': {
      const rows = `${JSON.stringify(exampleRows(operation))}.getBytes(StandardCharsets.UTF_8)`;
      const text = `intaglio.${name}(${args.join(', ')}, RowFormat.NDJSON,\n    ${rows})`;
      return { text, imports: ['intaglio.client.RowFormat', 'java.nio.charset.StandardCharsets'] };
    }
    case 'withdrawRunRows': {
      const rows = recordsOf('RowAddress', body['rows']);
      const text = `intaglio.${name}(${args.join(', ')}, ${rows})`;
      return { text, imports: ['intaglio.client.RowAddress', LIST] };
    }
    case 'syncIdentities':
      return identities(operation);
    default: {
      const isFile = call.gives === 'file';
      const path = `Path.of(${args.at(-1)})`;
      const given = isFile ? [...args.slice(0, -1), path] : args;
      const text = `intaglio.${name}(${given.join(', ')})`;
      return { text, imports: isFile ? ['java.nio.file.Path'] : [] };
    }
  }
}

function identities(operation: Operation): JavaCall {
  const { teams, users } = exampleOf(operation);
  const listed = [recordsOf('Api.IdentitiesTeam', teams), recordsOf('Api.IdentitiesUser', users)];
  const wanted = `new Api.Identities(\n    ${listed.join(',\n    ')})`;
  return {
    text: `intaglio.identities().update(${wanted})`,
    imports: ['intaglio.client.Api', LIST],
  };
}

/** Records whose components come in the order of the example's members. */
function recordsOf(type: string, items: unknown): string {
  const records = (Array.isArray(items) ? items : []).map((one: object) => {
    const members = Object.values(one).map((value) => JSON.stringify(value));
    return `new ${type}(${members.join(', ')})`;
  });
  return `List.of(${records.join(', ')})`;
}

function optionsOf(options: unknown): string {
  const given = typeof options === 'object' && options !== null ? Object.entries(options) : [];
  return given
    .map(([name, value]) => `\n    .option(${JSON.stringify(name)}, ${java(value)})`)
    .join('');
}

/** A value of JSON as Java writes it. `Map.of` takes at most ten members, `Map.ofEntries` any. */
function java(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `List.of(${value.map(java).join(', ')})`;
  const members = Object.entries(value).map(([name, one]) => [JSON.stringify(name), java(one)]);
  if (members.length <= 4) return `Map.of(${members.flat().join(', ')})`;
  const entries = members.map((pair) => `\n    Map.entry(${pair.join(', ')})`);
  return `Map.ofEntries(${entries.join(',')})`;
}
