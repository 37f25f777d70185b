import { spawn } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import {
  type Call,
  json,
  manifest,
  pdf,
  plan,
  run,
  startFake,
} from '../../../test/fixtures/batch-scene.ts';
import { UsageError } from '../console/failure.ts';
import { BatchFolder } from './folder.ts';
import type { BatchRecord } from './input.ts';

async function* people(...names: readonly string[]): AsyncGenerator<BatchRecord, void, undefined> {
  for (const [index, name] of names.entries()) {
    const data = JSON.stringify({ name });
    yield { number: index + 1, line: index + 1, data, source: data };
  }
}

/** A service whose PDFs hold the data, and that refuses records with "bad" in them. */
async function serve(t: Test): Promise<{ readonly url: string; readonly calls: Call[] }> {
  return startFake(t, (call, response) => {
    const name = /"name":"(.*?)"/.exec(call.body)?.[1] ?? '';
    if (!name.includes('bad')) pdf(response, name);
    else json(response, 400, { code: 'invalid_data', error: 'no', fields: [] });
  });
}

const read = (...path: readonly string[]): string => readFileSync(join(...path), 'utf8');
const pdfs = (out: string): string[] => readdirSync(out).filter((file) => file.endsWith('.pdf'));

t.test('a folder with documents of another input is refused, and stays as it is', async (t) => {
  const out = t.testdir();
  const { url, calls } = await serve(t);
  await run(t, plan(url, out), people('Anna', 'Bert', 'Carl'));
  const before = readdirSync(out).map((file) => [file, read(out, file)]);
  calls.length = 0;
  const error = await run(t, plan(url, out), people('Dora', 'bad', 'Carl')).catch(
    (e: unknown) => e,
  );
  t.ok(error instanceof UsageError, 'exit code 2');
  t.match(
    (error as Error).message,
    /holds 3 documents of an earlier batch, and 2 of them are of another input.*: record 1 is the/,
  );
  t.match((error as Error).message, /another --out; or --overwrite, which removes them first/);
  t.equal(calls.length, 0);
  t.strictSame(
    readdirSync(out).map((file) => [file, read(out, file)]),
    before,
  );
  for (const change of [{ templateId: 'other' }, { version: 2 }, { mode: 'async' }] as const) {
    const other = plan(url, out, change);
    await t.rejects(run(t, other, people('Anna', 'Bert', 'Carl')), /3 of them are of another/);
  }
  await t.rejects(run(t, plan(url, out), people('Anna', 'Bert')), /1 of them are.*record 3 is/);
});

t.test('--overwrite: a record that fails has no PDF of the former input beside it', async (t) => {
  const out = t.testdir();
  const { url } = await serve(t);
  await run(t, plan(url, out), people('Anna', 'Bert', 'Carl', 'Dora'));
  const counts = await run(t, plan(url, out, { overwrite: true }), people('Eva', 'bad', 'Carl'));
  t.strictSame(counts, { made: 1, failed: 1, skipped: 1 });
  t.strictSame(pdfs(out), ['00000001.pdf', '00000003.pdf']);
  t.match(read(out, '00000001.pdf'), 'Eva');
  t.strictSame(
    manifest(out).map(({ number, status }) => `${number} ${status}`),
    ['1 done', '2 failed', '3 done'],
  );
});

t.test('the same input goes on: added records, corrected failures, a lost PDF', async (t) => {
  const out = t.testdir();
  const { url } = await serve(t);
  await run(t, plan(url, out), people('Anna', 'bad', 'Carl'));
  rmSync(join(out, '00000003.pdf'));
  const counts = await run(t, plan(url, out), people('Anna', 'Bert', 'Carl', 'Dora'));
  t.strictSame(counts, { made: 3, failed: 0, skipped: 1 });
  t.equal(pdfs(out).length, 4);
});

t.test('an input of which nothing was made may be replaced by another', async (t) => {
  const out = t.testdir();
  const { url } = await serve(t);
  await run(t, plan(url, out), people('bad 1', 'bad 2'));
  t.match(await run(t, plan(url, out), people('Anna')), { made: 1 });
  t.strictSame(
    manifest(out).map(({ number }) => number),
    [1],
    'no line of a record that this input does not have',
  );
});

t.test('names: a record never takes the file of one that is done', async (t) => {
  const out = t.testdir();
  const { url } = await serve(t);
  const named = plan(url, out, { name: '{{name}}' });
  await run(t, named, people('bad', 'Anna'));
  t.strictSame(pdfs(out), ['Anna.pdf']);
  await run(t, named, people('Anna', 'Anna'));
  t.strictSame(pdfs(out), ['Anna-00000001.pdf', 'Anna.pdf']);
  const other = plan(url, out, { name: 'x-{{name}}' });
  await t.rejects(run(t, other, people('Anna', 'Anna')), /2 of them are named by another --name/);
  await run(t, { ...other, overwrite: true }, people('Anna', 'Anna'));
  t.strictSame(pdfs(out), ['x-Anna-00000002.pdf', 'x-Anna.pdf']);
});

t.test('files that no batch made are not replaced', async (t) => {
  const out = t.testdir({ '00000002.pdf': 'mine', 'letter.pdf': 'mine', 'notes.txt': '' });
  const { url, calls } = await serve(t);
  await t.rejects(
    run(t, plan(url, out), people('Anna', 'Bert')),
    /holds a file that this batch would replace: 00000002\.pdf\./,
  );
  t.equal(calls.length, 0);
  await run(t, plan(url, out, { overwrite: true }), people('Anna', 'Bert'));
  t.match(read(out, '00000002.pdf'), 'Bert');
  t.equal(read(out, 'letter.pdf'), 'mine');
  const copied = t.testdir({ 'failed.csv': 'a\n1\n' });
  await t.rejects(run(t, plan(url, copied), people('Anna')), /would replace: failed\.csv/);
  t.equal(read(copied, 'failed.csv'), 'a\n1\n');
});

t.test('a manifest of something else is not touched', async (t) => {
  for (const text of ['{"row":1}\n', 'no JSON\n', 'no line feed', '{"number":1}\n', '\n{"a"']) {
    const out = t.testdir({ 'manifest.ndjson': text });
    await t.rejects(run(t, plan('http://127.0.0.1:1', out), people('Anna')), /is not of a batch/);
    t.equal(read(out, 'manifest.ndjson'), text);
    t.strictSame(readdirSync(out), ['manifest.ndjson'], 'no lock is left');
  }
});

t.test('a killed batch leaves a lock that is taken over, and its PDF is made again', async (t) => {
  const out = t.testdir();
  const { url } = await serve(t);
  await run(t, plan(url, out), people('Anna'));
  // As it lies after a kill between the PDF of record 2 and its line.
  writeFileSync(join(out, 'batch.lock'), '');
  writeFileSync(join(out, '00000002.pdf'), 'before its line');
  t.match(await run(t, plan(url, out), people('Anna', 'Bert')), { made: 1, skipped: 1 });
  t.match(read(out, '00000002.pdf'), 'Bert');
  t.notOk(existsSync(join(out, 'batch.lock')));
  writeFileSync(join(out, '00000003.pdf'), 'older than the lock');
  utimesSync(join(out, '00000003.pdf'), 1, 1);
  writeFileSync(join(out, 'batch.lock'), '');
  await t.rejects(run(t, plan(url, out), people('Anna', 'Bert', 'Carl')), /00000003\.pdf/);
});

t.test('of two batches in one folder the second is refused', async (t) => {
  const out = join(t.testdir(), 'out');
  const first = new BatchFolder(out);
  t.throws(() => new BatchFolder(out), { message: /another batch writes into .*out now/ });
  first.close();
  t.notOk(existsSync(out), 'a folder that it made and left empty is gone');
  new BatchFolder(out).close();
});

t.test('a process that is killed leaves no lock', async (t) => {
  const out = join(t.testdir(), 'out');
  const program =
    `const { BatchFolder } = await import(${JSON.stringify(import.meta.resolve('./folder.ts'))});` +
    `globalThis.held = new BatchFolder(${JSON.stringify(out)}); console.log('held');` +
    'setInterval(() => undefined, 1_000);';
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program]);
  await new Promise((held) => child.stdout.once('data', held));
  t.throws(() => new BatchFolder(out), /another batch/, 'while it lives');
  const ended = new Promise((end) => child.once('close', end));
  child.kill('SIGKILL');
  await ended;
  t.ok(existsSync(join(out, 'batch.lock')));
  new BatchFolder(out).close();
});

t.test('a folder that cannot be written is named before anything is sent', async (t) => {
  const folder = t.testdir({ file: '' });
  t.throws(() => new BatchFolder(join(folder, 'file')), /cannot write .*: a file of that name/);
  t.throws(() => new BatchFolder(join(folder, 'file', 'x')), /cannot write .*: a part of its path/);
  // Root may write everywhere.
  if (process.getuid?.() === 0) return;
  const out = join(folder, 'locked');
  mkdirSync(out, { mode: 0o500 });
  t.throws(() => new BatchFolder(out), /cannot write .*locked: permission denied/);
});
