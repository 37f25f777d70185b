import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { Database } from '../database.ts';
import { AUDIT_COLUMNS, DOCUMENT_COLUMNS } from '../inserts.ts';
import { type Cell, SqliteFile } from '../sqlite-file.ts';
import { fitsSql } from './row-checks.ts';

const AUDIT = { table: 'audit', columns: AUDIT_COLUMNS.join(',') };

async function migrated(t: Test): Promise<SqliteFile> {
  const folder = mkdtempSync(join(tmpdir(), 'intaglio-row-inserts-'));
  const path = join(folder, 'db');
  const database = new Database({
    url: `sqlite:${path}`,
    connectionsMax: 2,
    connectTimeoutMs: 1_000,
    statementTimeoutMs: 1_000,
    allowUnsafeCommits: false,
  });
  await database.migrate();
  await database.close();
  const file = new SqliteFile({ path, readsOnly: false, busyTimeoutMs: 0 });
  t.teardown(() => {
    file.close();
    rmSync(folder, { recursive: true });
  });
  return file;
}

/** A record of a synchronous document, with some cells replaced. */
function record(id: number, cells: Readonly<Record<string, Cell>> = {}): readonly Cell[] {
  const row: Readonly<Record<string, Cell>> = {
    audit_id: `0199c2e1-0000-7000-8000-${String(id).padStart(12, '0')}`,
    at_ms: 1_764_212_345_678,
    request_id: 'a-request',
    team_id: 'bank',
    principal: 'key:1',
    action: 'generate',
    outcome: 'succeeded',
    code: '',
    template_id: 'ใบเสร็จ',
    version: 1,
    document_id: '',
    mode: 'sync',
    pages: 1,
    bytes: 32_873,
    duration_ms: 3,
    sha256: new Uint8Array(32).fill(id),
    ...cells,
  };
  return AUDIT_COLUMNS.map((column) => row[column] ?? null);
}

/** For each row of the table: 1 if its check fits, 0 if not; null: it has none. */
function checks(file: SqliteFile, name: string): readonly unknown[] {
  const table = file.checkedTables().find((one) => one.name === name);
  if (table === undefined) throw new Error(`${name} has no checks`);
  const fits = `case when row_check is not null then ${fitsSql(table)} end`;
  const { rows } = file.run(`select ${fits} as fits from main.${name} order by rowid`, []);
  return rows.map((row) => (row as { fits: unknown }).fits);
}

function changes(file: SqliteFile): number {
  const { rows } = file.run('select total_changes() as count', []);
  return (rows[0] as { count: number }).count;
}

await t.test('rows that are inserted whole are written once, with their checks', async (t) => {
  const file = await migrated(t);
  const before = changes(file);
  file.insert(
    AUDIT,
    [1, 2, 3].flatMap((id) => record(id, { mode: 'async' })),
  );
  t.equal(changes(file) - before, 3);
  t.strictSame(checks(file, 'audit'), [1, 1, 1]);
});

await t.test('the check fits whatever SQLite makes of a cell', async (t) => {
  const file = await migrated(t);
  const odd: readonly Readonly<Record<string, Cell>>[] = [
    { detail: 'before\u0000behind' },
    { detail: '\ud800' },
    { detail: '😀 é ก' },
    { detail: 5 },
    { detail: new Uint8Array([1, 2]) },
    { version: '7' },
    { version: 'seven' },
    { version: 1.5 },
    { version: -0 },
    { version: 2 ** 53 },
    { bytes: -(2 ** 53) + 1 },
    { bytes: 1e21 },
    { bytes: 12n },
    { sha256: new Uint8Array(), mode: 'async' },
    { sha256: 'text' },
    { sha256: 3 },
    { contributors: Buffer.from('["user:a"]') },
    { contributors: new DataView(new ArrayBuffer(3)) },
  ];
  for (const [index, cells] of odd.entries()) file.insert(AUDIT, record(index, cells));
  t.strictSame(checks(file, 'audit'), Array(odd.length).fill(1));
  // Every kind of cell gets the check that the triggers give it.
  const marks = AUDIT_COLUMNS.map(() => '?').join(',');
  const text = `insert into audit (${AUDIT.columns}) values (${marks})`;
  for (const [index, cells] of odd.entries()) file.run(text, record(100 + index, cells));
  t.strictSame(checks(file, 'audit'), Array(2 * odd.length).fill(1));
});

await t.test('a column that the INSERT does not name has no part in the check', async (t) => {
  const file = await migrated(t);
  const columns = DOCUMENT_COLUMNS.join(',');
  const row: readonly Cell[] = ['d', 'bank', 'note', 1, new Uint8Array(32), 5, 1, 0, 1, 2, 0];
  file.insert({ table: 'documents', columns }, row);
  file.run("update documents set bytes = 6 where document_id = 'd'", []);
  t.strictSame(checks(file, 'documents'), [1]);
  file.insert({ table: 'teams', columns: 'team_id,name,active,created_at_ms' }, ['a', 'A', 1, 1]);
  t.strictSame(checks(file, 'teams'), [1]);
});

await t.test('the entry of a record in the index of digests is written once, too', async (t) => {
  const file = await migrated(t);
  const before = changes(file);
  file.insert(AUDIT, record(1));
  t.equal(changes(file) - before, 2);
  t.strictSame(checks(file, 'digest_queue'), [null]);
});
