import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Database } from '../../src/store/database/database.ts';
import { type DocumentRecord, FileDamaged, type Store } from '../../src/store/store.ts';
import { overDialects } from './dialects.ts';
import { newAudit, newDocument } from './samples.ts';

const TRUE_PDF = Buffer.from('%PDF-1.7 pay 100 %%EOF');
const FALSE_PDF = Buffer.from('%PDF-1.7 pay 900 %%EOF');
const QUICK = { bytesPerSecond: 1e9, onFinding: () => undefined };

const WAIT_MS = 60_000;

const digestOf = (pdf: Buffer): string => createHash('sha256').update(pdf).digest('hex');

/** Adds a document as a request does: its audit record has its digest. */
function addDocument(store: Store, pdf: Buffer): Promise<DocumentRecord> {
  const audit = (id: string) => newAudit(id, { sha256: digestOf(pdf) });
  return store.documents.add(newDocument(pdf), new Uint8Array(pdf), audit, null);
}

await overDialects('documents and their audit records', async (t, newPlace) => {
  await t.test('a file that was changed with its row is found by the audit', async (t) => {
    const place = await newPlace();
    const store = await place.open(t);
    // Somebody with the database makes the check of a row, too.
    const database = new Database({
      url: place.databaseUrl,
      connectionsMax: 1,
      connectTimeoutMs: WAIT_MS,
      statementTimeoutMs: WAIT_MS,
      allowUnsafeCommits: false,
    });
    t.teardown(() => database.close());
    await database.migrate();
    const { documentId, teamId } = await addDocument(store, TRUE_PDF);
    // More records than one query reads.
    await Promise.all(Array.from({ length: 510 }, () => addDocument(store, TRUE_PDF)));
    const compare = async (): Promise<readonly string[]> => {
      const altered: string[] = [];
      t.match(await store.documents.compareWithAudit((id) => altered.push(id)), { compared: 511 });
      return altered;
    };
    t.strictSame(await compare(), []);

    const shard = [documentId.slice(0, 5), documentId.slice(5, 8)];
    const path = join(place.folder, 'files', ...shard, `${documentId}.pdf`);
    const change = async (pdf: Buffer): Promise<void> => {
      await writeFile(path, pdf);
      const digest = digestOf(pdf);
      await database.write((db) =>
        db
          .updateTable('documents')
          .set({ sha256: Buffer.from(digest, 'hex') })
          .where('document_id', '=', documentId)
          .execute(),
      );
    };
    await change(FALSE_PDF);
    t.match(await store.documents.scrub(QUICK), { damaged: 0 }, 'file and row agree');
    t.equal((await store.documents.findBySha256(teamId, digestOf(FALSE_PDF), 9)).length, 1);
    t.strictSame(await compare(), [documentId]);
    const found = await store.documents.findAny(documentId);
    t.match(found, { damaged: true });
    if (found !== null) await t.rejects(store.documents.open(found, 'through'), FileDamaged);
    t.equal(store.figures().damagedDocuments, 1);
    await store.documents.sweep(Date.now());
    t.equal(store.figures().damagedDocuments, 1);
    t.strictSame(await store.documents.findBySha256(teamId, digestOf(FALSE_PDF), 9), []);
    t.match(await store.documents.scrub(QUICK), { damaged: 0 });
    t.match(
      await store.documents.findAny(documentId),
      { damaged: true },
      'its file alone is no proof',
    );

    await change(TRUE_PDF);
    t.strictSame(await compare(), []);
    t.match(await store.documents.findAny(documentId), { damaged: false });
  });
});
