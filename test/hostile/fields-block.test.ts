import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import t from 'tap';
import { startTestService } from '../../lab/service/gateway.ts';
import { REAL_POOL } from './real-pool.ts';
import { bestTurnMs, TURN_MS } from './turn-meter.ts';

const KEYS = 170_000;

/** In a separate thread, so that sending and receiving cost the gateway's thread nothing. */
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

/** Only the first try's template keeps this name: it is requested again later. */
function nameOf(tries: number): string {
  return tries === 0 ? 'older' : `older-${tries}`;
}

t.test('asking for the fields of a large template does not hold up the gateway', async (t) => {
  const service = await startTestService(t, { checksReplies: false, pool: REAL_POOL });
  const cookie = await service.session('bank', 'Editor');
  const caller = new Worker(CALLER, { eval: true });
  t.teardown(() => caller.terminate());
  const ask = async (path: string): Promise<void> => {
    caller.postMessage({ url: `${service.url}${path}`, options: { headers: { cookie } } });
    const [answer] = (await once(caller, 'message')) as [{ status: number; bytes: number }];
    t.equal(answer.status, 200, path);
  };
  const longestOf = (path: string): Promise<number> => bestTurnMs(() => ask(path));
  // Saved without descriptors, as earlier versions did: a renderer makes them, and the store keeps
  // them.
  const store = (tries: number): Promise<boolean> => {
    const name = nameOf(tries);
    const source = Buffer.from(largeTemplate(name));
    return service.store.templates.saveDraft('bank', name, name, source);
  };
  const firstOf = (): Promise<number> =>
    bestTurnMs((tries) => ask(`/v1/templates/${nameOf(tries)}/fields?draft=true`), {
      prepare: store,
    });
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
  for (const [name, ms] of Object.entries(figures)) t.ok(ms <= TURN_MS.max, `${name}: ${ms} ms`);
});
