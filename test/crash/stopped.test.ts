import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import { endsWithThis, guarded } from '../../lab/process/guard.ts';

const LIMIT_MS = 6_000;

t.test('a job whose process was stopped for longer than its time limit succeeds', async (t) => {
  const script = join(import.meta.dirname, 'stopped-pool.ts');
  const [program, ...args] = guarded([process.execPath, script, `${LIMIT_MS}`]);
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  endsWithThis(child);
  t.teardown(() => child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  t.equal((await lines.next()).value, 'begun');
  child.kill('SIGSTOP');
  // The stop itself, not a wait for a state: it has to be longer than the limit.
  await pause(LIMIT_MS + 1_000);
  child.stdin.write('\n');
  child.kill('SIGCONT');
  const { value } = await lines.next();
  t.strictSame(JSON.parse(String(value)), { ok: true, faults: [] });
});
