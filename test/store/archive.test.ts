import { digest } from '../../src/store/ids.ts';
import type { Store } from '../../src/store/store.ts';
import { overDialects } from './dialects.ts';
import { newAudit } from './samples.ts';

const SOURCE = Buffer.from('{}');
const HASH = digest(SOURCE).toString('hex');

async function setUp(store: Store): Promise<void> {
  await store.teams.add({ teamId: 'bank', name: 'Bank' });
  await store.users.add({ userId: 'ben', teamId: 'bank', role: 'Admin' });
  for (const templateId of ['letter', 'receipt']) {
    await store.templates.saveDraft('bank', templateId, templateId, SOURCE);
    await store.templates.publish('bank', templateId, HASH);
  }
}

function setArchived({ templates }: Store, isArchived: boolean, teamId = 'bank') {
  const by = 'user:ben';
  const audit = newAudit('', { action: 'templates.archive', principal: by });
  return templates.setArchived({ teamId, templateId: 'receipt', isArchived, by, audit });
}

async function ids(store: Store, isArchived: boolean): Promise<readonly string[]> {
  const search = { text: '', isPublished: false, isArchived };
  const { items } = await store.templates.page('bank', '', 50, search);
  return items.map(({ templateId }) => templateId);
}

await overDialects('archived templates', async (t, newPlace) => {
  await t.test('they leave the lists and make no documents, and their versions stay', async (t) => {
    const store = await (await newPlace()).open(t);
    const { templates } = store;
    await setUp(store);
    t.match(await templates.published('bank', 'receipt', null), { found: true });
    t.same(await Promise.all([setArchived(store, true), setArchived(store, true)]), [
      'done',
      'done',
    ]);
    t.same(await ids(store, false), ['letter']);
    t.same(await ids(store, true), ['receipt']);
    t.match(await templates.page('bank', '', 50), { items: [{ templateId: 'letter' }] });
    for (const version of [null, 1]) {
      t.same(await templates.published('bank', 'receipt', version), {
        found: false,
        why: 'archived',
      });
    }
    t.same(await templates.draft('bank', 'receipt'), { found: false, why: 'absent' });
    t.same(await templates.published('rival', 'receipt', 1), { found: false, why: 'foreign' });
    t.match(await templates.version('bank', 'receipt', 1), { version: 1 });
    t.match(await templates.find('bank', 'receipt'), { value: { archivedAtMs: Number } });
    t.equal(await setArchived(store, false), 'done');
    t.match(await templates.published('bank', 'receipt', null), { found: true });
    t.same(await ids(store, false), ['letter', 'receipt']);
    const records = await store.audit.list({ action: 'templates.archive', countMax: 10 });
    t.equal(records.length, 2, 'a repetition changes nothing');
  });

  await t.test('whoever is no Admin any more archives nothing', async (t) => {
    const store = await (await newPlace()).open(t);
    await setUp(store);
    t.equal(await setArchived(store, true, 'rival'), 'absent');
    await store.users.change('ben', { role: 'Editor' });
    t.equal(await setArchived(store, true), 'role_lost');
    t.same(await ids(store, true), []);
  });
});
