import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import t, { type Test } from 'tap';
import type {
  DatabaseFinding,
  DatabaseScrubResult,
} from '../../src/store/database/checks/row-scrub.ts';
import { openStore } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { temporaryFolder } from './dialects.ts';
import { addDocument, newAudit } from './samples.ts';

const PDF = Buffer.from('%PDF-1.7 %%EOF');

async function open(t: Test, folder: string): Promise<Store> {
  const store = await openStore({
    databaseUrl: `sqlite:${join(folder, 'db')}`,
    filesUrl: `file:${join(folder, 'files')}`,
  });
  t.teardown(() => store.close());
  await store.migrate();
  return store;
}

/** Flips a bit of the byte at this offset in each place of the database that holds the text. */
function flip(folder: string, text: string, offset: number): void {
  const bytes = readFileSync(join(folder, 'db'));
  let found = 0;
  for (let at = bytes.indexOf(text); at !== -1; at = bytes.indexOf(text, at + 1)) {
    bytes[at + offset] = (bytes[at + offset] ?? 0) ^ 1;
    found += 1;
  }
  if (found === 0) throw new Error('the text is not in the file');
  writeFileSync(join(folder, 'db'), bytes);
}

async function scrub(
  store: Store,
  isAccepting = false,
): Promise<DatabaseScrubResult & { readonly findings: readonly DatabaseFinding[] }> {
  const findings: DatabaseFinding[] = [];
  const onFinding = (finding: DatabaseFinding): void => void findings.push(finding);
  return { ...(await store.scrubDatabase({ onFinding, isAccepting })), findings };
}

/** Runs statements as another program does. */
function execute(folder: string, statement: string): void {
  const other = new DatabaseSync(join(folder, 'db'), { timeout: 60_000 });
  other.exec(statement);
  other.close();
}

await t.test('a damaged row is neither read nor believed after a change', async (t) => {
  const folder = await temporaryFolder(t);
  const before = await open(t, folder);
  await before.teams.add({ teamId: 'bank', name: 'Bank' });
  const added = { teamId: 'bank', scopes: ['generate'], rateLimitPerMinute: null } as const;
  const key = await before.keys.add({ ...added, name: 'A key of a name' });
  if (!key.ok) return t.fail(key.message);
  const { apiKey, record } = key.value;
  t.match(await scrub(before), { damaged: 0, sealed: 0, findings: [] });
  await before.close();
  flip(folder, 'A key of a name', 2);
  const store = await open(t, folder);
  const damaged = { name: 'RowDamaged', message: /table api_keys .* damaged: .* restore/ };
  await t.rejects(store.keys.find(apiKey), damaged);
  t.strictSame(store.figures().damagedTables, ['api_keys']);
  const findings = [{ table: 'api_keys', row: '1', finding: 'damaged' }];
  t.match(await scrub(store), { damaged: 1, findings });
  await store.keys.revoke(record.keyId);
  await t.rejects(store.keys.find(apiKey), damaged, 'a change does not hide it');
  t.match(await scrub(store), { damaged: 1, findings });
  t.match(await scrub(store, true), { damaged: 0 });
  t.match(await store.keys.list('bank'), [{ name: 'A jey of a name' }]);
});

await t.test('the source of a template is compared with its hash', async (t) => {
  const folder = await temporaryFolder(t);
  const before = await open(t, folder);
  await before.templates.saveDraft('bank', 'note', 'Note', Buffer.from('{"source":"of a note"}'));
  const draft = await before.templates.draft('bank', 'note');
  await before.templates.publish('bank', 'note', draft.found ? draft.value.hash : '');
  await before.close();
  flip(folder, '{"source":"of a note"}', 12);
  const store = await open(t, folder);
  await t.rejects(store.templates.published('bank', 'note', null), { name: 'RowDamaged' });
  t.equal((await store.templates.history('bank', 'note')).length, 1, 'its row is as it was');
  t.match((await scrub(store)).findings, [{ table: 'template_versions', finding: 'damaged' }]);
});

await t.test('rows that another program writes are believed, and sealed by a scrub', async (t) => {
  const folder = await temporaryFolder(t);
  const store = await open(t, folder);
  await store.teams.add({ teamId: 'bank', name: 'Bank' });
  execute(folder, "update teams set name = 'other'");
  execute(folder, "insert into teams (team_id, name, active, created_at_ms) values ('x','X',1,1)");
  t.match(await store.teams.list(), [{ name: 'other' }, { name: 'X' }]);
  t.match(await scrub(store), { damaged: 0, sealed: 2 });
  t.match(await scrub(store), { damaged: 0, sealed: 0 });
  execute(folder, "drop trigger teams_unsealed; update teams set name = 'y' where team_id = 'x'");
  t.match((await scrub(store)).findings, [
    { database: 'the definition of a table, index or trigger changed' },
    { table: 'teams', row: '2' },
  ]);
});

await t.test('the queue of digests is compared with the audit', async (t) => {
  const folder = await temporaryFolder(t);
  const before = await open(t, folder);
  const digests = ['00', '0a', 'ff'].map((byte) => byte.repeat(32));
  for (const sha256 of digests) await before.audit.add(newAudit('', { mode: 'sync', sha256 }));
  t.match(await scrub(before), { damaged: 0, sealed: 0 });
  await before.close();
  flip(folder, '0A'.repeat(5), 3);
  const store = await open(t, folder);
  const find = (sha256: string) => store.audit.findBySha256('bank', sha256, 5);
  t.match((await scrub(store)).findings, [{ table: 'digest_queue', row: '2' }]);
  t.match(await scrub(store, true), { damaged: 0 });
  t.match(await scrub(store), { damaged: 0 });
  t.strictSame(
    (await Promise.all(digests.map(find))).map(({ length }) => length),
    [1, 0, 1],
  );
  await store.audit.add(newAudit('', { mode: 'sync', sha256: digests[1] ?? '' }));
  execute(folder, 'update digest_queue set seq = 7');
  t.match((await scrub(store)).findings, [{ table: 'digest_queue', row: '7' }]);
  t.match(await scrub(store, true), { damaged: 0 });
  t.equal((await find(digests[1] ?? '')).length, 1, 'the record after the damage');
});

await t.test('a damaged index is found although every row is intact', async (t) => {
  const folder = await temporaryFolder(t);
  const before = await open(t, folder);
  const { documentId } = await addDocument(before, PDF);
  await before.close();
  const database = new DatabaseSync(join(folder, 'db'), { timeout: 60_000 });
  const { rootpage } = database
    .prepare("select rootpage from sqlite_master where name = 'documents_team'")
    .get() as { rootpage: number };
  database.close();
  const bytes = readFileSync(join(folder, 'db'));
  const at = bytes.indexOf(documentId, (rootpage - 1) * 4_096) + 30;
  bytes[at] = (bytes[at] ?? 0) ^ 1;
  writeFileSync(join(folder, 'db'), bytes);
  const store = await open(t, folder);
  t.same(await store.checkDatabase(), [], 'its pages are whole');
  t.match((await scrub(store)).findings, [{ database: /documents_team/ }]);
});

await t.test('a damaged definition is not recorded as sound', async (t) => {
  const folder = await temporaryFolder(t);
  await (await open(t, folder)).close();
  const database = new DatabaseSync(join(folder, 'db'), { timeout: 60_000 });
  // One flipped bit: SQLite takes "Name" for the same column.
  database.exec(`pragma writable_schema = on;
    update sqlite_master set sql = replace(sql, '"name"', '"Name"')
    where type = 'table' and name = 'teams'`);
  database.close();
  const store = await open(t, folder);
  const finding = { database: 'the definition of a table, index or trigger changed' };
  t.match((await scrub(store)).findings, [finding]);
});

await t.test('a damaged page makes the service unready until a check passes', async (t) => {
  const folder = await temporaryFolder(t);
  const before = await open(t, folder);
  await before.teams.add({ teamId: 'bank', name: 'Bank' });
  await before.close();
  const database = new DatabaseSync(join(folder, 'db'), { timeout: 60_000 });
  const { rootpage } = database
    .prepare("select rootpage from sqlite_master where name = 'teams'")
    .get() as { rootpage: number };
  database.close();
  const sound = readFileSync(join(folder, 'db'));
  const torn = Buffer.from(sound);
  torn.fill(0x55, (rootpage - 1) * 4_096, (rootpage - 1) * 4_096 + 16);
  writeFileSync(join(folder, 'db'), torn);
  const store = await open(t, folder);
  await store.probe();
  await t.rejects(store.teams.list(), { name: 'DatabaseDamaged' });
  await pause(1_100); // A probe's result is kept for a second.
  await t.rejects(store.probe(), { message: /the file is damaged.*doctor.*restore a backup/ });
  t.not((await store.checkDatabase()).length, 0);
});
