import { LOOKUPS_MAX, type Store } from '../../src/store/store.ts';
import { digest, randomToken } from '../../src/store/ids.ts';
import { overDialects } from './dialects.ts';
import { addDocument, newAudit } from './samples.ts';

const PDF = Buffer.from('%PDF-1.7 เอกสาร %%EOF');

function source(n: number): Uint8Array {
  return Buffer.from(`{"n":${n},"ภาษา":"ไทย"}`);
}

function hash(n: number): string {
  return digest(source(n)).toString('hex');
}

/** A different digest for each `index`. */
function digestOf(index: number): string {
  return digest(`document ${index}`).toString('hex');
}

async function withBank(store: Store): Promise<void> {
  await store.teams.add({ teamId: 'bank', name: 'Bank' });
  await store.teams.add({ teamId: 'other', name: 'Other' });
}

await overDialects('lifecycle', async (t, newPlace) => {
  await t.test('a key ends with its expiry, and its use is recorded once a minute', async (t) => {
    let wall = Date.now();
    const clock = { wallMs: () => wall, monotonicMs: () => performance.now() };
    const store = await (await newPlace()).open(t, { clock });
    await withBank(store);
    const key = {
      teamId: 'bank',
      name: 'k',
      scopes: ['generate'],
      rateLimitPerMinute: null,
    } as const;
    t.match(await store.keys.add({ ...key, expiresAtMs: wall }), { code: 'bad_request' });
    const added = await store.keys.add({ ...key, expiresAtMs: wall + 1_000 });
    if (!added.ok) return t.fail(added.message);
    const { apiKey, record } = added.value;
    t.match(record, { expiresAtMs: wall + 1_000, lastUsedAtMs: null });
    t.match(await store.keys.find(apiKey), { state: 'valid' });
    const lastUsed = async (): Promise<unknown> => (await store.keys.list('bank'))[0]?.lastUsedAtMs;
    const start = wall;
    await store.keys.touch(record.keyId);
    t.equal(await lastUsed(), start);
    wall += 59_999;
    await store.keys.touch(record.keyId);
    t.equal(await lastUsed(), start, 'within the minute nothing is written');
    t.match(await store.keys.find(apiKey), { state: 'expired', record: { keyId: record.keyId } });
    wall += 1;
    await store.keys.touch(record.keyId);
    t.equal(await lastUsed(), start + 60_000);
    await store.keys.revoke(record.keyId);
    t.match(await store.keys.find(apiKey), { state: 'revoked' }, 'revoked outranks expired');
  });

  await t.test('many keys and sessions are looked up at once, in their order', async (t) => {
    const store = await (await newPlace()).open(t);
    await withBank(store);
    const key = { teamId: 'bank', name: 'k', scopes: ['generate'] as const };
    const added = await store.keys.add({ ...key, rateLimitPerMinute: null });
    const other = await store.keys.add({ ...key, rateLimitPerMinute: 7 });
    if (!added.ok || !other.ok) return t.fail('no keys');
    await store.keys.revoke(other.value.record.keyId);
    const strangers = Array.from({ length: 60 }, () => `ik_${randomToken()}`);
    const { apiKey } = added.value;
    const states = async (keys: readonly string[]): Promise<readonly string[]> =>
      (await store.keys.findAll(keys)).map(({ state }) => state);
    const unknown = strangers.map(() => 'unknown');
    t.strictSame(
      await states(['no key', ...strangers, apiKey, 'ik_short', other.value.apiKey, apiKey]),
      ['unknown', ...unknown, 'valid', 'unknown', 'revoked', 'valid'],
    );
    t.strictSame(await states(strangers.slice(0, LOOKUPS_MAX)), unknown);
    t.strictSame(await states([]), []);
    const user = {
      userId: 'u',
      teamId: 'bank',
      role: 'Viewer',
      displayName: '',
      email: '',
    } as const;
    await store.users.add(user);
    const session = await store.sessions.add('u', 2_000);
    if (!session.ok) return t.fail('no session');
    const { token } = session.value;
    const tokens = [randomToken(), token, 'no token', randomToken()];
    t.match(await store.sessions.findAll(tokens, 1_000), [null, { userId: 'u' }, null, null]);
    t.strictSame(await store.sessions.findAll(tokens, 2_000), [null, null, null, null], 'over');
  });

  await t.test('versions are listed, published again by a rollback, and withdrawn', async (t) => {
    const store = await (await newPlace()).open(t);
    const { templates } = store;
    for (const n of [1, 2]) {
      await templates.saveDraft('bank', 'receipt', 'R', source(n));
      await templates.publish('bank', 'receipt', hash(n), n === 1 ? '' : 'user:somchai');
    }
    await templates.saveDraft('bank', 'receipt', 'R', source(9));
    t.match(await templates.history('bank', 'receipt'), [
      { version: 2, hash: hash(2), publishedBy: 'user:somchai', unpublishedAtMs: null },
      { version: 1, hash: hash(1), publishedBy: '', bytes: source(1).length },
    ]);
    t.strictSame(await templates.history('other', 'receipt'), []);
    t.equal(await templates.rollBack('bank', 'receipt', 7, 'command:me'), null);
    const racers = await Promise.all(
      Array.from({ length: 3 }, () => templates.rollBack('bank', 'receipt', 1, 'command:me')),
    );
    t.strictSame(
      racers.map((racer) => racer?.version).toSorted((a = 0, b = 0) => a - b),
      [3, 4, 5],
      'each publishes a separate version',
    );
    t.match(await templates.published('bank', 'receipt', null), {
      value: { version: 5, hash: hash(1) },
    });
    t.match(await templates.draft('bank', 'receipt'), { value: { hash: hash(9) } }, 'kept');
    t.equal(await templates.unpublish('other', 'receipt', 5), false);
    t.equal(await templates.unpublish('bank', 'receipt', 5), true);
    t.equal(await templates.unpublish('bank', 'receipt', 5), false, 'only once');
    t.match(await templates.published('bank', 'receipt', 5), { found: false, why: 'absent' });
    t.match(await templates.published('bank', 'receipt', null), { value: { version: 4 } });
    t.match(await templates.list('bank'), [{ latestVersion: 4 }]);
    t.match(await templates.version('bank', 'receipt', 5), { hash: hash(1) }, 'still readable');
    for (const version of [1, 2, 3, 4]) await templates.unpublish('bank', 'receipt', version);
    t.match(await templates.published('bank', 'receipt', null), { found: false, why: 'absent' });
    t.match(await templates.list('bank'), [{ latestVersion: null }]);
    t.match(await templates.publish('bank', 'receipt', hash(9)), { version: 6 }, 'goes on');
  });

  await t.test('a rollback restores the name, whatever the draft is called', async (t) => {
    const { templates } = await (await newPlace()).open(t);
    const nameNow = async (): Promise<unknown> => {
      const found = await templates.find('bank', 'receipt');
      return found.found ? found.value.name : null;
    };
    for (const n of [1, 2]) {
      await templates.saveDraft('bank', 'receipt', `Receipt ${n}`, source(n));
      await templates.publish('bank', 'receipt', hash(n), '');
    }
    t.equal(await nameNow(), 'Receipt 2');
    t.match(await templates.rollBack('bank', 'receipt', 1, ''), { version: 3 });
    t.equal(await nameNow(), 'Receipt 1');
    t.match(await templates.rollBack('bank', 'receipt', 3, ''), { version: 4 });
    await templates.saveDraft('bank', 'receipt', 'Draft', source(9));
    t.equal(await nameNow(), 'Receipt 1');
    t.match(await templates.rollBack('bank', 'receipt', 2, ''), { version: 5 });
    t.equal(await nameNow(), 'Receipt 2');
    await templates.publish('bank', 'receipt', hash(9), '');
    t.equal(await nameNow(), 'Draft');
  });

  await t.test('a digest finds all documents and sync answers that have it', async (t) => {
    const store = await (await newPlace()).open(t);
    const now = Date.now();
    const first = await addDocument(store, PDF, now);
    const second = await addDocument(store, PDF, now + 1);
    await addDocument(store, PDF, now, 'other');
    const { sha256 } = first;
    t.strictSame(await store.documents.findBySha256('bank', sha256, 9), [first, second]);
    t.equal((await store.documents.findBySha256('bank', sha256, 1)).length, 1, 'bounded');
    t.strictSame(await store.audit.findBySha256('bank', sha256, 9), [], 'mode async is stored');
    const sync = { mode: 'sync', sha256 } as const;
    await store.audit.add(newAudit('', { ...sync, requestId: 'a', atMs: now }));
    await store.audit.add(newAudit('', { ...sync, requestId: 'b', atMs: now + 1 }));
    await store.audit.add(newAudit('', { ...sync, requestId: 'c', outcome: 'failed' }));
    await store.audit.add(newAudit('', { ...sync, requestId: 'd', teamId: 'other' }));
    const made = await store.audit.findBySha256('bank', sha256, 9);
    t.strictSame(
      made.map((record) => record.requestId),
      ['a', 'b'],
    );
    t.equal((await store.audit.findBySha256('bank', sha256, 1)).length, 1, 'bounded');
    t.strictSame(await store.audit.findBySha256('bank', 'x', 9), []);
    const again = { mode: 'sync', sha256: digestOf(-1) } as const;
    for (const draft of [true, true, true, false]) {
      await store.audit.add(newAudit('', { ...again, draft }));
    }
    const both = await store.audit.findBySha256('bank', again.sha256, 2);
    t.strictSame(
      both.map(({ draft }) => draft),
      [false, true, true],
      'records of drafts push none of versions out',
    );
  });

  await t.test('each of many digests finds its record', async (t) => {
    const store = await (await newPlace()).open(t);
    for (let start = 0; start < 9_000; start += 1_000) {
      const some = Array.from({ length: 1_000 }, (_, index) => start + index);
      await Promise.all(
        some.map((index) =>
          store.audit.add(
            newAudit('', { mode: 'sync', sha256: digestOf(index), requestId: String(index) }),
          ),
        ),
      );
    }
    // SQLite keeps the first two thirds in blocks; the last third still waits in the queue.
    for (const index of [0, 1, 4_094, 4_095, 4_096, 5_000, 8_191, 8_192, 8_999]) {
      const [found, ...others] = await store.audit.findBySha256('bank', digestOf(index), 9);
      t.match(found, { requestId: String(index), sha256: digestOf(index) });
      t.equal(others.length, 0);
    }
    t.strictSame(await store.audit.findBySha256('bank', digestOf(9_000), 9), []);
  });
});
