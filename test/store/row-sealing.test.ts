import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import t, { type Test } from 'tap';
import { Database } from '../../src/store/database/database.ts';
import { openStore } from '../../src/store/open.ts';
import { StorageUnavailable } from '../../src/store/store.ts';
import { temporaryFolder } from './dialects.ts';

/** Rows that take more than a few short transactions. */
const ROWS = 40_000;

interface Scene {
  readonly path: string;
  /** Another program's connection. */
  readonly other: DatabaseSync;
  /** Rows that have a check, as others see it. */
  readonly sealed: () => number;
}

/** A file with an audit as a version without checks of rows left it. */
async function oldFile(t: Test): Promise<Scene> {
  const path = join(await temporaryFolder(t), 'db');
  const database = open(path);
  await database.migrate();
  await database.close();
  const other = new DatabaseSync(path, { timeout: 60_000 });
  t.teardown(() => other.close());
  for (const { name } of other
    .prepare("select name from sqlite_master where type = 'table' and name not like 'sqlite_%'")
    .all()) {
    other.exec(`drop trigger ${String(name)}_unsealed`);
    other.exec(`alter table ${String(name)} drop column row_check`);
  }
  other.exec('pragma user_version = 0');
  addRecords(other);
  const sealed = (): number => {
    const columns = other.prepare(
      "select 1 from pragma_table_info('audit') where name = 'row_check'",
    );
    if (columns.get() === undefined) return 0;
    return Number(other.prepare('select count(row_check) as c from audit').get()?.['c']);
  };
  return { path, other, sealed };
}

function addRecords(database: DatabaseSync): void {
  database.exec(`
    with recursive s(n) as (select 1 union all select n + 1 from s where n < ${ROWS})
    insert into audit (audit_id, at_ms, request_id, team_id, principal, action, outcome, code,
      template_id, document_id, mode)
    select printf('%036d', n), n, 'r', 'bank', 'key:k', 'generate', 'succeeded', '', 't', '', 'sync'
    from s`);
}

function open(path: string): Database {
  return new Database({
    url: `sqlite:${path}`,
    connectionsMax: 2,
    connectTimeoutMs: 60_000,
    statementTimeoutMs: 60_000,
    allowUnsafeCommits: false,
  });
}

/** Resolves when `isSo` holds between two steps of the work, or when the work has ended. */
async function between(isSo: () => boolean, work: Promise<unknown>): Promise<boolean> {
  const state = { hasEnded: false };
  const end = (): void => void (state.hasEnded = true);
  work.then(end, end);
  while (!state.hasEnded) {
    if (isSo()) return true;
    await new Promise((resolve) => setImmediate(resolve));
  }
  return false;
}

await t.test(
  'others write while old rows get their checks, and it can be interrupted',
  async (t) => {
    const { path, other, sealed } = await oldFile(t);
    const database = open(path);
    const migrated = database.migrate();
    const isPart = (): boolean => sealed() > 0 && sealed() < ROWS;
    t.ok(await between(isPart, migrated), 'what is sealed is committed before the rest is');
    other.exec('begin immediate');
    await t.rejects(migrated, StorageUnavailable, 'another program keeps the database busy');
    other.exec('rollback');
    await database.close();
    const before = sealed();
    t.ok(before > 0 && before < ROWS, `${before} of ${ROWS} rows are sealed`);

    const again = open(path);
    await again.migrate();
    await again.close();
    t.equal(sealed(), ROWS, 'the next start seals the others');
    t.not(
      other.prepare('pragma user_version').get()?.['user_version'],
      0,
      'and is the last to do so',
    );
  },
);

await t.test('others write while a scrub seals rows', async (t) => {
  const { path, other, sealed } = await oldFile(t);
  const folder = await temporaryFolder(t);
  const store = await openStore({ databaseUrl: `sqlite:${path}`, filesUrl: `file:${folder}` });
  t.teardown(() => store.close());
  await store.migrate();
  other.exec('update audit set row_check = null');
  const found: object[] = [];
  const scrubbed = store.scrubDatabase({
    onFinding: (finding) => found.push(finding),
    isAccepting: false,
  });
  const isPart = (): boolean => sealed() > 0 && sealed() < ROWS;
  t.ok(await between(isPart, scrubbed), 'what is sealed is committed before the rest is');
  t.match(await scrubbed, { damaged: 0, sealed: ROWS });
  t.strictSame(found, []);
});
