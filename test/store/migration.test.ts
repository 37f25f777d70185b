import { DatabaseSync } from 'node:sqlite';
import { createConnection } from 'mysql2/promise';
import { connectionOptions } from '../../src/store/database/mysql.ts';
import { type Bench, overDialects } from './dialects.ts';

/** Runs statements beside the store, as an administrator would. */
async function execute(bench: Bench, statements: readonly string[]): Promise<void> {
  if (bench.name === 'sqlite') {
    const database = new DatabaseSync(bench.databaseUrl.slice('sqlite:'.length));
    for (const statement of statements) database.exec(statement);
    database.close();
    return;
  }
  const connection = await createConnection(connectionOptions(bench.databaseUrl));
  for (const statement of statements) await connection.query(statement);
  await connection.end();
}

await overDialects('migration', async (t, bench) => {
  await t.test('rows of the first schema are kept, and get what came since', async (t) => {
    const place = await bench();
    const old = await place.open(t);
    await old.teams.add({ teamId: 'bank', name: 'Bank' });
    const key = { teamId: 'bank', name: 'k', scopes: ['generate'], rateLimitPerMinute: 5 } as const;
    const added = await old.keys.add(key);
    if (!added.ok) return t.fail(added.message);
    await old.templates.saveDraft('bank', 'note', 'Note', Buffer.from('{}'));
    const draft = await old.templates.draft('bank', 'note');
    await old.templates.publish('bank', 'note', draft.found ? draft.value.hash : '');
    await execute(place, [
      'alter table api_keys drop column expires_at_ms',
      'alter table api_keys drop column last_used_at_ms',
      'alter table template_versions drop column published_by',
      'alter table template_versions drop column unpublished_at_ms',
      place.name === 'sqlite' ? 'drop index audit_digest' : 'drop index audit_digest on audit',
      'delete from schema_version where version > 1',
    ]);
    const store = await place.open(t);
    t.match(await store.keys.find(added.value.apiKey), {
      state: 'valid',
      record: { rateLimitPerMinute: 5, expiresAtMs: null, lastUsedAtMs: null },
    });
    t.match(await store.templates.published('bank', 'note', null), { value: { version: 1 } });
    t.match(await store.templates.history('bank', 'note'), [{ version: 1, publishedBy: '' }]);
  });

  await t.test('a digest is found by its index', async (t) => {
    const place = await bench();
    await place.open(t);
    if (place.name !== 'sqlite') return;
    const database = new DatabaseSync(place.databaseUrl.slice('sqlite:'.length));
    t.teardown(() => database.close());
    const plan = database
      .prepare(
        "explain query plan select * from audit where substr(sha256, 1, 6) = ? and mode = 'sync'" +
          ' and sha256 = ? and team_id = ?',
      )
      .all(new Uint8Array(6), new Uint8Array(32), 'bank');
    t.match(JSON.stringify(plan), 'USING INDEX audit_digest');
  });

  await t.test('a migration that was cut short is done to its end', async (t) => {
    const place = await bench();
    await place.open(t);
    await execute(place, [
      'alter table template_versions drop column unpublished_at_ms',
      'delete from schema_version where version > 1',
    ]);
    const store = await place.open(t);
    t.strictSame(await store.templates.history('bank', 'note'), []);
  });
});
