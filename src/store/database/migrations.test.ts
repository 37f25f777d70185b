import { Kysely } from 'kysely';
import t from 'tap';

import { compilingDialect } from '../../../test/fixtures/compiling-dialect.ts';
import { LEFT_OUT } from '../backup/table-rules.ts';
import { applyMigration, fillSince, MIGRATIONS } from './migrations.ts';
import type { Schema } from './schema.ts';
import { type DialectName, SchemaEditor } from './schema-editor.ts';

/**
 * The statements that a migration may have. Each only adds something that an instance of the
 * previous version does not know, so that it can keep reading and writing while this one starts.
 */
const ADDITIONS: readonly RegExp[] = [
  /^create table (?:if not exists )?/,
  // A unique index is not allowed: it might refuse rows of the previous version.
  /^create index (?:if not exists )?/,
  /^create trigger /,
  // Without an index the previous version is slower but still correct.
  /^drop index /,
  // The column may be null, because the previous version writes rows without it.
  /^alter table [`"]?\w+[`"]? add column (?!.*\b(?:not null|unique|primary key)\b)/,
  /^select /,
];
const INSERT = /^insert (?:or ignore |ignore )?into [`"]?(\w+)/;
const DELETE = /^delete from [`"]?(\w+)/;
const CREATE = /^create table (?:if not exists )?[`"]?(\w+)/;
/** The previous version sees no column that it does not know, whatever is in it. */
const FILL = /^update [`"]?(\w+)[`"]? set [`"]?(\w+)[`"]? = [^,]*? where /;
const ADD = /^alter table [`"]?(\w+)[`"]? add column [`"]?(\w+)/;

const oneLine = (text: string): string => text.trim().replaceAll(/\s+/g, ' ').toLowerCase();

/** The table and the column that a statement names. */
function pairIn(pattern: RegExp, statement: string): string | null {
  const [, table, column] = pattern.exec(statement) ?? [];
  return table === undefined ? null : `${table}.${column}`;
}

/** The statements of `work`, such as a migration, on a database that returns no rows. */
async function statementsOf(
  dialect: DialectName,
  work: (schema: SchemaEditor) => Promise<void> | undefined,
): Promise<readonly string[]> {
  const statements: string[] = [];
  const db = new Kysely<Schema>({
    dialect: compilingDialect(dialect),
    log: (event) => void statements.push(oneLine(event.query.sql)),
  });
  await work(new SchemaEditor(db, dialect));
  await db.destroy();
  return statements;
}

for (const dialect of ['sqlite', 'mysql'] as const) {
  t.test(`migrations only add what the previous version does not see (${dialect})`, async (t) => {
    for (const index of MIGRATIONS.keys()) {
      const statements = await statementsOf(dialect, (schema) => applyMigration(schema, index + 1));
      t.ok(statements.length > 0, `migration ${index + 1} has statements`);
      const newTables = new Set(statements.map((statement) => CREATE.exec(statement)?.[1]));
      const newColumns = new Set(statements.map((statement) => pairIn(ADD, statement)));
      const forbidden = statements.filter((statement) => {
        const table = (INSERT.exec(statement) ?? DELETE.exec(statement))?.[1];
        if (table !== undefined) return !newTables.has(table);
        const filled = pairIn(FILL, statement);
        if (filled !== null) return !newColumns.has(filled);
        return !ADDITIONS.some((pattern) => pattern.test(statement));
      });
      t.strictSame(forbidden, [], `migration ${index + 1}`);
    }
  });
}

t.test('a restore fills rows of earlier schemas as the migrations do', async (t) => {
  for (const dialect of ['sqlite', 'mysql'] as const) {
    for (const [index, migrate] of MIGRATIONS.entries()) {
      const statements = await statementsOf(dialect, migrate);
      const filled = statements.flatMap((statement) => {
        const [, table = ''] =
          INSERT.exec(statement) ?? DELETE.exec(statement) ?? FILL.exec(statement) ?? [];
        return table === '' || LEFT_OUT.has(table) ? [] : [table];
      });
      t.strictSame(filled, [], `migration ${index + 1} has its rows from a fill`);
    }
    const later = await statementsOf(dialect, (schema) => fillSince(schema, MIGRATIONS.length));
    t.strictSame(later, [], 'a backup of this schema needs none');
    const all = await statementsOf(dialect, (schema) => fillSince(schema, 0));
    t.ok(all.length > 0);
    t.notOk(all.some((statement) => CREATE.test(statement) || ADD.test(statement)));
  }
});

t.test('the rule refuses what would break the previous version', async (t) => {
  const refused = [
    'alter table audit add column client varchar(45) not null',
    'alter table audit drop column sha256',
    'alter table "audit" rename to "records"',
    'alter table audit modify column code text',
    'create unique index one on documents (sha256)',
    'drop table audit',
    'update documents set state = 1',
    'delete from audit',
  ];
  t.strictSame(
    refused.filter((statement) => ADDITIONS.some((pattern) => pattern.test(statement))),
    [],
  );
});
