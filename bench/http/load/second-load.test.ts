import t from 'tap';
import type { Test } from 'tap';
import { atSomePace } from '../../../lab/pace.ts';
import { startTestService } from '../../../test/fixtures/gateway.ts';
import type { Service } from '../service.ts';
import { runSecondLoad, secondGenerator } from './second-load.ts';
import { RECEIPT } from '../trials.ts';

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

t.test('a load generator beside ours counts what the service answers', async (t) => {
  const service = await startService(t);
  const [key] = service.keys;
  for (const generator of new Set([secondGenerator(), 'undici' as const])) {
    // On a stalled machine, no response may arrive in time; the test then retries at a slower pace.
    await atSomePace(t, async (pace) => {
      const load = { mix: [RECEIPT], callers: 2, perSecond: null, key, durationMs: 300 * pace };
      const run = await runSecondLoad(service, load, generator);
      t.equal(run.generator, generator);
      const { statuses, delivered, durationMs, generatorCpuMs, timing } = run.result;
      t.equal(delivered, 0);
      t.ok(durationMs >= 300, `${durationMs} ms`);
      // The team has no template of this name: every request is answered, and refused.
      const isRight = Object.keys(statuses).join() === 'refused' && Number(statuses['refused']) > 1;
      if (isRight && generatorCpuMs > 0 && timing.due.p99Ms > 0) return '';
      return `${generator}: ${JSON.stringify({ statuses, generatorCpuMs, timing })}`;
    });
  }
});

t.test('the open loop of wrk keeps to its rate', async (t) => {
  if (secondGenerator() !== 'wrk') {
    t.comment('wrk is not installed');
    return;
  }
  const service = await startService(t);
  const [key] = service.keys;
  // At the quicker pace, the thread sleeps with few connections, and each connection with many.
  for (const callers of [8, 40]) {
    await atSomePace(t, async (pace) => {
      const perSecond = 200 / pace;
      const load = { mix: [RECEIPT], callers, perSecond, key, durationMs: 1_000 };
      const { result } = await runSecondLoad(service, load, 'wrk');
      const answers = result.statuses['refused'] ?? 0;
      // Every connection may send its first request at once.
      const due = (perSecond * result.durationMs) / 1000;
      t.ok(answers <= due + callers + 1, `${answers} of ${due} with ${callers}`);
      return answers >= due * 0.8 - callers ? '' : `${answers} of ${due}`;
    });
  }
});
