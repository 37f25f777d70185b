import { digest } from '../../src/store/ids.ts';
import type { Store } from '../../src/store/store.ts';
import { overDialects } from './dialects.ts';
import { newAudit } from './samples.ts';

function source(n: number): Uint8Array {
  return Buffer.from(`{"n":${n}}`);
}

function hash(n: number): string {
  return digest(source(n)).toString('hex');
}

async function setUp(store: Store): Promise<void> {
  await store.teams.add({ teamId: 'bank', name: 'Bank' });
  await store.users.add({ userId: 'ann', teamId: 'bank', role: 'Editor' });
  await store.users.add({ userId: 'ben', teamId: 'bank', role: 'Admin' });
}

function save({ templates }: Store, n: number, by = 'user:ann', name = `Name ${n}`) {
  return templates.saveDraft('bank', 'receipt', name, source(n), { by });
}

function change(n: number, by = 'user:ann', action = 'templates.discard') {
  const audit = newAudit('', { action, principal: by, templateId: 'receipt' });
  return { teamId: 'bank', templateId: 'receipt', draft: hash(n), by, audit };
}

await overDialects('discarded drafts', async (t, newPlace) => {
  await t.test('a template that was never published goes with its draft', async (t) => {
    const store = await (await newPlace()).open(t);
    const { templates, approvals } = store;
    await setUp(store);
    await save(store, 1);
    await templates.keepFields(hash(1), Buffer.from('[]'));
    const asked = change(1, 'user:ann', 'approvals.ask');
    t.match(await approvals.ask({ ...asked, note: '' }), { ok: true });
    t.equal(await templates.discardDraft(change(1)), 'nothing');
    t.match(await templates.find('bank', 'receipt'), { found: false, why: 'absent' });
    t.same(await templates.list('bank'), []);
    t.equal(await templates.fields(hash(1)), null);
    t.equal(await templates.discardDraft(change(1)), 'absent', 'a repetition finds nothing');
    t.equal((await store.audit.list({ action: 'templates.discard', countMax: 10 })).length, 1);

    t.equal(
      await templates.saveDraft('bank', 'receipt', 'New', source(1), { by: 'user:ben' }),
      true,
    );
    t.equal(await approvals.find('bank', 'receipt'), null, 'nobody has asked about this one');
    const published = await templates.publishByRules('bank', 'receipt', hash(1), 'user:ann', {
      isOther: true,
    });
    t.equal(published, 'contributed', 'the same text, saved again by somebody else');
  });

  await t.test('the name of a draft is that of the template once it is published', async (t) => {
    const store = await (await newPlace()).open(t);
    const { templates } = store;
    await setUp(store);
    const names = async (): Promise<unknown[]> => {
      const found = await templates.find('bank', 'receipt');
      const [listed] = await templates.list('bank');
      return [found.found && found.value.name, listed?.name];
    };
    await save(store, 1);
    t.same(await names(), ['Name 1', 'Name 1'], 'nothing is published');
    await templates.publish('bank', 'receipt', hash(1), 'user:ben');
    await save(store, 2);
    t.same(await names(), ['Name 1', 'Name 1'], 'documents go by this name');
    await templates.publish('bank', 'receipt', hash(2), 'user:ben');
    t.same(await names(), ['Name 2', 'Name 2']);
    await save(store, 3);
    await templates.rollBack('bank', 'receipt', 1, 'user:ben');
    t.same(await names(), ['Name 1', 'Name 1'], 'beside a draft, too');
  });

  await t.test('a published template has its version and its name again', async (t) => {
    const store = await (await newPlace()).open(t);
    const { templates, approvals } = store;
    await setUp(store);
    await save(store, 1);
    await templates.publish('bank', 'receipt', hash(1), 'user:ben');
    await save(store, 2);
    const asked = change(2, 'user:ann', 'approvals.ask');
    t.match(await approvals.ask({ ...asked, note: '' }), { ok: true });
    t.equal(await templates.discardDraft(change(1)), 'changed', 'another draft stays');
    t.equal(await templates.discardDraft({ ...change(2), draft: 'x' }), 'changed');
    t.equal(await templates.discardDraft({ ...change(2), teamId: 'rival' }), 'absent');
    t.match(await templates.find('bank', 'receipt'), { value: { draft: { hash: hash(2) } } });
    t.equal(await templates.discardDraft(change(2)), 'versions');
    t.match(await templates.find('bank', 'receipt'), {
      value: { name: 'Name 1', latestVersion: 1, draft: null },
    });
    t.match(await templates.draft('bank', 'receipt'), { found: false });
    t.match(await templates.published('bank', 'receipt', null), { value: { hash: hash(1) } });
    t.equal(await templates.discardDraft(change(2)), 'changed', 'it is gone');
    const late = { by: 'user:ben', replaces: hash(2) };
    t.equal(await templates.saveDraft('bank', 'receipt', 'Late', source(3), late), false);
    await save(store, 2, 'user:ben');
    t.equal(await approvals.find('bank', 'receipt'), null, 'the request went with the draft');
    t.match(await templates.find('bank', 'receipt'), {
      value: { draft: { contributors: ['user:ann', 'user:ben'] } },
    });
  });

  await t.test('one of a save, a publication and a discard at once takes effect', async (t) => {
    for (const rival of ['save', 'publish', 'discard'] as const) {
      const store = await (await newPlace()).open(t);
      const { templates } = store;
      await setUp(store);
      await save(store, 1);
      const rivals = {
        save: () => templates.saveDraft('bank', 'receipt', 'B', source(2), { replaces: hash(1) }),
        publish: () => templates.publish('bank', 'receipt', hash(1), 'user:ben'),
        discard: () => templates.discardDraft(change(1, 'user:ben')),
      };
      const [discarded, other] = await Promise.all([
        templates.discardDraft(change(1)),
        rivals[rival](),
      ]);
      const found = await templates.find('bank', 'receipt');
      const count = (await store.audit.list({ action: 'templates.discard', countMax: 9 })).length;
      if (rival === 'discard') {
        t.same([found.found, count], [false, 1], `${rival}: ${discarded}`);
      } else {
        const isDone = discarded === 'nothing';
        t.equal(found.found, !isDone, `${rival}: ${discarded}`);
        t.equal(Boolean(other), !isDone, rival);
        t.equal(count, isDone ? 1 : 0);
      }
    }
  });

  await t.test('whoever may no longer edit discards nothing', async (t) => {
    const store = await (await newPlace()).open(t);
    await setUp(store);
    await save(store, 1);
    await store.users.change('ann', { role: 'Viewer' });
    t.equal(await store.templates.discardDraft(change(1)), 'role_lost');
    t.match(await store.templates.find('bank', 'receipt'), { value: { draft: { hash: hash(1) } } });
  });
});
