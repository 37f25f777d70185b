import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import t from 'tap';
import { openStore } from '../../src/store/open.ts';
import { temporaryFolder } from './dialects.ts';
import { addDocument, newAudit } from './samples.ts';

const PDF = Buffer.from('%PDF-1.7 %%EOF');

await t.test('waiting for another process that writes does not block this one', async (t) => {
  const folder = await temporaryFolder(t);
  const path = join(folder, 'db');
  const store = await openStore({
    databaseUrl: `sqlite:${path}`,
    filesUrl: `file:${folder}/files`,
  });
  t.teardown(() => store.close());
  await store.migrate();
  t.equal((await stat(path)).mode & 0o777, 0o600);
  const other = new DatabaseSync(path, { timeout: 60_000 });
  other.exec('begin immediate');
  const adds = Promise.all([
    addDocument(store, PDF),
    store.audit.add(newAudit()),
    store.teams.add({ teamId: 'bank', name: 'Bank' }),
  ]);
  let hasAdded = false;
  void adds.then(() => (hasAdded = true));
  for (let turns = 0; turns < 20; turns += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    // Readers do not wait for a writer.
    t.equal((await store.teams.list()).length, 0);
  }
  t.notOk(hasAdded, 'the event loop turned while they waited');
  other.exec('commit');
  other.close();
  await adds;
  t.equal((await store.audit.list({ countMax: 10 })).length, 2);
});

await t.test('a database of a newer program is used, with a warning', async (t) => {
  const folder = await temporaryFolder(t);
  const said: string[] = [];
  const store = await openStore({
    databaseUrl: `sqlite:${folder}/db`,
    filesUrl: `file:${folder}/files`,
    warn: (message) => said.push(message),
  });
  t.teardown(() => store.close());
  await store.migrate();
  t.same(said, []);
  const newer = new DatabaseSync(join(folder, 'db'), { timeout: 60_000 });
  newer.exec('insert into schema_version (version) values (999)');
  newer.close();
  await store.migrate();
  t.match(said, [/the database has schema 999/]);
  t.same(await store.teams.list(), []);
});

await t.test('an impossible path of a database is refused', async (t) => {
  const settings = { databaseUrl: 'sqlite:/dev/null/x/db', filesUrl: 'file:/tmp' };
  await t.rejects(openStore(settings), { name: 'StorageUnavailable' });
});
