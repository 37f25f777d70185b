import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { HOME } from '../../lab/home.ts';
import { shareTemplate } from '../../lab/render.ts';
import { thaiFinding } from '../../studio/src/editor/finding-words.ts';
import { defectsTh } from '../../studio/src/i18n/defects-th.ts';
import { fill } from '../../studio/src/i18n/fill.ts';
import { FINDINGS_TH, KINDS_TH } from '../../studio/src/i18n/findings-th.ts';
import { formTh } from '../../studio/src/i18n/form-th.ts';
import { createEngine } from '#engine';

const TH: Readonly<Record<string, string>> = { ...formTh, ...defectsTh };

function thai(path: string, message: string): string | null {
  return thaiFinding({ path, message }, (key, parameters) => fill(TH[key] ?? key, parameters));
}

/** The sources of the engine; strings that are joined over lines stand in one piece. */
const SOURCES = readdirSync(join(HOME, 'src/engine'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
  .map((name) => readFileSync(join(HOME, 'src/engine', name), 'utf8'))
  .join('\n')
  .replaceAll(/['`] \+\s*['`]/g, '');

t.test('each sentence that is translated is one that the engine says', async (t) => {
  for (const [english] of FINDINGS_TH) {
    for (const piece of english.split(/\{+\w+\}+|(?<=, and others)/)) {
      if (piece.length > 3) t.ok(SOURCES.includes(piece), piece);
    }
  }
  for (const kind of Object.keys(KINDS_TH)) t.ok(SOURCES.includes(`'${kind}'`), kind);
});

function partsOf(text: string): readonly string[] {
  return (text.match(/\{\w+\}/g) ?? []).toSorted();
}

t.test('a translation has every part of its sentence', async (t) => {
  for (const [english, words] of FINDINGS_TH) {
    const dropped = english.includes('{toc}') ? ['{toc}'] : [];
    t.strictSame([...partsOf(words), ...dropped].toSorted(), partsOf(english), english);
    t.match(words, /[\u0e01-\u0e5b]/, english);
  }
});

/** Mistakes that the check finds, and what it says in Thai. */
const TEMPLATE = {
  templateId: 'notice',
  name: 'Notice',
  language: 'th',
  reference: '{{note}}',
  fields: [
    { name: 'customer', type: 'text', required: true },
    { name: 'unused', type: 'text' },
    { name: 'note', type: 'text' },
    { name: 'page', type: 'text' },
    { name: 'sum', type: 'number' },
  ],
  document: {
    images: {},
    content: [
      { text: 'เรียน {{custmer}} {{customer}} {{note}} {{page}}', style: 'titel', fontSise: 3 },
      { text: '{{sum}}', fontSize: 'large', alignment: 'middle', bold: 1 },
      { text: 'x', format: { decimals: 2 } },
      { image: 'logo' },
      { columns: [{ text: '一', keepWithNext: true }] },
    ],
    header: { rest: '{{page}}' },
  },
  samples: [
    { name: 'a', data: { sum: 'x', more: 1 } },
    { name: 'a', data: { customer: 'b' } },
  ],
};

t.test('mistakes of a template are told in Thai, with their names', async (t) => {
  const engine = createEngine();
  const { findings } = await engine.check({
    kind: 'check',
    template: shareTemplate(JSON.stringify(TEMPLATE)),
    renderSamples: false,
    atMs: 0,
  });
  t.equal(findings.length, 17);
  for (const { path, message } of findings) {
    const said = thai(path, message) ?? '';
    t.match(said, /[\u0e01-\u0e5b]/, message);
    t.notMatch(said, /did you mean|undefined/);
    for (const [name] of message.matchAll(/"[^"]+"/g))
      t.ok(said.includes(name), `${said}: ${name}`);
  }
  t.equal(thai('', 'dash must be an array of lengths, not 3.'), null, 'the rest stays English');
});
