import { hash } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import t from 'tap';
import { readMixed } from '../../studio/src/api/mixed.ts';
import { noPool, post, startFakePool, startTestService } from '../../lab/service/gateway.ts';
import type { TestService } from '../../lab/service/gateway.ts';

type Headers = Record<string, string>;

const pool = startFakePool(new Int32Array(new SharedArrayBuffer(4)));
t.teardown(() => pool.close(0));

const DRAFT = { templateId: 'receipt', name: 'Receipt', fields: [] };

async function json(answer: Response): Promise<Record<string, unknown>> {
  return (await answer.json()) as Record<string, unknown>;
}

function sha256(bytes: Uint8Array): string {
  return hash('sha256', bytes, 'hex');
}

function address(service: TestService, tail: string): string {
  return `${service.url}/v1/templates/receipt${tail}`;
}

function save(service: TestService, headers: Headers, extra: object): Promise<Response> {
  return post(address(service, '/draft'), headers, { ...DRAFT, ...extra }, 'PUT');
}

t.test('two editors of one draft: the second gets 412, and nothing is overwritten', async (t) => {
  const service = await startTestService(t, { parts: { pool } });
  const one = { cookie: await service.session('bank', 'Editor') };
  const other = { cookie: await service.session('bank', 'Editor') };
  const first = await save(service, { ...one, 'if-none-match': '*' }, { n: 1 });
  t.equal(first.status, 200);
  const tag = first.headers.get('etag') ?? '';
  t.match(tag, /^"[0-9a-f]{64}"$/);
  t.equal((await save(service, { ...other, 'if-none-match': '*' }, { n: 2 })).status, 412);
  t.equal((await save(service, { ...other, 'if-match': tag }, { n: 3 })).status, 200);
  const late = await save(service, { ...one, 'if-match': tag }, { n: 4 });
  t.equal(late.status, 412);
  t.match(await json(late), { code: 'precondition_failed' });
  const read = await fetch(address(service, '/draft'), { headers: one });
  t.match(await json(read), { n: 3 });
  const state = await json(await fetch(address(service, ''), { headers: one }));
  t.match(state, {
    draft: { savedBy: 'user:user-2', hash: read.headers.get('etag')?.slice(1, -1) },
  });
  t.equal(
    (await save(service, one, { n: 5 })).status,
    200,
    'a save without a condition is not refused',
  );
  for (const wrong of ['W/"x"', '*', `${tag}, ${tag}`]) {
    t.equal((await save(service, { ...one, 'if-match': wrong }, {})).status, 400, wrong);
  }
  t.equal((await save(service, { ...one, 'if-none-match': tag }, {})).status, 400);
});

function saveAndLook(
  service: TestService,
  headers: Headers,
  extra: object,
  wanted = '0',
): Promise<Response> {
  return post(address(service, `/draft?preview=${wanted}`), headers, { ...DRAFT, ...extra }, 'PUT');
}

t.test('a save can bring the preview of a sample', async (t) => {
  const service = await startTestService(t, { parts: { pool } });
  const editor = { cookie: await service.session('bank', 'Editor') };
  const saved = await saveAndLook(service, editor, { broken: true });
  t.equal(saved.status, 200);
  t.match(saved.headers.get('ratelimit'), 'r=599;', 'it counts as a preview');
  t.match(saved.headers.get('server-timing'), 'layout;dur=');
  const { json: said, file } = await readMixed<object>(saved.clone());
  t.match(said, { templateId: 'receipt', status: 'draft', findings: [{ path: 'document' }] });
  const pdf = Buffer.from(file ?? []);
  t.match(pdf.toString(), `preview of ${saved.headers.get('etag')?.slice(1, -1)}`);
  const bytes = Buffer.from(await saved.arrayBuffer());
  t.match(bytes.toString('latin1'), /^--[^\r]+\r\nContent-Type: application\/json/);
  const records = await service.audit();
  t.match(
    records.map(({ action }) => action).toSorted(),
    ['generate', 'templates.draft'],
    'the save and the preview are recorded',
  );
  t.match(
    records.find(({ action }) => action === 'generate'),
    { version: 1, mode: 'sync', pages: 1, bytes: pdf.length, sha256: sha256(pdf), code: '' },
  );
  const conflict = await saveAndLook(service, { ...editor, 'if-none-match': '*' }, {});
  t.equal(conflict.status, 412);
  t.equal((await service.audit()).length, 2, 'a refused save leaves no record of its preview');
});

t.test('a preview never prevents a save', async (t) => {
  const service = await startTestService(t, { parts: { pool } });
  const editor = { cookie: await service.session('bank', 'Editor') };
  for (const [why, extra, wanted] of [
    ['no such sample', {}, '7'],
    ['the renderer fails', { fails: true }, '0'],
  ] as const) {
    const saved = await saveAndLook(service, editor, extra, wanted);
    t.equal(saved.status, 200, why);
    const { json: said, file } = await readMixed<object>(saved);
    t.match(said, { status: 'draft', findings: [] }, why);
    t.equal(file, null, why);
  }
  for (const wrong of ['', '-1', '1.5', 'x', '0&preview=0']) {
    const refused = await saveAndLook(service, editor, { wrong }, wrong);
    t.match(await json(refused), { code: 'bad_request', error: /preview/ }, wrong);
  }
  const plain = await save(service, editor, {});
  t.equal(plain.headers.get('ratelimit'), null, 'a save without one is not counted');
});

t.test('a check reports what publishing would find, and changes nothing', async (t) => {
  const service = await startTestService(t, { parts: { pool } });
  const editor = { cookie: await service.session('bank', 'Editor') };
  const saved = await save(service, editor, { broken: true });
  const checked = await fetch(address(service, '/draft/check'), { headers: editor });
  t.equal(checked.headers.get('etag'), saved.headers.get('etag'));
  t.match(await json(checked), {
    templateId: 'receipt',
    version: 1,
    findings: [{ severity: 'error', path: 'document' }],
    samples: [{ name: 'one', pages: 1 }],
  });
  const state = await json(await fetch(address(service, ''), { headers: editor }));
  t.match(state, { latestVersion: null, draft: { savedBy: 'user:user-1' } });
});

t.test('publishing refuses a draft that was changed after it was compared', async (t) => {
  const service = await startTestService(t, { parts: { pool } });
  const admin = { cookie: await service.session('bank', 'Admin') };
  const saved = await save(service, admin, { n: 1 });
  const seen = saved.headers.get('etag') ?? '';
  await save(service, admin, { n: 2 });
  const publish = (headers: Headers): Promise<Response> =>
    post(address(service, '/publish'), { ...admin, ...headers }, {});
  t.equal((await publish({ 'if-match': seen })).status, 412);
  const now = await fetch(address(service, '/draft'), { headers: admin });
  t.equal((await publish({ 'if-match': now.headers.get('etag') ?? '' })).status, 201);
});

t.test('previews do not count against the rate limit but have a separate limit', async (t) => {
  const service = await startTestService(t, {
    parts: { pool },
    options: { rateLimitPerMinute: 1 },
  });
  const editor = { cookie: await service.session('bank', 'Editor') };
  await service.publish('bank', 'receipt');
  await save(service, editor, { fields: [{ name: 'customer', type: 'text', required: true }] });
  const body = { templateId: 'receipt', mode: 'sync', data: { customer: 'a' } };
  const preview = (extra: object = {}): Promise<Response> =>
    post(`${service.url}/v1/previews`, editor, { ...body, draft: true, ...extra });
  for (let left = 599; left > 595; left -= 1) {
    const answer = await preview();
    t.equal(answer.status, 200);
    t.match(answer.headers.get('ratelimit'), `r=${left};`);
    await answer.arrayBuffer();
  }
  const made = await post(`${service.url}/v1/generate`, editor, body);
  t.equal(made.status, 200, 'the limit of generating is untouched');
  t.equal((await post(`${service.url}/v1/generate`, editor, body)).status, 429);
  t.equal((await preview()).status, 200, 'previews work beyond it');
  t.match(await json(await preview({ draft: false })), { code: 'bad_request', error: /draft/ });
  t.equal((await preview({ mode: 'async' })).status, 400);
  const key = { 'x-api-key': await service.key('bank', ['generate']) };
  const refused = await post(`${service.url}/v1/previews`, key, { ...body, draft: true });
  t.match(await json(refused), { code: 'draft_requires_user' });
});

t.test('a user can have one preview at a time', async (t) => {
  const service = await startTestService(t);
  const editor = { cookie: await service.session('bank', 'Editor') };
  const other = { cookie: await service.session('bank', 'Editor') };
  await save(service, editor, { fields: [] });
  const body = { templateId: 'receipt', mode: 'sync', draft: true };
  const preview = (headers: Headers, data: object): Promise<Response> =>
    post(`${service.url}/v1/previews`, headers, { ...body, data });
  const first = preview(editor, { do: 'wait' });
  while (service.pool.stats().running === 0) await new Promise((done) => setImmediate(done));
  t.match(await json(await preview(editor, {})), { code: 'overloaded' });
  const theirs = preview(other, {});
  service.open();
  t.equal((await first).status, 200);
  t.equal((await theirs).status, 200);
  t.equal((await preview(editor, {})).status, 200);
});

t.test('publishing over a version needs the hashes of both compared sources', async (t) => {
  const service = await startTestService(t, { parts: { pool } });
  const { templates } = service.store;
  const admin = { cookie: await service.session('bank', 'Admin') };
  const publish = async (compared?: object): Promise<{ status: number; body: object }> => {
    const answer = await post(address(service, '/publish'), admin, { compared });
    return { status: answer.status, body: await json(answer) };
  };
  const hashes = async (): Promise<{ draft: string; published: string | null }> => {
    const draft = await templates.draft('bank', 'receipt');
    const published = await templates.publishedHash('bank', 'receipt');
    return { draft: draft.found ? draft.value.hash : '', published };
  };
  await save(service, admin, { n: 1 });
  t.equal((await publish()).status, 201, 'a first version has nothing to be compared with');
  await save(service, admin, { n: 2 });
  const seen = await hashes();
  t.match(await publish(), { status: 400, body: { error: /compared is missing/ } });
  t.equal((await publish({ ...seen, published: null })).status, 412);
  t.equal((await publish({ ...seen, draft: seen.published })).status, 412);
  t.equal((await publish({ draft: seen.draft })).status, 400);
  await save(service, admin, { n: 3 });
  t.equal((await publish(seen)).status, 412, 'another draft than the one that was compared');
  const later = await hashes();
  t.equal(await templates.publish('bank', 'receipt', later.draft, 'x', seen.draft), null);
  t.same(
    await hashes(),
    later,
    'a refusal inside the transaction changes neither draft nor version',
  );
  await service.publish('bank', 'receipt', { n: 4 });
  await save(service, admin, { n: 3 });
  t.equal((await publish(later)).status, 412, 'another version came into use');
  t.match(await publish(await hashes()), { status: 201, body: { version: 3 } });
});

t.test('rolling back publishes an earlier version again', async (t) => {
  const service = await startTestService(t, { parts: { pool } });
  const admin = { cookie: await service.session('bank', 'Admin') };
  await service.publish('bank', 'receipt', { n: 1 });
  await service.publish('bank', 'receipt', { n: 2 });
  await service.draft('bank', 'receipt', { n: 3 });
  const note = 'The clause\nof July was wrong.';
  const back = await post(address(service, '/rollback'), admin, { version: 1, note });
  t.same(await json(back), { templateId: 'receipt', version: 3 });
  t.match(await json(await fetch(address(service, '/versions/3'), { headers: admin })), { n: 1 });
  t.match(await json(await fetch(address(service, '/draft'), { headers: admin })), { n: 3 });
  const wrong = [{ version: 9 }, { version: 0 }, { version: 1.5 }, {}, { version: 1, x: 1 }];
  const statuses: number[] = [];
  for (const body of wrong) {
    statuses.push((await post(address(service, '/rollback'), admin, body)).status);
  }
  t.same(statuses, [404, 400, 400, 400, 400]);
  const records = (await service.audit()).filter(({ action }) => action === 'templates.rollback');
  const detail = 'Version 1 again. The clause of July was wrong.';
  t.match(records, [{ outcome: 'succeeded', version: 3, detail }]);
});

t.test("another team's templates are not found, and the audit records the attempt", async (t) => {
  const service = await startTestService(t, { parts: { pool } });
  await service.publish('bank', 'receipt');
  await service.draft('bank', 'receipt', { n: 1 });
  const rival = { cookie: await service.session('rival', 'Admin') };
  for (const tail of ['', '/draft', '/draft/check', '/versions/1']) {
    const foreign = await fetch(address(service, tail), { headers: rival });
    const absent = await fetch(`${service.url}/v1/templates/none${tail}`, { headers: rival });
    t.equal(foreign.status, 404, tail);
    const { requestId: _, ...told } = await json(foreign);
    const { requestId: __, ...same } = await json(absent);
    t.same(told, same, 'with the same message');
  }
  t.equal((await post(address(service, '/rollback'), rival, { version: 1 })).status, 404);
  const denied = (await service.audit()).filter(({ outcome }) => outcome === 'denied');
  t.same(
    denied.map(({ action }) => action),
    [...Array.from({ length: 4 }, () => 'templates.read'), 'templates.rollback'],
  );
});

t.test(
  "lists hold only entries of the caller's team; a wrong query is refused with its fault",
  async (t) => {
    const service = await startTestService(t, { parts: { pool } });
    await service.publish('bank', 'receipt');
    const key = { 'x-api-key': await service.key('bank', ['generate']) };
    for (let n = 0; n < 3; n += 1) {
      const body = { templateId: 'receipt', mode: 'async', data: { customer: String(n) } };
      await post(`${service.url}/v1/generate`, key, body);
    }
    const viewer = { cookie: await service.session('bank', 'Viewer') };
    const admin = { cookie: await service.session('bank', 'Admin') };
    const rival = { cookie: await service.session('rival', 'Admin') };
    const get = async (path: string, headers: Headers): Promise<Record<string, unknown>> =>
      json(await fetch(`${service.url}/v1/${path}`, { headers }));
    const first = await get('documents?limit=2', viewer);
    t.equal((first['documents'] as unknown[]).length, 2);
    const rest = await get(`documents?limit=2&after=${String(first['next'])}`, viewer);
    t.match(rest, { next: null, documents: { length: 1 } });
    const [document] = rest['documents'] as { sha256: string }[];
    const { sha256 = '' } = document ?? {};
    t.match(await get(`documents?sha256=${sha256}`, viewer), { documents: [{ sha256 }] });
    t.match(await get(`documents?sha256=${sha256}`, rival), { documents: [] });
    t.match(await get('documents', rival), { documents: [], next: null });
    t.match(await get('audit?limit=2&action=generate', admin), { records: { length: 2 } });
    t.match(await get('audit', rival), { records: [] });
    const wrong = ['limit=0', 'limit=201', 'limit=x', 'from=yesterday', 'after=1', 'x=1'];
    for (const query of [...wrong, 'limit=1&limit=2']) {
      t.match(await get(`documents?${query}`, viewer), { code: 'bad_request' }, query);
    }
    t.match(await get('audit?outcome=fine', admin), { code: 'bad_request', error: /outcome/ });
  },
);

t.test('an Admin manages only keys of the same team', async (t) => {
  const service = await startTestService(t, { parts: { pool: noPool } });
  const admin = { cookie: await service.session('bank', 'Admin') };
  const rival = { cookie: await service.session('rival', 'Admin') };
  await service.key('bank', ['identity-sync']);
  const keys = `${service.url}/v1/keys`;
  const made = await post(keys, admin, { name: 'batch', scopes: ['templates:read'] });
  t.equal(made.status, 201);
  const { keyId, apiKey } = (await json(made)) as { keyId: string; apiKey: string };
  const use = (): Promise<Response> =>
    fetch(`${service.url}/v1/templates/x/fields`, { headers: { 'x-api-key': apiKey } });
  t.equal((await use()).status, 404, 'the key is accepted');
  const listed = await (await fetch(keys, { headers: admin })).text();
  t.notMatch(listed, apiKey, 'shown once');
  t.match(JSON.parse(listed), { keys: [{ keyId, name: 'batch' }] });
  t.equal((JSON.parse(listed) as { keys: unknown[] }).keys.length, 1);
  t.equal((await post(`${keys}/${keyId}/revoke`, rival, {})).status, 404);
  const sync = (await service.store.keys.list('bank')).find(({ name }) => name === 'test');
  t.equal((await post(`${keys}/${sync?.keyId ?? ''}/revoke`, admin, {})).status, 404);
  t.match(await json(await post(`${keys}/${keyId}/revoke`, admin, {})), { revokedAt: /T/ });
  t.equal(
    (await post(`${keys}/${keyId}/revoke`, admin, {})).status,
    200,
    'revoking again succeeds',
  );
  const wrong = [
    { name: 'x', scopes: [] },
    { name: 'x', scopes: ['identity-sync'] },
    { name: 'x', scopes: ['generate'], expiresAt: '2001-01-01T00:00:00Z' },
    { name: 'x', scopes: ['generate'], rateLimitPerMinute: 0 },
    { name: '', scopes: ['generate'] },
  ];
  for (const body of wrong) t.equal((await post(keys, admin, body)).status, 400);
  const actions = (await service.audit()).map(({ action }) => action);
  t.same(
    actions.filter((action) => action.startsWith('keys.')),
    ['keys.create', 'keys.revoke'],
  );
});

t.test("a one-time link opens one session, and only from the service's own pages", async (t) => {
  const service = await startTestService(t, { parts: { pool: noPool } });
  await service.store.users.add({ userId: 'anong', teamId: 'bank', role: 'Editor' });
  const link = await service.store.signInLinks.add('anong', Date.now() + 60_000);
  const token = link.ok ? link.value.token : '';
  const open = (headers: Headers): Promise<Response> =>
    post(`${service.url}/auth/links/${token}`, headers, {});
  t.equal((await open({ origin: 'https://evil.example' })).status, 403);
  t.equal((await open({ 'content-type': 'text/plain' })).status, 400);
  const opened = await open({ origin: service.url });
  t.equal(opened.status, 204);
  const cookie = opened.headers.get('set-cookie') ?? '';
  t.match(cookie, /HttpOnly; SameSite=Lax/);
  const session = { cookie: cookie.split(';')[0] ?? '' };
  const who = await json(await fetch(`${service.url}/v1/session`, { headers: session }));
  t.match(who, { userId: 'anong', role: 'Editor', publishApprovals: false });
  const again = await open({ origin: service.url });
  t.equal(again.status, 401);
  t.match(await json(again), { error: /does not work any more/ });
  const out = await post(`${service.url}/auth/logout`, session, {});
  t.equal(out.status, 204);
  const after = await fetch(`${service.url}/v1/session`, { headers: session });
  t.equal(after.status, 401);
  const user = await service.store.users.find('anong');
  const late = await service.store.signInLinks.add('anong', Date.now() + 60_000);
  await service.store.users.sync({
    teams: null,
    users: user === null ? [] : [{ ...user, active: false }],
    full: false,
  });
  const lateToken = late.ok ? late.value.token : '';
  const refused = await post(`${service.url}/auth/links/${lateToken}`, {}, {});
  t.equal(refused.status, 401, 'the link ended with its user');
});

t.test(
  'the application has a strict policy, and its assets are compressed and cached for ever',
  async (t) => {
    const folder = t.testdir();
    const service = await startTestService(t, {
      parts: { pool: noPool },
      options: { studioFolder: folder },
    });
    const early = await fetch(`${service.url}/studio`);
    t.equal(early.status, 503, 'not built yet');
    t.match(early.headers.get('content-security-policy'), /default-src 'none'/);
    mkdirSync(join(folder, 'assets'));
    const script = 'export const answer = 42;'.repeat(100);
    writeFileSync(join(folder, 'assets/app-1a2b.js'), script);
    writeFileSync(join(folder, 'assets/app-1a2b.js.br'), brotliCompressSync(script));
    writeFileSync(join(folder, 'secret.json'), '{}');
    const page = '<html data-sign-in="__SIGN_IN__"><meta name="csp-nonce" content="__NONCE__">';
    writeFileSync(join(folder, 'index.html'), page);
    const nonces = new Set<string>();
    for (const path of ['/studio', '/studio/templates/a%20b/compare', '/studio/verify']) {
      const answer = await fetch(service.url + path);
      t.equal(answer.status, 200, path);
      const policy = answer.headers.get('content-security-policy') ?? '';
      t.match(policy, /script-src 'self';.*frame-ancestors 'none'/);
      t.notMatch(policy, /unsafe|\*|https?:/);
      const [, nonce = ''] = /'nonce-([^']+)'/.exec(policy) ?? [];
      t.match(
        await answer.text(),
        `data-sign-in="link"><meta name="csp-nonce" content="${nonce}">`,
      );
      nonces.add(nonce);
      t.equal(answer.headers.get('cache-control'), 'no-store');
      t.equal(answer.headers.get('x-content-type-options'), 'nosniff');
      t.equal(answer.headers.get('referrer-policy'), 'no-referrer');
    }
    t.equal(nonces.size, 3, 'a nonce is used once');
    const asset = `${service.url}/studio/assets/app-1a2b.js`;
    const small = await fetch(asset, { headers: { 'accept-encoding': 'gzip, br' } });
    t.equal(small.headers.get('content-encoding'), 'br');
    t.match(small.headers.get('cache-control'), /immutable/);
    t.match(small.headers.get('content-type'), /javascript/);
    t.equal(await small.text(), script);
    const plain = await fetch(asset, { headers: { 'accept-encoding': 'identity' } });
    t.equal(plain.headers.get('content-encoding'), null);
    t.equal(await plain.text(), script);
    for (const name of ['none.js', '..%2Fsecret.json', '%2e%2e%2findex.html', 'app-1a2b.js.br']) {
      t.equal((await fetch(`${service.url}/studio/assets/${name}`)).status, 404, name);
    }
  },
);

t.test('an asset that a newer build has replaced is absent', async (t) => {
  const folder = t.testdir({ assets: { 'old.js': 'export {};' }, 'index.html': '<html>' });
  const service = await startTestService(t, {
    parts: { pool: noPool },
    options: { studioFolder: folder },
  });
  t.equal((await fetch(`${service.url}/studio`)).status, 200, 'its names are known now');
  rmSync(join(folder, 'assets/old.js'));
  t.equal((await fetch(`${service.url}/studio/assets/old.js`)).status, 404);
});
