import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import t from 'tap';
import { startTestService } from '../fixtures/gateway.ts';
import type { Route } from './bodies.ts';
import { hostileBodies } from './bodies.ts';
import type { Sent } from './sender.ts';
import { REAL_POOL } from './real-pool.ts';
import { TurnMeter } from './turn-meter.ts';

/** Longest turn of the gateway's thread that a body may cause. */
const BLOCK_MS_MAX = 10;
/** The machine is shared, and code gets faster: the best of so many tries counts. */
const TRIES_MAX = 12;

t.test('no body holds up the gateway, and none is an internal error', async (t) => {
  const service = await startTestService(t, { pool: REAL_POOL });
  await service.publish('bank', 'x', { document: { content: ['x'] } });
  const syncKey = await service.key('bank', ['identity-sync']);
  const callers: Record<Route, string> = {
    generate: `x-api-key: ${await service.key('bank', ['generate'], 1_000_000)}`,
    draft: `cookie: ${await service.session('bank', 'Editor')}`,
    identities: `x-api-key: ${syncKey}`,
    everybody: `x-api-key: ${syncKey}`,
  };
  const sender = new Worker(new URL('./sender.ts', import.meta.url), {
    workerData: { port: Number(new URL(service.url).port), callers },
  });
  t.teardown(() => sender.terminate());
  const figures: [number, string][] = [];
  for (const [index, { name }] of hostileBodies().entries()) {
    let bestMs = Number.POSITIVE_INFINITY;
    for (let tries = 0; tries < TRIES_MAX && bestMs > BLOCK_MS_MAX; tries += 1) {
      const meter = new TurnMeter();
      sender.postMessage(index);
      const [{ status, text }] = (await once(sender, 'message')) as [Sent];
      meter.stop();
      bestMs = Math.min(bestMs, meter.longestMs);
      if (![200, 400, 404].includes(status)) t.fail(`${name}: ${status} ${text}`);
    }
    figures.push([bestMs, name]);
  }
  const slowest = figures.toSorted(([a], [b]) => b - a).slice(0, 5);
  t.comment(slowest.map(([ms, name]) => `${name} ${ms.toFixed(1)} ms`).join(', '));
  t.same(
    figures.filter(([ms]) => ms > BLOCK_MS_MAX),
    [],
  );
});
