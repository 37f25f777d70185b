import { readdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Worker } from 'node:worker_threads';
import t, { type Test } from 'tap';
import { Database } from '../../src/store/database/database.ts';
import { CommitUnknown } from '../../src/store/database/database-fault.ts';
import { SqliteFile } from '../../src/store/database/sqlite-file.ts';
import { SqliteWriter } from '../../src/store/database/sqlite-writer.ts';
import { StorageUnavailable } from '../../src/store/store.ts';
import { temporaryFolder } from './dialects.ts';

const threads: Worker[] = [];
process.on('worker', (worker: Worker) => threads.push(worker));

/** Ends the newest thread as in a crash; resolves when it has ended. */
async function crash(): Promise<void> {
  await threads.at(-1)?.terminate();
}

const BUSY_MS = 60_000;

async function openDatabase(t: Test): Promise<{ database: Database; path: string }> {
  const path = join(await temporaryFolder(t), 'db');
  const database = new Database({
    url: `sqlite:${path}`,
    connectionsMax: 1,
    connectTimeoutMs: BUSY_MS,
    statementTimeoutMs: BUSY_MS,
    allowUnsafeCommits: false,
  });
  t.teardown(() => database.close());
  await database.migrate();
  return { database, path };
}

function teamsOf(path: string): readonly unknown[] {
  const file = new DatabaseSync(path, { readOnly: true, timeout: 60_000 });
  try {
    return file
      .prepare('select team_id from teams order by team_id')
      .all()
      .map(({ team_id: id }) => id);
  } finally {
    file.close();
  }
}

const rowOf = (name: string) => ({ team_id: name, name, active: 1, created_at_ms: 0 });

function team(name: string): { sql: string; parameters: readonly unknown[]; changes: number } {
  const sql = 'insert into teams (team_id, name, active, created_at_ms) values (?, ?, 1, 0)';
  return { sql, parameters: [name, name], changes: 1 };
}

await t.test('a transaction whose thread ended half way leaves nothing behind', async (t) => {
  const { database, path } = await openDatabase(t);
  const broken = database.transact(async (trx) => {
    await trx.insertInto('teams').values(rowOf('first')).execute();
    await crash();
    await trx.insertInto('teams').values(rowOf('second')).execute();
  });
  await t.rejects(broken, { name: 'StorageUnavailable' });
  t.same(teamsOf(path), []);
  await database.transact((trx) => trx.insertInto('teams').values(rowOf('third')).execute());
  await database.commit([team('fourth')]);
  t.same(teamsOf(path), ['fourth', 'third'], 'the next thread works');
});

await t.test('a commit whose thread ended is in doubt, but the next commit is not', async (t) => {
  const { database, path } = await openDatabase(t);
  const doubtful = database.commit([team('doubtful')]);
  await Promise.all([crash(), t.rejects(doubtful, CommitUnknown)]);
  await database.commit([team('sure')]);
  t.ok(teamsOf(path).includes('sure'));
});

await t.test('a thread that ends while its file is closed is not used again', async (t) => {
  for (let round = 0; round < 3; round++) {
    const { database } = await openDatabase(t);
    const closed = database.close();
    await Promise.all([crash(), closed]);
  }
  const { database, path } = await openDatabase(t);
  await database.commit([team('bank')]);
  t.same(teamsOf(path), ['bank']);
});

await t.test('closing twice has the effect of closing once', async (t) => {
  const path = join(await temporaryFolder(t), 'db');
  const writer = new SqliteWriter(path);
  await writer.acquire();
  await writer.run('select 1', []);
  writer.release();
  await Promise.all([writer.close(), writer.close()]);
  await writer.close();
  await t.rejects(writer.transact([team('late')]), StorageUnavailable);
});

await t.test('a file that is not a database leaks no descriptor', async (t) => {
  const path = join(await temporaryFolder(t), 'db');
  await writeFile(path, 'no database, but long enough to be looked at as one'.repeat(100));
  const before = readdirSync('/proc/self/fd').length;
  for (let n = 0; n < 20; n++) {
    t.throws(() => new SqliteFile({ path, readsOnly: false, busyTimeoutMs: 0 }));
  }
  t.equal(readdirSync('/proc/self/fd').length, before);
});
