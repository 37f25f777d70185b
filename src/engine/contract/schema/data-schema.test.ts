import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import t from 'tap';

import { compileContract } from '../contract.ts';
import { contractProblems } from '../descriptor.ts';
import type { FieldDescriptor } from '../types.ts';
import { dataSchema } from './data-schema.ts';

const CONTEXT = { title: 'Test', language: 'en', samples: [] };
const ajv = new Ajv2020({ ownProperties: true, allowUnionTypes: true, strictTypes: false });
addFormats.default(ajv);

/** The verdicts of the service and of ajv with the schema. */
async function verdicts(
  fields: readonly FieldDescriptor[],
  data: object,
): Promise<{ service: boolean; schema: boolean }> {
  const bytes = new TextEncoder().encode(JSON.stringify(data));
  const { ok } = await compileContract(fields, 'en').check(bytes);
  // Compiled anew each time, and dropped: ajv keeps what it has compiled.
  const schema = dataSchema(fields, CONTEXT);
  const isValid = ajv.validate(schema, JSON.parse(JSON.stringify(data)));
  ajv.removeSchema(schema);
  return { service: ok, schema: isValid };
}

const digits = fc.array(fc.constantFrom('0', '0', '1', '4', '5', '9'), {
  minLength: 1,
  maxLength: 4,
});
const decimal = fc
  .tuple(fc.constantFrom('', '-'), digits, fc.option(digits, { nil: [] }))
  .map(([sign, whole, part]) => sign + whole.join('') + (part.length ? `.${part.join('')}` : ''));
const day = fc
  .tuple(
    fc.constantFrom('0000', '0001', '1900', '2000', '2024', '2025', '9999'),
    fc.constantFrom('00', '01', '02', '06', '12', '13'),
    fc.constantFrom('00', '01', '28', '29', '30', '31', '32'),
  )
  .map((parts) => parts.join('-'));
const realDay = day.filter((text) => {
  const [year = 0, month = 0, date = 0] = text.split('-').map(Number);
  return year > 0 && month > 0 && month < 13 && date > 0 && date < 29;
});
const text = fc
  .array(fc.constantFrom('A', 'b', '1', '-', ' ', 'ก', '😀', '\n', '/', '.'), { maxLength: 6 })
  .map((signs) => signs.join(''));
const dirty = fc
  .array(fc.constantFrom('A', '1', '\t', '\0', '\r', '\u0085', '\ud800', '\udc00', '\n'), {
    maxLength: 5,
  })
  .map((signs) => signs.join(''));

const name = fc.constantFrom('a', 'constructor', 'class', 'ก้อน', 'with blank', 'toString', '1');
const required = fc.boolean();
const bounds = (value: fc.Arbitrary<string>) =>
  fc.record({ min: value, max: value }, { requiredKeys: [] });

const textField = fc.record({
  name,
  type: fc.constant('text' as const),
  required,
  validation: fc.record(
    {
      minLength: fc.nat(3),
      maxLength: fc.nat(5),
      pattern: fc.constantFrom(
        '^[A-Z]',
        String.raw`\d$`,
        '^.{2}$',
        '[^ก]',
        '(?:A|b)+',
        String.raw`\s`,
      ),
      choices: fc.uniqueArray(
        text.filter((one) => one !== ''),
        { minLength: 1, maxLength: 3 },
      ),
    },
    { requiredKeys: [] },
  ),
  format: fc.record({ mask: fc.constantFrom('xx', "x-X'lit'x", '*') }, { requiredKeys: [] }),
});
const numberField = fc.record({
  name,
  type: fc.constant('number' as const),
  required,
  validation: bounds(decimal),
});
const choiceField = fc.record({
  name,
  type: fc.constant('number' as const),
  required,
  validation: fc.record({ choices: fc.uniqueArray(decimal, { minLength: 1, maxLength: 3 }) }),
});
const dateField = fc.record({
  name,
  type: fc.constant('date' as const),
  required,
  validation: bounds(realDay),
});
const plainField = fc.record({
  name,
  type: fc.constantFrom('qrcode' as const, 'table' as const),
  required,
});
const fields = fc
  .uniqueArray(fc.oneof(textField, numberField, choiceField, dateField, plainField), {
    selector: (field) => field.name,
    minLength: 1,
    maxLength: 3,
  })
  .filter((list) => !contractProblems(list, 'en').some(({ severity }) => severity === 'error'));

const rows = fc.array(fc.oneof(fc.array(fc.oneof(text, fc.constant(1)), { maxLength: 2 }), text), {
  maxLength: 2,
});
/** Values about which schema and service can say the same. */
const value = fc.oneof(
  text,
  decimal,
  decimal.map(Number),
  fc.constantFrom(1e39, 1e40, -1e40, 1e-7, 0.1, 1e21),
  day,
  rows,
  fc.constantFrom(
    null,
    '',
    true,
    {},
    'x'.repeat(41),
    '1'.repeat(40),
    '1'.repeat(41),
    '+1',
    '1.',
    '.5',
  ),
);
const dataOf = (values: fc.Arbitrary<unknown>) =>
  fc.dictionary(name, values, { maxKeys: 5, noNullPrototype: true });

t.test('the schema and the check of the service agree', async (t) => {
  const seen = { taken: 0, refused: 0 };
  await fc.assert(
    fc.asyncProperty(
      fields,
      fc.array(dataOf(value), { minLength: 1, maxLength: 6 }),
      async (list, all) => {
        for (const data of all) {
          const { service, schema } = await verdicts(list, data);
          seen[service ? 'taken' : 'refused'] += 1;
          if (service !== schema) return false;
        }
        return true;
      },
    ),
    { numRuns: 1_500 },
  );
  t.ok(seen.taken > 400 && seen.refused > 400, JSON.stringify(seen));
});

t.test('a text with control characters that the schema takes is taken', async () => {
  await fc.assert(
    fc.asyncProperty(textField, dirty, async (field, sent) => {
      const isSound = !contractProblems([field], 'en').some(({ severity }) => severity === 'error');
      fc.pre(isSound);
      const { service, schema } = await verdicts([field], { [field.name]: sent });
      return service || !schema;
    }),
    { numRuns: 600 },
  );
});

t.test('a decimal beyond zero is compared digit by digit', async (t) => {
  for (const [bounds, taken, refused] of [
    [
      { min: '-1.05' },
      ['-1.05', '-1.049', '0', '-0.9', '7', '-001.0500'],
      ['-1.051', '-1.1', '-2'],
    ],
    [{ min: '0' }, ['0', '-0.00', '0.01'], ['-0.01', '-1']],
    [{ min: '0.01', max: '999.99' }, ['0.01', '999.990', '010'], ['0', '0.009', '999.991', '1000']],
  ] as const) {
    const field = { name: 'a', type: 'number', required: true, validation: bounds } as const;
    for (const a of taken)
      t.strictSame(await verdicts([field], { a }), { service: true, schema: true }, a);
    for (const a of refused) {
      t.strictSame(await verdicts([field], { a }), { service: false, schema: false }, a);
    }
  }
});

t.test('patterns of decimals and days mean the same in other languages', async (t) => {
  const fields = (['number', 'date'] as const).map((type) => {
    const min = type === 'number' ? '-1.05' : '2024-02-29';
    return { name: type, type, required: true, validation: { min, max: min } };
  });
  const text = JSON.stringify(dataSchema(fields, CONTEXT));
  t.notMatch(text, /\\\\d/, 'which matches every digit of Unicode in Python');
  t.notMatch(text, /\(\?[=!<]/, 'look-around, which RE2 refuses');
});

t.test('labels, help and examples describe a field, whatever its name', async (t) => {
  const presentation = {
    label: { th: 'ก', en: 'Class' },
    help: { en: 'a\n*/ b' },
    example: { en: 'x' },
  };
  const field = {
    name: '__proto__',
    type: 'text',
    required: true,
    format: { presentation },
  } as const;
  const sample = JSON.parse('{"__proto__":"y"}') as Record<string, unknown>;
  const schema = dataSchema([field], { ...CONTEXT, samples: [sample] });
  const { properties, required } = JSON.parse(JSON.stringify(schema)) as Record<string, object>;
  t.strictSame(Object.getOwnPropertyDescriptor(properties, '__proto__')?.value, {
    title: 'Class',
    description: 'a\n*/ b',
    examples: ['x', 'y'],
    anyOf: [
      {
        type: 'string',
        pattern: String.raw`[^\u0000-\u0008\u000b-\u001f\u007f-\u009f\ud800-\udfff]`,
      },
    ],
  });
  t.strictSame(required, ['__proto__']);
});
