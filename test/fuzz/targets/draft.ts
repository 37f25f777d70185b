import { readFileSync } from 'node:fs';
import run from '../../../src/workers/render.ts';
import { mutateJson } from '../mutate-json.ts';
import { mutateStrings } from '../mutate-strings.ts';
import { shareTemplate } from '../../../lab/render.ts';
import type { Target } from './target.ts';

const LENGTH_MAX = 20_000;
const file = (name: string): Buffer =>
  readFileSync(new URL(`../../../templates/${name}`, import.meta.url));

const draft = (fields: readonly object[], document: object, data: object): string =>
  JSON.stringify({ templateId: 'x', fields, document, samples: [{ name: 's', data }] });

/** Drafts, checked as in saving and publishing: compiled, and their samples rendered. */
export const draftTarget: Target = {
  seeds: async () => [
    file('receipt.json'),
    draft(
      [{ name: 'a', type: 'text', required: true, validation: { pattern: '^(a|b){1,3}[cd]?$' } }],
      {
        styles: { x: { bold: true, fontSize: 9 } },
        content: [{ text: ['{{a}}', { text: 'b', style: 'x' }] }, { ul: ['x', { qr: 'y' }] }],
      },
      { a: 'ab' },
    ),
    draft(
      [{ name: 't', type: 'table', required: false }],
      {
        header: { text: '{{page}} of {{pages}}' },
        content: [
          { toc: { title: { text: 'c' } } },
          { text: 'h', tocItem: true, headlineLevel: 1 },
          {
            columns: [
              { width: 20, stack: ['a', 'b'] },
              { width: '*', text: 'c' },
            ],
          },
          {
            table: {
              headerRows: 1,
              widths: ['*', 'auto'],
              body: [
                ['a', 'b'],
                [{ text: 'c', colSpan: 2 }, ''],
              ],
            },
          },
          { canvas: [{ type: 'rect', x: 0, y: 0, w: 9, h: 9 }] },
        ],
      },
      { t: [['a', 'b']] },
    ),
  ],
  dictionary: ['"text":', '"stack":', '"columns":', '"table":', '{{a}}', '{9}', '"each":'],
  mutate: (known, random) =>
    random.chance(2) ? mutateJson(known, random) : mutateStrings(known, random, LENGTH_MAX),
  async run(input) {
    const template = shareTemplate(input);
    const result = await run({ kind: 'check', template, renderSamples: true, atMs: 0 });
    if (result === undefined || !('findings' in result)) throw new Error('not checked');
    return result.findings
      .map(({ path, message }) => `${path.replaceAll(/\d+/gu, '#')} ${message.slice(0, 30)}`)
      .slice(0, 3)
      .join();
  },
};
