import { digest } from '../../src/store/ids.ts';
import type { AuditRecord, DocumentPage } from '../../src/store/store.ts';
import { overDialects } from './dialects.ts';
import { addDocument, newAudit } from './samples.ts';

const PDF = Buffer.from('%PDF-1.7 %%EOF');
const HOUR = 3_600_000;

function source(n: number): Uint8Array {
  return Buffer.from(`{"n":${n}}`);
}

function hash(n: number): string {
  return digest(source(n)).toString('hex');
}

await overDialects('store of the browser application', async (t, newPlace) => {
  await t.test('a draft is replaced only if nobody changed it since it was read', async (t) => {
    const { templates } = await (await newPlace()).open(t);
    const save = (n: number, by: string, replaces?: string | null): Promise<boolean> =>
      templates.saveDraft('bank', 'receipt', 'Receipt', source(n), { by, replaces });
    t.equal(await save(1, 'user:a', hash(0)), false, 'there is none');
    const first = await Promise.all([1, 2, 3, 4].map((n) => save(n, `user:${n}`, null)));
    t.equal(first.filter(Boolean).length, 1, 'one of those that start a draft together');
    const started = first.indexOf(true) + 1;
    t.match(await templates.find('bank', 'receipt'), {
      value: { name: 'Receipt', draft: { hash: hash(started), savedBy: `user:${started}` } },
    });
    const racers = await Promise.all([5, 6, 7].map((n) => save(n, 'user:b', hash(started))));
    t.equal(racers.filter(Boolean).length, 1, 'one of those that change the same draft');
    const winner = hash(5 + racers.indexOf(true));
    t.match(await templates.draftHash('bank', 'receipt'), { value: { hash: winner } });
    t.equal(await save(8, 'user:c', 'not a hash'), false);
    t.ok(await templates.publish('bank', 'receipt', winner));
    t.match(await templates.find('bank', 'receipt'), { value: { latestVersion: 1, draft: null } });
    t.equal(await save(9, 'user:c', winner), false, 'published meanwhile');
    t.equal(await save(9, 'user:c', null), true, 'the next draft');
    const renaming = { by: 'user:c', replaces: hash(9) };
    t.ok(await templates.saveDraft('bank', 'receipt', 'Fees', source(10), renaming));
    t.match(await templates.find('bank', 'receipt'), {
      value: { name: 'Receipt', draft: { name: 'Fees' } },
    });
    t.match(await templates.find('other', 'receipt'), { found: false, why: 'foreign' });
    t.match(await templates.find('other', 'nothing'), { found: false, why: 'absent' });
  });

  await t.test('a draft, its fields and its record are saved together or not at all', async (t) => {
    const { templates, audit } = await (await newPlace()).open(t);
    const fields = Buffer.from('[{"name":"a"}]');
    const save = (n: number, replaces?: string | null): Promise<boolean> =>
      templates.saveDraft('bank', 'receipt', 'Receipt', source(n), {
        by: 'user:a',
        replaces,
        fields,
        audit: newAudit('', { teamId: 'bank', requestId: `save ${n}`, action: 'templates.draft' }),
      });
    const recorded = async (): Promise<string[]> =>
      (await audit.list({ teamId: 'bank', countMax: 10 })).map(({ requestId }) => requestId);
    t.equal(await save(1), true);
    t.equal(await save(2, hash(9)), false);
    t.same(await recorded(), ['save 1'], 'a refused draft leaves no record');
    t.equal(await templates.fields(hash(2)), null, 'nor fields');
    t.ok(fields.equals((await templates.fields(hash(1))) ?? Buffer.alloc(0)));
    t.equal(await save(1, hash(1)), true, 'the same again');
    t.not(await templates.fields(hash(1)), null);
    t.equal(await save(3), true, 'whatever is stored');
    t.equal(await templates.fields(hash(1)), null, 'fields go with their draft');
    t.same((await recorded()).toSorted(), ['save 1', 'save 3'], 'none for an unchanged draft');
    // Other records share their commit.
    const others = [1, 2, 3].map((n) =>
      audit.add(newAudit('', { teamId: 'bank', requestId: `other ${n}` })),
    );
    const racers = await Promise.all([7, 8, 9].map((n) => save(n, hash(3))));
    await Promise.all(others);
    t.equal(racers.filter(Boolean).length, 1, 'one of those that change the same draft');
    const now = await recorded();
    t.equal(now.length, 6, 'the refused ones leave no record, and the others keep theirs');
    t.ok(now.includes(`save ${7 + racers.indexOf(true)}`));
    const same = await Promise.all(
      [4, 5, 6].map((n) => templates.saveDraft('bank', 'new', 'New', source(n))),
    );
    t.same(same, [true, true, true], 'first savers without a condition');
  });

  await t.test('the record of a preview has the version that the draft would get', async (t) => {
    const { templates, audit } = await (await newPlace()).open(t);
    const save = async (n: number): Promise<unknown> => {
      const record = { requestId: `save ${n}`, version: null, mode: 'sync' } as const;
      const saving = {
        audit: newAudit('', { ...record, action: 'templates.draft', mode: '' }),
        preview: newAudit('', record),
      };
      await templates.saveDraft('bank', 'receipt', 'Receipt', source(n), saving);
      const records = await audit.list({ teamId: 'bank', countMax: 10 });
      const own = records.filter(({ requestId }) => requestId === `save ${n}`);
      return Object.fromEntries(own.map(({ action, version }) => [action, version]));
    };
    t.same(await save(1), { 'templates.draft': null, generate: 1 }, 'a new template');
    t.ok(await templates.publish('bank', 'receipt', hash(1)));
    t.same(await save(2), { 'templates.draft': null, generate: 2 });
    t.same(await save(3), { 'templates.draft': null, generate: 2 });
  });

  await t.test('a link works once, until it expires, and a user has at most five', async (t) => {
    const store = await (await newPlace()).open(t);
    const { signInLinks: links } = store;
    await store.teams.add({ teamId: 'bank', name: 'Bank' });
    await store.users.add({ userId: 'anong', teamId: 'bank', role: 'Admin' });
    t.match(await links.add('nobody', HOUR), { ok: false, code: 'not_found' });
    const add = async (expiresAtMs: number): Promise<string> => {
      const added = await links.add('anong', expiresAtMs);
      if (!added.ok) throw new Error(added.message);
      return added.value.token;
    };
    const token = await add(HOUR);
    const tries = await Promise.all([1, 2, 3].map(() => links.redeem(token, HOUR - 1)));
    t.strictSame(
      tries.filter((userId) => userId !== null),
      ['anong'],
    );
    t.equal(await links.redeem(token, HOUR - 1), null, 'used');
    t.equal(await links.redeem(await add(HOUR), HOUR), null, 'expired');
    for (const wrong of ['', 'x', 'x'.repeat(43)]) t.equal(await links.redeem(wrong, 1), null);
    const tokens: string[] = [];
    for (let n = 0; n < 7; n += 1) tokens.push(await add(HOUR + n));
    const open = await Promise.all(tokens.map((one) => links.redeem(one, 1)));
    t.strictSame(open, [null, null, ...Array.from({ length: 5 }, () => 'anong')]);
  });

  await t.test('documents of a team are paged, the youngest first', async (t) => {
    const store = await (await newPlace()).open(t);
    const ids: string[] = [];
    for (let n = 0; n < 7; n += 1) {
      const teamId = n === 3 ? 'other' : 'bank';
      const { documentId } = await addDocument(store, PDF, Date.now(), teamId);
      if (teamId === 'bank') ids.unshift(documentId);
    }
    const pages: DocumentPage[] = [];
    for (let after: string | undefined; ;) {
      const page = await store.documents.list({ teamId: 'bank', countMax: 4, after });
      pages.push(page);
      if (page.next === null) break;
      after = page.next;
    }
    t.strictSame(
      pages.flatMap(({ documents }) => documents.map((document) => document.documentId)),
      ids,
      'each once, in order, and none of another team',
    );
    const made = (templateId: string) =>
      store.documents.list({ teamId: 'bank', templateId, countMax: 10 });
    t.equal((await made('nothing')).documents.length, 0);
    const all = (await made('receipt')).documents;
    t.equal(all.length, 6);
    const at = all[2]?.createdAtMs ?? 0;
    const since = await store.documents.list({ teamId: 'bank', sinceMs: at + HOUR, countMax: 9 });
    t.strictSame(since, { documents: [], next: null });
    const until = await store.documents.list({ teamId: 'bank', untilMs: at - HOUR, countMax: 9 });
    t.strictSame(until, { documents: [], next: null });
  });

  await t.test('audit records are paged, the youngest first', async (t) => {
    const store = await (await newPlace()).open(t);
    for (let n = 0; n < 6; n += 1) {
      const outcome = n % 2 === 0 ? 'succeeded' : 'denied';
      await store.audit.add({ ...newAudit('', { outcome }), requestId: String(n) });
    }
    const { teamId } = newAudit();
    const found: AuditRecord[] = [];
    for (let after = ''; ;) {
      const from = after === '' ? {} : { after };
      const page = await store.audit.page({ teamId, outcome: 'denied', countMax: 2, ...from });
      found.push(...page.records);
      if (page.next === null) break;
      after = page.next;
    }
    t.strictSame(
      found.map(({ requestId }) => requestId),
      ['5', '3', '1'],
    );
    const foreign = await store.audit.page({ teamId: 'elsewhere', countMax: 5 });
    t.strictSame(foreign, { records: [], next: null });
  });
});
