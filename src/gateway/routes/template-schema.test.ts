import t from 'tap';
import { startFakePool, startTestService } from '../../../lab/service/gateway.ts';

const pool = startFakePool(new Int32Array(new SharedArrayBuffer(4)), { threads: 2, queueMax: 64 });
t.teardown(() => pool.close(0));

t.test('the schema of a version is sent once, and 304 while it is the same', async (t) => {
  const service = await startTestService(t, { parts: { pool } });
  const field = { name: 'total', type: 'number', required: true, label: 'Total' };
  await service.publish('bank', 'receipt', { fields: [field] });
  await service.publish('bank', 'receipt', { fields: [{ name: 'a', type: 'text' }] });
  const headers = { 'x-api-key': await service.key('bank', ['templates:read']) };
  const ask = (query: string, more: Record<string, string> = {}): Promise<Response> =>
    fetch(`${service.url}/v1/templates/receipt/schema${query}`, {
      headers: { ...headers, ...more },
    });

  const first = await ask('?version=1');
  const etag = first.headers.get('etag') ?? '';
  t.match(etag, /^"[0-9a-f]{64}"$/);
  t.match(await first.json(), {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    properties: { total: { title: 'Total' } },
    required: ['total'],
  });
  for (const known of [etag, `W/${etag}`, `"x", ${etag}`, '*']) {
    const same = await ask('?version=1', { 'if-none-match': known });
    t.equal(same.status, 304, known);
    t.equal(same.headers.get('etag'), etag);
    t.equal(await same.text(), '');
  }
  const latest = await ask('', { 'if-none-match': etag });
  t.equal(latest.status, 200);
  t.match(await latest.json(), { properties: { a: {} }, required: [] });

  for (const [query, status] of [
    ['?version=3', 404],
    ['?version=1.5', 400],
    ['?version=1&version=2', 400],
  ] as const) {
    t.equal((await ask(query)).status, status, query);
  }
  const other = { 'x-api-key': await service.key('bank', ['generate']) };
  t.equal((await ask('', other)).status, 403);
  const stranger = { 'x-api-key': await service.key('rival', ['templates:read']) };
  t.equal((await ask('', stranger)).status, 404);
});
