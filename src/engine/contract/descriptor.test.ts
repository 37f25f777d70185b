import t from 'tap';
import { compileContract } from './contract.ts';
import { contractProblems, formatProblems } from './descriptor.ts';
import type { FieldDescriptor, PlainField } from './types.ts';

const field = (rest: Omit<PlainField, 'name' | 'required'>): PlainField => ({
  name: 'f',
  required: true,
  ...rest,
});

const list = (required: boolean, minItems: number): FieldDescriptor => ({
  name: 'lines',
  type: 'list',
  required,
  validation: { minItems },
  fields: [{ name: 'text', type: 'text', required: true }],
});

t.test('names the fault and its place', async (t) => {
  const cases: readonly [PlainField, string, RegExp][] = [
    [field({ type: 'number', format: { decimals: 21 } }), 'format.decimals', /0 to 20/],
    [field({ type: 'number', format: { decimals: 1.5 } }), 'format.decimals', /0 to 20/],
    [field({ type: 'number', validation: { min: 'x' } }), 'validation.min', /decimal/],
    [field({ type: 'number', validation: { max: 1e300 } }), 'validation.max', /40 digits/],
    [field({ type: 'number', validation: { min: '2', max: 1 } }), 'validation', /above/],
    [field({ type: 'date', format: { pattern: 'd Mmm yyyy' } }), 'format.pattern', /mm/],
    [field({ type: 'date', format: { pattern: 'YYYY' } }), 'format.pattern', /YYYY/],
    [field({ type: 'date', validation: { min: '2026-02-30' } }), 'validation.min', /YYYY-MM-DD/],
    [
      field({ type: 'date', validation: { min: '2027-01-01', max: '2026-01-01' } }),
      'validation',
      /after/,
    ],
    [field({ type: 'text', validation: { pattern: '(a)\\1' } }), 'validation.pattern', /escape/],
    [field({ type: 'text', validation: { minLength: -1 } }), 'validation.minLength', /whole/],
    [field({ type: 'text', validation: { minLength: 2, maxLength: 1 } }), 'validation', /above/],
  ];
  for (const [descriptor, path, message] of cases) {
    const [problem] = contractProblems([descriptor], 'th');
    t.match(problem, { severity: 'error', path: `fields[0].${path}`, message });
  }
  const twice = contractProblems([field({ type: 'text' }), field({ type: 'date' })], 'th');
  t.match(twice, [{ path: 'fields[1].name', message: /twice/ }]);
  const large = field({ type: 'text', validation: { pattern: `^${'a?'.repeat(450)}$` } });
  const many = Array.from({ length: 12 }, (_, index) => ({ ...large, name: `f${index}` }));
  t.match(contractProblems(many, 'th'), [
    { path: 'fields[11].validation.pattern', message: /together/ },
  ]);
  t.match(contractProblems([], 'not a language'), [{ path: 'language' }]);
});

t.test('warns of keys that do nothing', async (t) => {
  const problems = contractProblems(
    [field({ type: 'text', format: { decimals: 2 }, validation: { min: 0 } })],
    'th',
  );
  t.match(problems, [
    { severity: 'warning', path: 'fields[0].format.decimals' },
    { severity: 'warning', path: 'fields[0].validation.min' },
  ]);
  t.match(formatProblems({ decimals: 21 }, 'th'), [{ path: 'format.decimals' }]);
});

t.test('warns of a list with a least number of entries that may be left out', (t) => {
  const finding = { severity: 'warning', message: /give the field "required": true/ };
  const order: FieldDescriptor = {
    name: 'order',
    type: 'record',
    required: false,
    fields: [list(false, 2)],
  };
  t.match(contractProblems([list(false, 1), order], 'th'), [
    { ...finding, path: 'fields[0].validation.minItems' },
    { ...finding, path: 'fields[1].fields[0].validation.minItems' },
  ]);
  t.same(contractProblems([list(true, 1)], 'th'), []);
  t.same(contractProblems([list(false, 0)], 'th'), []);
  t.end();
});

t.test('a contract without problems compiles, whatever the language', async (t) => {
  const fields: PlainField[] = [
    {
      name: 'n',
      type: 'number',
      required: true,
      format: { decimals: 2 },
      validation: { min: 1e-7 },
    },
    { name: 'd', type: 'date', required: true, format: { pattern: "E d MMM y 'x'" } },
    { name: 't', type: 'text', required: true, validation: { pattern: '^a' } },
  ];
  for (const language of ['', 'th', 'en', 'de-CH', 'ja', 'ar', 'fa', 'zz']) {
    t.same(contractProblems(fields, language), []);
    t.equal(compileContract(fields, language).fields, fields);
  }
});
