import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import t from 'tap';

import { environment, intaglio, start } from '../../lab/service/command-line.ts';
import { folderOf } from '../fixtures/note.ts';
import { endHanging, ending, hangingFile, until } from '../../lab/process/waiting.ts';

/**
 * A start that cannot succeed ends soon, with a line that names the setting and what it refers
 * to, and a line with the remedy.
 */

t.test('a start on a disk that hangs says so and ends', async (t) => {
  const folder = folderOf(t);
  hangingFile(`${folder}/intaglio.db`);
  t.teardown(() => endHanging(`${folder}/intaglio.db`));
  const done = intaglio(environment(folder), 'serve');
  t.not(await ending(done.then(({ code }) => code)), 'never');
  const { err } = await done;
  t.match(
    err,
    /^intaglio: INTAGLIO_DATABASE_URL: cannot use sqlite:\/.*: the disk does not answer\nintaglio: {3}→ .+\n$/,
  );
});

t.test('SIGTERM ends a start that hangs', async (t) => {
  const folder = folderOf(t);
  const fifo = `${folder}/intaglio.db`;
  hangingFile(fifo);
  t.teardown(() => endHanging(fifo));
  const { child, exit } = start(t, environment(folder), 'serve');
  // A thread of the process makes the open call.
  await until(async () => isOpening(child.pid ?? 0));
  child.kill('SIGTERM');
  t.equal(await ending(exit), null);
});

/** Whether a thread waits in opening a FIFO; true when the system does not say. */
function isOpening(pid: number): boolean {
  const { stdout, status } = spawnSync('sh', ['-c', `cat /proc/${pid}/task/*/wchan`]);
  return status !== 0 || /fifo|wait_for_partner/.test(stdout.toString()) || !existsSync('/proc');
}

for (const [variable, url] of [
  ['INTAGLIO_DATABASE_URL', 'sqlite:/proc/x/db'],
  ['INTAGLIO_FILES_URL', 'file:/proc/nowhere'],
  ['INTAGLIO_DATABASE_URL', 'sqlite:/dev/null/db'],
  ['INTAGLIO_FILES_URL', 'file:/dev/null'],
  ['INTAGLIO_DATABASE_URL', 'mysql://user:hush@127.0.0.1:1/intaglio'],
  ['INTAGLIO_FILES_URL', 's3://hush:hush@127.0.0.1:1/bucket?tls=off'],
] as const) {
  t.test(`${variable}=${url} stops the start`, async (t) => {
    const env = environment(folderOf(t), { [variable]: url });
    const { code, out, err } = await intaglio(env, 'serve');
    t.equal(code, 1);
    t.equal(out, '');
    const [, place = ''] =
      /^intaglio: \w+: cannot use (\S+): .+\nintaglio: {3}→ .+\n$/.exec(err) ?? [];
    t.match(err, `intaglio: ${variable}: cannot use `);
    t.equal(place, url.replace(/\/\/.*@/, '//').replace(/\?.*/, ''));
    t.notMatch(err, /: [A-Z_]+\n/, 'not a code alone');
    const [, remedy = 'none'] = /→ (.+)\n$/.exec(err) ?? [];
    t.match((await intaglio(env, 'doctor')).out, `→ ${remedy}\n`, 'doctor names the same remedy');
  });
}
