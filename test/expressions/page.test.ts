import { readdirSync, readFileSync } from 'node:fs';
import t from 'tap';

import { inferType, parseExactly, plain } from '../../src/commands/expression/infer.ts';
import {
  compile,
  EXPRESSION_LIMITS,
  type Fields,
  type RecordValue,
} from '../../src/expressions/index.ts';

const page = readFileSync(new URL('../../docs/expressions.md', import.meta.url), 'utf8');
const data = parseExactly(/```json\n([^]*?)```/.exec(page)?.[1] ?? '');

function scope(): Fields {
  const type = inferType(data, '', () => undefined);
  return type.kind === 'record' ? type.fields : {};
}

/** Rows of the table with this head: the code spans of their two cells. */
function rowsOf(head: string): readonly (readonly [string, string])[] {
  const start = page.indexOf(`| ${head} `);
  const table = page.slice(start, page.indexOf('\n\n', start));
  return [...table.matchAll(/^\| +`(.+?)` +\| +`(.+?)` +\|$/gm)].map(
    ([, first = '', second = '']) => [first, second] as const,
  );
}

function evaluate(source: string): unknown {
  const compiled = compile(source, scope());
  const given = compiled.ok ? compiled.evaluate(plain(data) as RecordValue) : compiled;
  if ('value' in given) return given.value;
  return 'error' in given ? given.error : 'errors' in given ? given.errors[0] : undefined;
}

t.test('the twenty examples of the page have their values', async (t) => {
  const examples = rowsOf('expression');
  t.equal(examples.length, 20);
  for (const [source, value] of examples) t.strictSame(evaluate(source), JSON.parse(value), source);
});

t.test('the examples of errors have their codes, and every code is on the page', async (t) => {
  const errors = rowsOf('code');
  t.ok(errors.length >= 9);
  for (const [code, source] of errors) t.match(evaluate(source), { code }, source);
  const declared = readFileSync(new URL('../../src/expressions/fault.ts', import.meta.url), 'utf8');
  for (const [, code = ''] of declared.matchAll(/^ {2}\| '(\w+)'/gm))
    t.ok(page.includes(`| \`${code}\``), code);
});

t.test('every function and macro is on the page', async (t) => {
  const folder = new URL('../../src/expressions/functions/', import.meta.url);
  const names = readdirSync(folder).flatMap((file) => {
    const source = readFileSync(new URL(file, folder), 'utf8');
    return [...source.matchAll(/^ {2}(\w+): (?:define\(|\{ \.\.\.define\()/gm)].map(
      ([, name = '']) => name,
    );
  });
  t.ok(names.length >= 29, String(names.length));
  for (const name of names) t.match(page, new RegExp(`\\x60${name}\\(`), name);
  for (const macro of ['map', 'filter', 'all', 'exists', 'exists_one', 'sortBy']) {
    t.ok(page.includes(`\`list.${macro}(x,`), macro);
  }
});

t.test('the limits of the page are those in force', async (t) => {
  const { sourceLengthMax, nestingMax, stepsMax, textLengthMax, digitsMax } = EXPRESSION_LIMITS;
  for (const limit of [sourceLengthMax, stepsMax, textLengthMax, digitsMax]) {
    t.ok(page.includes(` ${limit.toLocaleString('en')}`), String(limit));
  }
  t.ok(page.includes(`nested ${nestingMax} deep`));
});

t.test('a sum over 2,000 items takes the steps that the page says', async (t) => {
  const items = Array.from({ length: 2_000 }, (_, index) => ({ amount: `${index}.25` }));
  const type = inferType(parseExactly('{"items":[{"amount":1.25}]}'), '', () => undefined);
  const compiled = compile(
    'sum(items.map(i, i.amount))',
    type.kind === 'record' ? type.fields : {},
  );
  const given = compiled.ok ? compiled.evaluate({ items }) : null;
  t.match(given, { ok: true, value: '1999500.00' });
  t.ok(given?.ok === true && Math.round(given.steps / 1_000) === 14);
  const most = Number(/over more than ([\d,]+) it is refused/.exec(page)?.[1]?.replace(',', ''));
  for (const count of [most, most + 1]) {
    const many = Array.from({ length: count }, () => ({ amount: '1' }));
    t.equal(compiled.ok && compiled.evaluate({ items: many }).ok, count === most, String(count));
  }
});

/** The lines of a file beside this one. */
function linesIn(name: string): number {
  return readFileSync(new URL(name, import.meta.url), 'utf8')
    .trimEnd()
    .split('\n').length;
}

t.test('the page counts the conformance tests of CEL', async (t) => {
  const [passed, leftOut] = [linesIn('cel-spec.ndjson'), linesIn('cel-spec-left-out.tsv')];
  t.ok(page.includes(`has ${(passed + leftOut).toLocaleString('en')} conformance tests`));
  t.ok(page.includes(`The ${passed} that concern`));
});
