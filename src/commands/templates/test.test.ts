import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';

import { environment, intaglio } from '../../../lab/service/command-line.ts';

const letter = (text: string): string =>
  JSON.stringify({
    templateId: 'letter',
    fields: [{ name: 'customer', type: 'text', required: true }],
    document: { content: [text, { text: 'second page', pageBreak: 'before' }] },
  });

/** A folder with a template and one document. */
function folderOf(t: Test) {
  const folder = t.testdir({
    letter: { 'template.json': letter('Dear {{customer}}'), 'short.data.json': '{"customer":"A"}' },
  });
  const out = join(folder, 'differences');
  const place = join(folder, 'letter');
  const test = (...options: string[]) =>
    intaglio(environment(folder), 'templates', 'test', place, '--out', out, ...options);
  return { place, out, env: environment(folder), test };
}

t.test('a template is compared with texts and pictures that were kept', async (t) => {
  const { place, out, test } = folderOf(t);
  const nothing = await test();
  t.match(nothing, { code: 1, out: /letter\/short: nothing is kept to compare with.*--update/ });
  t.match(await test('--update'), { code: 0, out: 'letter/short: 2 pages, kept\n' });
  t.same(readdirSync(place), [
    'short-1.png',
    'short-2.png',
    'short.data.json',
    'short.txt',
    'template.json',
  ]);
  t.match(readFileSync(join(place, 'short.txt'), 'utf8'), /^Dear A\n/);
  t.match(await test(), { code: 0, out: 'letter/short: 2 pages, the same\n' });

  writeFileSync(join(place, 'template.json'), letter('Dear {{customer}}!'));
  const other = await test();
  t.equal(other.code, 1);
  t.match(other.out, /line 1 of the text is "Dear A!", expected "Dear A"/);
  t.match(other.out, /page 1 looks different: .*letter-short-1\.png/);
  t.same(readdirSync(out), ['letter-short-1.png'], 'the second page looks the same');

  writeFileSync(join(place, 'short.data.json'), '{}');
  t.match(await test(), { code: 1, out: /letter\/short: customer: required/ });
});

t.test('a kept picture that is none is named', async (t) => {
  const { place, test } = folderOf(t);
  await test('--update');
  writeFileSync(join(place, 'short-2.png'), 'some text');
  t.match(await test(), {
    code: 1,
    err: /^intaglio: .*letter\/short-2\.png is no picture: a PNG is compared; .*--update\n$/,
  });
});

t.test('what is missing is named', async (t) => {
  const { place, env, test } = folderOf(t);
  const none = await intaglio(env, 'templates', 'test', join(place, 'none'));
  t.match(none, { code: 1, err: /there is no folder .*none: name one/ });
  const bare = { ...env, PATH: place };
  const tools = await intaglio(bare, 'templates', 'test', place);
  t.match(tools, { code: 1, err: /needs pdftotext: apt-get install poppler-utils/ });
  t.match(await test('--json', '--update'), { code: 0, out: /"ok":true,"pages":2/ });
});

t.test(
  'a folder without a template is refused, with the folders in it that have one',
  async (t) => {
    const { place, env } = folderOf(t);
    const test = (path: string) => intaglio(env, 'templates', 'test', path);
    const above = join(place, '..');
    t.match(await test(above), {
      code: 1,
      err: `has no template.json, but 1 folder in it: name ${place}`,
    });
    t.match(await test(`${place}x`), {
      code: 1,
      err: /there is no folder .*letterx: name one with/,
    });
    t.match(await test(join(place, 'template.json')), {
      code: 1,
      err: /is not a folder: name one with/,
    });
  },
);
