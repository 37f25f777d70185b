import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import t from 'tap';

import { SERVICE_FLAGS } from '../../../lab/flags.ts';
import { runFiles } from './runner.ts';
import type { FileReport } from './tally.ts';
import { QUIET_MS_MAX, shareOfCores } from './time-limit.ts';

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
  const onFile = (one: FileReport): void => void reports.push(one);
  const ended = await runFiles({ files, jobs: 2, env: { PATH }, quietMsMax: QUIET_MS_MAX, onFile });
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

const OTHER_SYSTEM = process.platform === 'linux' ? false : 'only Linux tells it';

t.test('the CPU of each file is told, with its children', { skip: OTHER_SYSTEM }, async (t) => {
  const works = `const end = process.cpuUsage().user + 300_000; while (process.cpuUsage().user < end);`;
  const home = t.testdir({
    'idle.ts': passingFile('idle'),
    'parent.ts': `import { spawnSync } from 'node:child_process';
      spawnSync(process.execPath, ['-e', ${JSON.stringify(works)}]);
      ${passingFile('parent')}`,
  });
  const reports = new Map<string, FileReport>();
  const files = ['idle.ts', 'parent.ts'].map((name) => join(home, name));
  const onFile = (one: FileReport): void => void reports.set(one.file.slice(home.length + 1), one);
  await runFiles({ files, jobs: 1, env: { PATH }, quietMsMax: QUIET_MS_MAX, onFile });
  const idle = reports.get('idle.ts')?.cpuSeconds ?? 0;
  const parent = reports.get('parent.ts')?.cpuSeconds ?? 0;
  t.ok(idle > 0, `${idle} s`);
  t.ok(parent >= 0.3, `${parent} s`);
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
      const run = { files, jobs: 1, env: {}, quietMsMax: 240_000, onFile: () => {} };
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

t.test('a file that hangs is stopped and named, with the processes it started', async (t) => {
  const home = t.testdir({
    'hangs.ts': `import { spawn } from 'node:child_process';
      import { writeFileSync } from 'node:fs';
      console.log('# Subtest: a read that never ends\\n    ok 1 - begun');
      const left = spawn('sleep', ['600'], { stdio: 'inherit' });
      writeFileSync(import.meta.dirname + '/left', String(left.pid));
      setInterval(() => {}, 1_000);`,
  });
  const files = [join(home, 'hangs.ts')];
  const reports: FileReport[] = [];
  const onFile = (one: FileReport): void => void reports.push(one);
  await runFiles({ files, jobs: 1, env: { PATH }, quietMsMax: 1_000, onFile });
  const [report] = reports;
  t.equal(report?.tally.failed, 1);
  const detail = report?.failures[0]?.detail ?? '';
  t.match(detail, /took too long/);
  t.match(detail, /a read that never ends/);
  // The process that the file left holds its output open, so the run ended because it was killed.
  t.ok(existsSync(join(home, 'left')));
});

t.test('time counts in proportion to the cores and the programs that want them', async (t) => {
  const cores = availableParallelism();
  t.equal(shareOfCores(0), 1);
  t.equal(shareOfCores(cores), 1);
  t.equal(shareOfCores(cores * 10), 1 / 10);
});
