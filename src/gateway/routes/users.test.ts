import t, { type Test } from 'tap';
import { post, startTestService } from '../../../lab/service/gateway.ts';

interface Told {
  readonly userId: string;
  readonly role: string;
  readonly active: boolean;
  readonly lastSignInAt: string | null;
}

/** A service with the Admins `anong` and `ben`, and their sessions. */
async function teamOf(t: Test) {
  const service = await startTestService(t);
  const { store, url } = service;
  await service.session('bank', 'Viewer');
  const cookies = new Map<string, string>();
  for (const userId of ['anong', 'ben']) {
    await store.users.add({ userId, teamId: 'bank', role: 'Admin', displayName: userId });
    const session = await store.sessions.add(userId, Date.now() + 60_000);
    cookies.set(userId, `intaglio_session=${session.ok ? session.value.token : ''}`);
  }
  const as = (by: string) => ({ cookie: cookies.get(by) ?? '' });
  const act = (by: string, id: string, action: string, body: object = {}): Promise<Response> =>
    post(`${url}/v1/users/${id}/${action}`, as(by), body);
  const list = async (): Promise<readonly Told[]> => {
    const response = await fetch(`${url}/v1/users`, { headers: as('anong') });
    return ((await response.json()) as { users: Told[] }).users;
  };
  const add = (by: string, body: object): Promise<Response> =>
    post(`${url}/v1/users`, as(by), body);
  const audited = async (): Promise<readonly string[]> =>
    (await service.audit())
      .filter(({ action }) => action.startsWith('users.'))
      .map(({ action, outcome, detail }) => `${action} ${outcome} ${detail}`.trim());
  return { service, act, list, add, audited, as };
}

t.test('an Admin adds a user, who signs in elsewhere', async (t) => {
  const { service, list, add, audited } = await teamOf(t);
  const mali = {
    userId: 'mali',
    displayName: 'มะลิ ใจงาม',
    email: 'm@bank.example',
    role: 'Editor',
  };
  const made = await add('anong', mali);
  t.equal(made.status, 201);
  t.strictSame(await made.json(), { ...mali, active: true, lastSignInAt: null });
  t.match(await (await add('anong', mali)).json(), { error: 'This user exists already.' });
  const similar = await (await add('anong', { ...mali, userId: 'Mali' })).json();
  t.match(similar, {
    error: /^The team has a user mali, whose id differs only in upper and lower/,
  });
  for (const wrong of [
    { userId: 'x' },
    { ...mali, role: 'Owner' },
    { ...mali, userId: '' },
    { ...mali, userId: 'ma\u200Bli' },
    { ...mali, teamId: 'rival' },
  ]) {
    t.equal((await add('anong', wrong)).status, 400, JSON.stringify(wrong));
  }
  const typed = async (wrong: object): Promise<string> => {
    const refused = await add('anong', { ...mali, userId: 'new', ...wrong });
    const { error } = (await refused.json()) as { readonly error?: string };
    return `${refused.status} ${error}`;
  };
  t.match(
    await typed({ userId: 'ma li' }),
    /^400 userId has a blank at character 3\. Write the id/,
  );
  t.match(await typed({ email: 'x' }), /^400 email has no @\. Write it as in /);
  const find = async () => (await list()).find(({ userId }) => userId === 'mali');
  t.match(await find(), { lastSignInAt: null });
  await service.store.sessions.add('mali', Date.now() + 60_000);
  t.match(await find(), { lastSignInAt: /^20/ });
  t.strictSame(await audited(), ['users.create succeeded user mali, Editor']);
});

t.test('a team keeps an Admin, whoever is faster', async (t) => {
  const { service, act, audited } = await teamOf(t);
  const own = await act('anong', 'anong', 'deactivate');
  t.equal(own.status, 400);
  t.match(await own.json(), { error: /cannot change your own user/ });
  t.equal((await act('anong', 'anong', 'role', { role: 'Viewer' })).status, 400);
  const both = await Promise.all([
    act('anong', 'ben', 'deactivate'),
    act('ben', 'anong', 'deactivate'),
  ]);
  const statuses = both.map(({ status }) => status).toSorted((a, b) => a - b);
  // The slower one has lost the session or, if that was looked up before, the role.
  t.equal(statuses[0], 200);
  t.ok([401, 403].includes(statuses[1] ?? 0), `${statuses[1]}`);
  const done = (await audited()).filter((line) => line.includes('succeeded'));
  t.equal(done.length, 1);
  const admins = (await service.store.users.list('bank')).filter(
    ({ active, role }) => active && role === 'Admin',
  );
  t.equal(admins.length, 1);
});

t.test('a role is changed only from the one that the Admin saw', async (t) => {
  const { act, list, audited } = await teamOf(t);
  t.equal((await act('anong', 'ben', 'role', { role: 'Editor', was: 'Admin' })).status, 200);
  const late = await act('anong', 'ben', 'role', { role: 'Viewer', was: 'Admin' });
  t.equal(late.status, 412);
  t.match(await late.json(), { code: 'precondition_failed', error: /is Editor by now/ });
  t.match(
    (await list()).find(({ userId }) => userId === 'ben'),
    { role: 'Editor' },
  );
  t.strictSame(await audited(), ['users.role succeeded user ben, Admin to Editor']);
});

t.test('Admins end their own sessions everywhere, too', async (t) => {
  const { service, act, as } = await teamOf(t);
  t.equal((await act('anong', 'anong', 'sign-out')).status, 200);
  const { status } = await fetch(`${service.url}/v1/session`, { headers: as('anong') });
  t.equal(status, 401);
});

t.test('everybody in a team reads the names of its users, and no more about them', async (t) => {
  const { service, add, act } = await teamOf(t);
  const { url } = service;
  await add('anong', {
    userId: 'mali',
    displayName: 'มะลิ ใจงาม',
    email: 'm@bank.example',
    role: 'Editor',
  });
  const names = async (cookie: string): Promise<unknown> =>
    (await fetch(`${url}/v1/user-names`, { headers: { cookie } })).json();
  const anong = { userId: 'anong', displayName: 'anong', active: true };
  const [ben, mali] = [
    { userId: 'ben', displayName: 'ben', active: true },
    { userId: 'mali', displayName: 'มะลิ ใจงาม', active: true },
  ];
  for (const role of ['Viewer', 'Editor'] as const) {
    const found = (await names(await service.session('bank', role))) as { users: object[] };
    t.strictSame(found.users.slice(0, 3), [anong, ben, mali], role);
  }
  t.equal((await act('anong', 'ben', 'deactivate')).status, 200);
  const after = (await names(await service.session('bank', 'Viewer'))) as { users: object[] };
  t.match(after.users[1], { userId: 'ben', active: false }, 'requests of leavers are marked');
  const rival = (await names(await service.session('rival', 'Viewer'))) as { users: object[] };
  t.equal(rival.users.length, 1, 'another team reads its own');
  const apiKey = await service.key('bank', [
    'generate',
    'templates:read',
    'documents:read',
    'runs',
  ]);
  const byKey = await fetch(`${url}/v1/user-names`, { headers: { 'x-api-key': apiKey } });
  t.equal(byKey.status, 403);
});
