import { cpSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import t, { type Test } from 'tap';

import { environment, intaglio } from '../../lab/service/command-line.ts';
import { folderOf } from '../../test/fixtures/note.ts';
import { addDocument, readAll } from '../../test/store/samples.ts';
import { uuidv7 } from '../store/ids.ts';
import { backUpStore, openFiles, openStore, type StoreSettings } from '../store/open.ts';
import type { Store } from '../store/store.ts';

/** What an operator can confirm: refused without the option, done with it, and in the audit. */

const PDF = Buffer.from('%PDF-1.7 %%EOF');
const KEY = 'a key of the audit of thirty-two bytes or more';
/** Older than the grace of files without a row. */
const EARLIER_MS = 3_600_000;

type Environment = Readonly<Record<string, string>>;

function settingsOf(env: Environment): StoreSettings {
  return {
    databaseUrl: env['INTAGLIO_DATABASE_URL'] ?? '',
    filesUrl: env['INTAGLIO_FILES_URL'] ?? '',
    auditKey: env['INTAGLIO_AUDIT_KEY'] ?? '',
    // Every file is old enough.
    orphanGraceMs: -60_000,
  };
}

async function withStore<T>(env: Environment, use: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(settingsOf(env));
  try {
    await store.migrate();
    return await use(store);
  } finally {
    await store.close();
  }
}

/** Adds documents; returns the id of the last one. */
async function addDocuments(env: Environment, count: number): Promise<string> {
  return withStore(env, async (store) => {
    await store.teams.add({ teamId: 'bank', name: 'Bank' });
    let last = '';
    for (let added = 0; added < count; added += 1) {
      last = (await addDocument(store, PDF)).documentId;
    }
    await store.documents.sweep(Date.now());
    return last;
  });
}

/** The records that commands left in the audit. */
async function recorded(env: Environment): Promise<readonly string[]> {
  const records = await withStore(env, (store) => store.audit.list({ countMax: 100 }));
  return records
    .filter(({ principal }) => principal.startsWith('command:'))
    .map(({ action, detail }) => `${action}: ${detail}`);
}

async function ends(
  t: Test,
  env: Environment,
  words: readonly string[],
  expected: { readonly code: number; readonly out?: RegExp; readonly err?: RegExp },
): Promise<void> {
  t.match(await intaglio(env, ...words), expected, words.join(' '));
}

/** The record of a restore without INTAGLIO_AUDIT_KEY. */
const RESTORED =
  /^backup\.restore: the backup of [\d-]{10}T[\d:.]{12}Z was restored; it has no seal$/;

/** When a backup was made. */
function createdAtOf(backup: string): string {
  const manifest = JSON.parse(readFileSync(`${backup}/manifest.json`, 'utf8')) as unknown;
  return (manifest as { createdAt: string }).createdAt;
}

t.test('files of lost rows stay until sweep --accept-older-database', async (t) => {
  const folder = folderOf(t);
  const env = environment(folder);
  await addDocuments(env, 1);
  cpSync(`${folder}/intaglio.db`, `${folder}/older.db`);
  const lost = await addDocuments(env, 1);
  const older = { ...env, INTAGLIO_DATABASE_URL: `sqlite:${folder}/older.db` };
  const files = openFiles(settingsOf(env));
  t.teardown(() => files.close());
  setAge(`${folder}/files`, lost);
  await ends(t, older, ['sweep'], { code: 0, out: /0 orphan files/, err: /older than its files/ });
  await (await files.open(lost)).close();
  t.strictSame(await recorded(older), []);
  await ends(t, older, ['sweep', '--accept-older-database'], { code: 0, out: / 1 orphan files/ });
  await t.rejects(files.open(lost), { name: 'FileMissing' });
  t.strictSame(await recorded(older), [
    'files.sweep: rows that are newer than the database are lost',
  ]);
});

t.test('many files without a row stay until sweep --accept-orphans', async (t) => {
  const folder = folderOf(t);
  const env = environment(folder);
  const kept = await addDocuments(env, 1);
  const files = openFiles(settingsOf(env));
  t.teardown(() => files.close());
  for (let count = 0; count < 101; count += 1) {
    const id = uuidv7(Date.now() - EARLIER_MS);
    await files.put(id, Buffer.from(PDF));
    setAge(`${folder}/files`, id);
  }
  const refused = /101 of 102 files have no row .*--accept-orphans/;
  await ends(t, env, ['sweep'], { code: 0, out: / 0 orphan files/, err: refused });
  t.strictSame(await recorded(env), []);
  await ends(t, env, ['sweep', '--accept-orphans'], {
    code: 0,
    out: / 101 orphan files/,
    err: /^$/,
  });
  t.strictSame(await recorded(env), ['files.sweep: all files without a row are removed']);
  await withStore(env, async (store) => t.ok(PDF.equals(await readAll(store, kept))));
});

t.test('a restore beside the files of a lost database demands --accept-files', async (t) => {
  const folder = folderOf(t);
  const env = environment(folder);
  const documentId = await addDocuments(env, 1);
  await backUpStore(settingsOf(env), `${folder}/backup`);
  const fresh = { ...env, INTAGLIO_DATABASE_URL: `sqlite:${folder}/fresh.db` };
  const restore = ['restore', `${folder}/backup`];
  await ends(t, fresh, restore, { code: 1, err: /belong to another database.*--accept-files/ });
  await withStore(env, async (store) => t.ok(PDF.equals(await readAll(store, documentId))));
  await ends(t, fresh, [...restore, '--accept-files'], { code: 0, out: /1 file\.\n/ });
  await withStore(fresh, async (store) => {
    t.ok(PDF.equals(await readAll(store, documentId)));
    const id = await store.databaseId();
    t.match(await recorded(fresh), [
      RESTORED,
      `files.accept: the files belong to this database, ${id}`,
    ]);
  });
  await ends(t, env, ['sweep'], { code: 1, err: /belong to another database/ });
});

t.test('a restore of a backup without its seal demands --accept-unsealed', async (t) => {
  const folder = folderOf(t);
  const env = environment(folder, { INTAGLIO_AUDIT_KEY: KEY });
  await addDocuments(env, 1);
  const backup = `${folder}/backup`;
  await ends(t, env, ['backup', backup], { code: 0, out: /It is sealed with INTAGLIO_AUDIT_KEY/ });
  const freshIn = (name: string): Environment => ({
    ...env,
    INTAGLIO_DATABASE_URL: `sqlite:${folder}/${name}.db`,
    INTAGLIO_FILES_URL: `file:${folder}/${name}`,
  });
  await ends(t, freshIn('sealed'), ['restore', backup], { code: 0, out: /^Restored[^\n]*\n$/ });
  t.strictSame(await recorded(freshIn('sealed')), [
    `backup.restore: the backup of ${createdAtOf(backup)} was restored; its seal was compared`,
  ]);

  const other = { ...freshIn('other'), INTAGLIO_AUDIT_KEY: KEY.toUpperCase() };
  const refused =
    /^intaglio: nothing shows that the backup is as it was written: .*--accept-unsealed\n$/;
  await ends(t, other, ['restore', backup], { code: 1, err: refused });
  const accepted = /\nIts seal was not compared: --accept-unsealed vouched for it\.\n/;
  await ends(t, other, ['restore', backup, '--accept-unsealed'], { code: 0, out: accepted });
  t.match(await recorded(other), [
    /^backup\.restore: .*; its seal was not compared$/,
    /^backup\.accept: the backup of .* was restored without a seal/,
  ]);
});

t.test('damaged rows stay damaged until scrub --accept-rows', async (t) => {
  const folder = folderOf(t);
  const env = environment(folder);
  await withStore(env, (store) => store.teams.add({ teamId: 'bank', name: 'The name of a team' }));
  flipIn(`${folder}/intaglio.db`, 'The name of a team');
  const damaged = { code: 1, out: /row 1 of table teams damaged\n(?:.*\n)*.* 1 defect\./ };
  await ends(t, env, ['scrub'], damaged);
  await ends(t, env, ['scrub'], damaged);
  await ends(t, env, ['teams', 'list'], { code: 1, err: /table teams .*damaged/ });
  t.strictSame(await recorded(env), [], 'looking leaves no record');
  await ends(t, env, ['scrub', '--accept-rows'], { code: 0, out: / 0 defects/ });
  const kept = 'rows.accept: damaged rows kept as they are: teams 1; 0 defects left';
  t.strictSame(await recorded(env), [kept]);
  await ends(t, env, ['scrub'], { code: 0, out: / 0 defects/ });
  await ends(t, env, ['teams', 'list'], { code: 0, out: /The name og a team/ });
});

/** Changes one letter of a text in an SQLite file, in each copy of it. */
function flipIn(path: string, text: string): void {
  const database = new DatabaseSync(path, { timeout: 60_000 });
  database.exec('pragma wal_checkpoint(truncate)');
  database.close();
  const bytes = readFileSync(path);
  let at = bytes.indexOf(text);
  if (at === -1) throw new Error('the text is not in the file');
  for (; at !== -1; at = bytes.indexOf(text, at + 1)) {
    const letter = at + text.indexOf('of') + 1;
    bytes[letter] = (bytes[letter] ?? 0) ^ 1;
  }
  writeFileSync(path, bytes);
}

/** Makes a file older than the grace of files without a row. */
function setAge(folder: string, id: string): void {
  const name = readdirSync(folder, { recursive: true, encoding: 'utf8' }).find((one) =>
    one.includes(id),
  );
  if (name === undefined) throw new Error(`no file of ${id}`);
  const seconds = (Date.now() - EARLIER_MS) / 1_000;
  utimesSync(join(folder, name), seconds, seconds);
}
