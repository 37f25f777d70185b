import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import t from 'tap';
import { startTestService } from '../fixtures/gateway.ts';
import { REAL_POOL } from './real-pool.ts';
import { TurnMeter } from './turn-meter.ts';

/** Longest turn of the gateway's thread that asking for fields may cause. */
const BLOCK_MS_MAX = 10;
/** The machine is shared: the best of so many tries counts. */
const TRIES_MAX = 12;
const KEYS = 170_000;

/** In a thread of its own, so that sending and receiving cost the gateway's thread nothing. */
const CALLER = `
  const { parentPort } = require('node:worker_threads');
  parentPort.on('message', async ({ url, options }) => {
    const answer = await fetch(url, options);
    const bytes = (await answer.arrayBuffer()).byteLength;
    parentPort.postMessage({ status: answer.status, bytes });
  });`;

/** A template of 2 MB, nearly all of it small keys: parsing it takes over 100 ms. */
function largeTemplate(templateId: string): string {
  const notes = Array.from({ length: KEYS }, (_, n) => `"k${n}":0`).join(',');
  const head = `"templateId":"${templateId}","name":"Large","fields":[{"name":"a","type":"text"}]`;
  return `{${head},"document":{"content":[]},"samples":[{"name":"s","data":{${notes}}}]}`;
}

t.test('asking for the fields of a large template does not hold up the gateway', async (t) => {
  const service = await startTestService(t, { pool: REAL_POOL });
  const cookie = await service.session('bank', 'Editor');
  const caller = new Worker(CALLER, { eval: true });
  t.teardown(() => caller.terminate());
  const longestOf = async (path: string, triesMax = TRIES_MAX): Promise<number> => {
    let bestMs = Number.POSITIVE_INFINITY;
    for (let tries = 0; tries < triesMax && bestMs > BLOCK_MS_MAX; tries += 1) {
      const meter = new TurnMeter();
      caller.postMessage({ url: `${service.url}${path}`, options: { headers: { cookie } } });
      const [answer] = (await once(caller, 'message')) as [{ status: number; bytes: number }];
      meter.stop();
      t.equal(answer.status, 200, path);
      bestMs = Math.min(bestMs, meter.longestMs);
    }
    return bestMs;
  };
  // Stored without descriptors, as by a version before this: made by a renderer, then kept.
  const firstOf = async (): Promise<number> => {
    let bestMs = Number.POSITIVE_INFINITY;
    for (let tries = 0; tries < TRIES_MAX && bestMs > BLOCK_MS_MAX; tries += 1) {
      const name = tries === 0 ? 'older' : `older-${tries}`;
      const source = Buffer.from(largeTemplate(name));
      await service.store.templates.saveDraft('bank', name, name, source);
      bestMs = Math.min(bestMs, await longestOf(`/v1/templates/${name}/fields?draft=true`, 1));
    }
    return bestMs;
  };
  const fields = '/v1/templates/older/fields';
  const figures = {
    first: await firstOf(),
    kept: await longestOf(`${fields}?draft=true`),
    listed: await longestOf('/v1/templates'),
    published: 0,
  };
  const draft = await service.store.templates.draftHash('bank', 'older');
  if (!draft.found) throw new Error('no draft');
  const { hash } = draft.value;
  t.ok((await service.store.templates.fields(hash)) !== null, 'kept beside the source');
  await service.store.templates.publish('bank', 'older', hash);
  figures.published = await longestOf(fields);
  t.comment(JSON.stringify(figures));
  for (const [name, ms] of Object.entries(figures)) t.ok(ms <= BLOCK_MS_MAX, `${name}: ${ms} ms`);
});
