import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';

import { SERVICE_FLAGS } from '../../../../bench/harness/flags.ts';
import { runFiles } from './runner.ts';
import type { FileReport } from './tally.ts';

/** The source of a test file with one test that passes. */
const passingFile = (name: string): string => `console.log('ok 1 - ${name}\\n1..1');`;
const PATH = process.env['PATH'] ?? '';

t.test('each file is run and reported; one that fails does not stop the others', async (t) => {
  const home = t.testdir({
    'a.ts': `${passingFile('a')} const options: string = String(process.env['NODE_OPTIONS']);
      const { writeFileSync } = await import('node:fs');
      writeFileSync(import.meta.dirname + '/options', options);`,
    'b.ts': 'process.exitCode = 3;',
    'c.ts': passingFile('c'),
  });
  const reports: FileReport[] = [];
  const files = ['a.ts', 'b.ts', 'c.ts'].map((name) => join(home, name));
  const ended = await runFiles({ files, jobs: 2, path: PATH, onFile: (one) => reports.push(one) });
  t.equal(ended, 3);
  const counts = new Map(reports.map(({ file, tally }) => [file.slice(-4), tally]));
  t.strictSame(counts.get('a.ts'), { passed: 1, failed: 0, skipped: 0 });
  t.strictSame(counts.get('b.ts'), { passed: 0, failed: 1, skipped: 0 });
  t.strictSame(counts.get('c.ts'), { passed: 1, failed: 0, skipped: 0 });
  const given = String(process.env['NODE_OPTIONS']);
  t.equal(
    readFileSync(join(home, 'options'), 'utf8'),
    given,
    'NODE_OPTIONS is passed on unchanged',
  );
});

t.test('a signal ends the running files, and no other file starts', async (t) => {
  const home = t.testdir({
    'long.ts': `import { writeFileSync } from 'node:fs';
      writeFileSync(import.meta.dirname + '/begun', String(process.pid));
      console.error('begun');
      setInterval(() => {}, 1_000);`,
    'next.ts': `import { writeFileSync } from 'node:fs';
      writeFileSync(import.meta.dirname + '/next', '');`,
    'run.ts': `import { runFiles } from ${JSON.stringify(join(import.meta.dirname, 'runner.ts'))};
      const files = ['long.ts', 'next.ts'].map((name) => import.meta.dirname + '/' + name);
      const run = { files, jobs: 1, path: process.env['PATH'] ?? '', onFile: () => {} };
      process.send?.(await runFiles(run));
      process.disconnect?.();`,
  });
  const child = fork(join(home, 'run.ts'), { execArgv: SERVICE_FLAGS, silent: true });
  t.teardown(() => child.kill('SIGKILL'));
  const message = once(child, 'message');
  const exit = once(child, 'exit');
  await once(child.stderr ?? child, 'data');
  child.kill('SIGTERM');
  t.strictSame((await message)[0], 1);
  await exit;
  t.notOk(existsSync(join(home, 'next')));
  const pid = Number(readFileSync(join(home, 'begun'), 'utf8'));
  t.throws(() => process.kill(pid, 0), { code: 'ESRCH' });
});
