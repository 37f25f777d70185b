import { spawnSync } from 'node:child_process';
import { existsSync, globSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { HOME } from '../lab/home.ts';
import { environment, intaglio, NODE_ARGS } from '../lab/service/command-line.ts';

/** Calls that newcomers type. Each must end with an exit code and a sentence. */

t.test('input that can be read once only is refused before anything is made', async (t) => {
  const folder = t.testdir();
  const env = environment(folder, {
    INTAGLIO_API_KEY: 'ik_test',
    INTAGLIO_URL: 'http://127.0.0.1:1',
  });
  const out = join(folder, 'out');
  for (const words of [
    ['batch', '/dev/null', '--format', 'ndjson', '--template', 'note', '--out', out],
    ['runs', 'upload', '01a1f4a2-7b00-7000-8a9d-0123456789ab', '/dev/null', '--format', 'csv'],
  ]) {
    const said = await intaglio(env, ...words);
    t.match(said, {
      code: 1,
      err: /^intaglio: \/dev\/null is a pipe or a device, .*a file first\n$/,
    });
  }
  t.notOk(existsSync(out));
});

t.test('a name that is too long is no bug of the command', async (t) => {
  const env = environment(t.testdir(), { INTAGLIO_API_KEY: 'ik_test' });
  const name = `${'n'.repeat(300)}.ndjson`;
  const said = await intaglio(env, 'batch', name, '--template', 'note', '--out', 'out');
  t.match(said, {
    code: 1,
    err: /^intaglio: cannot read n+\.ndjson: the name is too long \(\w+\)\n$/,
  });
});

t.test('help of a command that does not exist says so', async (t) => {
  t.match(await intaglio({}, 'help', 'btach'), {
    code: 2,
    out: '',
    err: /^error: unknown command 'btach'\n\(Did you mean batch\?\)/,
  });
  t.match(await intaglio({}, 'help', 'batch'), { code: 0, out: /^Usage: intaglio batch / });
});

t.test('examples of the help name files that are there', async (t) => {
  for (const words of ['check', 'draft', 'test', 'types'].map((name) => ['templates', name])) {
    const { out } = await intaglio({}, ...words, '--help');
    const examples = out.slice(out.indexOf('Example'));
    const paths = examples.match(/(?<= )templates\/[\w./*-]+/g) ?? [];
    for (const path of paths) t.ok(globSync(path, { cwd: HOME }).length > 0, path);
  }
});

t.test('output that cannot be written is said in a line', async (t) => {
  if (!existsSync('/dev/full')) return t.comment('this system has no /dev/full');
  const words = [process.execPath, ...NODE_ARGS, '--version'].map((word) => `'${word}'`).join(' ');
  const { status, stderr } = spawnSync('sh', ['-c', `${words} > /dev/full`], { encoding: 'utf8' });
  t.equal(stderr, 'intaglio: cannot write the output: the disk is full (ENOSPC)\n');
  t.equal(status, 1);
});

t.test('a database that cannot be reached is not called absent', async (t) => {
  const folder = t.testdir();
  writeFileSync(join(folder, 'file'), '');
  const path = join(folder, 'file', 'intaglio.db');
  const env = environment(folder, { INTAGLIO_DATABASE_URL: `sqlite:${path}` });
  const { code, err } = await intaglio(env, 'audit');
  t.match(
    { code, err },
    { code: 1, err: /^intaglio: cannot read .*: a part of its path is not a/ },
  );
});

t.test('a file that is no database is not blamed on the files', async (t) => {
  const folder = t.testdir({
    'note.txt': 'These are words, and no database of SQLite.\n'.repeat(99),
  });
  const env = environment(folder, { INTAGLIO_DATABASE_URL: `sqlite:${join(folder, 'note.txt')}` });
  const { code, err } = await intaglio(env, 'serve', '--check');
  t.equal(code, 1);
  t.match(err, /the file is not an SQLite database \(SQLITE_26\)/);
  t.match(err, /or a new one, in INTAGLIO_DATABASE_URL/);
  t.notMatch(err, 'INTAGLIO_FILES_URL');
});
