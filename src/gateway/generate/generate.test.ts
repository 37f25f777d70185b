import { createHash } from 'node:crypto';
import t from 'tap';
import {
  noPool,
  noProtector,
  post,
  startFakePool,
  startTestService,
} from '../../../lab/service/gateway.ts';

const sha256 = (bytes: ArrayBuffer): string =>
  createHash('sha256').update(new Uint8Array(bytes)).digest('hex');

const pool = startFakePool(new Int32Array(new SharedArrayBuffer(4)), { threads: 2, queueMax: 64 });
t.teardown(() => pool.close(0));

t.test('sync: the PDF comes back, nothing is stored, one audit record', async (t) => {
  const service = await startTestService(t, { parts: { pool } });
  await service.publish('bank', 'receipt');
  const apiKey = await service.key('bank', ['generate']);
  const body = { templateId: 'receipt', mode: 'sync', data: { customer: 'สมชาย' } };
  const response = await post(`${service.url}/v1/generate`, { 'x-api-key': apiKey }, body);
  const bytes = await response.arrayBuffer();
  t.equal(response.status, 200);
  t.equal(response.headers.get('content-type'), 'application/pdf');
  t.match(response.headers.get('server-timing'), /queue;dur=.*contract;dur=1.*store;dur=.*total;/);
  t.match(response.headers.get('x-request-id'), /^[0-9a-f-]{36}$/);
  t.ok(Buffer.from(bytes).includes('"data":{"customer":"สมชาย"}'));
  t.match(await service.audit(), [
    {
      action: 'generate',
      outcome: 'succeeded',
      code: '',
      teamId: 'bank',
      principal: /^key:/,
      requestId: response.headers.get('x-request-id') ?? '?',
      templateId: 'receipt',
      version: 1,
      documentId: '',
      mode: 'sync',
      pages: 1,
      bytes: bytes.byteLength,
      sha256: sha256(bytes),
    },
  ]);
});

t.test('characters that no font has are counted in header, log and metrics', async (t) => {
  const service = await startTestService(t, { parts: { pool } });
  await service.publish('bank', 'receipt');
  const headers = { 'x-api-key': await service.key('bank', ['generate']) };
  const send = (mode: string, data: object) =>
    post(`${service.url}/v1/generate`, headers, { templateId: 'receipt', mode, data });
  const name = 'x-intaglio-missing-characters';
  const customer = 'payload-0815';
  const whole = await send('sync', { customer });
  t.equal(whole.headers.get(name), null);
  const sync = await send('sync', { customer, missing: 3 });
  t.strictSame([sync.status, sync.headers.get(name)], [200, '3']);
  t.equal(sync.headers.get('content-type'), 'application/pdf');
  const async = await send('async', { customer, missing: 4 });
  t.strictSame([async.status, async.headers.get(name)], [201, '4']);
  t.ok(async.headers.get('location'));
  for (const response of [whole, sync, async]) await response.arrayBuffer();

  const lines = service.logged.filter((line) => line.includes('no font has'));
  t.match(
    lines.map((line) => JSON.parse(line) as object),
    [sync, async].map((response, index) => ({
      count: index + 3,
      requestId: response.headers.get('x-request-id') ?? '?',
      templateId: 'receipt',
      version: 1,
      teamId: 'bank',
    })),
  );
  t.notMatch(lines.join(), customer);
  const metrics = await (await fetch(`${service.url}/metrics`)).text();
  t.match(metrics, /^intaglio_missing_characters_total 7$/mu);
});

t.test('async: stored, acknowledged, fetched again by record, download and link', async (t) => {
  const service = await startTestService(t, { parts: { pool } });
  await service.publish('bank', 'receipt');
  const apiKey = await service.key('bank', ['generate', 'documents:read']);
  const headers = { 'x-api-key': apiKey };
  const body = { templateId: 'receipt', mode: 'async', data: { customer: 'a', bytes: 700_000 } };
  const response = await post(`${service.url}/v1/generate`, headers, body);
  t.equal(response.status, 201);
  const made = (await response.json()) as Record<string, string>;
  t.match(made['expiresAt'], /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const address = `${service.url}/v1/documents/${made['documentId']}`;
  const record = await fetch(address, { headers });
  const found = (await record.json()) as Record<string, unknown>;
  t.same(Object.keys(found).toSorted(), [
    'createdAt',
    'documentId',
    'expiresAt',
    'sha256',
    'templateId',
    'url',
    'version',
  ]);
  t.match(found, { documentId: made['documentId'], sha256: made['sha256'], version: 1 });
  t.not(found['url'], made['url'], 'a fresh link each time');
  const download = await fetch(`${address}?download=1`, { headers });
  t.equal(download.headers.get('content-type'), 'application/pdf');
  const bytes = await download.arrayBuffer();
  t.equal(bytes.byteLength, 700_000);
  t.equal(sha256(bytes), made['sha256']);
  const linked = await fetch(String(found['url']));
  t.equal(sha256(await linked.arrayBuffer()), made['sha256']);
  t.equal(linked.headers.get('etag'), `"${made['sha256']}"`);
  t.equal(linked.headers.get('cache-control'), 'private, no-store');
  t.match(await service.audit(), [{ outcome: 'succeeded', documentId: made['documentId'] }]);
});

t.test('signed links: ranges, HEAD, forged, tampered', async (t) => {
  const service = await startTestService(t, { parts: { pool } });
  await service.publish('bank', 'receipt');
  const apiKey = await service.key('bank', ['generate']);
  const body = { templateId: 'receipt', mode: 'async', data: { customer: 'a', bytes: 300_000 } };
  const made = await post(`${service.url}/v1/generate`, { 'x-api-key': apiKey }, body);
  const { url, sha256: digest } = (await made.json()) as { url: string; sha256: string };
  const whole = Buffer.from(await (await fetch(url)).arrayBuffer());
  const cases: [Record<string, string>, number, number, number][] = [
    [{ range: 'bytes=0-9' }, 206, 0, 10],
    [{ range: 'bytes=150000-' }, 206, 150_000, 300_000],
    [{ range: 'bytes=-7' }, 206, 299_993, 300_000],
    [{ range: 'bytes=299999-400000' }, 206, 299_999, 300_000],
    [{ range: 'bytes=0-1,5-6' }, 200, 0, 300_000],
    [{ range: 'lines=0-1' }, 200, 0, 300_000],
    [{ range: 'bytes=0-9', 'if-range': '"other"' }, 200, 0, 300_000],
    [{ range: 'bytes=0-9', 'if-range': `"${digest}"` }, 206, 0, 10],
  ];
  for (const [headers, status, from, to] of cases) {
    const response = await fetch(url, { headers });
    t.equal(response.status, status, JSON.stringify(headers));
    t.ok(Buffer.from(await response.arrayBuffer()).equals(whole.subarray(from, to)));
    if (status === 206) {
      t.equal(response.headers.get('content-range'), `bytes ${from}-${to - 1}/300000`);
    }
  }
  const outside = await fetch(url, { headers: { range: 'bytes=300000-' } });
  t.equal(outside.status, 416);
  t.equal(outside.headers.get('content-range'), 'bytes */300000');
  const head = await fetch(url, { method: 'HEAD' });
  t.equal(head.status, 200);
  t.equal(head.headers.get('content-length'), '300000');
  const token = url.slice(url.lastIndexOf('/') + 1);
  for (const at of [0, 20, token.length - 50, token.length - 1]) {
    const other = token[at] === 'a' ? 'b' : 'a';
    const forged = token.slice(0, at) + other + token.slice(at + 1);
    const response = await fetch(`${service.url}/v1/files/${forged}`);
    t.equal(response.status, 404, `changed at ${at}`);
  }
});

t.test('links and documents end', async (t) => {
  let aheadMs = 0;
  const service = await startTestService(t, {
    options: { retentionSeconds: 3_600, linkTtlSeconds: 60 },
    parts: { pool, nowMs: () => Date.now() + aheadMs },
  });
  await service.publish('bank', 'receipt');
  const headers = { 'x-api-key': await service.key('bank', ['generate', 'documents:read']) };
  const body = { templateId: 'receipt', mode: 'async', data: { customer: 'a' } };
  const made = await post(`${service.url}/v1/generate`, headers, body);
  const { url } = (await made.json()) as { url: string };
  aheadMs = 61_000;
  const expired = await fetch(url);
  t.equal(expired.status, 410);
  t.match(await expired.json(), { code: 'gone', error: /link has expired/ });
});

t.test('audit records of generations that fail', async (t) => {
  const service = await startTestService(t, { parts: { pool, protector: noProtector } });
  await service.publish('bank', 'receipt');
  await service.publish('rival', 'secret');
  const headers = { 'x-api-key': await service.key('bank', ['generate']) };
  const call = async (changes: object): Promise<Response> =>
    post(`${service.url}/v1/generate`, headers, {
      templateId: 'receipt',
      mode: 'sync',
      data: { customer: 'a' },
      ...changes,
    });
  const invalid = await call({ data: { do: 'invalid' } });
  t.equal(invalid.status, 400);
  t.match(await invalid.json(), {
    code: 'invalid_data',
    requestId: String,
    fields: [{ field: 'total', reason: 'number expected' }],
  });
  t.equal((await call({ data: { do: 'template' } })).status, 422);
  t.equal((await call({ data: { do: 'bug' } })).status, 500);
  const unprotected = await call({ options: { protection: { userPassword: 'x' } } });
  t.equal(unprotected.status, 503);
  t.match(await unprotected.json(), { code: 'protection_unavailable' });
  t.equal(unprotected.headers.get('retry-after'), null, 'permanent');
  t.equal((await call({ templateId: 'nothing' })).status, 404);
  t.equal((await call({ templateId: 'secret' })).status, 404);
  t.equal((await call({ mode: 'both' })).status, 400);
  t.equal((await call({ version: 7 })).status, 404);
  const codes = (await service.audit()).map(({ outcome, code }) => `${outcome} ${code}`);
  t.same(codes.toSorted(), [
    'denied not_found',
    'failed internal_error',
    'failed invalid_data',
    'failed protection_unavailable',
    'failed render_failed',
  ]);
});

t.test('attachments', async (t) => {
  const service = await startTestService(t, { parts: { pool } });
  await service.publish('bank', 'receipt');
  await service.publish('rival', 'receipt');
  const headers = { 'x-api-key': await service.key('bank', ['generate']) };
  const rival = { 'x-api-key': await service.key('rival', ['generate']) };
  const store = async (who: Record<string, string>, options: object): Promise<string> => {
    const body = { templateId: 'receipt', mode: 'async', data: { customer: 'a' }, options };
    const response = await post(`${service.url}/v1/generate`, who, body);
    return ((await response.json()) as { documentId: string }).documentId;
  };
  const own = await store(headers, {});
  const foreign = await store(rival, {});
  const secured = await store(headers, { protection: { userPassword: 'x' } });
  const attach = (ids: unknown, data: object = { customer: 'a' }): Promise<Response> =>
    post(`${service.url}/v1/generate`, headers, {
      templateId: 'receipt',
      mode: 'sync',
      data,
      options: { attach: ids },
    });
  const merged = await attach([own, own]);
  t.equal(merged.status, 200);
  t.match(await merged.text(), /"attachments":\[\d{3},\d{3}\]/);
  const absent = '018f0000-0000-7000-8000-000000000000';
  const replies = [await attach([absent]), await attach([foreign]), await attach(['nonsense'])];
  const bodies = [];
  for (const reply of replies) {
    t.equal(reply.status, 404);
    t.match(reply.headers.get('server-timing'), /^queue;.*total;dur=[\d.]+$/);
    const { requestId, ...rest } = (await reply.json()) as Record<string, unknown>;
    t.ok(requestId);
    bodies.push(rest);
  }
  t.same(bodies[0], bodies[1], 'absent and foreign get the same response');
  t.equal((await attach([secured])).status, 400);
  t.equal((await attach([foreign], { do: 'invalid' })).status, 400, 'invalid_data comes first');
  const denied = (await service.audit()).filter((record) => record.outcome === 'denied');
  t.match(denied, [{ teamId: 'bank', documentId: foreign, code: 'not_found' }]);
});

t.test('Idempotency-Key', async (t) => {
  const service = await startTestService(t, { parts: { pool } });
  await service.publish('bank', 'receipt');
  const apiKey = await service.key('bank', ['generate']);
  const call = (key: string, data: object, mode = 'async'): Promise<Response> =>
    post(
      `${service.url}/v1/generate`,
      { 'x-api-key': apiKey, 'idempotency-key': key },
      { templateId: 'receipt', mode, data },
    );
  type Made = { documentId: string; url: string };
  const first = (await (await call('k1', { customer: 'a' })).json()) as Made;
  const again = await call('k1', { customer: 'a' });
  t.equal(again.status, 201);
  const second = (await again.json()) as Made;
  t.equal(second.documentId, first.documentId);
  t.not(second.url, first.url);
  const conflict = await call('k1', { customer: 'b' });
  t.equal(conflict.status, 409);
  t.match(await conflict.json(), { code: 'idempotency_conflict' });
  t.equal((await call('k1', { customer: 'b' }, 'sync')).status, 200, 'sync ignores it');
  for (const key of ['', 'é', 'a é z', 'x'.repeat(256)]) {
    const refused = await call(key, { customer: 'a' });
    t.match(await refused.json(), { code: 'bad_request', error: /printable ASCII/ }, key);
  }
  t.equal((await call('k2', { do: 'invalid' })).status, 400);
  t.equal((await call('k2', { do: 'invalid' })).status, 400, 'a failed request can run again');
  const together = await Promise.all([1, 2, 3].map(() => call('k3', { do: 'spin', ms: 60 })));
  const ids = await Promise.all(together.map(async (r) => ((await r.json()) as Made).documentId));
  t.equal(new Set(ids).size, 1, 'three at once make one document');
  const stored = (await service.audit()).filter((record) => record.mode === 'async');
  t.equal(stored.filter((record) => record.outcome === 'succeeded').length, 2);
});

t.test('drafts are for browser users, in mode sync', async (t) => {
  const service = await startTestService(t, { parts: { pool } });
  await service.publish('bank', 'receipt');
  await service.draft('bank', 'receipt', { changed: true });
  const cookie = await service.session('bank', 'Editor');
  const apiKey = await service.key('bank', ['generate']);
  const call = (headers: Record<string, string>, mode = 'sync'): Promise<Response> =>
    post(`${service.url}/v1/generate`, headers, {
      templateId: 'receipt',
      draft: true,
      mode,
      data: { customer: 'a' },
    });
  const made = await call({ cookie });
  t.equal(made.status, 200);
  t.match(await made.text(), /"version":2/);
  t.equal((await call({ cookie }, 'async')).status, 400);
  t.match(await (await call({ 'x-api-key': apiKey })).json(), { code: 'draft_requires_user' });
  t.match(await (await call({ cookie, 'x-api-key': apiKey })).json(), {
    code: 'draft_requires_user',
  });
});

t.test('refusals name the fault', async (t) => {
  const service = await startTestService(t, { parts: { pool } });
  await service.publish('bank', 'receipt');
  const apiKey = await service.key('bank', ['generate']);
  const known = { 'x-api-key': apiKey };
  const call = async (headers: Record<string, string>, changes: object): Promise<unknown> => {
    const body = { templateId: 'receipt', mode: 'sync', data: { customer: 'a' }, ...changes };
    return (await post(`${service.url}/v1/generate`, headers, body)).json();
  };
  const gzip = { ...known, 'content-encoding': 'gzip' };
  t.match(await call(gzip, {}), { code: 'bad_request', error: /Content-Encoding/ });
  t.match(await call(known, { templateId: 'no' }), { code: 'not_found', error: /templateId\.$/ });
  t.match(await call(known, { version: 2 }), { code: 'not_found', error: /in this version\.$/ });
  const cookie = 'intaglio_session=ended';
  t.match(await call({ cookie }, {}), { code: 'unauthenticated', error: /session/ });
  t.match(await call({ cookie, 'x-api-key': 'ik_x' }, {}), { error: /X-Api-Key/ });
});

t.test('a starting gateway loads templates that were in use', async (t) => {
  const service = await startTestService(t, { parts: { pool } });
  await service.publish('bank', 'receipt');
  await service.publish('rival', 'letter');
  const apiKey = await service.key('bank', ['generate']);
  const body = { templateId: 'receipt', mode: 'sync', data: { customer: 'a' } };
  await post(`${service.url}/v1/generate`, { 'x-api-key': apiKey }, body);
  const warmed: string[] = [];
  const warm = ({ templateId }: { templateId: string }): Promise<void> => {
    warmed.push(templateId);
    return Promise.resolve();
  };
  const next = await startTestService(t, {
    parts: { store: service.store, pool: { ...noPool, warm } },
  });
  while (warmed.length < 2) await new Promise((resolve) => setImmediate(resolve));
  t.same(warmed, ['receipt', 'letter'], 'first what was used, then what is published');
  t.equal((await fetch(`${next.url}/readyz`)).status, 200);
});
