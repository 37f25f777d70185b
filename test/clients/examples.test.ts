import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';

import { serveLetter } from '../fixtures/letter.ts';
import { HOME } from '../../lab/home.ts';
import { installNode, PYTHON_ENV, runProgram, withoutPython } from './programs.ts';

/** Runs the programs in the READMEs of the clients against a service. */

const { url, apiKey } = await serveLetter(t);
const caller = { PATH: process.env['PATH'] ?? '', URL: url, KEY: apiKey };

function check(
  t: Test,
  folder: string,
  done: { readonly code: number; readonly out: string },
): void {
  t.equal(done.code, 0, done.out);
  t.match(done.out, /^letter takes customer, total, issued\nletter\.pdf has \d+ bytes\n/);
  t.match(done.out, /stored\.pdf was issued by the service\ncustomer: required\n/);
  for (const name of ['letter.pdf', 'stored.pdf']) {
    t.match(readFileSync(join(folder, name), 'latin1'), /^%PDF-/, name);
  }
}

t.test('the example for Node runs with the built package', async (t) => {
  const folder = t.testdir();
  await installNode(folder);
  cpSync(join(HOME, 'clients/node/example.ts'), join(folder, 'example.ts'));
  const words = ['--no-warnings', 'example.ts'];
  check(t, folder, await runProgram(process.execPath, folder, words, caller));
});

t.test('the example for Python runs', { skip: withoutPython() }, async (t) => {
  const folder = t.testdir();
  const words = [join(HOME, 'clients/python/example.py')];
  check(t, folder, await runProgram('python3', folder, words, { ...PYTHON_ENV, ...caller }));
});

t.test('the README for Python runs as it stands', { skip: withoutPython() }, async (t) => {
  const folder = t.testdir({
    'october.csv': 'refNo,customer,total\nR-1,Somchai,1250.50\nR-2,,1\n',
  });
  const readme = readFileSync(join(HOME, 'clients/python/README.md'), 'utf8');
  const blocks = [...readme.matchAll(/^```python\n(.*?)^```$/gms)].map(([, code = '']) => code);
  t.equal(blocks.length, 3);
  const program = blocks.join('').replace('https://documents.bank.example', url);
  const words = ['-c', program];
  const { code, out } = await runProgram('python3', folder, words, { ...PYTHON_ENV, ...caller });
  t.equal(code, 0, out);
  t.match(out, /^checking 0\n(?:.*\n)*stopped 0\n/);
  t.match(out, /^R-2 \[\{'field': 'customer', 'reason': 'required'\}\]$/m);
  t.match(out, /\nTrue\n$/);
  for (const name of ['letter.pdf', 'stored.pdf']) {
    t.match(readFileSync(join(folder, name), 'latin1'), /^%PDF-/, name);
  }
  t.match(readFileSync(join(folder, 'manifest.ndjson'), 'utf8'), /"row":"R-2","outcome":"invalid"/);
});
