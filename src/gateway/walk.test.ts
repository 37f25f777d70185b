import t from 'tap';
import { post, startFakePool, startTestService } from '../../lab/service/gateway.ts';
import { createWalkRecorder, type Entry } from '../../test/fixtures/walk-recorder.ts';

/**
 * A reader who follows a generate request from its first line to the pool comes to each file at
 * most twice.
 *
 * A file is entered where another file of the service calls one of its functions. Two kinds of call
 * do not count: the call of a callback without a name, because the reader knows its file already; and
 * the call of a method of the objects that carry the request, because it does not lead the reader to
 * another step.
 */
const ENTRIES_MAX = 2;
const CARRIERS = new Set(['exchange.ts', 'http/response.ts', 'body/body.ts']);

const SERVICE = new URL('../', import.meta.url).href;
const GATEWAY = new URL('./', import.meta.url).href;
const POOL = new URL('../workers/pool/pool.ts', import.meta.url).href;

const pool = startFakePool(new Int32Array(new SharedArrayBuffer(4)));
t.teardown(() => pool.close(0));

t.test('the walk of a generate request', async (t) => {
  const recorder = await createWalkRecorder([GATEWAY, POOL]);
  t.teardown(() => recorder.close());
  const service = await startTestService(t, { parts: { pool } });
  await service.publish('bank', 'receipt');
  const knownKey = await service.key('bank', ['generate']);
  const generate = async (apiKey: string, mode: string, key: string): Promise<void> => {
    const headers = { 'x-api-key': apiKey, ...(key === '' ? {} : { 'idempotency-key': key }) };
    const body = { templateId: 'receipt', mode, data: { customer: 'a' } };
    const response = await post(`${service.url}/v1/generate`, headers, body);
    t.equal(response.status, mode === 'sync' ? 200 : 201);
    await response.arrayBuffer();
  };
  // The recorder knows the functions that have run.
  await generate(knownKey, 'sync', 'first');
  await generate(knownKey, 'async', 'second');

  const walks = [
    { name: 'in mode sync', apiKey: knownKey, mode: 'sync', key: '' },
    { name: 'with an Idempotency-Key', apiKey: knownKey, mode: 'sync', key: 'third' },
    { name: 'in mode async, with one', apiKey: knownKey, mode: 'async', key: 'fourth' },
    {
      name: 'of a key used first',
      apiKey: await service.key('bank', ['generate']),
      mode: 'sync',
      key: '',
    },
  ];
  for (const { name, apiKey, mode, key } of walks) {
    await recorder.start();
    await generate(apiKey, mode, key);
    const entries = await recorder.stop();
    t.ok(
      entries.some(({ file }) => file === POOL),
      `${name}: reaches the pool`,
    );
    const steps = stepsToPool(entries);
    const visited = Object.keys(Object.groupBy(steps, ({ file }) => file));
    const expected = ['lifecycle.ts', 'generate/generate.ts', 'generate/produce.ts'];
    t.strictSame(
      expected.filter((file) => !visited.includes(file)),
      [],
      `${name}: recorded`,
    );
    t.strictSame(enteredTooOften(steps), {}, name);
  }
});

/** The entries on the way to the pool, with paths below the gateway's folder. */
function stepsToPool(entries: readonly Entry[]): readonly Entry[] {
  return entries
    .slice(
      0,
      entries.findIndex(({ file }) => file === POOL),
    )
    .filter(({ functionName, from }) => functionName !== '' && from.startsWith(SERVICE))
    .map(({ file, functionName, from }) => ({
      file: file.replace(GATEWAY, ''),
      functionName,
      from: from.replace(GATEWAY, ''),
    }))
    .filter(({ file }) => !CARRIERS.has(file));
}

/** The entries of each file that is entered too often. */
function enteredTooOften(steps: readonly Entry[]): Record<string, readonly string[]> {
  const tooOften: Record<string, readonly string[]> = {};
  for (const [file, entries = []] of Object.entries(Object.groupBy(steps, (step) => step.file))) {
    if (entries.length <= ENTRIES_MAX) continue;
    tooOften[file] = entries.map(({ functionName, from }) => `${functionName} from ${from}`);
  }
  return tooOften;
}
