import type { MemberChange, Store } from '../../src/store/store.ts';
import { overDialects } from './dialects.ts';
import { newAudit } from './samples.ts';

async function setUp(store: Store): Promise<void> {
  await store.teams.add({ teamId: 'bank', name: 'Bank' });
  await store.teams.add({ teamId: 'rival', name: 'Rival' });
  await store.users.add({ userId: 'anong', teamId: 'bank', role: 'Admin' });
  await store.users.add({ userId: 'ben', teamId: 'bank', role: 'Admin' });
  await store.users.add({ userId: 'rita', teamId: 'rival', role: 'Viewer' });
}

async function act(store: Store, by: string, userId: string, change: MemberChange) {
  const principal = `user:${by}`;
  const audit = () => newAudit('', { action: 'users.role', principal });
  const result = await store.members.act({ teamId: 'bank', userId, by: principal, change, audit });
  return result.kind;
}

async function activeAdmins({ users }: Store): Promise<readonly string[]> {
  const all = await users.list('bank');
  return all.filter(({ active, role }) => active && role === 'Admin').map(({ userId }) => userId);
}

await overDialects('members', async (t, newPlace) => {
  for (const change of [
    { kind: 'active', active: false },
    { kind: 'role', role: 'Viewer' },
  ] as const) {
    await t.test(`of two Admins at once, one makes the ${change.kind} change`, async (t) => {
      const place = await newPlace();
      const [store, other] = [await place.open(t), await place.open(t)];
      await setUp(store);
      const kinds = await Promise.all([
        act(store, 'anong', 'ben', change),
        act(other, 'ben', 'anong', change),
      ]);
      t.strictSame(kinds.toSorted(), ['done', 'role_lost']);
      t.equal((await activeAdmins(store)).length, 1, 'the team keeps an Admin');
      const records = await store.audit.list({ action: 'users.role', countMax: 9 });
      t.equal(records.length, 1, 'only what was done is recorded');
    });
  }

  await t.test('a role that another Admin changed meanwhile is not overwritten', async (t) => {
    const store = await (await newPlace()).open(t);
    await setUp(store);
    await store.users.add({ userId: 'mali', teamId: 'bank', role: 'Viewer' });
    t.equal(
      await act(store, 'anong', 'mali', { kind: 'role', role: 'Editor', was: 'Viewer' }),
      'done',
    );
    const late = { kind: 'role', role: 'Admin', was: 'Viewer' } as const;
    t.equal(await act(store, 'ben', 'mali', late), 'stale');
    t.match(await store.users.find('mali'), { role: 'Editor' });
    t.equal(await act(store, 'ben', 'rita', { kind: 'sign-out' }), 'foreign');
    t.equal(await act(store, 'ben', 'nobody', { kind: 'sign-out' }), 'absent');
    t.equal(await act(store, 'mali', 'ben', { kind: 'sign-out' }), 'role_lost');
  });

  await t.test('the list knows the last sign-in, which an identity sync leaves', async (t) => {
    const store = await (await newPlace()).open(t);
    await setUp(store);
    const page = () => store.members.page('bank', '', 9);
    t.match(await page(), { items: [{ lastSignInAtMs: null }, { lastSignInAtMs: null }] });
    const beforeMs = Date.now() - 1;
    for (let count = 0; count < 2; count += 1) await store.sessions.add('ben', Date.now() + 60_000);
    const [, ben] = (await page()).items;
    t.ok((ben?.lastSignInAtMs ?? 0) >= beforeMs);
    const moved = { userId: 'ben', teamId: 'bank', role: 'Editor', displayName: 'Ben' } as const;
    const users = [{ ...moved, email: '', active: true }];
    await store.users.sync({ teams: null, users, full: false });
    t.match((await page()).items[1], { role: 'Editor', lastSignInAtMs: ben?.lastSignInAtMs });
  });

  await t.test('an Admin adds a user, once, with its record', async (t) => {
    const store = await (await newPlace()).open(t);
    await setUp(store);
    const mali = { userId: 'mali', teamId: 'bank', role: 'Editor', displayName: 'มะลิ' } as const;
    const audit = newAudit('', { action: 'users.create', principal: 'user:ben' });
    t.match(await store.members.add(mali, 'user:ben', audit), {
      ok: true,
      value: { ...mali, active: true, lastSignInAtMs: null },
    });
    t.match(await store.members.add(mali, 'user:ben', audit), { ok: false, code: 'bad_request' });
    const foreign = { ...mali, userId: 'rita' };
    t.match(await store.members.add(foreign, 'user:ben', audit), { ok: false });
    t.match(await store.users.find('rita'), { teamId: 'rival', role: 'Viewer' });
    const unseen = { ...mali, userId: 'ma\u200Bli' };
    t.match(await store.members.add(unseen, 'user:ben', audit), { ok: false });
    const other = { ...mali, userId: 'malee' };
    t.equal(await store.members.add(other, 'user:rita', audit), 'role_lost');
    t.equal(await store.users.find('malee'), null);
    const records = await store.audit.list({ action: 'users.create', countMax: 9 });
    t.equal(records.length, 1);
  });
});
