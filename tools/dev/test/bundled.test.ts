import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import t from 'tap';

import { HOME } from '../../../src/settings/config.ts';
import { keepBundled } from './bundled.ts';
import { keepStripped } from './stripped.ts';

/** A test whose assertion fails inside a helper function, so that the stack has a frame for it. */
const FAILS = `
  import t from 'tap';
  console.log(import.meta.resolve('tap'), import.meta.resolve('kysely'));
  t.test('case', async (t) => {
    const helper = () => t.equal(1, 2);
    helper();
  });`;

await keepBundled();

function run(cwd: string, code = FAILS): { readonly status: number | null; readonly out: string } {
  const words = ['--input-type=module', '--eval', code];
  const env = { PATH: process.env['PATH'], NODE_OPTIONS: keepStripped() };
  const { status, stdout } = spawnSync(process.execPath, words, { cwd, env });
  return { status, out: stdout.toString() };
}

function urls(cwd: string): string {
  return run(cwd).out.split('\n')[0] ?? '';
}

t.test('sources here import the bundles, and a copy elsewhere the packages', async (t) => {
  t.match(urls(join(HOME, 'test')), /bundled\/.*\/tap\.mjs .*bundled\/.*\/kysely\.mjs$/);
  t.match(urls(t.testdir()), /\/node_modules\/tap\/dist\/.* .*\/node_modules\/kysely\/dist\//);
});

t.test('a failure is told with its place, and without the frames of tap', async (t) => {
  const { status, out } = run(join(HOME, 'test'));
  t.equal(status, 1);
  t.match(out, /fileName: "\[eval1\]"\n +lineNumber: 5\n/);
  t.match(out, /stack: \|\n +helper \(/);
  t.notMatch(out, /tap\.mjs:\d/);
});

t.test('a bundle exports what its package does', async (t) => {
  const code = `console.log(JSON.stringify(await Promise.all(['tap', 'kysely'].map(
    async (name) => Object.keys(await import(name)).toSorted()))))`;
  t.equal(run(join(HOME, 'test'), code).out, run(t.testdir(), code).out);
});
