import type { Store, UserRecord } from '../../src/store/store.ts';
import { overDialects } from './dialects.ts';

async function withBank(store: Store): Promise<void> {
  await store.teams.add({ teamId: 'bank', name: 'Bank' });
}

/** 600 users: 300 who are in every list, 300 of this one. */
function listOf(name: string): readonly UserRecord[] {
  return Array.from({ length: 600 }, (_, index) => ({
    userId: index < 300 ? `both${index}` : `${name}${index}`,
    teamId: 'bank',
    role: 'Viewer',
    displayName: name,
    email: '',
    active: true,
  }));
}

await overDialects('identities', async (t, newPlace) => {
  await t.test('two full syncs at once, at two instances, leave one of the lists', async (t) => {
    const place = await newPlace();
    const [one, other] = [await place.open(t), await place.open(t)];
    await withBank(one);
    for (let round = 0; round < 4; round += 1) {
      const lists = { a: listOf(`a${round}-`), b: listOf(`b${round}-`) };
      await Promise.all([
        one.users.sync({ teams: null, users: lists.a, full: true }),
        other.users.sync({ teams: null, users: lists.b, full: true }),
      ]);
      const active = (await one.users.list('bank')).filter((user) => user.active);
      const ids = new Set(active.map(({ userId }) => userId));
      const isOf = (users: readonly UserRecord[]): boolean =>
        ids.size === users.length && users.every(({ userId }) => ids.has(userId));
      t.ok(isOf(lists.a) || isOf(lists.b), `${ids.size} active users of 600`);
    }
  });

  await t.test('a sync deactivates no more than its limit', async (t) => {
    const store = await (await newPlace()).open(t);
    await withBank(store);
    const user = { teamId: 'bank', role: 'Viewer' as const, displayName: '', email: '' };
    const users = ['a', 'b', 'c', 'd'].map((userId) => ({ ...user, userId, active: true }));
    await store.users.sync({ teams: null, users, full: false });
    const short = { teams: null, users: users.slice(0, 2), full: true };
    t.match(await store.users.sync(short, { kind: 'percent', max: 49 }), {
      ok: false,
      message: /deactivates 2 of 4, more than the 49 %.*deactivatesAtMost: 2/,
    });
    t.match(await store.users.sync(short, { kind: 'count', max: 1 }), {
      ok: false,
      message: /deactivate 2 teams and users; deactivatesAtMost allows 1/,
    });
    t.match(await store.users.find('d'), { active: true }, 'nothing is changed');
    t.match(await store.users.sync(short, { kind: 'percent', max: 50 }), { ok: true });
    t.match(await store.users.find('d'), { active: false });
  });

  await t.test('a move changes active users only', async (t) => {
    const store = await (await newPlace()).open(t);
    await withBank(store);
    await store.users.add({ userId: 'somchai', teamId: 'bank', role: 'Viewer' });
    const found = await store.users.find('somchai');
    if (found === null) return t.fail('added above');
    t.equal(await store.users.moveActive({ ...found, role: 'Admin' }), true);
    t.equal(await store.users.moveActive({ ...found, role: 'Admin' }), true, 'again');
    t.equal(await store.users.moveActive({ ...found, teamId: 'nowhere' }), false);
    await store.users.sync({ teams: [], users: [{ ...found, active: false }], full: false });
    t.equal(await store.users.moveActive({ ...found, role: 'Editor' }), false);
    t.match(await store.users.find('somchai'), { active: false, role: 'Viewer' });
  });
});
