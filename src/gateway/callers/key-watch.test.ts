import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { pino } from 'pino';
import t, { type Test } from 'tap';
import { noPool, post, startFakePool, startTestService } from '../../../lab/service/gateway.ts';
import type { TestService } from '../../../lab/service/gateway.ts';
import { newAudit } from '../../../test/store/samples.ts';
import { StorageUnavailable, type KeyRecord, type Store } from '../../store/store.ts';
import { KeyWatch } from './key-watch.ts';

const pool = startFakePool(new Int32Array(new SharedArrayBuffer(4)));
t.teardown(() => pool.close(0));

/** A service whose clock the test sets. */
async function startClocked(t: Test): Promise<{ service: TestService; go: (ms: number) => void }> {
  let aheadMs = 0;
  const nowMs = (): number => Date.now() + aheadMs;
  const clock = { wallMs: nowMs, monotonicMs: () => performance.now() + aheadMs };
  const service = await startTestService(t, { parts: { pool, nowMs }, store: { clock } });
  await service.publish('bank', 'receipt');
  return { service, go: (ms) => (aheadMs += ms) };
}

function generate(service: TestService, apiKey: string): Promise<Response> {
  const body = { templateId: 'receipt', mode: 'sync', data: { customer: 'a' } };
  return post(`${service.url}/v1/generate`, { 'x-api-key': apiKey }, body);
}

/** Polls, because records are written in the background, soon after the response. */
async function eventually<T>(read: () => Promise<T>, isThere: (value: T) => boolean): Promise<T> {
  for (;;) {
    const value = await read();
    if (isThere(value)) return value;
    await setImmediate();
  }
}

async function refusals(service: TestService): Promise<readonly string[]> {
  const text = await (await fetch(`${service.url}/metrics`)).text();
  return text.split('\n').filter((line) => line.startsWith('intaglio_key_refusals_total'));
}

t.test('the last use of a key is recorded', async (t) => {
  const { service } = await startClocked(t);
  const apiKey = await service.key('bank', ['generate']);
  const key = async (): Promise<KeyRecord | undefined> =>
    (await service.store.keys.list('bank'))[0];
  t.equal((await key())?.lastUsedAtMs, null);
  const startMs = Date.now();
  t.equal((await generate(service, apiKey)).status, 200);
  const used = await eventually(key, (record) => record?.lastUsedAtMs !== null);
  t.ok((used?.lastUsedAtMs ?? 0) >= startMs);
});

t.test('the use of an ended key is refused, counted and recorded once a minute', async (t) => {
  const { service, go } = await startClocked(t);
  const added = await service.store.keys.add({
    teamId: 'bank',
    name: 'trial',
    scopes: ['generate'],
    rateLimitPerMinute: null,
    expiresAtMs: Date.now() + 10_000,
  });
  if (!added.ok) return t.fail(added.message);
  const { apiKey, record } = added.value;
  go(11_000);
  for (let count = 0; count < 3; count += 1) {
    const answer = await generate(service, apiKey);
    t.equal(answer.status, 401, 'expired');
    t.match(await answer.json(), { code: 'unauthenticated' });
  }
  const recorded = (): ReturnType<Store['audit']['list']> =>
    service.store.audit.list({ action: 'keys.use', countMax: 10 });
  const first = await eventually(recorded, (records) => records.length > 0);
  t.match(first, [
    {
      principal: `key:${record.keyId}`,
      teamId: 'bank',
      outcome: 'denied',
      code: 'unauthenticated',
    },
  ]);
  go(61_000);
  await generate(service, apiKey);
  await eventually(recorded, (records) => records.length === 2);
  const count = `intaglio_key_refusals_total{key="${record.keyId}",code="unauthenticated"} 4`;
  t.strictSame(await refusals(service), [count]);
});

t.test('403 and 429 of a key are counted by its id, unknown keys are not', async (t) => {
  const service = await startTestService(t, { parts: { pool } });
  await service.publish('bank', 'receipt');
  const apiKey = await service.key('bank', ['generate'], 1);
  const [{ keyId } = { keyId: '' }] = await service.store.keys.list('bank');
  t.equal((await generate(service, apiKey)).status, 200);
  t.equal((await generate(service, apiKey)).status, 429);
  const headers = { 'x-api-key': apiKey };
  t.equal((await fetch(`${service.url}/v1/templates/x/fields`, { headers })).status, 403);
  t.equal((await generate(service, `ik_${'a'.repeat(43)}`)).status, 401);
  t.strictSame((await refusals(service)).toSorted(), [
    `intaglio_key_refusals_total{key="${keyId}",code="insufficient_scope"} 1`,
    `intaglio_key_refusals_total{key="${keyId}",code="rate_limited"} 1`,
  ]);
});

t.test('keys beyond the limit are counted together', async (t) => {
  const watch = new KeyWatch({} as Store, pino({ level: 'silent' }), Date.now);
  for (let index = 0; index < 700; index += 1) watch.refused(`key:${index}`, 'rate_limited');
  watch.refused('key:0', 'rate_limited');
  watch.refused('user:somchai', 'rate_limited');
  watch.refused('key:0', 'not_found');
  const lines = watch.refusals
    .text()
    .split('\n')
    .filter((line) => line.includes('{'));
  t.equal(lines.length, 501);
  t.ok(lines.includes('intaglio_key_refusals_total{key="0",code="rate_limited"} 2'));
  t.ok(lines.includes('intaglio_key_refusals_total{key="other",code="rate_limited"} 200'));
});

function away(): Promise<void> {
  return Promise.reject(new StorageUnavailable('away'));
}

t.test('a store that is down causes a log line and does not affect the request', async (t) => {
  const logged: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void logged.push(line) });
  const store = { keys: { touch: away }, audit: { add: away } } as unknown as Store;
  const watch = new KeyWatch(store, log, Date.now);
  const record = { keyId: 'k', teamId: 'bank', lastUsedAtMs: null } as KeyRecord;
  watch.used(record);
  watch.used(record);
  watch.ended(record);
  await setImmediate();
  t.equal(logged.length, 2);
  t.match(logged[0], /last use of a key not written/);
  t.match(logged[1], /use of an ended key not recorded/);
});

t.test('responses of generate have the headers of the rate limit', async (t) => {
  const service = await startTestService(t, { parts: { pool } });
  await service.publish('bank', 'receipt');
  const apiKey = await service.key('bank', ['generate', 'documents:read'], 2);
  for (const [status, remaining] of [
    [200, 1],
    [200, 0],
    [429, 0],
  ] as const) {
    const { status: got, headers } = await generate(service, apiKey);
    t.equal(got, status);
    t.equal(headers.get('ratelimit-policy'), '"minute";q=2;w=60');
    const [, left, seconds] =
      /^"minute";r=(\d+);t=(\d+)$/.exec(headers.get('ratelimit') ?? '') ?? [];
    t.equal(Number(left), remaining);
    t.ok(Number(seconds) > 50 && Number(seconds) <= 60, `${seconds} s`);
    if (status === 429) t.equal(headers.get('retry-after'), seconds);
  }
  const other = await fetch(`${service.url}/v1/documents/x`, { headers: { 'x-api-key': apiKey } });
  t.equal(other.headers.get('ratelimit'), null, 'other calls are not counted');
});

t.test('verify takes the file itself', async (t) => {
  const service = await startTestService(t, { parts: { pool: noPool } });
  const key = { 'x-api-key': await service.key('bank', ['documents:read']) };
  const pdf = Buffer.from(`%PDF-${'x'.repeat(100_000)}`);
  const sha256 = hash('sha256', pdf, 'hex');
  const atMs = Date.UTC(2026, 10, 22);
  await service.store.audit.add(
    newAudit('', { atMs, requestId: 'r', mode: 'sync', bytes: pdf.length, sha256 }),
  );
  const verify = (body: Uint8Array | string, headers: Record<string, string>): Promise<Response> =>
    fetch(`${service.url}/v1/verify`, { method: 'POST', headers, body: Buffer.from(body) });
  const asPdf = { ...key, 'content-type': 'application/pdf' };
  const told = await verify(pdf, asPdf);
  t.equal(told.status, 200);
  t.match(await told.json(), { issued: false, madeHere: [{ requestId: 'r' }] });
  t.match(await (await verify(`${pdf.toString()}.`, asPdf)).json(), { madeHere: [] });
  const cookie = await service.session('bank', 'Viewer');
  const user = { cookie, 'content-type': 'application/pdf' };
  t.match(await (await verify(pdf, user)).json(), { madeHere: [{ requestId: 'r' }] });
  for (const [body, headers, status, error] of [
    ['', asPdf, 400, 'The body is empty: send the PDF itself.'],
    ['x', { ...key, 'content-type': 'text/plain' }, 400, /application\/json or application\/pdf/],
    [pdf, { ...key, 'content-type': 'application/json' }, 413, /or the PDF itself with/],
    [pdf, { ...key, 'content-type': 'text/plain' }, 413, /or the PDF itself with/],
    [Buffer.alloc(64 * 1_048_576 + 1), asPdf, 413, /larger than 67108864 bytes/],
    [pdf, { 'content-type': 'application/pdf' }, 401, /X-Api-Key/],
  ] as const) {
    const answer = await verify(body, headers);
    t.equal(answer.status, status);
    t.match(await answer.json(), { error });
  }
});
