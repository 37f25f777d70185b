import t from 'tap';
import { post, startFakePool, startTestService } from '../../../lab/service/gateway.ts';

const pool = startFakePool(new Int32Array(new SharedArrayBuffer(4)));
t.teardown(() => pool.close(0));

/** Characters that end a name, or move the cursor, where it is shown. */
const CONTROLS = ['\u0000', '\n', '\u001b', '\u007f', '\u0085'];

t.test('names with control characters are refused', async (t) => {
  const service = await startTestService(t, { parts: { pool } });
  const { url } = service;
  const admin = { cookie: await service.session('bank', 'Admin') };
  const sync = { 'x-api-key': await service.key('bank', ['identity-sync']) };
  await service.publish('bank', 'receipt');
  const runs = { 'x-api-key': await service.key('bank', ['runs']) };
  const user = { userId: 'mali', teamId: 'bank', role: 'Viewer' };
  const draft = { templateId: 'note', fields: [], document: { content: ['x'] } };
  const requests: readonly ((name: string) => Promise<Response>)[] = [
    (name) => post(`${url}/v1/templates/note/draft`, admin, { ...draft, name }, 'PUT'),
    (name) => post(`${url}/v1/keys`, admin, { name, scopes: ['generate'] }),
    (name) => post(`${url}/v1/sync/identities`, sync, { teams: [{ teamId: 'shop', name }] }),
    (name) => post(`${url}/v1/sync/identities`, sync, { users: [{ ...user, displayName: name }] }),
    (name) => post(`${url}/v1/runs`, runs, { templateId: 'receipt', idField: 'customer', name }),
  ];
  for (const [at, send] of requests.entries()) {
    for (const control of CONTROLS) {
      const answer = await send(`good${control}evil`);
      const text = await answer.text();
      t.equal(answer.status, 400, `request ${at} U+${control.charCodeAt(0).toString(16)} ${text}`);
      t.match(text, /control characters/);
      t.notMatch(text, /evil/);
    }
    t.match([200, 201].includes((await send('ใบเสร็จ – good')).status), true, `request ${at}`);
  }
});

/** Names in which nothing can be seen, or in which a sign changes what is seen. */
const UNREADABLE = [' ', '\u00a0\u3000', '\u202efdp', 'a\u200bb', '\u2066x\u2069'];

t.test('names that people cannot read are refused with a sentence', async (t) => {
  const service = await startTestService(t, { parts: { pool } });
  const { url, store } = service;
  const admin = { cookie: await service.session('bank', 'Admin') };
  await service.publish('bank', 'receipt');
  const runs = { 'x-api-key': await service.key('bank', ['runs']) };
  const draft = { templateId: 'note', fields: [], document: { content: ['x'] } };
  const run = { templateId: 'receipt', idField: 'customer' };
  const user = { userId: 'mali', role: 'Viewer' };
  const requests: readonly ((name: string) => Promise<Response>)[] = [
    (name) => post(`${url}/v1/templates/note/draft`, admin, { ...draft, name }, 'PUT'),
    (name) => post(`${url}/v1/keys`, admin, { name, scopes: ['generate'] }),
    (name) => post(`${url}/v1/users`, admin, { ...user, displayName: name }),
    (name) => post(`${url}/v1/runs`, runs, { ...run, name }),
  ];
  for (const [at, send] of requests.entries()) {
    for (const name of [...UNREADABLE, 'x'.repeat(300)]) {
      const answer = await send(name);
      const text = await answer.text();
      t.equal(answer.status, 400, `request ${at} ${JSON.stringify(name.slice(0, 9))} ${text}`);
      t.match(text, /(?:name|displayName) must have (?:no|a|at most)/i);
    }
  }
  for (const name of UNREADABLE)
    t.match(await store.teams.add({ teamId: 'a', name }), { ok: false });
});

t.test('blanks that look alike make no new id, and ids that exist stay in use', async (t) => {
  const service = await startTestService(t, { parts: { pool } });
  const admin = { cookie: await service.session('bank', 'Admin') };
  const sync = { 'x-api-key': await service.key('bank', ['identity-sync']) };
  const save = async (id: string): Promise<number> => {
    const draft = { templateId: id, name: 'n', fields: [], document: { content: ['x'] } };
    const address = `${service.url}/v1/templates/${encodeURIComponent(id)}/draft`;
    return (await post(address, admin, draft, 'PUT')).status;
  };
  const add = async (teamId: string): Promise<number> => {
    const body = { teams: [{ teamId, name: 'Team' }] };
    return (await post(`${service.url}/v1/sync/identities`, sync, body)).status;
  };
  for (const blank of ['\u00a0', '\u2009', '\u3000', '\u2800', '\uffff', '\u{1fffe}', '  ']) {
    const id = `pay${blank}ee`;
    const shown = JSON.stringify(id);
    t.equal(await save(id), 400, shown);
    t.equal(await add(id), 400, shown);
    t.match(await service.store.teams.add({ teamId: id, name: 'n' }), { ok: false }, shown);
    const user = { userId: id, teamId: 'bank', role: 'Viewer' } as const;
    t.match(await service.store.users.add(user), { ok: false }, shown);
  }
  t.equal(await save('pay ee'), 200);
  t.equal(await add('pay ee'), 200);
  // An earlier version made this one.
  const old = 'old\u00a0id';
  const file = Buffer.from('{"templateId":"old\u00a0id","fields":[],"document":{"content":"x"}}');
  await service.store.templates.saveDraft('bank', old, 'Old', file, { by: 'user:a' });
  t.equal(await save(old), 200);
});
