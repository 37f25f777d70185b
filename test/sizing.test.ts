import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';

import { HOME } from '../lab/home.ts';
import { withSizing } from '../lab/pages/sizing.ts';

/** The sums of docs/sizing.md, which this test does by its own arithmetic. */

const PAGE = readFileSync(join(HOME, 'docs/sizing.md'), 'utf8');
const PERFORMANCE = readFileSync(join(HOME, 'docs/performance.md'), 'utf8');

/** What was rounded to three digits may be off by half of the third one; twice that after a product. */
const TOLERANCE = 0.006;

/** `500,000 × 2.59 ÷ 1,000`, also with + and brackets. */
function valueOf(text: string): number {
  const tokens = text.match(/[\d,]+(?:\.\d+)?|[()+×÷]/g) ?? [];
  let at = 0;
  const factor = (): number => {
    const token = tokens[at++] ?? '';
    if (token !== '(') return Number(token.replaceAll(',', ''));
    const value = terms();
    at += 1;
    return value;
  };
  const product = (): number => {
    let value = factor();
    while (tokens[at] === '×' || tokens[at] === '÷') {
      value = tokens[at++] === '×' ? value * factor() : value / factor();
    }
    return value;
  };
  const terms = (): number => {
    let value = product();
    while (tokens[at] === '+') {
      at += 1;
      value += product();
    }
    return value;
  };
  return terms();
}

t.test('the arithmetic of this test', async (t) => {
  t.equal(valueOf('1,000 × 2 ÷ 4'), 500);
  t.equal(valueOf('(2 + 1) × 512 + 256.5'), 1792.5);
});

/** The lines of the example: name, sum and result. */
const SUMS = [...PAGE.matchAll(/^(\w[\w ,]*?) {2,}(.*?) ?= ([\d.,]+)/gm)].map(
  ([, name = '', sum = '', result = '']) => ({ name, sum, result: valueOf(result) }),
);

t.test('the sums of the example are right', async (t) => {
  t.ok(SUMS.length >= 8, `${SUMS.length} sums`);
  for (const { name, sum, result } of SUMS) {
    if (sum === '') continue;
    const value = valueOf(sum);
    t.ok(
      Math.abs(value - result) <= TOLERANCE * value,
      `${name}: ${sum} = ${value}, not ${result}`,
    );
  }
});

function resultOf(name: string): number {
  return SUMS.find((sum) => sum.name.startsWith(name))?.result ?? NaN;
}

function sumOf(name: string): string {
  return SUMS.find((sum) => sum.name.startsWith(name))?.sum ?? '';
}

t.test('each line of the example goes on with the result of the line before', async (t) => {
  t.equal(valueOf(sumOf('all of them').split(' ')[2] ?? ''), resultOf('one document'));
  t.equal(valueOf(sumOf('cores at work').split(' ')[0] ?? ''), resultOf('all of them'));
  t.equal(valueOf(sumOf('with headroom').split(' ')[0] ?? ''), resultOf('cores at work'));
  t.ok(resultOf('cores, threads') >= resultOf('with headroom'));
});

t.test(
  'the forecast is cores over the cost of a document, with the error that it names',
  async (t) => {
    const rows = [
      ...PAGE.matchAll(/^\| (\d+) +\| ([\d,]+) +\| ([\d,]+) +\| ([\d,]+) +\| ± (\d+) % /gm),
    ];
    t.equal(rows.length, 6);
    for (const [, ...cells] of rows) {
      const [cores = 0, rate = 0, from = 0, to = 0, percent = 0] = cells.map(valueOf);
      const expected = (cores * 1_000) / resultOf('one document');
      t.ok(Math.abs(rate - expected) <= 1, `${cores} cores: ${expected}, not ${rate}`);
      const error = 1 + percent / 100;
      t.ok(Math.abs(rate / error - from) <= 0.01 * rate, `${cores} cores: from ${from}`);
      t.ok(Math.abs(rate * error - to) <= 0.01 * rate, `${cores} cores: to ${to}`);
    }
  },
);

t.test('a figure that changes in docs/performance.md makes the page stale', async (t) => {
  t.equal(withSizing(PAGE, PERFORMANCE), PAGE, 'run npm run generate');
  const rows = PERFORMANCE.matchAll(/^\| (statement of 100 rows.*?) \| +([\d.]+) \|/gm);
  const [row = '', , engine = ''] = [...rows][0] ?? [];
  t.ok(Number(engine) > 0, row);
  const slower = PERFORMANCE.replace(row, row.replace(engine, String(Number(engine) * 2)));
  t.not(withSizing(PAGE, slower), PAGE);
});

t.test('what was not measured is a dash, not a wrong sum', async (t) => {
  const unmeasured = PERFORMANCE.replace(
    /<!-- figures: guarded -->[^]*?<!-- \/figures -->/,
    '',
  ).concat('<!-- figures: guarded -->\n\n<!-- /figures -->\n');
  const page = withSizing(PAGE, unmeasured);
  t.match(page, /\| in a run: .* \| – /);
  t.notMatch(page, /NaN/);
});
