import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { readFileSync } from 'node:fs';
import t from 'tap';
import { noPool, startTestService } from '../../../lab/service/gateway.ts';
import { DEFINITIONS } from '../../engine/contract/definitions.ts';

interface Media {
  readonly schema: object;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

interface Described {
  readonly operationId: string;
  readonly tags?: readonly string[];
  readonly security: readonly object[];
  readonly parameters?: readonly { name: string; schema: object; example: unknown }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Readonly<
    Record<string, { readonly content?: Readonly<Record<string, Media>> }>
  >;
}

interface Description {
  readonly tags?: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>;
  readonly components: {
    readonly schemas: Readonly<
      Record<'FieldFormat' | 'FieldValidation', { readonly properties: object }>
    >;
  };
}

const service = await startTestService(t, { parts: { pool: noPool } });
// The service's description is an object of this shape.
const described = (await (await fetch(`${service.url}/openapi.json`)).json()) as Description;
const operations = Object.entries(described.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema(described, 'api');

/** Validates a value by a schema of the description; references of the schema point into it. */
function defects(schema: object, value: unknown): string {
  const resolved = JSON.parse(
    JSON.stringify(schema).replaceAll('"#/components/', '"api#/components/'),
  ) as object;
  return ajv.validate(resolved, value) ? '' : ajv.errorsText();
}

t.test('every operation has an id, and examples that its schemas accept', async (t) => {
  const ids = operations.map(({ operation }) => operation.operationId);
  t.equal(new Set(ids).size, ids.length, 'each its own');
  for (const { path, method, operation } of operations) {
    const { operationId, parameters = [], requestBody, responses } = operation;
    t.match(operationId, /^[a-z][A-Za-z]+$/, `${method} ${path}`);
    for (const { name, schema, example } of parameters) {
      t.equal(defects(schema, example), '', `${operationId}: ${name}`);
    }
    const bodies = [requestBody, ...Object.values(responses)].map((one) => one?.content ?? {});
    let count = 0;
    for (const [type, { schema, example, examples = {} }] of bodies.flatMap((content) =>
      Object.entries(content),
    )) {
      const values = Object.values(examples).map(({ value }) => value);
      if (example !== undefined) values.push(example);
      if (type === 'application/json') t.ok(values.length > 0, `${operationId} has an example`);
      count += values.length;
      for (const value of values) t.equal(defects(schema, value), '', operationId);
    }
    t.ok(count > 0, operationId);
    const hasBody = method !== 'get' && method !== 'delete';
    if (hasBody) t.ok(requestBody, `${operationId} has a body`);
  }
});

t.test('every operation is in a group, and every group has an operation', (t) => {
  for (const { operation } of operations) t.equal(operation.tags?.length, 1, operation.operationId);
  const groups = new Set(operations.flatMap(({ operation }) => operation.tags ?? []));
  const declared = (described.tags ?? []).map(({ name }) => name);
  t.strictSame([...groups].toSorted(), declared.toSorted());
  t.end();
});

/** Every object schema of the description below `value`, with its place. */
function objectSchemas(value: unknown, place: string): readonly (readonly [string, object])[] {
  if (typeof value !== 'object' || value === null) return [];
  const inner = Object.entries(value).flatMap(([key, one]) =>
    key === 'example' || key === 'examples' ? [] : objectSchemas(one, `${place}/${key}`),
  );
  return 'type' in value && value.type === 'object' ? [[place, value], ...inner] : inner;
}

t.test(
  'every object says which members it may have, so that generated clients can send them',
  (t) => {
    const silent = objectSchemas(described, '')
      .filter(([, schema]) => !('properties' in schema) && !('additionalProperties' in schema))
      .map(([place]) => place);
    t.strictSame(silent, []);
    const { requestBody } =
      operations.find(({ path }) => path === '/v1/runs/{id}/pause')?.operation ?? {};
    const { schema = {} } = requestBody?.content['application/json'] ?? {};
    t.equal(defects(schema, {}), '');
    t.match(
      defects(schema, { dryRun: true }),
      /additional properties/,
      'an empty body has no member',
    );
    t.end();
  },
);

t.test('bodies are named schemas, and none is described in two places', (t) => {
  for (const { operation } of operations) {
    const bodies = [operation.requestBody, ...Object.values(operation.responses)];
    for (const body of bodies) {
      const { schema } = body?.content?.['application/json'] ?? {};
      if (schema !== undefined) t.strictSame(Object.keys(schema), ['$ref'], operation.operationId);
    }
  }
  const places = Map.groupBy(objectSchemas(described, ''), ([, schema]) => JSON.stringify(schema));
  const repeated = [...places.values()]
    .map((all) => all.map(([place]) => place))
    .filter((all) => all.length > 1);
  t.strictSame(repeated, []);
  t.end();
});

t.test('the validator of the examples refuses a wrong example', async (t) => {
  const { schema } = operations[0]?.operation.responses['201']?.content?.['application/json'] ?? {};
  t.match(defects(schema ?? {}, { documentId: 'x' }), /uuid/);
});

t.test('format and validation are described with the keys that fields have', async (t) => {
  const { FieldFormat: format, FieldValidation: validation } = described.components.schemas;
  const formats = new Set<string>(
    Object.values(DEFINITIONS).flatMap(({ formatKeys }) => formatKeys),
  );
  // A template has `presentation` beside `format`; field discovery puts it into `format`.
  formats.add('presentation');
  t.strictSame(Object.keys(format.properties).toSorted(), [...formats].toSorted());
  const page = readFileSync(new URL('../../../docs/contract.md', import.meta.url), 'utf8');
  const [, table = ''] = page.split('## Validation');
  const [rows = ''] = table.split('\n## ');
  const keys = rows
    .split('\n')
    .flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, key]) => key));
  t.strictSame(
    new Set(Object.keys(validation.properties)),
    new Set([...keys, 'choices', 'computed']),
  );
});

t.test('every described route exists, and needs authentication if described so', async (t) => {
  for (const { path, method, operation } of operations) {
    const address = service.url + path.replaceAll(/\{\w+\}/g, 'x');
    const answer = await fetch(address, { method: method.toUpperCase() });
    const isOpen = operation.security.length === 0;
    t.equal(answer.status, isOpen ? 404 : 401, `${method} ${path}`);
    t.notMatch(await answer.json(), { error: 'There is no such address.' });
  }
});

t.test('a body that is no JSON is a file, which generated clients send as it is', async (t) => {
  const bodies = operations.flatMap(({ operation: { operationId, requestBody } }) =>
    Object.entries(requestBody?.content ?? {})
      .filter(([type]) => type !== 'application/json')
      .map(([type, { schema }]) => ({ operationId, type, schema })),
  );
  t.ok(bodies.length >= 3);
  for (const { operationId, type, schema } of bodies) {
    t.match(schema, { type: 'string', format: 'binary' }, `${operationId} ${type}`);
  }
});
