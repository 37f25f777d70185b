import t from 'tap';
import { type ErrorCode, ERRORS } from '../../src/errors.ts';
import { StorageUnavailable } from '../../src/store/store.ts';
import { fakeProtector, post, startTestService } from '../../lab/service/gateway.ts';
import type { TestService } from '../../lab/service/gateway.ts';
import { readTable } from './tables.ts';

/** The codes that the interface demands; the service has more. */
const demanded = readTable('Errors');

t.test('the service has every code that the interface demands', async (t) => {
  const built = new Map(Object.entries(ERRORS).map(([code, { status }]) => [code, status]));
  for (const { status, code = '' } of demanded) t.equal(built.get(code), Number(status), code);
});

const RECEIPT = { templateId: 'receipt', mode: 'sync', data: { customer: 'a' } };

/** The tag of a draft that never existed. */
const TAG = `"${'0'.repeat(64)}"`;

/** The service and callers that all provocations share. */
interface Scene {
  readonly service: TestService;
  readonly all: Record<string, string>;
  readonly reader: Record<string, string>;
  readonly viewer: Record<string, string>;
  readonly generate: (changes: object, headers?: Record<string, string>) => Promise<Response>;
  /** A stored document of the team, and its link. */
  readonly stored: () => Promise<{ documentId: string; url: string }>;
  readonly clock: { aheadMs: number };
  readonly broken: { store: boolean; qpdf: boolean };
}

type Provocation = (scene: Scene) => Promise<Response>;

const PROVOCATIONS: Readonly<Record<ErrorCode, Provocation>> = {
  bad_request: ({ generate }) => generate({ options: { protection: {} } }),
  invalid_data: ({ generate }) => generate({ data: { do: 'invalid' } }),
  unauthenticated: ({ generate }) => generate({}, { 'x-api-key': 'ik_wrong' }),
  insufficient_scope: ({ generate, reader }) => generate({}, reader),
  draft_requires_user: ({ service, reader }) =>
    fetch(`${service.url}/v1/templates/receipt/fields?draft=true`, { headers: reader }),
  forbidden: ({ service, viewer }) =>
    fetch(`${service.url}/v1/templates/receipt/fields?draft=true`, { headers: viewer }),
  not_found: ({ generate }) => generate({ templateId: 'secret' }),
  gone: async ({ stored, clock }) => {
    const { url } = await stored();
    clock.aheadMs += 3_600_000;
    return fetch(url);
  },
  payload_too_large: ({ generate }) => generate({ data: { x: 'x'.repeat(1_048_576) } }),
  render_failed: ({ generate }) => generate({ data: { do: 'template' } }),
  rate_limited: async ({ service, generate }) => {
    const headers = { 'x-api-key': await service.key('bank', ['generate'], 1) };
    await generate({}, headers);
    return generate({}, headers);
  },
  not_implemented: ({ generate }) => generate({ mode: 'neither', options: { bulkOutput: 'zip' } }),
  protection_unavailable: async ({ generate, broken }) => {
    broken.qpdf = true;
    const answer = await generate({ options: { protection: { userPassword: 'x' } } });
    broken.qpdf = false;
    return answer;
  },
  signing_unavailable: ({ generate }) => generate({ options: { signature: true } }),
  overloaded: async ({ service, generate }) => {
    const running = [0, 1, 2, 3, 4].map((n) => generate({ data: { do: n === 0 ? 'wait' : '' } }));
    while (service.pool.stats().queued < 4) await new Promise((resolve) => setImmediate(resolve));
    const refused = await generate({});
    service.open();
    await Promise.all(running);
    return refused;
  },
  method_not_allowed: ({ service }) => fetch(`${service.url}/v1/generate`),
  idempotency_conflict: async ({ generate, all }) => {
    const headers = { ...all, 'idempotency-key': 'once' };
    await generate({ mode: 'async' }, headers);
    return generate({ mode: 'async', data: { customer: 'b' } }, headers);
  },
  precondition_failed: async ({ service, clock }) => {
    clock.aheadMs = 0;
    const headers = { cookie: await service.session('bank', 'Editor'), 'if-match': TAG };
    const file = { templateId: 'receipt', name: 'Receipt', fields: [] };
    return post(`${service.url}/v1/templates/receipt/draft`, headers, file, 'PUT');
  },
  session_changed: async ({ service }) => {
    const headers = { cookie: await service.session('bank', 'Viewer'), 'intaglio-user': 'other' };
    return fetch(`${service.url}/v1/templates`, { headers });
  },
  template_archived: async ({ service, generate }) => {
    const headers = { cookie: await service.session('bank', 'Admin') };
    await service.publish('bank', 'former');
    await post(`${service.url}/v1/templates/former/archive`, headers, {});
    return generate({ templateId: 'former' });
  },
  approval_conflict: async ({ service }) => {
    await service.draft('bank', 'receipt', { n: 2 });
    const found = await service.store.templates.draft('bank', 'receipt');
    const body = { draft: found.found ? found.value.hash : '', note: 'Why' };
    const address = `${service.url}/v1/templates/receipt/approval`;
    const author = async () => ({ cookie: await service.session('bank', 'Editor') });
    await post(address, await author(), body);
    return post(address, await author(), body);
  },
  run_conflict: async ({ service }) => {
    const headers = { 'x-api-key': await service.key('bank', ['runs']) };
    const sent = { templateId: 'receipt', idField: 'refNo' };
    const made = await post(`${service.url}/v1/runs`, headers, sent);
    const { runId } = (await made.json()) as { runId: string };
    return post(`${service.url}/v1/runs/${runId}/start`, headers, {});
  },
  range_not_satisfiable: async ({ stored }) => {
    const { url } = await stored();
    return fetch(url, { headers: { range: 'bytes=9999999-' } });
  },
  internal_error: ({ generate }) => generate({ data: { do: 'bug' } }),
  storage_unavailable: async ({ generate, broken }) => {
    broken.store = true;
    const answer = await generate({});
    broken.store = false;
    return answer;
  },
};

async function startScene(t: Parameters<typeof startTestService>[0]): Promise<Scene> {
  const clock = { aheadMs: 0 };
  const broken = { store: false, qpdf: false };
  const service = await startTestService(t, {
    parts: {
      nowMs: () => Date.now() + clock.aheadMs,
      protector: { ...fakeProtector, available: () => Promise.resolve(!broken.qpdf) },
    },
  });
  const { audit } = service.store;
  const add = audit.add.bind(audit);
  audit.add = async (record) => {
    if (broken.store) throw new StorageUnavailable('switched off by the test');
    await add(record);
  };
  await service.publish('bank', 'receipt');
  await service.publish('rival', 'secret');
  const all = { 'x-api-key': await service.key('bank', ['generate', 'documents:read']) };
  const generate = (changes: object, headers: Record<string, string> = all): Promise<Response> =>
    post(`${service.url}/v1/generate`, headers, { ...RECEIPT, ...changes });
  return {
    service,
    all,
    reader: { 'x-api-key': await service.key('bank', ['templates:read']) },
    viewer: { cookie: await service.session('bank', 'Viewer') },
    generate,
    stored: async () =>
      (await (await generate({ mode: 'async' })).json()) as { documentId: string; url: string },
    clock,
    broken,
  };
}

t.test('every code can be provoked', async (t) => {
  const scene = await startScene(t);
  for (const [code, { status }] of Object.entries(ERRORS)) {
    const answer = await PROVOCATIONS[code as ErrorCode](scene);
    const body = (await answer.json()) as Record<string, unknown>;
    t.equal(answer.status, status, code);
    t.match(body, { code, error: /./, requestId: answer.headers.get('x-request-id') ?? '?' });
    t.match(answer.headers.get('content-type'), 'application/json');
    const keys = Object.keys(body).toSorted();
    const expected = ['code', 'error', ...(code === 'invalid_data' ? ['fields'] : []), 'requestId'];
    t.same(keys, expected, `${code}: the one shape`);
    const retry = answer.headers.get('retry-after');
    if (code === 'overloaded') t.equal(retry, '2');
    else if (code === 'rate_limited') t.match(retry, /^(?:60|5\d)$/);
    else if (code === 'storage_unavailable') t.ok(retry);
    else t.equal(retry, null, code);
  }
});

t.test('a page that takes another user for signed in does nothing in their name', async (t) => {
  const { service, all } = await startScene(t);
  const cookie = await service.session('bank', 'Editor');
  const whoAmI = await fetch(`${service.url}/v1/session`, { headers: { cookie } });
  const { userId } = (await whoAmI.json()) as { userId: string };
  const body = { ...RECEIPT, mode: 'async' };
  const send = async (headers: Record<string, string>): Promise<number> =>
    (await post(`${service.url}/v1/generate`, headers, body)).status;
  t.equal(await send({ cookie, 'intaglio-user': encodeURIComponent(userId) }), 201);
  t.equal(await send({ cookie }), 201, 'a client that does not say is not compared');
  t.equal(await send({ ...all, 'intaglio-user': 'other' }), 201, 'a key has no session');
  const stored = async (): Promise<number> =>
    (await service.audit()).filter(({ action }) => action === 'document.generated').length;
  const before = await stored();
  t.equal(await send({ cookie, 'intaglio-user': 'other' }), 409);
  t.equal(await send({ cookie, 'intaglio-user': userId.toUpperCase() }), 409);
  t.equal(await stored(), before);
});

async function comparable(response: Response): Promise<unknown> {
  const headers = new Map(response.headers);
  // The rate limit counts down with each call.
  for (const name of ['x-request-id', 'date', 'server-timing', 'ratelimit']) headers.delete(name);
  const text = (await response.text()).replace(/"requestId":"[^"]*"/, '');
  return [response.status, [...headers], text];
}

t.test('absent and foreign objects get the same answers; only the audit differs', async (t) => {
  const scene = await startScene(t);
  const { service, all, generate } = scene;
  const rival = { 'x-api-key': await service.key('rival', ['generate']) };
  const foreign = await generate({ templateId: 'secret', mode: 'async' }, rival);
  const { documentId } = (await foreign.json()) as { documentId: string };
  const reader = { 'x-api-key': await service.key('bank', ['templates:read']) };
  const get = (path: string, headers = all): Promise<Response> =>
    fetch(`${service.url}${path}`, { headers });
  const absentId = documentId.replace(/.{4}$/, (end) => (end === '0000' ? '1111' : '0000'));
  const pairs: [Response, Response][] = [
    [await generate({ templateId: 'secret' }), await generate({ templateId: 'absent' })],
    [
      await get('/v1/templates/secret/fields', reader),
      await get('/v1/templates/absent/fields', reader),
    ],
    [await get(`/v1/documents/${documentId}`), await get(`/v1/documents/${absentId}`)],
    [
      await get(`/v1/documents/${documentId}?download=1`),
      await get(`/v1/documents/${absentId}?download=1`),
    ],
  ];
  for (const [one, other] of pairs) {
    t.same(await comparable(one), await comparable(other));
  }
  const denied = (await service.audit()).filter((record) => record.outcome === 'denied');
  t.equal(denied.length, pairs.length);
  t.ok(denied.every(({ teamId, code }) => teamId === 'bank' && code === 'not_found'));
});
