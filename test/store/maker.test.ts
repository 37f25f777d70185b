import type { Store } from '../../src/store/store.ts';
import { overDialects } from './dialects.ts';
import { newAudit, newDocument } from './samples.ts';

/** Stores a document of `atMs` whose audit record is that of this principal and time. */
async function made(store: Store, atMs: number, principal: string, recordedAtMs = atMs) {
  const pdf = Buffer.from(`%PDF-1.7 ${principal} ${atMs}`);
  const audit = (id: string) => newAudit(id, { atMs: recordedAtMs, principal });
  return store.documents.add(newDocument(pdf, atMs), new Uint8Array(pdf), audit, null);
}

await overDialects('who made a document', async (t, newPlace) => {
  const store = await (await newPlace()).open(t);
  const atMs = Date.now();

  await t.test('is known among documents of the same millisecond', async (t) => {
    const principals = ['user:somchai', 'key:k1', 'user:สมหญิง'];
    const documents = await Promise.all(principals.map((who) => made(store, atMs, who)));
    for (const { documentId } of documents) {
      const read = { atMs, action: 'documents.download', principal: 'user:reader' };
      await store.audit.add(newAudit(documentId, read));
      await store.audit.add(newAudit(documentId, { atMs, outcome: 'failed', principal: 'key:k9' }));
    }
    const makers = await Promise.all(documents.map((one) => store.documents.makerOf(one)));
    t.strictSame(
      makers,
      principals.map((principal) => ({ principal, runId: '' })),
    );
  });

  await t.test('is not known when the record has another time or team', async (t) => {
    const late = await made(store, atMs, 'key:late', atMs + 5);
    t.equal(await store.documents.makerOf(late), null);
    const own = await made(store, atMs, 'key:k1');
    t.equal(await store.documents.makerOf({ ...own, teamId: 'rival' }), null);
  });
});
