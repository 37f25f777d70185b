import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import tap from 'tap';
import { openStore } from '../../src/store/open.ts';
import { FileMissing, type Store } from '../../src/store/store.ts';
import { digest, uuidv7 } from '../../src/store/ids.ts';
import { overDialects } from './dialects.ts';
import { addDocument, newAudit, newDocument, readAll } from './samples.ts';

const PDF = Buffer.from('%PDF-1.7 เอกสาร %%EOF');
const HOUR = 3_600_000;

function source(n: number): Uint8Array {
  return Buffer.from(`{"n":${n},"ภาษา":"ไทย"}`);
}

function hash(n: number): string {
  return digest(source(n)).toString('hex');
}

async function withBank(store: Store): Promise<void> {
  await store.teams.add({ teamId: 'bank', name: 'ธนาคารสยาม 🏦' });
  await store.teams.add({ teamId: 'other', name: 'Other' });
}

await overDialects('store', async (t, newPlace) => {
  await t.test('instances that start together migrate once', async (t) => {
    const place = await newPlace();
    const stores = await Promise.all([place.open(t), place.open(t), place.open(t)]);
    await Promise.all(stores.map((store) => store.migrate()));
    await stores[0]?.teams.add({ teamId: 'bank', name: 'Bank' });
    t.match(await stores[2]?.teams.list(), [{ teamId: 'bank', active: true }]);
  });

  await t.test('keys are found by their text alone, and only while they are valid', async (t) => {
    const store = await (await newPlace()).open(t);
    await withBank(store);
    const added = await store.keys.add({
      teamId: 'bank',
      name: 'batch',
      scopes: ['documents:read', 'generate'],
      rateLimitPerMinute: 10,
    });
    if (!added.ok) return t.fail(added.message);
    const { apiKey, record } = added.value;
    t.match(apiKey, /^ik_[\w-]{43}$/);
    t.strictSame(await store.keys.find(apiKey), { state: 'valid', record });
    t.strictSame(record.scopes, ['generate', 'documents:read']);
    for (const wrong of [`${apiKey} `, apiKey.toUpperCase(), apiKey.slice(0, -1), '', 'ik_', '0']) {
      t.strictSame(await store.keys.find(wrong), { state: 'unknown' }, 'not quite the key');
    }
    t.equal((await store.keys.list('bank')).length, 1);
    t.equal((await store.keys.list('other')).length, 0);
    t.equal(await store.keys.revoke(record.keyId), true);
    t.equal(await store.keys.revoke(record.keyId), false, 'only once');
    t.match(await store.keys.find(apiKey), { state: 'revoked', record: { keyId: record.keyId } });
    t.equal((await store.keys.list(null))[0]?.revokedAtMs !== null, true);
  });

  await t.test('invalid keys are refused', async (t) => {
    const store = await (await newPlace()).open(t);
    await withBank(store);
    const key = { teamId: 'bank', name: 'k', rateLimitPerMinute: null };
    t.match(await store.keys.add({ ...key, scopes: ['identity-sync', 'generate'] }), {
      ok: false,
      code: 'bad_request',
    });
    t.match(await store.keys.add({ ...key, scopes: [] }), { ok: false, code: 'bad_request' });
    t.match(await store.keys.add({ ...key, teamId: 'none', scopes: ['generate'] }), {
      ok: false,
      code: 'not_found',
    });
    t.match(await store.keys.add({ ...key, teamId: 'BANK', scopes: ['generate'] }), { ok: false });
    t.match(await store.keys.add({ ...key, scopes: ['generate'], rateLimitPerMinute: 0 }), {
      ok: false,
    });
    t.match(await store.keys.add({ ...key, scopes: ['identity-sync'] }), { ok: true });
  });

  await t.test('ids differ by case and accent; outer blanks are refused', async (t) => {
    const store = await (await newPlace()).open(t);
    for (const teamId of ['bank', 'Bank', 'bänk', 'ธนาคาร']) {
      t.match(await store.teams.add({ teamId, name: teamId }), { ok: true }, teamId);
    }
    for (const teamId of ['bank', 'bank ', ' bank', '', 'a\nb', 'x'.repeat(129), '\ud800']) {
      t.match(await store.teams.add({ teamId, name: 'n' }), { ok: false }, JSON.stringify(teamId));
    }
    t.equal((await store.teams.list()).length, 4);
  });

  await t.test('sessions end with their time, their user and their team', async (t) => {
    const store = await (await newPlace()).open(t);
    await withBank(store);
    await store.users.add({ userId: 'somchai', teamId: 'bank', role: 'Editor' });
    t.match(await store.sessions.add('nobody', 1), { ok: false, code: 'not_found' });
    const now = Date.now();
    const added = await store.sessions.add('somchai', now + 1000);
    if (!added.ok) return t.fail(added.message);
    const { token } = added.value;
    t.strictSame(await store.sessions.find(token, now), {
      userId: 'somchai',
      teamId: 'bank',
      role: 'Editor',
      expiresAtMs: now + 1000,
    });
    t.equal(await store.sessions.find(token, now + 1000), null, 'over');
    t.equal(await store.sessions.find(token.toLowerCase(), now), null, 'another token');
    await store.sessions.remove(token);
    t.equal(await store.sessions.find(token, now), null, 'removed');
  });

  await t.test('an identity sync creates, updates and deactivates teams and users', async (t) => {
    const store = await (await newPlace()).open(t);
    await withBank(store);
    const users = Array.from({ length: 50 }, (_, index) => ({
      userId: `u${index}`,
      teamId: index % 2 === 0 ? 'bank' : 'new',
      role: 'Viewer' as const,
      displayName: `ผู้ใช้ ${index}`,
      email: '',
      active: true,
    }));
    const list = { teams: [{ teamId: 'new', name: 'New', active: true }], users, full: false };
    t.match(await store.users.sync(list), {
      ok: true,
      value: { teams: { created: 1 }, users: { created: 50, unchanged: 0 } },
    });
    t.match(await store.users.sync(list), {
      ok: true,
      value: { teams: { unchanged: 1, updated: 0 }, users: { created: 0, unchanged: 50 } },
    });
    const session = await store.sessions.add('u1', Date.now() + HOUR);
    if (!session.ok) return t.fail(session.message);
    const promoted = users.slice(2).map((user) => ({ ...user, role: 'Admin' as const }));
    t.match(await store.users.sync({ ...list, users: promoted, full: true }), {
      ok: true,
      value: {
        teams: { unchanged: 1, deactivated: 2 },
        users: { updated: 48, deactivated: 2, unchanged: 0 },
      },
    });
    t.match(await store.users.find('u1'), { active: false });
    t.equal(await store.sessions.find(session.value.token, Date.now()), null, 'session ended');
    t.match(await store.users.sync({ ...list, users: [{ ...users[0], teamId: 'x' }] as never }), {
      ok: false,
      message: /users\[0\]\.teamId/,
    });
    t.match(await store.users.sync({ ...list, users: [{ ...users[0], role: 'x' }] as never }), {
      ok: false,
      message: /users\[0\]\.role/,
    });
  });

  await t.test('a template has one draft and fixed versions, in its team only', async (t) => {
    const store = await (await newPlace()).open(t);
    await store.templates.saveDraft('bank', 'receipt', 'ใบเสร็จ', source(1));
    t.match(await store.templates.draft('bank', 'receipt'), {
      found: true,
      value: { version: 1, status: 'draft', hash: hash(1) },
    });
    t.match(await store.templates.published('bank', 'receipt', null), { why: 'absent' });
    t.equal(await store.templates.publish('bank', 'receipt', hash(2)), null, 'another draft');
    await store.templates.saveDraft('bank', 'receipt', 'ใบเสร็จ', source(2));
    const racers = await Promise.all(
      Array.from({ length: 4 }, () => store.templates.publish('bank', 'receipt', hash(2))),
    );
    t.strictSame(
      racers.filter((racer) => racer !== null),
      [{ version: 1, contributors: [], note: '' }],
      'published once',
    );
    t.match(await store.templates.draft('bank', 'receipt'), { found: false, why: 'absent' });
    await store.templates.saveDraft('bank', 'receipt', 'ใบเสร็จ', source(3));
    t.match(await store.templates.draft('bank', 'receipt'), { value: { version: 2 } });
    t.match(await store.templates.publish('bank', 'receipt', hash(3)), { version: 2 });
    t.match(await store.templates.published('bank', 'receipt', 1), { value: { hash: hash(2) } });
    const latest = await store.templates.published('bank', 'receipt', null);
    t.match(latest, { value: { version: 2, status: 'published' } });
    t.ok(latest.found && Buffer.from(latest.value.source).equals(source(3)));
    t.match(await store.templates.published('bank', 'receipt', 3), { why: 'absent' });
    t.match(await store.templates.published('other', 'receipt', null), { why: 'foreign' });
    t.match(await store.templates.draft('other', 'receipt'), { why: 'foreign' });
    t.match(await store.templates.published('other', 'Receipt', null), { why: 'absent' });
    await store.templates.saveDraft('other', 'receipt', 'Theirs', source(9));
    t.match(await store.templates.published('other', 'receipt', null), { why: 'absent' });
    t.match(await store.templates.list('bank'), [
      { templateId: 'receipt', name: 'ใบเสร็จ', latestVersion: 2, hasDraft: false },
    ]);
  });

  await t.test('field descriptors are kept by the hash of their source', async (t) => {
    const store = await (await newPlace()).open(t);
    const fields = Buffer.from('[{"name":"ชื่อ"}]');
    await store.templates.saveDraft('bank', 'receipt', 'Receipt', source(1));
    t.match(await store.templates.draftHash('bank', 'receipt'), {
      value: { hash: hash(1), version: 1 },
    });
    t.match(await store.templates.draftHash('bank', 'other'), { found: false, why: 'absent' });
    t.match(await store.templates.draftHash('other', 'receipt'), { why: 'foreign' });
    t.equal(await store.templates.fields(hash(1)), null, 'not made yet');
    await Promise.all([1, 2].map(() => store.templates.keepFields(hash(1), fields)));
    t.ok(fields.equals((await store.templates.fields(hash(1))) ?? Buffer.alloc(0)));
    await store.templates.saveDraft('bank', 'receipt', 'Receipt', source(2));
    t.equal(await store.templates.fields(hash(1)), null, 'gone with their draft');
    await store.templates.keepFields(hash(2), fields);
    await store.templates.publish('bank', 'receipt', hash(2));
    await store.templates.saveDraft('bank', 'receipt', 'Receipt', source(3));
    t.ok((await store.templates.fields(hash(2))) !== null, 'a published version keeps them');
  });

  await t.test('a document is returned unchanged, to its own team only', async (t) => {
    const place = await newPlace();
    const store = await place.open(t);
    const now = Date.now();
    const added = await addDocument(store, PDF, now);
    t.match(
      added.documentId,
      /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
    t.strictSame(await store.documents.find('bank', added.documentId), {
      found: true,
      value: added,
    });
    t.match(await store.documents.find('other', added.documentId), {
      found: false,
      why: 'foreign',
    });
    t.match(await store.documents.find('bank', randomUUID()), { found: false, why: 'absent' });
    t.match(await store.documents.find('bank', `${added.documentId} `), { why: 'absent' });
    t.strictSame(await store.documents.findAny(added.documentId), added);
    t.strictSame(await store.documents.findBySha256('bank', added.sha256, 2), [added]);
    t.strictSame(await store.documents.findBySha256('other', added.sha256, 2), []);
    t.strictSame(await store.documents.findBySha256('bank', 'x', 2), []);
    t.ok(PDF.equals(await readAll(store, added.documentId)));
    const file = await store.documents.open(added, 'parts');
    t.equal(Buffer.from(await file.read(5, 3)).toString(), '1.7');
    t.equal((await file.read(PDF.length - 2, 100)).length, 2, 'to the end and not beyond');
    await file.close();
    t.match(await store.audit.list({ teamId: 'bank', countMax: 5 }), [
      { documentId: added.documentId, action: 'generate', outcome: 'succeeded' },
    ]);
    const folder = join(place.folder, 'files', added.documentId.slice(0, 5));
    t.equal((await stat(folder)).mode & 0o777, 0o700);
    const path = join(folder, added.documentId.slice(5, 8), `${added.documentId}.pdf`);
    t.equal((await stat(path)).mode & 0o777, 0o600);
  });

  await t.test('documents added together are all stored, each with its record', async (t) => {
    const store = await (await newPlace()).open(t);
    const pdfs = Array.from({ length: 200 }, (_, index) => Buffer.from(`%PDF ${index}`));
    const added = await Promise.all(pdfs.map((pdf) => addDocument(store, pdf)));
    t.equal(new Set(added.map((document) => document.documentId)).size, 200);
    for (const [index, document] of added.entries()) {
      const pdf = pdfs[index] ?? Buffer.alloc(0);
      if (!pdf.equals(await readAll(store, document.documentId))) t.fail('another file');
      if (document.sha256 !== digest(pdf).toString('hex')) t.fail('another digest');
    }
    t.equal((await store.audit.list({ teamId: 'bank', countMax: 1000 })).length, 200);
  });

  await t.test('a document the database refuses does not fail those beside it', async (t) => {
    const store = await (await newPlace()).open(t);
    const bad = { ...newDocument(PDF), version: 1.5e300 };
    const adds = [
      addDocument(store, PDF),
      store.documents.add({ ...bad, pages: Number.NaN }, PDF, (id) => newAudit(id), null),
      addDocument(store, PDF),
    ];
    const results = await Promise.allSettled(adds);
    t.strictSame(
      results.map((result) => result.status),
      ['fulfilled', 'rejected', 'fulfilled'],
    );
    t.equal((await store.audit.list({ countMax: 10 })).length, 2);
  });

  await t.test('an expired document loses its file and keeps its two records', async (t) => {
    const place = await newPlace();
    const store = await place.open(t);
    const now = Date.now();
    const old = await addDocument(store, PDF, now - 2 * HOUR);
    const young = await addDocument(store, PDF, now);
    t.equal(old.gone, true, 'past its expiry at once, before any sweep');
    t.equal(young.gone, false);
    await store.documents.expire(young.documentId, now);
    t.ok(PDF.equals(await readAll(store, young.documentId)), 'not due: untouched');
    await store.documents.expire(old.documentId, now);
    await t.rejects(store.documents.open(old, 'through'), FileMissing);
    await store.documents.expire(old.documentId, now);
    t.match(await store.documents.find('bank', old.documentId), { value: { gone: true } });
    t.strictSame(await store.documents.sweep(now + 2 * HOUR), { expired: 1, orphans: 0 });
    t.match(await store.documents.findAny(young.documentId), { gone: true });
    t.strictSame(await store.documents.sweep(now + 2 * HOUR), { expired: 0, orphans: 0 });
    t.equal((await store.audit.list({ countMax: 10 })).length, 2, 'audit stays');
    const uppers = await readdir(join(place.folder, 'files'));
    t.strictSame(
      uppers.filter((name) => !name.startsWith('.')),
      [],
      'empty folders go too',
    );
  });

  await t.test(
    'the sweep removes orphans and temporary files, never a file with a row',
    async (t) => {
      const place = await newPlace();
      const store = await place.open(t, { orphanGraceMs: 60_000 });
      const kept = await addDocument(store, PDF);
      const orphan = uuidv7(Date.now());
      const folder = join(
        place.folder,
        'files',
        kept.documentId.slice(0, 5),
        kept.documentId.slice(5, 8),
      );
      const { copyFile, mkdir, writeFile } = await import('node:fs/promises');
      const orphanFolder = join(place.folder, 'files', orphan.slice(0, 5), orphan.slice(5, 8));
      await mkdir(orphanFolder, { recursive: true });
      const orphanPath = join(orphanFolder, `${orphan}.pdf`);
      await copyFile(join(folder, `${kept.documentId}.pdf`), orphanPath);
      const temporary = join(orphanFolder, `.${uuidv7(Date.now())}.tmp`);
      await writeFile(join(orphanFolder, 'README'), 'not ours');
      await writeFile(temporary.replace(/\.[0-9a-f]{8}/, `.${orphan.slice(0, 8)}`), 'half');
      t.strictSame(
        await store.documents.sweep(Date.now()),
        { expired: 0, orphans: 0 },
        'too young',
      );
      const later = Date.now() + 120_000;
      t.strictSame(await store.documents.sweep(later), { expired: 0, orphans: 2 });
      t.equal(existsSync(orphanPath), false);
      t.equal(existsSync(join(orphanFolder, 'README')), true, 'unknown names are left alone');
      t.ok(PDF.equals(await readAll(store, kept.documentId)));
      t.equal(await store.documents.findAny(orphan), null, 'a swept id is absent');
      t.strictSame(await store.documents.sweep(later), { expired: 0, orphans: 0 });
    },
  );

  await t.test('two instances may sweep at the same time', async (t) => {
    const place = await newPlace();
    const one = await place.open(t);
    const two = await place.open(t);
    const now = Date.now();
    await Promise.all(Array.from({ length: 60 }, () => addDocument(one, PDF, now - 2 * HOUR)));
    const kept = await addDocument(two, PDF, now);
    const swept = await Promise.all([one.documents.sweep(now), two.documents.sweep(now)]);
    t.equal(
      swept.reduce((sum, result) => sum + result.expired, 0),
      60,
    );
    t.ok(PDF.equals(await readAll(one, kept.documentId)));
  });

  await t.test('a request with an Idempotency-Key runs once, even on two instances', async (t) => {
    const place = await newPlace();
    const one = await place.open(t);
    const two = await place.open(t);
    const now = Date.now();
    const claim = { teamId: 'bank', key: 'k'.repeat(255), bodyHash: 'a' };
    const claimants = Array.from({ length: 20 }, (_, index) => (index % 2 === 0 ? one : two));
    const states = await Promise.all(claimants.map((store) => store.idempotency.claim(claim, now)));
    t.equal(states.filter((state) => state.state === 'claimed').length, 1);
    t.equal(states.filter((state) => state.state === 'running').length, 19);
    t.match(await one.idempotency.claim({ ...claim, bodyHash: 'b' }, now), { state: 'conflict' });
    t.match(await one.idempotency.claim({ ...claim, teamId: 'other' }, now), { state: 'claimed' });
    const holder = claimants[states.findIndex((state) => state.state === 'claimed')] ?? one;
    const added = await holder.documents.add(newDocument(PDF), PDF, (id) => newAudit(id), claim);
    for (const store of [one, two]) {
      t.match(await store.idempotency.claim(claim, now), {
        state: 'done',
        documentId: added.documentId,
      });
    }
    t.match(await one.idempotency.claim({ ...claim, bodyHash: 'b' }, now), { state: 'conflict' });
    t.match(
      await one.idempotency.claim(claim, now + 24 * HOUR),
      { state: 'claimed' },
      'a day later',
    );
  });

  await t.test('a claim is free when it is released, or when its lease ends', async (t) => {
    const place = await newPlace();
    const one = await place.open(t);
    const two = await place.open(t);
    const now = Date.now();
    const claim = { teamId: 'bank', key: 'k', bodyHash: 'a' };
    t.match(await one.idempotency.claim(claim, now), { state: 'claimed' });
    await one.idempotency.release(claim);
    t.match(await two.idempotency.claim(claim, now), { state: 'claimed' });
    t.match(await one.idempotency.claim(claim, now + 1000), { state: 'running' });
    t.match(await one.idempotency.claim(claim, now + 60_000), { state: 'claimed' }, 'two is gone');
    // But `two` only slept: it must not add a second document.
    await t.rejects(two.documents.add(newDocument(PDF), PDF, (id) => newAudit(id), claim));
    const added = await one.documents.add(newDocument(PDF), PDF, (id) => newAudit(id), claim);
    t.equal((await one.audit.list({ countMax: 10 })).length, 1);
    t.match(await two.idempotency.claim(claim, now), { documentId: added.documentId });
  });

  await t.test('audit records page in the order of their time', async (t) => {
    const store = await (await newPlace()).open(t);
    const start = 1_800_000_000_000;
    for (let index = 0; index < 10; index += 1) {
      await store.audit.add(
        newAudit('', {
          atMs: start + index,
          outcome: index % 2 === 0 ? 'succeeded' : 'denied',
          requestId: `r${index}${'x'.repeat(300)}`,
          version: null,
          sha256: index === 3 ? 'ab'.repeat(32) : '',
        }),
      );
    }
    const first = await store.audit.list({ countMax: 4 });
    t.strictSame(
      first.map((record) => record.atMs - start),
      [0, 1, 2, 3],
    );
    t.equal(first[3]?.sha256, 'ab'.repeat(32));
    const next = await store.audit.list({ countMax: 100, after: first[3]?.auditId ?? '' });
    t.strictSame(
      next.map((record) => record.atMs - start),
      [4, 5, 6, 7, 8, 9],
    );
    t.equal((await store.audit.list({ countMax: 100, outcome: 'denied' })).length, 5);
    t.equal((await store.audit.list({ countMax: 100, teamId: 'other' })).length, 0);
    const newest = await store.audit.list({ countMax: 3, newestFirst: true });
    t.strictSame(
      newest.map((record) => record.atMs - start),
      [9, 8, 7],
    );
    const older = { countMax: 2, newestFirst: true, after: newest[2]?.auditId ?? '' };
    t.strictSame(
      (await store.audit.list(older)).map((record) => record.atMs - start),
      [6, 5],
    );
    for (const [filter, count] of [
      [{ principal: 'key:k1' }, 10],
      [{ principal: 'key:k2' }, 0],
      [{ templateId: 'receipt', action: 'generate' }, 10],
      [{ action: 'templates.publish' }, 0],
      [{ documentId: 'd' }, 0],
      [{ requestId: newest[0]?.requestId ?? '' }, 1],
    ] as const) {
      const found = await store.audit.list({ ...filter, countMax: 100 });
      t.equal(found.length, count, JSON.stringify(filter).slice(0, 40));
    }
    const range = { countMax: 100, sinceMs: start + 2, untilMs: start + 5 };
    t.strictSame(
      (await store.audit.list(range)).map((record) => record.atMs - start),
      [2, 3, 4],
    );
  });

  await t.test('setting the clock neither destroys nor revives a document', async (t) => {
    const place = await newPlace();
    let wall = Date.now();
    let monotonic = 0;
    const clock = { wallMs: () => wall, monotonicMs: () => monotonic };
    const store = await place.open(t, { clock });
    const document = await addDocument(store, PDF, wall);
    monotonic += 1000;
    wall += 1000 + HOUR;
    t.match(await store.documents.findAny(document.documentId), { gone: false }, 'set forward');
    await store.documents.expire(document.documentId, wall);
    t.strictSame(await store.documents.sweep(wall), { expired: 0, orphans: 0 });
    t.ok(PDF.equals(await readAll(store, document.documentId)));
    wall -= HOUR;
    t.match(await store.documents.findAny(document.documentId), { gone: false }, 'set right');
    monotonic += HOUR;
    wall += HOUR;
    t.match(await store.documents.findAny(document.documentId), { gone: true }, 'time passed');
    wall -= HOUR;
    t.match(await store.documents.findAny(document.documentId), { gone: true }, 'set back');
    wall += HOUR;
    t.strictSame(await store.documents.sweep(wall), { expired: 1, orphans: 0 });
  });

  await t.test('the probe resolves only if rows and files can be written', async (t) => {
    const place = await newPlace();
    const store = await place.open(t);
    await t.resolves(store.probe());
    const broken = await openStore({
      databaseUrl: place.databaseUrl,
      filesUrl: 'file:/dev/null/files',
    });
    await t.rejects(broken.probe(), { name: 'StorageUnavailable' });
    await t.rejects(addDocument(broken, PDF), { name: 'StorageUnavailable' });
    t.equal((await store.audit.list({ countMax: 10 })).length, 0, 'no row without its file');
    await broken.close();
  });
});

await tap.test('invalid addresses are refused', async (t) => {
  await t.rejects(openStore({ databaseUrl: 'mysql://root@127.0.0.1:1/x', filesUrl: 'file:/tmp' }), {
    name: 'StorageUnavailable',
  });
});
