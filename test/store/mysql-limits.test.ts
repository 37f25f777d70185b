import { setTimeout as delay } from 'node:timers/promises';
import { sql } from 'kysely';
import { createConnection, type Connection } from 'mysql2/promise';
import tap, { type Test } from 'tap';
import { Database } from '../../src/store/database/database.ts';
import { connectionOptions } from '../../src/store/database/mysql.ts';
import { openStore } from '../../src/store/open.ts';
import { StorageUnavailable, StoreBusy } from '../../src/store/store.ts';
import { temporaryFolder } from './dialects.ts';
import { startMariaDb, type MariaDb } from '../../lab/servers/mariadb.ts';

/** What reads may take. A busy machine takes a second for one that takes a millisecond elsewhere. */
const STATEMENT_MS = 3_000;

interface Opened {
  readonly database: Database;
  readonly warnings: string[];
}

function openDatabase(t: Test, url: string, connectionsMax = 4): Opened {
  const warnings: string[] = [];
  const database = new Database({
    url,
    connectionsMax,
    connectTimeoutMs: 60_000,
    statementTimeoutMs: STATEMENT_MS,
    progressMs: 500,
    allowUnsafeCommits: false,
    warn: (message) => warnings.push(message),
  });
  t.teardown(() => database.close());
  return { database, warnings };
}

async function administer(t: Test, url: string): Promise<Connection> {
  const connection = await createConnection(connectionOptions(url));
  t.teardown(() => connection.end());
  return connection;
}

function connectionId(database: Database): Promise<number> {
  return database.read(async (db) => {
    const { rows } = await sql<{ id: number }>`select connection_id() as id`.execute(db);
    return Number(rows[0]?.id);
  });
}

async function testMigration(t: Test, server: MariaDb): Promise<void> {
  const url = await server.freshUrl();
  const { database, warnings } = openDatabase(t, url);
  await database.migrate();
  const admin = await administer(t, url);
  await admin.query('delete from schema_version where version = 15');
  await admin.query('create index documents_expiry on documents (state, expires_at_ms)');
  await admin.query('drop index documents_due on documents');
  // A backup that reads the table keeps its definition from being changed.
  await admin.query('begin');
  await admin.query('select * from documents limit 1');
  const held = delay(STATEMENT_MS * 2.5).then(() => admin.query('rollback'));
  await t.resolves(database.migrate(), 'waits for longer than a statement of a request may take');
  await held;
  const [found] = await admin.query('show index from documents where key_name = "documents_due"');
  t.ok(Array.isArray(found) && found.length > 0, 'the index is there');
  t.match(warnings.join('\n'), /schema.* 15 /, 'the log says what is being done');
}

async function testFullQueue(t: Test, server: MariaDb): Promise<void> {
  const { database } = openDatabase(t, await server.freshUrl());
  await database.migrate();
  let isCrowded = true;
  const crowd = Promise.allSettled(
    Array.from({ length: 1_500 }, () =>
      database.read((db) => sql`select sleep(0.002)`.execute(db)),
    ),
  ).finally(() => {
    isCrowded = false;
  });
  await database.write((db) =>
    db.replaceInto('probes').values({ probe_id: 1, at_ms: 1 }).execute(),
  );
  t.ok(isCrowded, 'writes do not wait for the readers');
  const results = await crowd;
  const refused = results.flatMap((result) =>
    result.status === 'rejected' ? [result.reason] : [],
  );
  // Those beyond the queue, and on a slow machine those that wait in it for too long.
  t.ok(refused.length > 400 && refused.length < 1_500, `${refused.length} readers are refused`);
  t.ok(
    refused.every((reason) => reason instanceof StoreBusy),
    'as too many, not as an outage',
  );
  await t.resolves(connectionId(database), 'the next reader is served at once');
}

async function testSlowStatement(t: Test, server: MariaDb): Promise<void> {
  const { database } = openDatabase(t, await server.freshUrl());
  const slow = database.read((db) =>
    sql`set statement max_statement_time = 0 for select sleep(12)`.execute(db),
  );
  await t.rejects(slow, StorageUnavailable);
  for (let looks = 0; looks < 20; looks += 1) {
    await t.resolves(connectionId(database), 'others are served');
    await delay(10);
  }
}

/** The address of the database leads to the new primary; open connections stay with the old one. */
async function testReadOnly(t: Test, server: MariaDb): Promise<void> {
  const url = new URL(await server.freshUrl());
  const admin = await administer(t, url.href);
  const name = url.pathname.slice(1);
  await admin.query(`create user 'plain'@'%' identified by 'p'`);
  await admin.query(`grant all on ${name}.* to 'plain'@'%'`);
  t.teardown(() => admin.query(`drop user 'plain'@'%'`));
  url.username = 'plain';
  url.password = 'p';
  const { database } = openDatabase(t, url.href);
  await database.migrate();
  const write = (): Promise<unknown> =>
    database.write((db) => db.replaceInto('probes').values({ probe_id: 1, at_ms: 1 }).execute());
  await write();
  const before = await Promise.all([1, 2, 3, 4].map(() => connectionId(database)));
  await admin.query('set global read_only = 1');
  t.teardown(() => admin.query('set global read_only = 0'));
  await t.rejects(write(), StorageUnavailable);
  const after = await Promise.all([1, 2, 3, 4].map(() => connectionId(database)));
  t.notOk(
    after.some((id) => before.includes(id)),
    'every connection is made anew, readers too',
  );
}

async function testEngine(t: Test, server: MariaDb): Promise<void> {
  const url = await server.freshUrl();
  const admin = await administer(t, url);
  await admin.query('set global default_storage_engine = Aria');
  t.teardown(() => admin.query('set global default_storage_engine = InnoDB'));
  const { database } = openDatabase(t, url);
  await database.migrate();
  const [rows] = await admin.query(
    `select table_name as name from information_schema.tables
     where table_schema = database() and engine <> 'InnoDB'`,
  );
  t.strictSame(rows, [], 'every table is made with transactions');
  await admin.query('alter table probes engine = Aria');
  const filesUrl = `file:${await temporaryFolder(t)}`;
  await t.rejects(openStore({ databaseUrl: url, filesUrl }), {
    message: /engine = InnoDB.*probes/,
  });
}

async function testPacket(t: Test, server: MariaDb): Promise<void> {
  const url = await server.freshUrl();
  const admin = await administer(t, url);
  await admin.query('set global max_allowed_packet = 1048576');
  t.teardown(() => admin.query('set global max_allowed_packet = default'));
  const { database, warnings } = openDatabase(t, url);
  await database.migrate();
  await database.checkDurability();
  t.match(warnings.join('\n'), /max_allowed_packet is 1 MB.*16 MB/);
  const long = Buffer.alloc(2_000_000, 1);
  const write = database.write((db) => sql`select length(${long})`.execute(db));
  await t.rejects(write, { message: /max_allowed_packet/ }, 'said, and not tried again');
  await t.resolves(connectionId(database), 'and no outage');
}

await tap.test('limits of MySQL and MariaDB', async (t) => {
  const started = await startMariaDb();
  if (started.server === null) {
    t.comment(started.reason);
    return;
  }
  const { server } = started;
  t.teardown(() => server.stop());
  await t.test('a migration may take long', (t) => testMigration(t, server));
  await t.test('a full queue of readers stops nobody else', (t) => testFullQueue(t, server));
  await t.test('a statement that takes too long is no outage', (t) => testSlowStatement(t, server));
  await t.test('no connection stays with a read-only server', (t) => testReadOnly(t, server));
  await t.test('tables have transactions whatever the default', (t) => testEngine(t, server));
  await t.test('a packet limit that is too small is named', (t) => testPacket(t, server));
});
