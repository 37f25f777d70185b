import { readFileSync } from 'node:fs';
import t from 'tap';
import { permissionsPage } from '../../lab/pages/permissions.ts';
import { post, startFakePool, startTestService } from '../../lab/service/gateway.ts';
import type { TestService } from '../../lab/service/gateway.ts';
import type { Role, Scope } from '../../src/store/store.ts';
import { ROLES, SCOPES } from '../../src/store/store.ts';
import { readTable, tableOf } from './tables.ts';

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

t.test('calls of the specification', async (t) => {
  const service = await startTestService(t, { parts: { pool } });
  await service.publish('bank', 'receipt');
  const maker = { 'x-api-key': await service.key('bank', ['generate']) };
  const made = await generate({ mode: 'async' })(service, maker, '');
  const { documentId } = (await made.json()) as { documentId: string };
  for (const row of readTable('Scopes and roles')) {
    const { caller = '', ...expected } = row;
    const headers = await headersOf(service, caller);
    t.same(Object.keys(expected), Object.keys(CALLS));
    for (const [name, call] of Object.entries(CALLS)) {
      await service.draft('bank', 'receipt', { changed: true });
      const code = await codeOf(await call(service, headers, documentId));
      t.equal(code, expected[name], `${caller}: ${name}`);
    }
  }
});

const PERMISSIONS = readFileSync(new URL('../../docs/permissions.md', import.meta.url), 'utf8');

t.test('docs/permissions.md is up to date (npm run generate)', async (t) => {
  t.equal(PERMISSIONS, permissionsPage());
});

/** The refusals that depend on the caller; a caller who is let in may get any other. */
const CALLER_REFUSALS: ReadonlySet<string> = new Set([
  'unauthenticated',
  'insufficient_scope',
  'draft_requires_user',
  'forbidden',
]);

t.test('every request admits the callers that docs/permissions.md says', async (t) => {
  const service = await startTestService(t, { parts: { pool } });
  const callers = [
    'nobody',
    'wrong key',
    ...SCOPES.map((scope) => `key ${scope}`),
    ...ROLES.map((role) => `session ${role}`),
  ];
  const rows = tableOf(PERMISSIONS);
  t.ok(rows.length > 30);
  for (const row of rows) {
    const [method = '', path = ''] = (row['request'] ?? '').split(' ');
    for (const caller of callers) {
      // Anew for each request: signing out ends a session.
      const headers = { ...json, ...(await headersOf(service, caller)) };
      const body = method === 'GET' ? {} : { body: '{}' };
      const url = service.url + path.replaceAll(/:\w+/g, '1');
      const code = await codeOf(await fetch(url, { method, headers, ...body }));
      const got = CALLER_REFUSALS.has(code) ? code : 'admitted';
      t.equal(got, verdictOf(row, caller), `${caller}: ${method} ${path}`);
    }
  }
});

/** What a row of the page says about a caller: `admitted`, or the code of the refusal. */
function verdictOf(row: Readonly<Record<string, string>>, caller: string): string {
  const [kind = '', what = ''] = caller.split(' ');
  if (kind === 'nobody' || kind === 'wrong') return 'unauthenticated';
  if (kind === 'session') return row[what] === 'yes' ? 'admitted' : 'forbidden';
  return row['API key'] === what ? 'admitted' : (row['any other key'] ?? '');
}

async function codeOf(answer: Response): Promise<string> {
  const text = await answer.text();
  return answer.ok ? 'ok' : (JSON.parse(text) as { code: string }).code;
}

t.test("a request with a key and a cookie is the key's", async (t) => {
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
