import t from 'tap';

import { until } from '../../lab/process/waiting.ts';
import { post, startTestService, type TestService } from '../../lab/service/gateway.ts';
import type { StoredFile, UserRecord } from '../store/store.ts';

const MEMBER: UserRecord = {
  userId: 'mali',
  teamId: 'bank',
  role: 'Admin',
  displayName: 'Mali',
  email: '',
  active: true,
};
const TEAM = { teamId: 'bank', name: 'bank', active: true };

async function audited({ url }: TestService, cookie: string): Promise<readonly string[]> {
  const response = await fetch(`${url}/v1/audit`, { headers: { cookie } });
  const { records } = (await response.json()) as { records: { action: string; outcome: string }[] };
  return records.map(({ action, outcome }) => `${action} ${outcome}`);
}

t.test("a team's audit does not tell what other teams have", async (t) => {
  const service = await startTestService(t);
  await service.publish('rival', 'secret');
  const cookie = await service.session('bank', 'Admin');
  for (const id of ['secret', 'absent']) {
    const { status } = await fetch(`${service.url}/v1/templates/${id}/fields`, {
      headers: { cookie },
    });
    t.equal(status, 404, id);
  }
  t.strictSame(await audited(service, cookie), []);
  t.match(await service.audit(), [{ action: 'templates.fields', outcome: 'denied' }]);
});

t.test('a key leaves records that name it and what it may do', async (t) => {
  const service = await startTestService(t);
  const cookie = await service.session('bank', 'Admin');
  const body = { name: 'core', scopes: ['generate'], rateLimitPerMinute: 30 };
  const made = await post(`${service.url}/v1/keys`, { cookie }, body);
  const { keyId } = (await made.json()) as { keyId: string };
  await post(`${service.url}/v1/keys/${keyId}/revoke`, { cookie }, {});
  t.match(await service.audit(), [
    {
      action: 'keys.create',
      detail: `key ${keyId}, scopes generate, rate 30 a minute, name "core"`,
    },
    {
      action: 'keys.revoke',
      detail: `key ${keyId}, scopes generate, rate 30 a minute, name "core"`,
    },
  ]);
});

t.test('downloads, sign-ins and sign-outs leave records, unless that is off', async (t) => {
  for (const auditAccess of ['1', '0'] as const) {
    const service = await startTestService(t, { options: { auditAccess } });
    await service.publish('bank', 'receipt');
    const key = { 'x-api-key': await service.key('bank', ['generate', 'documents:read']) };
    const order = { templateId: 'receipt', mode: 'async', data: { customer: 'a' } };
    service.open();
    const made = await post(`${service.url}/v1/generate`, key, order);
    const { documentId, url } = (await made.json()) as { documentId: string; url: string };
    const path = `${service.url}/v1/documents/${documentId}?download=1`;
    for (const [at, headers] of [
      [path, key],
      [url, {}],
    ] as const) {
      const head = await fetch(at, { method: 'HEAD', headers });
      t.match(head.headers.get('content-type'), 'application/pdf');
      const fetched = await fetch(at, { headers });
      const { byteLength } = await fetched.arrayBuffer();
      t.equal(head.headers.get('content-length'), String(byteLength), 'HEAD says what GET sends');
    }
    await (await fetch(url, { headers: { range: 'bytes=2-3' } })).arrayBuffer();
    await service.store.users.add(MEMBER);
    const link = await service.store.signInLinks.add('mali', Date.now() + 60_000);
    const token = link.ok ? link.value.token : '';
    const signedIn = await post(`${service.url}/auth/links/${token}`, {}, {});
    const cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? '';
    await post(`${service.url}/auth/logout`, { cookie }, {});
    const records = (await service.audit()).filter(({ action }) => action !== 'generate');
    t.strictSame(
      records.map(({ action, principal, outcome }) => `${action} ${principal} ${outcome}`),
      auditAccess === '0'
        ? []
        : [
            `documents.download ${records[0]?.principal} succeeded`,
            'documents.download link succeeded',
            'sessions.open user:mali succeeded',
            'sessions.close user:mali succeeded',
          ],
    );
  }
});

t.test('HEAD of a file closes it', async (t) => {
  const service = await startTestService(t);
  await service.publish('bank', 'receipt');
  const key = { 'x-api-key': await service.key('bank', ['generate', 'documents:read']) };
  const order = { templateId: 'receipt', mode: 'async', data: { customer: 'a' } };
  service.open();
  const made = await post(`${service.url}/v1/generate`, key, order);
  const { documentId, url } = (await made.json()) as { documentId: string; url: string };
  const { documents } = service.store;
  const open = documents.open.bind(documents);
  let [opened, closed] = [0, 0];
  t.intercept(documents, 'open', {
    value: async (...what: Parameters<typeof open>): Promise<StoredFile> => {
      const file = await open(...what);
      opened += 1;
      const close = async (): Promise<void> => {
        await file.close();
        closed += 1;
      };
      return { bytes: file.bytes, read: file.read.bind(file), close };
    },
  });
  for (const at of [url, `${service.url}/v1/documents/${documentId}?download=1`]) {
    t.equal((await fetch(at, { method: 'HEAD', headers: key })).status, 200);
  }
  // The response may arrive before the file is closed.
  await until(() => Promise.resolve(closed === opened));
  t.equal(closed, 2);
});

t.test('a link ends with its user, a session with its team', async (t) => {
  const { store } = await startTestService(t);
  await store.users.add(MEMBER);
  const sync = async (active: boolean, teamActive: boolean): Promise<void> => {
    const teams = [{ ...TEAM, active: teamActive }];
    await store.users.sync({ teams, users: [{ ...MEMBER, active }], full: false });
  };
  const link = await store.signInLinks.add('mali', Date.now() + 60_000);
  await sync(false, true);
  await sync(true, true);
  t.equal(await store.signInLinks.redeem(link.ok ? link.value.token : '', Date.now()), null);
  const session = await store.sessions.add('mali', Date.now() + 60_000);
  await sync(true, false);
  await sync(true, true);
  t.equal(await store.sessions.find(session.ok ? session.value.token : '', Date.now()), null);
});

t.test('over HTTPS the cookie has the prefix __Host- and the host is HTTPS only', async (t) => {
  const service = await startTestService(t, { options: { trustedProxies: ['127.0.0.1'] } });
  const https = { 'x-forwarded-proto': 'https' };
  await service.store.users.add(MEMBER);
  const link = await service.store.signInLinks.add('mali', Date.now() + 60_000);
  const token = link.ok ? link.value.token : '';
  const signedIn = await post(`${service.url}/auth/links/${token}`, https, {});
  const [set = ''] = signedIn.headers.getSetCookie();
  t.match(set, /^__Host-intaglio_session=[\w-]{43}; Path=\/; .*; Secure$/);
  t.match(signedIn.headers.get('strict-transport-security'), /^max-age=31536000$/);
  const [cookie = ''] = set.split(';');
  const plain = cookie.replace('__Host-', '');
  const seenWith = async (sent: string, more: object): Promise<Response> =>
    fetch(`${service.url}/v1/session`, { headers: { cookie: sent, ...more } });
  for (const [sent, more] of [
    [cookie, https],
    [`intaglio_session=other; ${cookie}`, https],
    [plain, {}],
  ] as const) {
    t.match(await (await seenWith(sent, more)).json(), { userId: 'mali' }, sent);
  }
  for (const sent of [plain, `__Host-intaglio_session=; ${plain}`, `a=b;${plain}`]) {
    t.equal((await seenWith(sent, https)).status, 401, `planted: ${sent}`);
  }
  const out = await post(`${service.url}/auth/logout`, { ...https, cookie }, {});
  t.match(out.headers.getSetCookie(), [/^__Host-intaglio_session=; /, /^intaglio_session=; /]);
  const response = await fetch(`${service.url}/healthz`);
  t.equal(response.headers.get('strict-transport-security'), null);
});

t.test('an Admin changes roles, deactivates and signs out users of the own team', async (t) => {
  const service = await startTestService(t);
  const { store, url } = service;
  const cookie = await service.session('bank', 'Admin');
  await store.users.add(MEMBER);
  await store.users.add({ userId: 'rita', teamId: 'rival', role: 'Viewer' });
  const session = await store.sessions.add('mali', Date.now() + 60_000);
  const theirs = { cookie: `intaglio_session=${session.ok ? session.value.token : ''}` };
  const statusOfMali = async (path: string): Promise<number> =>
    (await fetch(url + path, { headers: theirs })).status;
  const act = async (id: string, action: string, body: object = {}): Promise<Response> =>
    post(`${url}/v1/users/${id}/${action}`, { cookie }, body);
  const listed = await fetch(`${url}/v1/users?limit=1`, { headers: { cookie } });
  t.match(await listed.json(), { users: [{ userId: 'mali', role: 'Admin', active: true }] });
  t.equal(await statusOfMali('/v1/keys'), 200);
  t.match(await (await act('mali', 'role', { role: 'Viewer' })).json(), { role: 'Viewer' });
  t.equal(await statusOfMali('/v1/keys'), 403, 'from the next request on');
  t.equal((await act('mali', 'role', { role: 'Owner' })).status, 400);
  t.equal((await act('mali', 'deactivate')).status, 200);
  t.equal(await statusOfMali('/v1/session'), 401);
  t.match(await (await act('mali', 'reactivate')).json(), { active: true });
  t.equal(await statusOfMali('/v1/session'), 401, 'the former session stays ended');
  const again = await store.sessions.add('mali', Date.now() + 60_000);
  t.equal((await act('mali', 'sign-out')).status, 200);
  t.equal(await store.sessions.find(again.ok ? again.value.token : '', Date.now()), null);
  t.equal((await act('user-1', 'deactivate')).status, 400, 'not the own user');
  t.equal((await act('rita', 'deactivate')).status, 404);
  t.equal((await act('nobody', 'deactivate')).status, 404);
  t.equal((await store.users.find('rita'))?.active, true);
  const records = (await service.audit()).filter(({ action }) => action.startsWith('users.'));
  t.strictSame(
    records.map(({ action, outcome, detail }) => `${action} ${outcome} ${detail}`.trim()),
    [
      'users.role succeeded user mali, Admin to Viewer',
      'users.deactivate succeeded user mali, Viewer',
      'users.reactivate succeeded user mali, Viewer',
      'users.sign-out succeeded user mali, Viewer',
      'users.deactivate denied',
    ],
  );
});

t.test('a link tells whose it is and who is signed in, and stays unused', async (t) => {
  const service = await startTestService(t);
  const { store, url } = service;
  await store.users.add(MEMBER);
  const cookie = await service.session('rival', 'Viewer');
  const link = await store.signInLinks.add('mali', Date.now() + 60_000);
  const address = `${url}/auth/links/${link.ok ? link.value.token : ''}`;
  const look = async (headers: Record<string, string>): Promise<unknown> =>
    (await fetch(address, { headers })).json();
  const user = { userId: 'mali', displayName: 'Mali', teamId: 'bank' };
  t.strictSame(await look({}), { user, current: null });
  const current = { userId: 'user-1', displayName: 'user-1', teamId: 'rival' };
  t.strictSame(await look({ cookie }), { user, current });
  t.equal((await post(address, {}, {})).status, 204);
  t.match(await look({}), { code: 'unauthenticated' }, 'used');
});
