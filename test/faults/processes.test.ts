import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';

import { folderOf } from '../fixtures/note.ts';
import { isAlive, until } from '../../lab/process/waiting.ts';

/** Resources that a process uses, and processes that it might leave behind. */

const hasPrlimit = spawnSync('prlimit', ['--version']).status === 0;
t.test(
  'nearly used up descriptors are noticed, even if none is left to count them with',
  { skip: hasPrlimit ? false : 'needs prlimit of util-linux' },
  async (t) => {
    const module = new URL('../../src/gateway/descriptors.ts', import.meta.url).href;
    const script = `
      import { closeSync, openSync } from 'node:fs';
      import { descriptorsAreScarce } from '${module}';
      const files = [];
      const open = (count) => {
        try {
          while (files.length < count) files.push(openSync('/dev/null'));
        } catch (error) {
          if (error.code !== 'EMFILE') throw error;
        }
      };
      const seen = [descriptorsAreScarce(0)];
      open(120);
      seen.push(descriptorsAreScarce(4_999), descriptorsAreScarce(5_000));
      open(1_000);
      seen.push(descriptorsAreScarce(10_000));
      for (const file of files) closeSync(file);
      seen.push(descriptorsAreScarce(15_000));
      process.stdout.write(JSON.stringify(seen));`;
    const node = [process.execPath, '--input-type=module', '-e', script];
    const { stdout } = spawnSync('prlimit', ['--nofile=128', ...node], { encoding: 'utf8' });
    t.strictSame(JSON.parse(stdout), [false, false, true, true, false]);
  },
);

const fixture = (path: string): string => new URL(path, import.meta.url).href;
/** The modules through which tests start services; each also ends them. */
const STARTERS = [
  {
    starter: `
      const { environment, serve } = await import('${fixture('../../lab/service/command-line.ts')}');
      const start = async (t, folder) => (await serve(t, environment(folder))).child;`,
    signals: ['SIGTERM', 'SIGINT', 'SIGKILL'],
  },
  {
    starter: `
      const { serve } = await import('${fixture('../crash/runs/kill-run.ts')}');
      const start = (_, folder) => serve({ databaseUrl: 'sqlite:' + folder + '/rows.db', folder });`,
    signals: ['SIGTERM'],
  },
] as const;

t.test('a service started by a test ends with it, however the test ends', async (t) => {
  const folder = folderOf(t);
  const ends = async (starter: string, signal: NodeJS.Signals, index: number): Promise<void> => {
    const own = join(folder, String(index));
    mkdirSync(own);
    const script = `
      import t from 'tap';
      ${starter}
      t.test('never ends', async (t) => {
        const { pid } = await start(t, '${own}');
        process.stderr.write('pid ' + pid + '\\n');
        await new Promise((end) => setTimeout(end, 100_000));
      });`;
    const test = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let text = '';
    while (!/pid \d+\n/.test(text)) text += String((await once(test.stderr, 'data'))[0]);
    const pid = Number(/pid (\d+)/.exec(text)?.[1]);
    t.ok(isAlive(pid));
    test.kill(signal);
    await until(async () => !isAlive(pid));
    t.pass(`${signal}: nothing is left`);
  };
  const all = STARTERS.flatMap(({ starter, signals }) =>
    signals.map((signal) => [starter, signal] as const),
  );
  await Promise.all(all.map(([starter, signal], index) => ends(starter, signal, index)));
});
