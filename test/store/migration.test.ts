import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { createConnection } from 'mysql2/promise';
import { connectionOptions } from '../../src/store/database/mysql.ts';
import { type StorePlace, overDialects } from './dialects.ts';
import { newAudit } from './samples.ts';

/** Runs statements without the store, as an administrator would. */
async function execute(place: StorePlace, statements: readonly string[]): Promise<void> {
  if (place.name === 'sqlite') {
    const database = new DatabaseSync(place.databaseUrl.slice('sqlite:'.length), {
      timeout: 60_000,
    });
    for (const statement of statements) database.exec(statement);
    database.close();
    return;
  }
  const connection = await createConnection(connectionOptions(place.databaseUrl));
  for (const statement of statements) await connection.query(statement);
  await connection.end();
}

/** Statements that make a table of SQLite as versions without checks of rows left it. */
function withoutChecks({ name }: StorePlace, table: string): readonly string[] {
  if (name === 'mysql') return [];
  return [`drop trigger ${table}_unsealed`, `alter table ${table} drop column row_check`];
}

await overDialects('migration', async (t, newPlace) => {
  await t.test('rows of the first schema are kept, and get the columns added since', async (t) => {
    const place = await newPlace();
    const old = await place.open(t);
    await old.teams.add({ teamId: 'bank', name: 'Bank' });
    const key = { teamId: 'bank', name: 'k', scopes: ['generate'], rateLimitPerMinute: 5 } as const;
    const added = await old.keys.add(key);
    if (!added.ok) return t.fail(added.message);
    await old.templates.saveDraft('bank', 'note', 'Note', Buffer.from('{}'));
    const draft = await old.templates.draft('bank', 'note');
    await old.templates.publish('bank', 'note', draft.found ? draft.value.hash : '');
    await execute(place, [
      ...withoutChecks(place, 'api_keys'),
      ...withoutChecks(place, 'template_versions'),
      'alter table api_keys drop column expires_at_ms',
      'alter table api_keys drop column last_used_at_ms',
      'alter table template_versions drop column published_by',
      'alter table template_versions drop column unpublished_at_ms',
      ...(place.name === 'mysql' ? ['drop index audit_digest on audit'] : []),
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

  await t.test(
    'sync answers from before the schema changed are found by their digest',
    async (t) => {
      const place = await newPlace();
      const old = await place.open(t);
      const sha256 = 'ab'.repeat(32);
      const made = { mode: 'sync', outcome: 'succeeded', sha256 } as const;
      await old.audit.add(newAudit('', { ...made, requestId: 'before' }));
      await execute(
        place,
        place.name === 'sqlite'
          ? [
              'drop trigger digest_queued',
              'drop table digest_queue',
              'drop table digest_blocks',
              'delete from schema_version where version > 4',
            ]
          : ['delete from schema_version where version > 4'],
      );
      const store = await place.open(t);
      await store.audit.add(newAudit('', { ...made, requestId: 'after' }));
      const found = await store.audit.findBySha256('bank', sha256, 9);
      t.strictSame(
        found.map((record) => record.requestId),
        ['before', 'after'],
      );
    },
  );

  await t.test('audit records from before signers were recorded are kept, unsigned', async (t) => {
    const place = await newPlace();
    const old = await place.open(t);
    const signed = { signer: 'CN=Bank', certificateSerial: '0A1B' };
    await old.audit.add(newAudit('', { requestId: 'before', ...signed }));
    await execute(place, [
      ...withoutChecks(place, 'audit'),
      'alter table audit drop column signer',
      'alter table audit drop column certificate_serial',
      'delete from schema_version where version > 11',
    ]);
    const store = await place.open(t);
    await store.audit.add(newAudit('', { requestId: 'after', ...signed }));
    const unsigned = { signer: '', certificateSerial: '' };
    t.match(await store.audit.list({ countMax: 9 }), [
      { requestId: 'before', ...unsigned },
      { requestId: 'after', ...signed },
    ]);
  });

  await t.test(
    'the last editor of a draft from before this was recorded contributed',
    async (t) => {
      const place = await newPlace();
      const old = await place.open(t);
      await old.templates.saveDraft('bank', 'receipt', 'Receipt', Buffer.from('{}'), {
        by: 'user:a',
      });
      await old.templates.saveDraft('bank', 'note', 'Note', Buffer.from('{}'));
      await execute(place, [
        ...withoutChecks(place, 'audit'),
        'drop table draft_contributors',
        'alter table audit drop column contributors',
        'delete from schema_version where version > 18',
      ]);
      const { templates } = await place.open(t);
      t.match(await templates.find('bank', 'receipt'), {
        value: { draft: { contributors: ['user:a'] } },
      });
      t.match(await templates.find('bank', 'note'), { value: { draft: { contributors: [] } } });
    },
  );

  await t.test('an interrupted migration is completed', async (t) => {
    const place = await newPlace();
    await place.open(t);
    await execute(place, [
      'alter table template_versions drop column unpublished_at_ms',
      'delete from schema_version where version > 1',
    ]);
    const store = await place.open(t);
    t.strictSame(await store.templates.history('bank', 'note'), []);
  });

  await t.test('an instance waits for the migration of another', async (t) => {
    const place = await newPlace();
    if (place.name === 'sqlite') return t.pass('a transaction makes the others wait');
    const other = await createConnection(connectionOptions(place.databaseUrl));
    t.teardown(() => other.end());
    await other.query("select get_lock(concat(database(), 'intaglio_migrate'), 0)");
    // The lock is held for longer than a statement may take.
    const statementTimeoutMs = 1_000;
    const released = delay(1.5 * statementTimeoutMs).then(() =>
      other.query("select release_lock(concat(database(), 'intaglio_migrate'))"),
    );
    const store = await place.open(t, { statementTimeoutMs });
    await released;
    t.strictSame(await store.teams.list(), []);
  });
});
