import { appendFile, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Test } from 'tap';

import { backUpStore, openStore, restoreStore } from '../../src/store/open.ts';
import { digest } from '../../src/store/ids.ts';
import type { Store } from '../../src/store/store.ts';
import { type StorePlace, overDialects, temporaryFolder } from './dialects.ts';
import { addDocument, newAudit, readAll } from './samples.ts';

/** Backs up a store that is being written to, and compares what a restore gives back. */

const sha256 = (bytes: Uint8Array): string => digest(bytes).toString('hex');
const pdfOf = (name: string): Buffer => Buffer.from(`%PDF-1.7 ${name} %%EOF`);

interface Planted {
  readonly place: StorePlace;
  readonly settings: { readonly databaseUrl: string; readonly filesUrl: string };
  readonly store: Store;
  readonly apiKey: string;
  /** Text by document id. */
  readonly documents: Map<string, string>;
}

async function plant(t: Test, place: StorePlace): Promise<Planted> {
  const settings = { databaseUrl: place.databaseUrl, filesUrl: `file:${place.folder}/files` };
  const store = await openStore(settings);
  t.teardown(() => store.close());
  await store.migrate();
  await store.teams.add({ teamId: 'bank', name: 'ธนาคาร "ทดสอบ"\\' });
  const source = Buffer.from('{"templateId":"receipt"}');
  for (const templateId of ['receipt', 'statement']) {
    await store.templates.saveDraft('bank', templateId, 'Note', source);
  }
  const draft = await store.templates.draft('bank', 'receipt');
  if (!draft.found) throw new Error('the draft was not saved');
  await store.templates.publish('bank', 'receipt', draft.value.hash);
  const key = await store.keys.add({
    teamId: 'bank',
    name: 'caller',
    scopes: ['generate'],
    rateLimitPerMinute: null,
  });
  if (!key.ok) throw new Error(key.message);
  await store.audit.add(newAudit('', { mode: 'sync', sha256: sha256(pdfOf('sync')) }));
  const documents = new Map<string, string>();
  for (let count = 0; count < 40; count += 1) {
    const { documentId } = await addDocument(store, pdfOf(`planted ${count}`));
    documents.set(documentId, `planted ${count}`);
  }
  return { place, settings, store, apiKey: key.value.apiKey, documents };
}

/** Adds documents until it is stopped; then returns their number. */
function adding(store: Store): { readonly stop: () => Promise<number> } {
  const ending = new AbortController();
  const work = (async (): Promise<number> => {
    let count = 0;
    for (; !ending.signal.aborted; count += 1) await addDocument(store, pdfOf(`later ${count}`));
    return count;
  })();
  return {
    stop: async () => {
      ending.abort();
      return work;
    },
  };
}

async function freshSqlite(t: Test): Promise<Planted['settings'] & { readonly folder: string }> {
  const folder = await temporaryFolder(t);
  return {
    folder,
    databaseUrl: `sqlite:${join(folder, 'restored.db')}`,
    filesUrl: `file:${join(folder, 'files')}`,
  };
}

await overDialects('backup and restore', async (t, newPlace) => {
  await t.test('documents from before a backup are restored into either database', async (t) => {
    const { settings, store, apiKey, documents } = await plant(t, await newPlace());
    const folder = join(await temporaryFolder(t), 'backup');
    const writer = adding(store);
    const { manifest, lost } = await backUpStore(settings, folder);
    t.ok((await writer.stop()) > 0, 'documents were added meanwhile');
    t.strictSame(lost, []);
    t.ok(manifest.files >= documents.size);
    t.notOk(Object.keys(manifest.tables).includes('sessions'));

    const other = await newPlace();
    const targets = [
      await freshSqlite(t),
      { databaseUrl: other.databaseUrl, filesUrl: `file:${other.folder}/restored` },
    ];
    for (const target of targets) {
      const report = await restoreStore(target, folder);
      t.strictSame(report.missing, []);
      t.equal(report.files, manifest.files);
      const restored = await openStore(target);
      for (const [documentId, text] of documents) {
        const pdf = await readAll(restored, documentId);
        t.equal(sha256(pdf), sha256(pdfOf(text)));
      }
      t.equal((await restored.keys.find(apiKey)).state, 'valid');
      const teams = await restored.teams.list();
      t.strictSame(
        teams.map(({ name }) => name),
        ['ธนาคาร "ทดสอบ"\\'],
      );
      const version = await restored.templates.published('bank', 'receipt', 1);
      t.ok(version.found && Buffer.from(version.value.source).includes('receipt'));
      const issued = await restored.audit.findBySha256('bank', sha256(pdfOf('sync')), 10);
      t.equal(issued.length, 1, 'a sync answer is known by its digest');
      t.ok(
        (await addDocument(restored, pdfOf('new'))).documentId,
        'the restored store accepts new documents',
      );
      await restored.close();
    }
  });

  await t.test('damage and loss are named, and the rest is backed up', async (t) => {
    const { place, settings, documents } = await plant(t, await newPlace());
    const [damaged = '', missing = ''] = [...documents.keys()];
    await writeFile(await fileOf(place.folder, damaged), pdfOf('something else'));
    await rm(await fileOf(place.folder, missing));
    const folder = join(await temporaryFolder(t), 'backup');
    const { lost, manifest } = await backUpStore(settings, folder);
    t.strictSame(
      [...lost].toSorted((a, b) => a.fault.localeCompare(b.fault)),
      [
        { id: damaged, fault: 'damaged' },
        { id: missing, fault: 'missing' },
      ],
    );
    t.equal(manifest.files, documents.size - 2);
    const report = await restoreStore(await freshSqlite(t), folder);
    t.strictSame(new Set(report.missing), new Set([damaged, missing]));
  });

  await t.test('a backup that is not whole is refused, and nothing is restored', async (t) => {
    const { settings, documents } = await plant(t, await newPlace());
    const folder = join(await temporaryFolder(t), 'backup');
    await backUpStore(settings, folder);
    const target = await freshSqlite(t);
    const [first = ''] = [...documents.keys()];
    const stored = join(folder, 'files', first.slice(-2), `${first}.pdf`);
    const rows = join(folder, 'rows/audit.ndjson');
    const faults: readonly (readonly [string, RegExp])[] = [
      [stored, /is not the file that was stored/],
      [rows, /audit\.ndjson was changed or cut/],
      [join(folder, 'manifest.json'), /holds no complete backup/],
    ];
    for (const [path, message] of faults) {
      const content = await readFile(path);
      if (path.endsWith('.json')) await rm(path);
      else await appendFile(path, '\n[]');
      await t.rejects(restoreStore(target, folder), { message });
      await writeFile(path, content);
    }
    await truncate(rows, (await readFile(rows)).byteLength - 10);
    await t.rejects(restoreStore(target, folder), { message: /was changed or cut/ });
    await backUpStore(settings, join(folder, 'second'));
    await restoreStore(target, join(folder, 'second'));
    await t.rejects(restoreStore(target, join(folder, 'second')), { message: /is in use/ });
  });
});

async function fileOf(folder: string, documentId: string): Promise<string> {
  const names = await readdir(join(folder, 'files'), { recursive: true });
  const name = names.find((one) => one.endsWith(`${documentId}.pdf`));
  if (name === undefined) throw new Error(`no file of ${documentId}`);
  return join(folder, 'files', name);
}
