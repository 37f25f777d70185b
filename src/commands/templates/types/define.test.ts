import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';

import { environment, intaglio } from '../../../../lab/service/command-line.ts';

const FIELDS = [
  { name: 'customer', type: 'text', required: true },
  { name: 'channel', type: 'text', choices: ['APP', 'BRANCH'] },
  { name: 'account', type: 'text' },
];

t.test('a change that breaks callers is named, and ends with 1', async (t) => {
  const folder = t.testdir();
  mkdirSync(join(folder, 'var'));
  const env = environment(join(folder, 'var'));
  const file = join(folder, 'note.json');
  const save = (fields: readonly object[]): void => {
    const document = { content: [{ text: 'A note.' }] };
    writeFileSync(file, JSON.stringify({ templateId: 'note', name: 'Note', fields, document }));
  };
  const types = (...args: readonly string[]) => intaglio(env, 'templates', 'types', ...args);
  const team = ['--team', 'retail'];
  save(FIELDS);
  for (const words of [
    ['teams', 'add', 'retail', '--name', 'R'],
    ['templates', 'draft', ...team, file],
    ['templates', 'publish', ...team, 'note'],
  ]) {
    const { code, err } = await intaglio(env, ...words);
    t.equal(code, 0, err);
  }
  const out = join(folder, 'note.ts');
  const written = await types('note', ...team, '--language', 'typescript', '--out', out);
  t.equal(written.code, 0, written.err);
  t.match(
    readFileSync(out, 'utf8'),
    /version 1\.[^]*interface NoteData [^]*readonly customer: string;/,
  );

  const same = await types(file, ...team, '--compatible-with', '1');
  t.strictSame(same, { code: 0, out: 'By its fields, no caller of version 1 breaks.\n', err: '' });

  save([
    { name: 'customerName', type: 'text', required: true },
    { name: 'channel', type: 'text', choices: ['APP'] },
    { name: 'account', type: 'text', format: { mask: 'xxx' } },
  ]);
  const args = [...team, '--compatible-with', '1', '--language', 'go'];
  const broken = await types(file, ...args);
  t.equal(broken.code, 1);
  t.equal(broken.out, '', 'no types are written');
  t.match(broken.err, /the field customer, which is no longer read/);
  t.match(broken.err, /callers must send the field customerName/);
  t.match(broken.err, /callers must not send "BRANCH" in the field channel any more/);
  t.match(broken.err, /values of the field account may be refused/, 'a mask is a rule, too');

  for (const [words, code] of [
    [[file], 2],
    [[file, '--compatible-with', '1'], 2],
    [[file, '--language', 'cobol'], 2],
    [[file, '--language', 'java', '--package', 'a;b'], 2],
    [[file, '--language', 'java', '--name', 'class'], 2],
    [[file, '--language', 'java', '--name', 'Object'], 2],
    [[file, '--language', 'java', '--package', 'com.class'], 2],
    [[file, '--language', 'go', '--package', 'func'], 2],
    [['note', ...team, '--language', 'java', '--version', '7'], 1],
    [[join(folder, 'absent.json'), '--language', 'java'], 1],
  ] as const) {
    const refused = await types(...words);
    t.equal(refused.code, code, words.join(' '));
    t.not(refused.err, '');
  }
  const dotted = await types(file, '--language', 'go', '--package', 'com.bank');
  t.match(dotted, { code: 2, err: /allowed: one name of small letters and digits without dots/ });
});
