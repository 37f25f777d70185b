import { digest } from '../../src/store/ids.ts';
import type { NewAudit, Store } from '../../src/store/store.ts';
import { overDialects } from './dialects.ts';
import { newAudit } from './samples.ts';

function source(n: number): Uint8Array {
  return Buffer.from(`{"n":${n}}`);
}

function hash(n: number): string {
  return digest(source(n)).toString('hex');
}

function auditOf(action: string, by: string): NewAudit {
  return { ...newAudit(), teamId: 'bank', action, principal: by };
}

/** A store with a template in draft, and people of the bank. */
async function setUp(store: Store): Promise<void> {
  await store.teams.add({ teamId: 'bank', name: 'Bank' });
  for (const userId of ['ann', 'eve']) {
    await store.users.add({ userId, teamId: 'bank', role: 'Editor' });
  }
  for (const userId of ['ben', 'bob']) {
    await store.users.add({ userId, teamId: 'bank', role: 'Admin' });
  }
  await save(store, 1, 'user:ann');
}

function save({ templates }: Store, n: number, by: string): Promise<boolean> {
  return templates.saveDraft('bank', 'receipt', 'Receipt', source(n), { by });
}

function change(n: number, by: string, action = 'approvals.ask') {
  const names = { teamId: 'bank', templateId: 'receipt', draft: hash(n), by };
  return { ...names, audit: auditOf(action, by) };
}

const ask = ({ approvals }: Store, n: number, by: string, note = '') =>
  approvals.ask({ ...change(n, by), note });
const sendBack = ({ approvals }: Store, n: number, by: string, comment = 'No') =>
  approvals.sendBack({ ...change(n, by, 'approvals.send_back'), comment });
const publish = ({ templates }: Store, n: number, by: string) =>
  templates.publishByRules('bank', 'receipt', hash(n), by, { isOther: true, demandsAdmin: true });

/** Ids of the templates that wait for somebody. */
async function waiting({ approvals }: Store, waitingFor: string): Promise<readonly string[]> {
  const { items } = await approvals.page('bank', '', 50, { waitingFor });
  return items.map(({ templateId }) => templateId);
}

await overDialects('requests for approval', async (t, newPlace) => {
  await t.test('a request waits for Admins who did not write the draft', async (t) => {
    const store = await (await newPlace()).open(t);
    await setUp(store);
    const note = 'ที่อยู่ใหม่\n'.repeat(80);
    t.match(await ask(store, 1, 'user:ann', note), { ok: true, approval: { state: 'open', note } });
    t.same(await waiting(store, 'user:ben'), ['receipt']);
    t.same(await waiting(store, 'user:ann'), [], 'not for its author');
    t.match(await store.approvals.find('rival', 'receipt'), null);
    t.same((await store.approvals.page('rival', '', 50, { waitingFor: null })).items, []);
    await save(store, 2, 'user:ben');
    t.same(await waiting(store, 'user:bob'), [], 'a change of the draft ends the request');
    t.match(await store.approvals.find('bank', 'receipt'), { state: 'outdated', draft: hash(1) });
    t.match(await ask(store, 1, 'user:ann'), { ok: false, why: 'changed' });
    t.match(await ask(store, 2, 'user:ann', 'again'), { ok: true });
    t.same(await waiting(store, 'user:ben'), [], 'who contributed meanwhile may not decide');
    t.same(await waiting(store, 'user:bob'), ['receipt']);
    t.equal(await publish(store, 2, 'user:ben'), 'contributed');
    t.match(await publish(store, 2, 'user:bob'), { version: 1 });
    t.match(await store.templates.history('bank', 'receipt'), [
      { note: 'again', authors: ['user:ann', 'user:ben'], publishedBy: 'user:bob' },
    ]);
    t.same(await waiting(store, 'user:bob'), []);
    t.equal(await store.approvals.find('bank', 'receipt'), null, 'there is no draft any more');
    const records = await store.audit.list({ action: 'approvals.ask', countMax: 10 });
    t.match(records, [{ version: 1 }, { version: 1 }], 'one for each request that was made');
  });

  await t.test(
    'a draft that was sent back is not published before it is asked about again',
    async (t) => {
      const store = await (await newPlace()).open(t);
      await setUp(store);
      t.match(await sendBack(store, 1, 'user:ben'), { ok: false, why: 'absent' });
      await ask(store, 1, 'user:ann');
      t.match(await sendBack(store, 1, 'user:ann'), { ok: false, why: 'role_lost' }, 'an Editor');
      t.match(await sendBack(store, 1, 'user:ben', 'The postcode'), { ok: true });
      const found = { state: 'sent_back', decidedBy: 'user:ben', comment: 'The postcode' };
      t.match(await store.approvals.find('bank', 'receipt'), found);
      t.match(await sendBack(store, 1, 'user:ben', 'The postcode'), { ok: true }, 'the same again');
      t.match(await sendBack(store, 1, 'user:bob', 'Other'), { ok: false, why: 'decided' });
      t.equal(await publish(store, 1, 'user:bob'), 'sent_back');
      t.match(await ask(store, 1, 'user:eve', 'It is right'), { ok: true });
      t.match(await publish(store, 1, 'user:bob'), { version: 1 });
      t.match(await sendBack(store, 1, 'user:ben'), {
        why: 'decided',
        approval: { state: 'published', decidedBy: 'user:bob' },
      });
      await save(store, 2, 'user:ann');
      await ask(store, 2, 'user:ann');
      await sendBack(store, 2, 'user:ben');
      await save(store, 3, 'user:ann');
      t.match(
        await publish(store, 3, 'user:ben'),
        { version: 2 },
        'a changed draft is another one',
      );
      const records = await store.audit.list({ action: 'approvals.send_back', countMax: 10 });
      t.equal(records.length, 2, 'refusals and repetitions change nothing');
    },
  );

  await t.test('of decisions at once, one counts', async (t) => {
    const store = await (await newPlace()).open(t);
    await setUp(store);
    for (let n = 1; n <= 6; n += 1) {
      await save(store, n, 'user:ann');
      const asked = await Promise.all([
        ask(store, n, 'user:ann', 'one'),
        ask(store, n, 'user:eve', 'other'),
      ]);
      t.equal(asked.filter(({ ok }) => ok).length, 1, 'one request is open');
      const [sent, published] = await Promise.all([
        sendBack(store, n, 'user:ben'),
        publish(store, n, 'user:bob'),
      ]);
      if (sent.ok) t.equal(published, 'sent_back');
      else t.match([sent.why, published], ['decided', { version: Number }]);
    }
  });

  await t.test('a role that was taken away does not count any more', async (t) => {
    const store = await (await newPlace()).open(t);
    await setUp(store);
    await ask(store, 1, 'user:ann');
    await store.users.change('ben', { role: 'Viewer' });
    t.match(await sendBack(store, 1, 'user:ben'), { ok: false, why: 'role_lost' });
    t.equal(await publish(store, 1, 'user:ben'), 'role_lost');
    await store.users.change('bob', { active: false });
    t.equal(await publish(store, 1, 'user:bob'), 'role_lost');
    t.match(
      await store.approvals.find('bank', 'receipt'),
      { state: 'open' },
      'nothing was written',
    );
    t.match(await store.templates.find('bank', 'receipt'), { value: { latestVersion: null } });
    await store.users.change('ann', { role: 'Viewer' });
    const withdrawn = await store.approvals.withdraw(change(1, 'user:ann'));
    t.match(withdrawn, { ok: false, why: 'role_lost' });
    const foreign = await store.approvals.withdraw(change(1, 'user:eve'));
    t.match(foreign, { ok: false, why: 'foreign' });
    await store.users.change('ann', { role: 'Editor' });
    t.match(await store.approvals.withdraw(change(1, 'user:ann')), { ok: true });
    t.match(await store.approvals.withdraw(change(1, 'user:ann')), { ok: true }, 'twice');
    t.match(await sendBack(store, 1, 'user:ben'), { ok: false });
  });

  await t.test('the note of a version, and of a roll-back to it', async (t) => {
    const store = await (await newPlace()).open(t);
    await setUp(store);
    await ask(store, 1, 'user:ann', 'asked');
    const rules = { note: 'decided' };
    await store.templates.publishByRules('bank', 'receipt', hash(1), 'user:ben', rules);
    await store.templates.rollBack('bank', 'receipt', 1, 'user:bob', 'again');
    t.match(await store.templates.history('bank', 'receipt'), [
      { version: 2, note: 'again', authors: ['user:ann'], publishedBy: 'user:bob' },
      { version: 1, note: 'decided', authors: ['user:ann'], publishedBy: 'user:ben' },
    ]);
  });

  await t.test('the list has pages', async (t) => {
    const store = await (await newPlace()).open(t);
    await setUp(store);
    for (const templateId of ['a', 'b', 'c']) {
      await store.templates.saveDraft('bank', templateId, 'N', source(1), { by: 'user:ann' });
      await store.approvals.ask({ ...change(1, 'user:ann'), templateId, note: '' });
    }
    const seen: string[] = [];
    for (let next: string | null = ''; next !== null;) {
      const page = await store.approvals.page('bank', next, 2, { waitingFor: 'user:ben' });
      seen.push(...page.items.map(({ templateId }) => templateId));
      ({ next } = page);
    }
    t.same(seen, ['a', 'b', 'c']);
  });
});
