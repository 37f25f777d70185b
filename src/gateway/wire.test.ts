import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { once } from 'node:events';
import { Agent, request } from 'undici';
import t from 'tap';
import { noPool, post, startTestService } from '../../lab/service/gateway.ts';
import type { TestService } from '../../lab/service/gateway.ts';
import { talk } from '../../test/fixtures/talk.ts';

/** Sends bytes to the service and returns all that it answers until it ends the connection. */
function exchange(
  { url }: TestService,
  parts: readonly (string | Buffer)[],
): ReturnType<typeof talk> {
  return talk(Number(new URL(url).port), parts);
}

function send(socket: Socket, part: string | Buffer): Promise<void> {
  return new Promise((resolve) => {
    socket.write(part, () => resolve());
  });
}

async function* chunks(total: number): AsyncGenerator<Buffer> {
  const piece = Buffer.alloc(65_536, 0x20);
  for (let left = total; left > 0; left -= piece.length) {
    yield piece.subarray(0, Math.min(left, piece.length));
  }
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}

const statusOf = (text: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0);
const HEAD = 'POST /v1/generate HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';

t.test('a body over the limit gets its response after it was read', async (t) => {
  const service = await startTestService(t, { options: { bodyBytesMax: 1_000 } });
  await service.publish('bank', 'receipt');
  const apiKey = await service.key('bank', ['generate']);
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
  const envelope = '{"templateId":"receipt","mode":"sync","data":{"customer":"a"}}';
  const url = `${service.url}/v1/generate`;
  const dispatcher = new Agent({ connections: 1, pipelining: 1 });
  t.teardown(() => dispatcher.close());
  const call = async (body: string | AsyncIterable<Buffer>): Promise<[number, unknown]> => {
    const reply = await request(url, { method: 'POST', headers, body: body as string, dispatcher });
    const text = await reply.body.text();
    return [reply.statusCode, text.startsWith('{') ? JSON.parse(text) : text];
  };
  t.equal((await call(envelope.padEnd(1_000)))[0], 200, 'at the limit');
  t.match(await call(envelope.padEnd(1_001)), [413, { code: 'payload_too_large' }]);
  t.match(await call(chunks(1_001)), [413, { code: 'payload_too_large' }], 'chunked');
  t.match(await call(' '.repeat(8_000_000)), [413, { code: 'payload_too_large' }]);
  t.match(await call(chunks(16_000_000)), [413, { code: 'payload_too_large' }]);
  t.equal((await call(envelope))[0], 200, 'the connection still works');
});

t.test('a body without end is cut off after 16 MB', async (t) => {
  const service = await startTestService(t, { parts: { pool: noPool } });
  const apiKey = await service.key('bank', ['generate']);
  const head = `${HEAD}X-Api-Key: ${apiKey}\r\nContent-Length: 999999999\r\n\r\n`;
  const parts = [head, ...Array.from({ length: 40 }, () => Buffer.alloc(1_048_576, 0x20))];
  const { text, closed } = await exchange(service, parts);
  t.ok(closed);
  t.equal(statusOf(text), 413);
});

t.test('a refusal does not wait for a short body, which is dropped when it comes', async (t) => {
  const service = await startTestService(t, { parts: { pool: noPool } });
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  t.teardown(() => socket.destroy());
  let text = '';
  socket.on('data', (chunk) => (text += chunk.toString('latin1')));
  await send(socket, `${HEAD}Content-Length: 50\r\n\r\n{"a`);
  await until(() => text.includes('unauthenticated'));
  const smuggled = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n'.padEnd(47);
  await send(socket, smuggled.slice(0, 20));
  await send(socket, `${smuggled.slice(20)}GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n`);
  await until(() => text.includes('ready'));
  t.equal(text.match(/HTTP\/1\.1 /g)?.length, 2, 'one answer to each of two requests');
  t.notMatch(text, /"ok"/);
});

t.test('HEAD is answered without a body, refused or not', async (t) => {
  const { url } = await startTestService(t, { parts: { pool: noPool } });
  for (const [path, status] of [
    ['/healthz', 200],
    ['/nowhere', 404],
    ['/v1/documents/x', 401],
  ] as const) {
    const reply = await fetch(url + path, { method: 'HEAD' });
    t.match(reply, { status }, path);
    t.not(reply.headers.get('content-length'), '0', path);
  }
});

t.test('a caller that leaves while waiting is dropped from the queue', async (t) => {
  const service = await startTestService(t);
  await service.publish('bank', 'receipt');
  const apiKey = await service.key('bank', ['generate']);
  const call = (data: object, signal?: AbortSignal): Promise<Response> =>
    fetch(`${service.url}/v1/generate`, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ templateId: 'receipt', mode: 'sync', data }),
      signal: signal ?? null,
    });
  const busy = call({ do: 'wait' });
  await until(() => service.pool.stats().running === 1);
  const leaver = new AbortController();
  const left = call({}, leaver.signal);
  await until(() => service.pool.stats().queued === 1);
  leaver.abort();
  await t.rejects(left);
  await until(() => service.pool.stats().queued === 0);
  service.open();
  t.equal((await busy).status, 200);
  t.equal(service.pool.stats().completed, 1);
});

t.test('a caller that leaves before its job is submitted costs no render', async (t) => {
  const gate = Promise.withResolvers<boolean>();
  const protector = {
    available: () => gate.promise,
    protect: () => Promise.reject(new Error('a document was rendered')),
  };
  const service = await startTestService(t, { parts: { protector } });
  await service.publish('bank', 'receipt');
  const apiKey = await service.key('bank', ['generate']);
  const call = { templateId: 'receipt', mode: 'sync', data: {} };
  const body = JSON.stringify({ ...call, options: { protection: { userPassword: 'a' } } });
  const head = `${HEAD}X-Api-Key: ${apiKey}\r\nContent-Length: ${body.length}\r\n\r\n`;
  connect(Number(new URL(service.url).port)).end(head + body);
  const hasLeft = /route="POST \/v1\/generate",status="0"\} 1\n/;
  const metrics = async (): Promise<string> => (await fetch(`${service.url}/metrics`)).text();
  while (!hasLeft.test(await metrics())) await new Promise((resolve) => setImmediate(resolve));
  gate.resolve(true);
  const own = await post(`${service.url}/v1/generate`, { 'x-api-key': apiKey }, call);
  t.equal(own.status, 200);
  t.equal(service.pool.stats().completed, 1, 'only the job of the caller that stayed');
});

t.test('overload is answered at once, with Retry-After 2', async (t) => {
  const service = await startTestService(t, { pool: { queueMax: 1 } });
  await service.publish('bank', 'receipt');
  const apiKey = await service.key('bank', ['generate']);
  const call = (data: object): Promise<Response> =>
    post(
      `${service.url}/v1/generate`,
      { 'x-api-key': apiKey },
      { templateId: 'receipt', mode: 'sync', data },
    );
  const started = [call({ do: 'wait' })];
  await until(() => service.pool.stats().running === 1);
  started.push(call({}));
  await until(() => service.pool.stats().queued === 1);
  const refused = await call({});
  t.equal(refused.status, 503);
  t.equal(refused.headers.get('retry-after'), '2');
  t.match(await refused.json(), { code: 'overloaded' });
  service.open();
  t.same(await Promise.all(started.map(async (reply) => (await reply).status)), [200, 200]);
  t.equal((await service.audit()).length, 2, 'refusals leave no record');
});

t.test('a slow reader gets every byte of a large file', async (t) => {
  const service = await startTestService(t);
  await service.publish('bank', 'receipt');
  const apiKey = await service.key('bank', ['generate', 'documents:read']);
  const bytes = 12_000_000;
  for (const mode of ['sync', 'async']) {
    const body = { templateId: 'receipt', mode, data: { customer: 'a', bytes } };
    const reply = await post(`${service.url}/v1/generate`, { 'x-api-key': apiKey }, body);
    const source =
      mode === 'sync' ? reply : await fetch(((await reply.json()) as { url: string }).url);
    let count = 0;
    for await (const chunk of source.body ?? []) {
      count += (chunk as Uint8Array).length;
      if (count % 7 === 0) await new Promise((resolve) => setTimeout(resolve, 2));
    }
    t.equal(count, bytes, mode);
  }
});

t.test('stopping: readyz answers 503, running requests finish, nothing is accepted', async (t) => {
  const service = await startTestService(t);
  await service.publish('bank', 'receipt');
  const apiKey = await service.key('bank', ['generate']);
  t.equal((await fetch(`${service.url}/readyz`)).status, 200);
  const body = { templateId: 'receipt', mode: 'sync', data: { do: 'wait' } };
  const running = post(`${service.url}/v1/generate`, { 'x-api-key': apiKey }, body);
  await until(() => service.pool.stats().running === 1);
  service.gateway.drain();
  const ready = await fetch(`${service.url}/readyz`);
  t.equal(ready.status, 503);
  t.equal(ready.headers.get('connection'), 'close');
  const closed = service.gateway.close(5_000);
  await t.rejects(fetch(`${service.url}/healthz`));
  service.open();
  t.equal((await running).status, 200);
  await closed;
});

t.test('an open connection gets Connection: close when the service stops', async (t) => {
  const service = await startTestService(t);
  await service.publish('bank', 'receipt');
  const apiKey = await service.key('bank', ['generate']);
  const running = post(
    `${service.url}/v1/generate`,
    { 'x-api-key': apiKey },
    { templateId: 'receipt', mode: 'sync', data: { do: 'wait', bytes: 9_000_000 } },
  );
  await until(() => service.pool.stats().running === 1);
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  await send(socket, 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(socket, 'data');
  const closing = service.gateway.close(5_000);
  await send(socket, `${HEAD}X-Api-Key: ${apiKey}\r\nContent-Length: 2\r\n\r\n{}`);
  let text = '';
  socket.on('data', (chunk) => (text += chunk.toString('latin1')));
  await once(socket, 'close');
  t.equal(statusOf(text), 503);
  t.match(text, /Connection: close/);
  service.open();
  t.equal((await (await running).arrayBuffer()).byteLength, 9_000_000, 'to the last byte');
  await closing;
});

t.test('unknown addresses and methods', async (t) => {
  const service = await startTestService(t, { parts: { pool: noPool } });
  const cases: [string, string, number, string][] = [
    ['GET', '/', 404, 'not_found'],
    ['GET', '/v1/generate', 405, 'method_not_allowed'],
    ['DELETE', '/v1/documents/x', 405, 'method_not_allowed'],
    ['GET', '/v1/templates//fields', 404, 'not_found'],
    ['GET', '/v1/templates/%ff/fields', 404, 'not_found'],
    ['GET', '/v1/documents/a/b', 404, 'not_found'],
    ['POST', '/v1/GENERATE', 404, 'not_found'],
  ];
  for (const [method, path, status, code] of cases) {
    const reply = await fetch(service.url + path, { method });
    t.equal(reply.status, status, `${method} ${path}`);
    t.match(await reply.json(), { code, error: String, requestId: String });
    t.match(reply.headers.get('x-request-id'), /^[0-9a-f-]{36}$/);
    t.equal(reply.headers.get('allow') !== null, status === 405);
  }
});

t.test('public addresses besides documents', async (t) => {
  const service = await startTestService(t, { parts: { pool: noPool } });
  t.same(await (await fetch(`${service.url}/healthz`)).json(), {
    status: 'ok',
    installation: 'of this test',
  });
  t.same(await (await fetch(`${service.url}/readyz`)).json(), { status: 'ready' });
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  t.match(metrics, /intaglio_http_requests_total\{route="GET \/healthz",status="200"\} 1/);
  t.match(metrics, /intaglio_pool_threads 1/);
  t.match(metrics, /nodejs_eventloop_lag_p99_seconds/);
  const api = (await (await fetch(`${service.url}/openapi.json`)).json()) as { paths: object };
  t.ok(Object.keys(api.paths).includes('/v1/generate'));
  const docs = await fetch(`${service.url}/docs`);
  t.match(docs.headers.get('content-security-policy'), /^default-src 'none'/);
  t.match(await docs.text(), /GET \/v1\/documents\/\{id\}/);
});

t.test('a response while the client waits for 100 Continue ends the connection', async (t) => {
  const service = await startTestService(t, { parts: { pool: noPool } });
  const next = 'GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n';
  const fields = 'Expect: 100-continue\r\nContent-Length: 1000\r\n\r\n';
  const unread = `GET /readyz HTTP/1.1\r\nHost: x\r\n${fields}`;
  for (const [waiting, status] of [
    [HEAD + fields, 401],
    [unread, 200],
  ] as const) {
    const { text, closed } = await exchange(service, [waiting]);
    t.ok(closed);
    t.match(text, `HTTP/1.1 ${status} `);
    t.match(text, /Connection: close/);
    const behind = await exchange(service, [waiting + next]);
    t.ok(behind.closed);
    t.notMatch(behind.text, /"ok"/, 'bytes sent instead of the body are not taken for a request');
  }
});

t.test('a body for which there is no memory is refused at once', async (t) => {
  const options = { bodyMemoryMb: 0, bodyBytesMax: 500_000 };
  const service = await startTestService(t, { options, pool: { queueMax: 8 } });
  await service.publish('bank', 'receipt');
  const apiKey = await service.key('bank', ['generate']);
  const call = (data: object): Promise<Response> =>
    post(
      `${service.url}/v1/generate`,
      { 'x-api-key': apiKey },
      { templateId: 'receipt', mode: 'sync', data },
    );
  const held = call({ do: 'wait', customer: 'x'.repeat(400_000) });
  await until(() => service.pool.stats().running === 1);
  // The rest of its body never comes.
  const { text, closed } = await exchange(service, [
    `${HEAD}X-Api-Key: ${apiKey}\r\nContent-Length: 450000\r\n\r\n${'x'.repeat(200_000)}`,
  ]);
  t.equal(statusOf(text), 503);
  t.match(text, /Retry-After: 2/);
  t.match(text, /"code":"overloaded"/);
  t.ok(closed);
  const rival = await service.key('bank', ['generate']);
  const other = post(
    `${service.url}/v1/generate`,
    { 'x-api-key': rival },
    { templateId: 'receipt', mode: 'sync', data: { customer: 'x'.repeat(200_000) } },
  );
  service.open();
  t.equal((await held).status, 200);
  t.equal((await other).status, 200, 'another caller has its share');
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  t.match(metrics, /intaglio_http_body_bytes 0\n/, 'all memory was returned');
});

t.test('a key can have one identity sync at a time', async (t) => {
  const service = await startTestService(t, { parts: { pool: noPool } });
  const apiKey = await service.key('bank', ['identity-sync']);
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  t.teardown(() => socket.destroy());
  const head =
    'POST /v1/sync/identities HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n' +
    `X-Api-Key: ${apiKey}\r\n`;
  await send(socket, `${head}Content-Length: 12\r\n\r\n{"team`);
  const sync = (): Promise<Response> =>
    post(`${service.url}/v1/sync/identities`, { 'x-api-key': apiKey }, { teams: [] });
  let second = await sync();
  // The first head may arrive after the second one.
  while (second.status === 200) second = await sync();
  t.equal(second.status, 503);
  t.match(await second.json(), { code: 'overloaded' });
  let text = '';
  socket.on('data', (chunk) => (text += chunk.toString('latin1')));
  await send(socket, 's":[]}');
  await until(() => text.includes('\r\n\r\n'));
  t.equal(statusOf(text), 200);
  t.equal((await sync()).status, 200);
});
