import { hash } from 'node:crypto';
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { noPool, post, startFakePool, startTestService } from '../../../lab/service/gateway.ts';

/** The part of an API description that these tests read. */
interface Api {
  readonly paths: Record<string, { post?: { responses: Record<string, object> } }>;
  readonly components: { schemas: { Verification: { properties: object } } };
}

const pool = startFakePool(new Int32Array(new SharedArrayBuffer(4)), { threads: 2, queueMax: 64 });
t.teardown(() => pool.close(0));

t.test('a document ends: 410 everywhere, no file, its audit record stays', async (t) => {
  let aheadMs = 0;
  const nowMs = (): number => Date.now() + aheadMs;
  const monotonicMs = (): number => performance.now() + aheadMs;
  const service = await startTestService(t, {
    options: { retentionSeconds: 60 },
    parts: { pool, nowMs },
    store: { clock: { wallMs: nowMs, monotonicMs } },
  });
  await service.publish('bank', 'receipt');
  const scopes = ['generate', 'documents:read'] as const;
  const headers = { 'x-api-key': await service.key('bank', scopes) };
  const generate = (options: object, extra = {}): Promise<Response> =>
    post(
      `${service.url}/v1/generate`,
      { ...headers, ...extra },
      { templateId: 'receipt', mode: 'async', data: { customer: 'a' }, options },
    );
  type Made = { documentId: string; url: string; sha256: string };
  const idempotent = { 'idempotency-key': 'once' };
  const { documentId, url, sha256 } = (await (await generate({}, idempotent)).json()) as Made;
  const folder = join(service.folder, 'files');
  const stored = (): number =>
    readdirSync(folder, { recursive: true }).filter((name) => String(name).includes(documentId))
      .length;
  t.equal(stored(), 1);
  const address = `${service.url}/v1/documents/${documentId}`;
  const twice = await fetch(`${address}?download=1&download=0`, { headers });
  t.equal(twice.status, 400, 'neither a file nor a record by guess');
  t.match(await twice.json(), { code: 'bad_request', error: 'download may be given once.' });
  aheadMs = 60_000;
  const again = await generate({}, idempotent);
  t.equal(again.status, 410, 'a repeated request gets 410, too');
  t.equal(stored(), 0, 'the file went before the answer');
  for (const gone of [address, `${address}?download=1`, url]) {
    const answer = await fetch(gone, { headers });
    t.equal(answer.status, 410);
    t.match(await answer.json(), { code: 'gone' });
  }
  t.equal((await generate({ attach: [documentId] })).status, 404);
  const verify = await post(`${service.url}/v1/verify`, headers, { sha256 });
  const issued = (await verify.json()) as Record<string, unknown>;
  t.match(issued, { issued: true, documentId, available: false });
  const { paths, components } = (await (await fetch(`${service.url}/openapi.json`)).json()) as Api;
  const described = Object.keys(components.schemas.Verification.properties);
  const named = await post(`${service.url}/v1/verify`, headers, { reference: 'RC-1' });
  const ofReference = (await named.json()) as Record<string, unknown>;
  const none = { issued: false, reference: 'RC-1', documents: [], madeHere: [], drafts: [] };
  t.strictSame(
    ofReference,
    none,
    'and no date: the service cannot know which documents are forgotten',
  );
  const told = { ...issued, ...ofReference };
  t.same(described.toSorted(), Object.keys(told).toSorted(), 'as described');
  t.ok(paths['/v1/generate']?.post?.responses['410'], 'and so is the end of a repeated request');
  t.match((await service.audit())[0], { documentId, outcome: 'succeeded' });
});

t.test('an expired document is 410 although its file cannot be removed', async (t) => {
  let aheadMs = 0;
  const nowMs = (): number => Date.now() + aheadMs;
  const monotonicMs = (): number => performance.now() + aheadMs;
  const service = await startTestService(t, {
    options: { retentionSeconds: 60 },
    parts: { pool, nowMs },
    store: { clock: { wallMs: nowMs, monotonicMs } },
  });
  await service.publish('bank', 'receipt');
  const headers = { 'x-api-key': await service.key('bank', ['generate', 'documents:read']) };
  const once = { ...headers, 'idempotency-key': 'once' };
  const body = { templateId: 'receipt', mode: 'async', data: { customer: 'a' } };
  const made = await post(`${service.url}/v1/generate`, once, body);
  const { documentId, url } = (await made.json()) as { documentId: string; url: string };
  const shard = join(documentId.slice(0, 5), documentId.slice(5, 8));
  const path = join(service.folder, 'files', shard, `${documentId}.pdf`);
  rmSync(path);
  mkdirSync(path);
  aheadMs = 60_000;
  const address = `${service.url}/v1/documents/${documentId}`;
  for (const gone of [address, `${address}?download=1`, url]) {
    const answer = await fetch(gone, { headers });
    t.equal(answer.status, 410);
    t.match(await answer.json(), { code: 'gone' });
  }
  const again = await post(`${service.url}/v1/generate`, once, body);
  t.equal(again.status, 410);
});

t.test('a link never outlives its document', async (t) => {
  const service = await startTestService(t, {
    options: { retentionSeconds: 60 },
    parts: { pool },
  });
  await service.publish('bank', 'receipt');
  const headers = { 'x-api-key': await service.key('bank', ['generate']) };
  const body = { templateId: 'receipt', mode: 'async', data: { customer: 'a' } };
  const made = await post(`${service.url}/v1/generate`, headers, body);
  const { url, expiresAt } = (await made.json()) as { url: string; expiresAt: string };
  const [, expiry = ''] = url.slice(url.lastIndexOf('/') + 1).split('.');
  t.equal(Number.parseInt(expiry, 36), Date.parse(expiresAt));
});

t.test("verify reports only the team's own documents", async (t) => {
  const service = await startTestService(t, { parts: { pool } });
  await service.publish('bank', 'receipt');
  const maker = { 'x-api-key': await service.key('bank', ['generate']) };
  const body = { templateId: 'receipt', mode: 'async', data: { customer: 'a' } };
  const made = await post(`${service.url}/v1/generate`, maker, body);
  const { sha256, documentId } = (await made.json()) as { sha256: string; documentId: string };
  const own = { 'x-api-key': await service.key('bank', ['documents:read']) };
  const rival = { 'x-api-key': await service.key('rival', ['documents:read']) };
  const verify = (headers: Record<string, string>, sent: unknown): Promise<Response> =>
    post(`${service.url}/v1/verify`, headers, sent);
  const told = await verify(own, { sha256: sha256.toUpperCase() });
  t.match(await told.json(), { issued: true, documentId, templateId: 'receipt', available: true });
  const nothing = { issued: false, documents: [], madeHere: [], drafts: [] };
  t.same(await (await verify(rival, { sha256 })).json(), nothing);
  t.same(await (await verify(own, { sha256: '0'.repeat(64) })).json(), nothing);
  for (const bad of [{ sha256: 'x' }, {}, [], { sha256, more: 1 }]) {
    t.equal((await verify(own, bad)).status, 400);
  }
  t.equal((await verify(maker, { sha256 })).status, 403);
});

t.test('verify names every document of a digest, and sync responses', async (t) => {
  const atMs = Date.UTC(2026, 10, 22);
  const clock = { wallMs: () => atMs, monotonicMs: () => performance.now() };
  const service = await startTestService(t, {
    parts: { pool, nowMs: () => atMs },
    store: { clock },
  });
  await service.publish('bank', 'receipt');
  const scopes = ['generate', 'documents:read'] as const;
  const headers = { 'x-api-key': await service.key('bank', scopes) };
  const make = (mode: 'sync' | 'async', customer: string): Promise<Response> => {
    const body = { templateId: 'receipt', mode, data: { customer } };
    return post(`${service.url}/v1/generate`, headers, body);
  };
  const ids: string[] = [];
  let sha256 = '';
  for (let count = 0; count < 2; count += 1) {
    const made = (await (await make('async', 'a')).json()) as {
      documentId: string;
      sha256: string;
    };
    ids.push(made.documentId);
    ({ sha256 } = made);
  }
  const sync = await make('sync', 'a');
  const requestId = sync.headers.get('x-request-id');
  const bytes = Buffer.from(await sync.arrayBuffer());
  t.equal(hash('sha256', bytes, 'hex'), sha256, 'the same data at the same time: the same bytes');
  const verify = async (digest: string): Promise<unknown> =>
    (await post(`${service.url}/v1/verify`, headers, { sha256: digest })).json();
  const at = '2026-11-22T00:00:00.000Z';
  t.match(await verify(sha256), {
    issued: true,
    documentId: ids[0],
    documents: [{ documentId: ids[0] }, { documentId: ids[1], available: true }],
    madeHere: [{ at, requestId, templateId: 'receipt', version: 1 }],
  });
  const alone = Buffer.from(await (await make('sync', 'b')).arrayBuffer());
  t.match(await verify(hash('sha256', alone, 'hex')), {
    issued: false,
    documents: [],
    madeHere: [{ at, templateId: 'receipt', version: 1 }],
  });
});

t.test('templates over HTTP: draft, findings, publication', async (t) => {
  const service = await startTestService(t, { parts: { pool } });
  const editor = { cookie: await service.session('bank', 'Editor') };
  const admin = { cookie: await service.session('bank', 'Admin') };
  const draft = (file: unknown, headers = editor): Promise<Response> =>
    post(`${service.url}/v1/templates/letter/draft`, headers, file, 'PUT');
  const publish = (): Promise<Response> =>
    post(`${service.url}/v1/templates/letter/publish`, admin, {});
  const file = { templateId: 'letter', name: 'จดหมาย', fields: [] };
  t.equal((await publish()).status, 404, 'nothing to publish');
  const saved = await draft({ ...file, broken: true });
  t.equal(saved.status, 200);
  t.match(await saved.json(), {
    templateId: 'letter',
    status: 'draft',
    findings: [{ severity: 'error', path: 'document' }],
  });
  const refused = await publish();
  t.equal(refused.status, 400);
  t.match(await refused.json(), { code: 'bad_request', fields: [{ field: 'document' }] });
  t.equal((await draft(file)).status, 200);
  const published = await publish();
  t.equal(published.status, 201);
  t.same(await published.json(), { templateId: 'letter', version: 1 });
  const list = await fetch(`${service.url}/v1/templates`, { headers: editor });
  t.match(await list.json(), {
    templates: [{ templateId: 'letter', name: 'จดหมาย', latestVersion: 1, hasDraft: Boolean }],
  });
  for (const bad of [[], 'x', { ...file, templateId: 'other' }, '{"a":']) {
    t.equal((await draft(bad)).status, 400);
  }
  const other = { cookie: await service.session('rival', 'Editor') };
  t.equal((await draft(file, other)).status, 200, 'names are per team');
  const fields = await fetch(`${service.url}/v1/templates/letter/fields`, { headers: editor });
  t.same(await fields.json(), {
    templateId: 'letter',
    version: 1,
    status: 'published',
    fields: [],
  });
  const actions = (await service.audit()).map(({ action }) => action);
  t.same(new Set(actions), new Set(['templates.draft', 'templates.publish']));
});

t.test('fields: descriptors, versions and wrong queries', async (t) => {
  const service = await startTestService(t, { parts: { pool } });
  const field = {
    name: 'total',
    type: 'number',
    required: true,
    format: { decimals: 2, prefix: '฿' },
    validation: { min: 0 },
  };
  await service.publish('bank', 'receipt', { fields: [{ ...field, note: 'not for callers' }] });
  await service.publish('bank', 'receipt', { fields: [{ name: 'a', type: 'text' }] });
  await service.draft('bank', 'receipt', { fields: [{ ...field, name: 'next' }] });
  const headers = { 'x-api-key': await service.key('bank', ['templates:read']) };
  const cookie = { cookie: await service.session('bank', 'Admin') };
  const ask = async (query: string, who: Record<string, string> = headers): Promise<unknown> => {
    const answer = await fetch(`${service.url}/v1/templates/receipt/fields${query}`, {
      headers: who,
    });
    return answer.ok ? answer.json() : answer.status;
  };
  const contract = { templateId: 'receipt', status: 'published' };
  const latest = {
    ...contract,
    version: 2,
    fields: [{ name: 'a', type: 'text', required: false }],
  };
  t.same(await ask(''), latest);
  t.same(await ask('?version=2&draft=false'), latest);
  t.same(await ask('?version=1'), { ...contract, version: 1, fields: [field] });
  t.same(await ask('?draft=true', cookie), {
    ...contract,
    version: 3,
    status: 'draft',
    fields: [{ ...field, name: 'next' }],
  });
  for (const [query, status] of [
    ['?version=3', 404],
    ['?version=0', 404],
    ['?version=99999999999', 404],
    ['?version=100000000000000000000', 404],
    ['?version=01', 400],
    ['?version=x', 400],
    ['?version=', 400],
    ['?version=-1', 400],
    ['?version=1.5', 400],
    ['?draft=yes', 400],
    ['?draft=false&draft=false', 400],
    ['?version=1&version=2', 400],
    ['?draft=false&draft=true', 403],
    ['?draft=true', 403],
  ] as const) {
    t.equal(await ask(query), status, query);
  }
});

t.test('identities: a large institution twice, and faults with their positions', async (t) => {
  const service = await startTestService(t, { parts: { pool: noPool } });
  const headers = { 'x-api-key': await service.key('bank', ['identity-sync']) };
  const sync = (body: unknown): Promise<Response> =>
    post(`${service.url}/v1/sync/identities`, headers, body);
  const teams = Array.from({ length: 2_000 }, (_, n) => ({ teamId: `team-${n}`, name: `ทีม ${n}` }));
  const users = Array.from({ length: 50_000 }, (_, n) => ({
    userId: `user-${n}`,
    teamId: `team-${n % 2_000}`,
    role: 'Viewer',
    displayName: `ผู้ใช้ ${n}`,
  }));
  const before = process.cpuUsage();
  const first = await sync({ teams, users });
  const { user, system } = process.cpuUsage(before);
  const firstMs = (user + system) / 1_000;
  t.match(await first.json(), { teams: { created: 2_000 }, users: { created: 50_000 } });
  const second = await sync({ teams, users });
  const none = { created: 0, updated: 0, deactivated: 0 };
  t.match(await second.json(), {
    teams: { ...none, unchanged: 2_000 },
    users: { ...none, unchanged: 50_000 },
  });
  t.ok(firstMs < 15_000, `${Math.round(firstMs)} ms of CPU time`);
  for (const [body, message] of [
    [{ users: [{ ...users[0], role: 'King' }] }, /users\[0\]\.role must be one of/],
    [{ users: [users[0], { ...users[1], teamId: 'x' }] }, /users\[1\]\.teamId/],
    [{ teams: [{ teamId: '', name: '' }] }, /teams\[0\]\.teamId must not be empty/],
    [{ members: [] }, /"members" is not a known key/],
    [
      { users: [{ ...users[0], age: 7 }] },
      /"users\[0\]\.age" is not a known key; known are userId/,
    ],
  ] as const) {
    const answer = await sync(body);
    t.equal(answer.status, 400);
    t.match(await answer.json(), { code: 'bad_request', error: message });
  }
  const state = await fetch(`${service.url}/v1/sync/identities`, { headers });
  const listed = (await state.json()) as { teams: unknown[]; users: unknown[] };
  t.equal(listed.users.length, 50_000);
  const last = await sync({ users: users.slice(0, 1), full: true });
  t.match(await last.json(), { teams: { deactivated: 0 }, users: { deactivated: 49_999 } });
  const own = await sync({ teams: [{ teamId: 'rival', name: 'rival' }], full: true });
  t.match(await own.json(), { teams: { deactivated: 2_001 } }, 'its own team, too');
  t.equal((await sync({ teams: [{ teamId: 'bank', name: 'bank' }] })).status, 200, 'and back');
});

t.test('identities: the operator limits what a full sync deactivates by itself', async (t) => {
  const options = { syncDeactivatePercentMax: 20 };
  const service = await startTestService(t, { parts: { pool: noPool }, options });
  const headers = { 'x-api-key': await service.key('bank', ['identity-sync']) };
  const sync = (body: unknown): Promise<Response> =>
    post(`${service.url}/v1/sync/identities`, headers, body);
  const users = Array.from({ length: 10 }, (_, index) => ({
    userId: `u${index}`,
    teamId: 'bank',
    role: 'Viewer',
  }));
  t.equal((await sync({ users })).status, 200);
  const cut = { users: users.slice(0, 1), full: true };
  const refused = await sync(cut);
  t.equal(refused.status, 400);
  t.match(await refused.json(), { error: /users: the list deactivates 9 of 10/ });
  t.equal((await sync({ ...cut, deactivatesAtMost: 8 })).status, 400);
  t.equal((await sync({ users: users.slice(0, 8), full: true })).status, 200, 'a fifth');
  const meant = await sync({ ...cut, deactivatesAtMost: 7 });
  t.match(await meant.json(), { users: { deactivated: 7 } });
});

t.test('identities: full concerns only the lists that are sent', async (t) => {
  const service = await startTestService(t, { parts: { pool: noPool } });
  const headers = { 'x-api-key': await service.key('bank', ['identity-sync']) };
  const sync = (body: unknown): Promise<Response> =>
    post(`${service.url}/v1/sync/identities`, headers, body);
  const teams = ['bank', 'rival'].map((teamId) => ({ teamId, name: teamId }));
  const user = { userId: 'somchai', teamId: 'bank', role: 'Viewer' };
  t.equal((await sync({ users: [user, { ...user, userId: 'somsak' }] })).status, 200);
  for (const [body, message] of [
    [{ full: true }, /full needs teams or users/],
    [{ full: true, users: [] }, /users: an empty list/],
    [{ full: true, teams: [], users: [user] }, /teams: an empty list/],
  ] as const) {
    const answer = await sync(body);
    t.equal(answer.status, 400);
    t.match(await answer.json(), { code: 'bad_request', error: message });
  }
  const none = { deactivated: 0 };
  const onlyUsers = await sync({ full: true, users: [user] });
  t.match(await onlyUsers.json(), { teams: none, users: { deactivated: 1, unchanged: 1 } });
  const onlyTeams = await sync({ full: true, teams: teams.slice(0, 1) });
  t.match(await onlyTeams.json(), { teams: { deactivated: 1 }, users: none });
});
