import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import t from 'tap';
import { startTestService } from '../../lab/service/gateway.ts';
import type { Route } from './bodies.ts';
import { hostileBodies } from './bodies.ts';
import type { Sent } from './sender.ts';
import { REAL_POOL } from './real-pool.ts';
import { bestTurnMs, TURN_MS } from './turn-meter.ts';

/** All bodies have about this length. */
const BODY_BYTES = 1_048_576;

t.test('no body holds up the gateway, and none is an internal error', async (t) => {
  const service = await startTestService(t, { checksReplies: false, pool: REAL_POOL });
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
    const work = async (): Promise<void> => {
      sender.postMessage(index);
      const [{ status, text }] = (await once(sender, 'message')) as [Sent];
      if (![200, 400, 404].includes(status)) t.fail(`${name}: ${status} ${text}`);
    };
    figures.push([await bestTurnMs(work, { bodyBytes: BODY_BYTES }), name]);
  }
  const slowest = figures.toSorted(([a], [b]) => b - a).slice(0, 5);
  t.comment(slowest.map(([ms, name]) => `${name} ${ms.toFixed(1)} ms`).join(', '));
  t.same(
    figures.filter(([ms]) => ms > TURN_MS.max),
    [],
  );
});
