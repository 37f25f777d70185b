import { readFileSync } from 'node:fs';
import { loadFonts } from '../../../src/engine/font/library.ts';
import { compileTemplate } from '../../../src/engine/template/compile.ts';
import { mutateJson } from '../mutate-json.ts';
import type { Target } from './target.ts';
import { plainSurroundings } from '../../../src/engine/template/fixtures.ts';

const fonts = loadFonts(null).library;
const file = (name: string): Buffer =>
  readFileSync(new URL(`../../../templates/${name}`, import.meta.url));

/** Template files, whose faults must be findings with a path and never exceptions. */
export const templateTarget: Target = {
  seeds: async () => [
    file('receipt.json'),
    file('contract.json'),
    JSON.stringify({
      templateId: 'x',
      fields: [{ name: 'a', type: 'text', required: true }],
      document: { content: [{ text: '{{a}}', bold: true }, { ul: ['x', { qr: 'y' }] }] },
    }),
  ],
  dictionary: [
    ...'"text": "stack": "columns": "table": "body": "widths": "each": "if": "svg": "image":'.split(
      ' ',
    ),
    ...'"*" "auto" "50%" {{ }} {{0}} null [] {} -1 1e99 "canvas": "toc": "style": "margin":'.split(
      ' ',
    ),
  ],
  mutate: mutateJson,
  async run(input) {
    const { template, findings } = await compileTemplate(
      input,
      { hash: 'fuzz' },
      plainSurroundings(fonts),
    );
    const errors = findings.filter(({ severity }) => severity === 'error');
    if ((template === null) !== errors.length > 0) throw new Error('errors and template disagree');
    return errors
      .map(({ path, message }) => `${path.replaceAll(/\d+/gu, '#')} ${message.slice(0, 30)}`)
      .slice(0, 3)
      .join();
  },
};
