import { spawn } from 'node:child_process';
import { once } from 'node:events';
import t, { type Test } from 'tap';

import { environment, NODE_ARGS } from '../../lab/service/command-line.ts';
import { endsWithThis, guarded } from '../../lab/process/guard.ts';
import { folderOf } from '../fixtures/note.ts';
import { ending, readiness, until } from '../../lab/process/waiting.ts';

/** A service whose log nobody reads. */

/** Starts a service whose log only the test reads, or does not. */
function startUnread(t: Test, env: Readonly<Record<string, string>>) {
  const [program, ...args] = guarded([process.execPath, ...NODE_ARGS, 'serve']);
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  endsWithThis(child);
  t.teardown(() => child.kill('SIGKILL'));
  return child;
}

t.test('a log that nobody reads holds up neither requests nor the end', async (t) => {
  const env = environment(folderOf(t), {
    INTAGLIO_LOG_LEVEL: 'debug',
    INTAGLIO_SHUTDOWN_TIMEOUT_MS: '500',
  });
  const child = startUnread(t, env);
  const exit = once(child, 'exit').then(([code]: unknown[]) => code as number | null);
  let text = '';
  while (!text.includes('listening')) text += String((await once(child.stdout, 'data'))[0]);
  child.stdout.pause();
  const url = /"url":"([^"]+)"/.exec(text)?.[1] ?? '';
  for (let count = 0; count < 40; count += 1) {
    const asked = Array.from({ length: 50 }, async () => (await fetch(`${url}/healthz`)).status);
    t.ok((await Promise.all(asked)).every((status) => status === 200));
  }
  child.kill('SIGTERM');
  t.not(await ending(exit), 'never');
});

t.test('/readyz and /metrics report log lines that are lost without a reader', async (t) => {
  const env = environment(folderOf(t), { INTAGLIO_LOG_LEVEL: 'debug' });
  const child = startUnread(t, env);
  let text = '';
  while (!text.includes('listening')) text += String((await once(child.stdout, 'data'))[0]);
  const url = /"url":"([^"]+)"/.exec(text)?.[1] ?? '';
  child.stdout.destroy();
  await until(async () => (await readiness(url)).warnings !== undefined);
  t.match(await readiness(url), { status: 'ready', warnings: [/log lines are dropped/] });
  t.match(await (await fetch(`${url}/metrics`)).text(), /^intaglio_log_dropped_total [1-9]\d*$/m);
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  t.strictSame(await exit, [0, null]);
});
