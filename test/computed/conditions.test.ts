import { join } from 'node:path';
import t, { type Test } from 'tap';
import { pageTexts, shareTemplate, tryRender } from '../../lab/render.ts';

/** An expression is computed where a condition around it holds, and only there. */

const FIELDS = [
  { name: 'net', type: 'number' },
  { name: 'rate', type: 'number' },
  { name: 'lines', type: 'list', fields: [{ name: 'amount', type: 'number' }] },
];

async function linesOf(t: Test, content: readonly unknown[], data: object): Promise<unknown> {
  const file = { templateId: 'conditions', fields: FIELDS, document: { content } };
  const result = await tryRender(shareTemplate(JSON.stringify(file)), data);
  if (!result.ok) return result.fields;
  return pageTexts(join(t.testdir(), 'c.pdf'), result.value.pdf)
    .join('\n')
    .split('\n')
    .map((line) => line.trim().replaceAll(/\s+/g, ' '))
    .filter((line) => line !== '');
}

const each = (rest: object) => ({ each: 'lines', as: 'line', ...rest });

t.test('a condition that reads no list guards what stands below it', async (t) => {
  const content = [
    { if: 'has(rate)', text: 'times {{= net * rate}}' },
    { unless: 'rate == null || rate == 0', stack: ['by {{= net / rate}}'] },
    { if: 'has(rate)', stack: [each({ text: '{{= line.amount * rate}} of a line' })] },
  ];
  const lines = [{ amount: 3 }];
  t.same(await linesOf(t, content, { net: 8, rate: 2, lines }), [
    'times 16',
    'by 4',
    '6 of a line',
  ]);
  t.same(await linesOf(t, content, { net: 8, rate: 0, lines }), ['times 0', '0 of a line']);
  t.same(await linesOf(t, content, { net: 8, lines }), []);
});

t.test('the same expression below two conditions is computed where either holds', async (t) => {
  const content = [
    each({
      stack: [
        { if: 'line.amount > 5', text: 'large {{= 12 / line.amount}}' },
        { if: 'line.amount > 1', text: 'any {{= 12 / line.amount}}' },
      ],
    }),
  ];
  const lines = [{ amount: 2 }, { amount: 6 }, { amount: 0 }];
  t.same(await linesOf(t, content, { lines }), ['any 6', 'large 2', 'any 2']);
});

t.test('the same expression below two filters is computed for the entries of both', async (t) => {
  const text = '{{= 12 / sum(lines.map(l, l.amount))}}';
  const content = [
    each({ filter: 'line.amount > 5', text: `first ${text}` }),
    each({ filter: 'line.amount > 1', text: `second ${text}` }),
  ];
  t.same(await linesOf(t, content, { lines: [{ amount: 2 }] }), ['second 6']);
});

t.test('entries may be called __proto__', async (t) => {
  const content = [{ each: 'lines', as: '__proto__', text: '{{= __proto__.amount + 1}}' }];
  t.same(await linesOf(t, content, { lines: [{ amount: 2 }] }), ['3']);
});
