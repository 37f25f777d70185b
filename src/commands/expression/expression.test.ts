import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';

import { run } from '../../cli.ts';

interface Finished {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function expression(...args: string[]): Promise<Finished> {
  const [out, err]: [string[], string[]] = [[], []];
  const code = await run(['expression', ...args], {
    out: (text) => out.push(Buffer.from(text).toString()),
    err: (text) => err.push(text),
  });
  return { code, out: out.join(''), err: err.join('') };
}

function file(t: Test, content: string): string {
  const path = join(t.testdir(), 'data.json');
  writeFileSync(path, content);
  return path;
}

const DATA = `{
  "items": [{"amount": 0.10, "day": "2026-01-31"}, {"amount": 0.20, "day": null}],
  "big": 123456789012345678901234567890.12,
  "none": null
}`;

t.test('an expression without data', async (t) => {
  t.match(await expression('0.1 + 0.2'), { code: 0, out: '0.3\n' });
  t.match(await expression('[1, 2].map(x, x * 2)'), { code: 0, out: '[\n  "2",\n  "4"\n]\n' });
});

t.test('numbers of the data keep their digits, and types come from the data', async (t) => {
  const data = file(t, DATA);
  const of = (source: string): Promise<Finished> => expression(source, '--data', data);
  t.match(await of('sum(items.map(i, i.amount))'), { code: 0, out: '0.30\n' });
  t.match(await of('big + 0.01'), { code: 0, out: '123456789012345678901234567890.13\n' });
  t.match(await of('items[0].day + 1'), { code: 0, out: '2026-02-01\n' });
  t.match(await of('has(items[1].day)'), { code: 0, out: /^false$/m });
  t.match(await of('none'), { code: 0, out: 'null\n' });
  const { out } = await expression('size(items)', '--data', data, '--json');
  t.match(JSON.parse(out), { type: 'number', value: '2' });
});

t.test('what is wrong is said with line and column, and ends with 1', async (t) => {
  const data = file(t, DATA);
  const of = (source: string): Promise<Finished> => expression(source, '--data', data);
  t.match(await of('itemz'), {
    code: 1,
    err: 'intaglio: 1:1 There is no "itemz"; did you mean "items"?\n',
  });
  t.match(await of('1 +\n  "a" * 2'), { code: 1, err: /2:3 `"a" \* 2`/ });
  t.match(await of('items[1].day.year()'), { code: 1, err: /1:1 `items\[1\].day` is absent/ });
  t.match(await expression('1', '--data', `${data}x`), { code: 1, err: /there is no such file/ });
  t.match(await expression('1', '--data', file(t, '{')), {
    code: 1,
    err: /is not valid JSON \(line 1, column 2\)\. A closing “}” is missing/,
  });
  t.match(await expression('1', '--data', file(t, '[1]')), { code: 1, err: /is no JSON object/ });
  const mixed = file(t, '{"a": [{"b": 1}, {"b": "x"}]}');
  t.match(await expression('1', '--data', mixed), { code: 1, err: /a\[1\] has another type/ });
  t.match(await expression(), { code: 2 });
});

t.test('the help has examples', async (t) => {
  t.match(await expression('--help'), { code: 0, out: /Examples:\n {2}\$ / });
});
