import t from 'tap';
import type { Test } from 'tap';
import { atSomePace } from '../pace.ts';
import { startTestService } from '../service/gateway.ts';
import type { Service } from '../service/service.ts';
import { hasWrk, runWrk } from './wrk.ts';
import type { Ingredient } from './requests.ts';

const RECEIPT: Ingredient = { weight: 1, shape: 'A', rows: null, mode: 'sync', options: null };

async function startService(t: Test): Promise<Service> {
  const test = await startTestService(t);
  const key = await test.key('bank', ['generate']);
  return {
    url: test.url,
    keys: [key, key],
    pid: process.pid,
    rssMb: () => 1,
    command: () => Promise.resolve(null),
    descriptors: () => 1,
    children: () => 1,
    stop: () => Promise.resolve(),
  };
}

t.test('wrk counts what the service answers', async (t) => {
  if (!hasWrk()) return t.comment('wrk is not installed');
  const service = await startService(t);
  const [key] = service.keys;
  // On a stalled machine, no response may arrive in time; the test then retries at a slower pace.
  await atSomePace(t, async (pace) => {
    const load = { mix: [RECEIPT], callers: 2, perSecond: null, key, durationMs: 300 * pace };
    const run = await runWrk(service, load);
    const { statuses, delivered, durationMs, generatorCpuMs, timing } = run.result;
    t.equal(delivered, 0);
    t.ok(durationMs >= 300, `${durationMs} ms`);
    // The team has no template of this name: every request is answered, and refused.
    const isRight = Object.keys(statuses).join() === 'refused' && Number(statuses['refused']) > 1;
    if (isRight && generatorCpuMs > 0 && timing.due.p99Ms > 0) return '';
    return JSON.stringify({ statuses, generatorCpuMs, timing });
  });
});

t.test('the open loop of wrk keeps to its rate', async (t) => {
  if (!hasWrk()) return t.comment('wrk is not installed');
  const service = await startService(t);
  const [key] = service.keys;
  // At the quicker pace, the thread sleeps with few connections, and each connection with many.
  for (const callers of [8, 40]) {
    await atSomePace(t, async (pace) => {
      const perSecond = 200 / pace;
      const load = { mix: [RECEIPT], callers, perSecond, key, durationMs: 1_000 };
      const { result } = await runWrk(service, load);
      const answers = result.statuses['refused'] ?? 0;
      // Every connection may send its first request at once.
      const due = (perSecond * result.durationMs) / 1000;
      t.ok(answers <= due + callers + 1, `${answers} of ${due} with ${callers}`);
      return answers >= due * 0.8 - callers ? '' : `${answers} of ${due}`;
    });
  }
});
