import type { ListPage } from '../../src/store/store.ts';
import { overDialects } from './dialects.ts';

/** All items of a list, read in pages of at most `countMax`. */
async function readThrough<T>(
  read: (after: string) => Promise<ListPage<T> | null>,
): Promise<{ readonly items: readonly T[]; readonly sizes: readonly number[] }> {
  const items: T[] = [];
  const sizes: number[] = [];
  for (let next: string | null = ''; next !== null;) {
    const page: ListPage<T> | null = await read(next);
    if (page === null) throw new Error('the cursor of a page is not in the list');
    items.push(...page.items);
    sizes.push(page.items.length);
    ({ next } = page);
  }
  return { items, sizes };
}

function idsOf(list: readonly { readonly keyId: string }[]): readonly string[] {
  return list.map(({ keyId }) => keyId);
}

await overDialects('pages', async (t, newPlace) => {
  await t.test('the pages of a list hold every item once, in the order of the list', async (t) => {
    const store = await (await newPlace()).open(t);
    for (const teamId of ['bank', 'rival']) {
      await store.teams.add({ teamId, name: teamId });
      for (const name of ['ก', 'b', 'B', 'a b', 'z']) {
        await store.templates.saveDraft(teamId, name, name, Buffer.from('{}'));
        // Several keys are added in the same millisecond.
        await store.keys.add({ teamId, name, scopes: ['generate'], rateLimitPerMinute: null });
      }
    }
    const { templates, keys } = store;
    for (const countMax of [1, 2, 5, 6]) {
      const sizes = countMax === 2 ? [2, 2, 1] : undefined;
      const named = await readThrough((after) => templates.page('bank', after, countMax));
      t.same(named.items, await templates.list('bank'), `templates by ${countMax}`);
      const made = await readThrough((after) => keys.page('bank', after, countMax));
      const all = await keys.list('bank');
      t.same(idsOf(made.items).toSorted(), idsOf(all).toSorted(), `keys by ${countMax}`);
      const times = made.items.map(({ createdAtMs }) => createdAtMs);
      t.same(
        times,
        times.toSorted((one, other) => other - one),
        'the newest first',
      );
      if (sizes !== undefined) t.same([named.sizes, made.sizes], [sizes, sizes]);
    }
    const [foreign] = await keys.list('rival');
    t.equal(await keys.page('bank', foreign?.keyId ?? '', 2), null, "another team's key");
    t.equal(await keys.get('bank', foreign?.keyId ?? ''), null);
    t.match(await keys.get('rival', foreign?.keyId ?? ''), { teamId: 'rival' });
  });

  await t.test('a search finds parts of identifiers and names, in any case', async (t) => {
    const store = await (await newPlace()).open(t);
    const { templates } = store;
    await store.teams.add({ teamId: 'bank', name: 'bank' });
    const names = { letter: 'Überweisung', 'letter-2': 'ใบเสร็จ', receipt: 'A LETTER', z: '100%_' };
    for (const [id, name] of Object.entries(names)) {
      await templates.saveDraft('bank', id, name, Buffer.from(id));
    }
    const draft = await templates.draftHash('bank', 'letter-2');
    if (draft.found) await templates.publish('bank', 'letter-2', draft.value.hash);
    const search = async (text: string, isPublished: boolean, countMax: number) => {
      const wanted = { text, isPublished };
      const all = await readThrough((after) => templates.page('bank', after, countMax, wanted));
      return all.items.map(({ templateId }) => templateId);
    };
    for (const countMax of [1, 2, 9]) {
      t.same(await search('Letter', false, countMax), ['letter', 'letter-2', 'receipt']);
      t.same(await search(' u\u0308BER', false, countMax), ['letter'], 'another form of ü');
      t.same(await search('เสร็จ', false, countMax), ['letter-2']);
      t.same(await search('%_', false, countMax), ['z'], 'nothing is a placeholder');
      t.same(await search('', true, countMax), ['letter-2']);
      t.same(await search('letter', true, countMax), ['letter-2']);
      t.same(await search('nothing', false, countMax), []);
    }
  });
});
