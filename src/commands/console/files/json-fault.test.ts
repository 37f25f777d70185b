import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';

import { environment, intaglio } from '../../../../lab/service/command-line.ts';
import { findJsonFault } from './json-fault.ts';

/** Texts with a mistake. Each command must name the same place and the same cause. */
const FAULTS: readonly (readonly [typed: string, line: number, column: number, cause: string])[] = [
  ['{\n  "a": 1\n  "b": 2\n}', 2, 9, 'A comma is missing here.'],
  ['{ "a": "words }\n', 1, 14, 'The quotation mark that ends this text is missing.'],
  ['{ "a": [1, 2 }', 1, 8, 'This “[” is opened here and not closed.'],
  ['{ “a”: 1 }', 1, 3, 'These are quotation marks of a word processor; JSON needs straight ones.'],
  ['{ "a": 1, }', 1, 9, 'There must be no comma after the last entry.'],
  ['{ "a": 1 // one\n}', 1, 10, 'JSON has no comments.'],
];

const TEMPLATE = { templateId: 'n', name: 'N', fields: [], document: { content: 'x' } };

for (const [typed, line, column, cause] of FAULTS) {
  t.test(`commands say of ${JSON.stringify(typed)}: ${cause}`, async (t) => {
    t.strictSame(findJsonFault(typed), { line, column, cause });
    const folder = t.testdir({ 'typed.json': typed, 'good.json': JSON.stringify(TEMPLATE) });
    const [wrong, good, out] = ['typed.json', 'good.json', 'o.pdf'].map((name) =>
      join(folder, name),
    );
    const env = environment(folder);
    const place = `typed.json is not valid JSON (line ${line}, column ${column}). ${cause}`;
    const calls: readonly (readonly [said: string, ...words: readonly (string | undefined)[]])[] = [
      [place, 'render', wrong, '--data', good, '--out', out],
      [place, 'render', good, '--data', wrong, '--out', out],
      [place, 'expression', '1', '--data', wrong],
      [
        `typed.json:${line}:${column} error: The file is not JSON. ${cause}`,
        'templates',
        'check',
        wrong,
      ],
    ];
    for (const [said, ...words] of calls) {
      const done = await intaglio(env, ...words.map(String));
      t.equal(done.code, 1);
      t.match(done.out + done.err, said, words.join(' '));
    }
    t.notOk(existsSync(String(out)));
  });
}

t.test('an empty template is answered with the beginning of one', async (t) => {
  const path = join(t.testdir({ 'empty.json': '\n' }), 'empty.json');
  const { out } = await intaglio(environment(t.testdirName), 'templates', 'check', path);
  t.match(out, 'The file is empty: a template begins with {"templateId"');
});

t.test('templates test names the fault of a template and of its data', async (t) => {
  const folder = t.testdir();
  const test = async (template: string, data: string): Promise<string> => {
    writeFileSync(join(folder, 'template.json'), template);
    writeFileSync(join(folder, 'a.data.json'), data);
    const { code, out, err } = await intaglio(environment(folder), 'templates', 'test', folder);
    t.equal(code, 1);
    return out + err;
  };
  const said = 'JSON (line 1, column 2). This comma separates nothing.';
  t.match(await test('{,}', '{}'), said);
  t.match(await test(JSON.stringify(TEMPLATE), '{,}'), said);
});

t.test('a text of many brackets that fit nowhere is judged in seconds', async (t) => {
  const startMs = performance.now();
  findJsonFault('[{"a" : 1 ,'.repeat(20_000));
  findJsonFault(`${'{"a": [1 ,\n'.repeat(40_000)}]`);
  findJsonFault(`{"x": [${'1 ,'.repeat(300_000)}}`);
  t.ok(performance.now() - startMs < 30_000);
});
