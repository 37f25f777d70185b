import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import t from 'tap';
import { LIMITS } from '../../src/limits.ts';
import { dataUrl, makePng } from '../fixtures/images.ts';
import { createDecodeCells, DecodeBudget } from '../../src/engine/image/decode-budget.ts';
import { post, startTestService } from '../../lab/service/gateway.ts';
import { REAL_POOL } from './real-pool.ts';

const PIXELS = LIMITS.imagePixelsMax;
const WAIT_MS_MAX = 60_000;

/** The clock that all threads share, set forward by `ms`. */
const later = (ms: number) => () => process.hrtime()[0] * 1_000 + ms;

t.test('threads that share a budget for one image decode one at a time', async (t) => {
  const decodeCells = createDecodeCells(PIXELS);
  const service = await startTestService(t, {
    checksReplies: false,
    pool: {
      ...REAL_POOL,
      threads: 2,
      settings: { ...REAL_POOL.settings, decodeCells, decodeWaitMsMax: WAIT_MS_MAX },
    },
  });
  const fields = [{ name: 'image', type: 'image', required: true }];
  const document = { content: [{ image: '{{image}}', width: 100 }] };
  await service.publish('bank', 'picture', { fields, document });
  const apiKey = await service.key('bank', ['generate']);
  const send = async (shade: number): Promise<number> => {
    // Interlaced, so it has to be decoded; each takes more than half of the budget.
    const image = dataUrl(largePng(shade), 'image/png');
    const body = { templateId: 'picture', mode: 'sync', data: { image } };
    const answer = await post(`${service.url}/v1/generate`, { 'x-api-key': apiKey }, body);
    await answer.arrayBuffer();
    return answer.status;
  };
  const budget = new DecodeBudget(decodeCells, 0);
  const seen = new Set<number>();
  const watch = { isOver: false };
  const watching = (async (): Promise<void> => {
    while (!watch.isOver) {
      seen.add(budget.pixels);
      await delay(2);
    }
  })();
  t.same(await Promise.all([1, 2, 3].map((shade) => send(shade))), [200, 200, 200]);
  watch.isOver = true;
  await watching;
  seen.delete(0);
  t.ok(seen.size > 0, 'decoding was seen');
  t.ok(Math.max(...seen) <= PIXELS, `at most ${Math.max(...seen)} pixels at once`);
  t.equal(budget.pixels, 0, 'all was given back');
});

t.test('busy decoders refuse as overloaded, not as a fault of template or data', async (t) => {
  const decodeCells = createDecodeCells(PIXELS);
  const service = await startTestService(t, {
    checksReplies: false,
    pool: { ...REAL_POOL, settings: { ...REAL_POOL.settings, decodeCells, decodeWaitMsMax: 0 } },
  });
  await service.publish('bank', 'picture', {
    fields: [{ name: 'image', type: 'image', required: true }],
    document: { content: [{ image: '{{image}}', width: 100 }] },
  });
  const apiKey = await service.key('bank', ['generate']);
  const loan = await new DecodeBudget(decodeCells, WAIT_MS_MAX).take(PIXELS);
  const data = { image: dataUrl(largePng(5), 'image/png'), padding: 'x'.repeat(100_000) };
  const body = { templateId: 'picture', mode: 'sync', data };
  const refused = await post(`${service.url}/v1/generate`, { 'x-api-key': apiKey }, body);
  t.equal(refused.status, 503);
  t.match(await refused.json(), { code: 'overloaded' });
  t.equal(refused.headers.get('retry-after'), '2');
  loan?.release();
  const accepted = await post(`${service.url}/v1/generate`, { 'x-api-key': apiKey }, body);
  await accepted.arrayBuffer();
  t.equal(accepted.status, 200);
});

t.test('threads that end while they hold or wait for a loan block nobody', async (t) => {
  const cells = createDecodeCells(PIXELS);
  const holder = new Worker(new URL('./borrower.ts', import.meta.url), {
    workerData: { cells, pixels: PIXELS - 10_000_000 },
  });
  while ((await once(holder, 'message'))[0] !== 'holds');
  const waiter = new Worker(new URL('./borrower.ts', import.meta.url), {
    workerData: { cells, pixels: PIXELS },
  });
  await once(waiter, 'message');
  const budget = new DecodeBudget(cells, 0);
  // The waiter takes the remaining cells, and the lock.
  while (budget.pixels < PIXELS) await delay(2);
  await Promise.all([holder.terminate(), waiter.terminate()]);
  t.equal(await budget.take(1), null, 'lent until libvips must have ended');
  const loan = await new DecodeBudget(cells, 0, later(LIMITS.imageDecodeSecondsMax * 2_000)).take(
    PIXELS,
  );
  t.ok(loan, 'then all of it is free');
});

/** 16 million pixels of one grey, interlaced. */
function largePng(shade: number): Buffer {
  const side = 4_000;
  // Adam7: seven passes (PNG 3 §8.2), each with a filter byte per row.
  const passes = [
    [8, 8, 0, 0],
    [8, 8, 4, 0],
    [4, 8, 0, 4],
    [4, 4, 2, 0],
    [2, 4, 0, 2],
    [2, 2, 1, 0],
    [1, 2, 0, 1],
  ] as const;
  let bytes = 0;
  for (const [stepX, stepY, fromX, fromY] of passes) {
    const rowBytes = 1 + Math.ceil((side - fromX) / stepX);
    bytes += rowBytes * Math.ceil((side - fromY) / stepY);
  }
  const rows = Buffer.alloc(bytes, 0);
  const text = Buffer.from(`shade\0${shade}`);
  return makePng({
    widthPx: side,
    heightPx: side,
    colorType: 0,
    interlace: 1,
    rows,
    chunks: [['tEXt', text]],
  });
}
