import { readFileSync } from 'node:fs';
import t from 'tap';

import { compile } from '../../src/expressions/index.ts';
import { DATA, SCOPE } from './statement.ts';

/**
 * Each line of suite.tsv is an expression and its value as JSON, or `!code start-end` of its defect.
 * Values of numbers and dates were computed by Python's decimal and datetime.
 */
const lines = readFileSync(new URL('suite.tsv', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n');
const cases = lines
  .filter((line) => !line.startsWith('# ') || line.includes('\t'))
  .map((line) => line.split('\t'));

/** What an expression gives, in the form of the file. */
function outcomeOf(source: string): unknown {
  const compiled = compile(source, SCOPE);
  const given = compiled.ok ? compiled.evaluate(DATA) : compiled;
  if ('value' in given) return given.value;
  const error = 'error' in given ? given.error : 'errors' in given ? given.errors[0] : undefined;
  return `!${error?.code} ${error?.start}-${error?.end}`;
}

t.test('every expression of the suite has the value or the defect of its line', async (t) => {
  t.ok(cases.length >= 500, `${cases.length} cases`);
  for (const [source = '', expected = ''] of cases) {
    const wanted: unknown = expected.startsWith('!') ? expected : JSON.parse(expected);
    t.strictSame(outcomeOf(source), wanted, source === '' ? 'an empty source' : source);
  }
});
