import t from 'tap';
import { post, startFakePool, startTestService } from '../fixtures/gateway.ts';
import type { TestService } from '../fixtures/gateway.ts';
import type { Role, Scope } from '../../src/store/store.ts';
import { readTable } from './tables.ts';

type Headers = Record<string, string>;
type Call = (service: TestService, headers: Headers, documentId: string) => Promise<Response>;

const json = { 'content-type': 'application/json' };
const generate = (extra: object): Call => {
  const body = { templateId: 'receipt', mode: 'sync', data: { customer: 'a' }, ...extra };
  return ({ url }, headers) => post(`${url}/v1/generate`, headers, body);
};
const get =
  (path: string): Call =>
  ({ url }, headers) =>
    fetch(url + path, { headers });

const saveDraft: Call = ({ url }, headers) =>
  fetch(`${url}/v1/templates/receipt/draft`, {
    method: 'PUT',
    headers: { ...json, ...headers },
    body: JSON.stringify({ templateId: 'receipt', name: 'Receipt', fields: [] }),
  });

const CALLS: Readonly<Record<string, Call>> = {
  generate: generate({}),
  'generate draft': generate({ draft: true }),
  fields: get('/v1/templates/receipt/fields'),
  'fields draft': get('/v1/templates/receipt/fields?draft=true'),
  document: ({ url }, headers, id) => fetch(`${url}/v1/documents/${id}`, { headers }),
  identities: get('/v1/sync/identities'),
  list: get('/v1/templates'),
  'save draft': saveDraft,
  publish: async ({ url, store }, headers) => {
    const draft = await store.templates.draft('bank', 'receipt');
    const published = await store.templates.publishedHash('bank', 'receipt');
    const compared = { draft: draft.found ? draft.value.hash : '', published };
    return post(`${url}/v1/templates/receipt/publish`, headers, { compared });
  },
};

const STUDIO_CALLS: Readonly<Record<string, Call>> = {
  session: get('/v1/session'),
  template: get('/v1/templates/receipt'),
  draft: get('/v1/templates/receipt/draft'),
  preview: ({ url }, headers) =>
    post(`${url}/v1/previews`, headers, {
      templateId: 'receipt',
      mode: 'sync',
      draft: true,
      data: { customer: 'a' },
    }),
  'check draft': get('/v1/templates/receipt/draft/check'),
  version: get('/v1/templates/receipt/versions/1'),
  'save draft': saveDraft,
  'roll back': ({ url }, headers) =>
    post(`${url}/v1/templates/receipt/rollback`, headers, { version: 1 }),
  documents: get('/v1/documents'),
  audit: get('/v1/audit'),
  keys: get('/v1/keys'),
  'create key': ({ url }, headers) =>
    post(`${url}/v1/keys`, headers, { name: 'batch', scopes: ['generate'] }),
  'revoke key': async ({ url, store }, headers) => {
    const [key] = await store.keys.list('bank');
    return post(`${url}/v1/keys/${key?.keyId ?? ''}/revoke`, headers, {});
  },
};

/** Each call uses a new run, which the team itself prepares. */
function onRun(call: (url: string, headers: Headers) => Promise<Response>): Call {
  return async (service, headers) => {
    const template = { templateId: 'receipt', idField: 'customer' };
    const maker = { 'x-api-key': await service.key('bank', ['runs']) };
    const made = await post(`${service.url}/v1/runs`, maker, template);
    const { runId } = (await made.json()) as { runId: string };
    const url = `${service.url}/v1/runs/${runId}`;
    await upload(url, maker, 1);
    return call(url, headers);
  };
}

function upload(url: string, headers: Headers, part: number): Promise<Response> {
  return fetch(`${url}/parts/${part}`, {
    method: 'PUT',
    headers: { ...headers, 'content-type': 'application/x-ndjson' },
    body: '{"customer":"a"}\n',
  });
}

const RUN_CALLS: Readonly<Record<string, Call>> = {
  'create run': ({ url }, headers) =>
    post(`${url}/v1/runs`, headers, { templateId: 'receipt', idField: 'customer' }),
  runs: get('/v1/runs'),
  run: onRun((url, headers) => fetch(url, { headers })),
  upload: onRun((url, headers) => upload(url, headers, 2)),
  start: onRun((url, headers) => post(`${url}/start`, headers, {})),
  pause: onRun(async (url, headers) => {
    await post(`${url}/start`, headers, {});
    return post(`${url}/pause`, headers, {});
  }),
  cancel: onRun((url, headers) => post(`${url}/cancel`, headers, {})),
  manifest: onRun((url, headers) => fetch(`${url}/manifest`, { headers })),
};

const TABLES = {
  'Scopes and roles': CALLS,
  'Scopes and roles of the browser application': STUDIO_CALLS,
  'Scopes and roles of runs': RUN_CALLS,
};

async function headersOf(service: TestService, caller: string): Promise<Headers> {
  const [kind = '', what = ''] = caller.split(' ');
  switch (kind) {
    case 'nobody':
      return {};
    case 'wrong':
      return { 'x-api-key': `ik_${'x'.repeat(43)}` };
    case 'key':
      return { 'x-api-key': await service.key('bank', [what as Scope]) };
    case 'session':
      return { cookie: await service.session('bank', what as Role) };
    default:
      throw new Error(`unknown caller ${caller}`);
  }
}

const pool = startFakePool(new Int32Array(new SharedArrayBuffer(4)), { threads: 2, queueMax: 64 });
t.teardown(() => pool.close(0));

t.test('who may do what', async (t) => {
  const service = await startTestService(t, { parts: { pool } });
  await service.publish('bank', 'receipt');
  const maker = { 'x-api-key': await service.key('bank', ['generate']) };
  const made = await generate({ mode: 'async' })(service, maker, '');
  const { documentId } = (await made.json()) as { documentId: string };
  for (const [title, calls] of Object.entries(TABLES)) {
    for (const row of readTable(title)) {
      const { caller = '', ...expected } = row;
      const headers = await headersOf(service, caller);
      t.same(Object.keys(expected), Object.keys(calls));
      for (const [name, call] of Object.entries(calls)) {
        await service.draft('bank', 'receipt', { changed: true });
        const answer = await call(service, headers, documentId);
        const got = answer.ok ? 'ok' : ((await answer.json()) as { code: string }).code;
        t.equal(got, expected[name], `${caller}: ${name}`);
      }
    }
  }
});

t.test('a key beside a cookie wins', async (t) => {
  const service = await startTestService(t, { parts: { pool } });
  await service.publish('bank', 'receipt');
  const cookie = await service.session('bank', 'Editor');
  const key = await service.key('bank', ['documents:read']);
  const call = get('/v1/templates/receipt/fields');
  t.equal((await call(service, { cookie }, '')).status, 200);
  t.equal((await call(service, { cookie, 'x-api-key': key }, '')).status, 403);
  t.equal((await call(service, { cookie, 'x-api-key': 'ik_wrong' }, '')).status, 401);
});

t.test('a revoked key, a deactivated user and team stop working', async (t) => {
  const service = await startTestService(t, { parts: { pool } });
  await service.publish('bank', 'receipt');
  const cookie = await service.session('bank', 'Editor');
  const call = get('/v1/templates/receipt/fields');
  t.equal((await call(service, { cookie }, '')).status, 200);
  const [user] = await service.store.users.list('bank');
  t.ok(user);
  const users = user === undefined ? [] : [{ ...user, active: false }];
  await service.store.users.sync({ teams: [], users, full: false });
  t.equal((await call(service, { cookie }, '')).status, 401);
});

t.test('requests with a cookie must come from the same origin', async (t) => {
  const service = await startTestService(t, { parts: { pool } });
  await service.publish('bank', 'receipt');
  const cookie = await service.session('bank', 'Editor');
  const call = generate({});
  const { host } = new URL(service.url);
  const allowed: Headers[] = [
    {},
    { origin: service.url },
    { origin: `https://${host}` },
    { 'sec-fetch-site': 'same-origin' },
  ];
  for (const headers of allowed) {
    const answer = await call(service, { cookie, ...headers }, '');
    t.equal(answer.status, 200, JSON.stringify(headers));
  }
  const refused: Headers[] = [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site', origin: service.url },
  ];
  for (const headers of refused) {
    const answer = await call(service, { cookie, ...headers }, '');
    t.equal(answer.status, 403, JSON.stringify(headers));
  }
  const form = await fetch(`${service.url}/v1/generate`, {
    method: 'POST',
    headers: { cookie, 'content-type': 'text/plain' },
    body: JSON.stringify({ templateId: 'receipt', mode: 'sync', data: {} }),
  });
  t.equal(form.status, 400);
});

t.test('identity-sync cannot be combined', async (t) => {
  const service = await startTestService(t, { parts: { pool } });
  const scopes: readonly Scope[] = ['identity-sync', 'generate'];
  await t.rejects(service.key('bank', scopes));
});
