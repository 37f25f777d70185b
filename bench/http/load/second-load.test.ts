import t from 'tap';
import { atSomePace } from '../../../test/fixtures/pace.ts';
import { startTestService } from '../../../test/fixtures/gateway.ts';
import type { Service } from '../service.ts';
import { runSecondLoad, secondGenerator } from './second-load.ts';
import { RECEIPT } from '../trials.ts';

t.test('a load generator beside ours counts what the service answers', async (t) => {
  const test = await startTestService(t);
  const key = await test.key('bank', ['generate']);
  const service: Service = {
    url: test.url,
    keys: [key, key],
    pid: process.pid,
    rssMb: () => 1,
    command: () => Promise.resolve(null),
    descriptors: () => 1,
    children: () => 1,
    stop: () => Promise.resolve(),
  };
  for (const generator of new Set([secondGenerator(), 'undici' as const])) {
    // On a stalled machine, no response may arrive in time; the test then retries at a slower pace.
    await atSomePace(t, async (pace) => {
      const load = { mix: [RECEIPT], callers: 2, key, durationMs: 300 * pace };
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
