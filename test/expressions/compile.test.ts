import t from 'tap';

import {
  BOOLEAN,
  compile,
  DATE,
  type Evaluation,
  type ExpressionError,
  type Fields,
  listOf,
  NUMBER,
  optional,
  recordOf,
  type RecordValue,
  TEXT,
} from '../../src/expressions/index.ts';

const SCOPE: Fields = {
  net: NUMBER,
  name: TEXT,
  due: DATE,
  items: listOf(recordOf({ amount: NUMBER })),
};

function errorsOf(source: string): readonly ExpressionError[] {
  const compiled = compile(source, SCOPE);
  return compiled.ok ? [] : compiled.errors;
}

function evaluate(source: string, scope: Fields, values: RecordValue): Evaluation {
  const compiled = compile(source, scope);
  if (!compiled.ok) throw new Error(compiled.errors[0]?.message);
  return compiled.evaluate(values);
}

t.test('every defect that types show is named at once, in the order of the source', async (t) => {
  const errors = errorsOf(
    'nett + 1 > due &&\n  items.exists(i, i.amout < "5") || rond(net) == 2 / 0',
  );
  t.match(errors, [
    {
      code: 'unknown_name',
      message: 'There is no "nett"; did you mean "net"?',
      line: 1,
      column: 1,
    },
    { code: 'wrong_type', line: 1, column: 1 },
    {
      code: 'unknown_name',
      message: '`i` has no field "amout"; did you mean "amount"?',
      line: 2,
      column: 21,
    },
    { code: 'unknown_function', message: 'There is no function rond(); did you mean "round"?' },
    { code: 'division_by_zero', message: '`2 / 0` divides by zero.', line: 2, column: 50 },
  ]);
  t.equal(errors.length, 5);
});

t.test('a defect brings no other one about', async (t) => {
  for (const source of ['year(due - net / 0)', 'abs(due - nett)', 'addDays(due - nett, 1)']) {
    t.equal(errorsOf(source).length, 1, source);
  }
});

t.test('columns count code points', async (t) => {
  t.match(errorsOf('"ก😀" + nme'), [{ line: 1, column: 8, start: 8, end: 11 }]);
});

const messageOf = (source: string): string | undefined => errorsOf(source)[0]?.message;

t.test('a decimal comma is named where it makes one argument too many', async (t) => {
  const takes = 'round() takes 1 or 2 arguments, not 3';
  t.equal(messageOf('round(net * 0,07, 2)'), `${takes}; a number has a decimal point: 0.07.`);
  t.equal(messageOf('round(net * 0, 07, 2)'), `${takes}.`);
  t.equal(messageOf('round(net, 1, 2)'), `${takes}.`);
  t.equal(messageOf('round(net * 0,net, 2)'), `${takes}.`);
});

t.test('a placeholder in an expression is told to leave its braces', async (t) => {
  const told = 'An expression has no braces around names: write net without braces.';
  t.match(errorsOf('{{net}} * 0.07'), [{ message: told, code: 'syntax', column: 1 }]);
  t.match(errorsOf('1 + {{ net }}'), [{ message: told, column: 5 }]);
});

t.test('messages stay short however long a name or a source is', async (t) => {
  const long = 'n'.repeat(1_500);
  const sources = [
    long,
    `items.map(i, i.${long})`,
    `${long}(1)`,
    `name.${long}()`,
    `1 + "${long}"`,
    `\`${long}\``,
    `12${long}`,
    `net ${long}`,
    `{"${long}": 1, "${long.slice(0, 400)}": 1}.a`,
    `{"${long.slice(0, 900)}": 1, "${long.slice(0, 900)}": 1}`,
  ];
  for (const source of sources) {
    const errors = errorsOf(source);
    t.ok(errors.length > 0, source.slice(0, 20));
    for (const { message } of errors)
      t.ok(message.length < 300, `${message.length}: ${message.slice(0, 40)}`);
  }
});

t.test('a division by a written zero is refused before any evaluation', async (t) => {
  for (const source of ['net / 0', 'net % 0.00', 'net / (-0)']) {
    t.match(errorsOf(source), [{ code: 'division_by_zero' }], source);
  }
});

t.test('only own fields of the data are read', async (t) => {
  const scope = {
    constructor: optional(TEXT),
    toString: optional(TEXT),
    r: recordOf({ valueOf: optional(NUMBER) }),
  };
  t.match(evaluate('constructor', scope, { r: {} }), { ok: true, value: null });
  t.match(evaluate('has(toString) || has(r.valueOf)', scope, { r: {} }), {
    ok: true,
    value: false,
  });
  const made = evaluate('{"__proto__": 5}["__proto__"]', {}, {});
  t.match(made, { ok: true, value: '5' });
});

t.test('data that is not of its declared type is an error at its place', async (t) => {
  const wrong: readonly (readonly [string, unknown])[] = [
    ['net', 'x'],
    ['net', 0.1],
    ['net', true],
    ['net', '1'.repeat(101)],
    ['net', undefined],
    ['name', 5],
    ['due', '2026-02-30'],
    ['due', 20_000],
    ['items', {}],
    ['items', [5]],
    ['items', [{ amount: null }]],
    ['items', [{}]],
  ];
  for (const [name, value] of wrong) {
    const given = evaluate(`[1].map(x, ${name})`, SCOPE, { [name]: value });
    t.match(given, { ok: false, error: { code: 'wrong_data' } }, `${name}: ${String(value)}`);
  }
  t.match(
    evaluate('net + 1', SCOPE, { net: 5 }),
    { ok: true, value: '6' },
    'a safe integer is exact',
  );
});

t.test('an expression may be evaluated again, with other data', async (t) => {
  const compiled = compile('flags.exists(f, f)', { flags: listOf(BOOLEAN) });
  if (!compiled.ok) return t.fail('it compiles');
  t.match(compiled.evaluate({ flags: [true] }), { value: true });
  t.match(compiled.evaluate({ flags: [false] }), { value: false });
  t.match(compiled.evaluate({ flags: [5] }), { error: { code: 'wrong_data' } });
  t.match(compiled.evaluate({ flags: [] }), { value: false });
});
