import {
  type Dialect,
  DummyDriver,
  Kysely,
  MysqlAdapter,
  MysqlIntrospector,
  MysqlQueryCompiler,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import t from 'tap';

import type { DialectName } from './columns.ts';
import { MIGRATIONS, type Schema } from './schema.ts';

/**
 * Rule for every statement of a migration, so that an instance of the version before goes on reading
 * and writing while this one starts: something new, which that instance does not know.
 */
const ADDITIONS: readonly RegExp[] = [
  /^create table (?:if not exists )?/,
  // Not a unique one, which refuses rows that the version before writes.
  /^create index (?:if not exists )?/,
  /^create trigger /,
  // Without it the version before is slower, and not wrong.
  /^drop index /,
  // May be null: the version before writes rows without it.
  /^alter table [`"]?\w+[`"]? add column (?!.*\b(?:not null|unique|primary key)\b)/,
  /^select /,
];
const INSERT = /^insert (?:or ignore |ignore )?into [`"]?(\w+)/;
const CREATE = /^create table (?:if not exists )?[`"]?(\w+)/;

const oneLine = (text: string): string => text.trim().replaceAll(/\s+/g, ' ').toLowerCase();

const MYSQL: Dialect = {
  createAdapter: () => new MysqlAdapter(),
  createDriver: () => new DummyDriver(),
  createIntrospector: (db) => new MysqlIntrospector(db),
  createQueryCompiler: () => new MysqlQueryCompiler(),
};
const SQLITE: Dialect = {
  createAdapter: () => new SqliteAdapter(),
  createDriver: () => new DummyDriver(),
  createIntrospector: (db) => new SqliteIntrospector(db),
  createQueryCompiler: () => new SqliteQueryCompiler(),
};

/** The statements of one migration over a database that answers nothing. */
async function statementsOf(dialect: DialectName, index: number): Promise<readonly string[]> {
  const statements: string[] = [];
  const isMysql = dialect === 'mysql';
  const db = new Kysely<Schema>({
    dialect: isMysql ? MYSQL : SQLITE,
    log: (event) => void statements.push(oneLine(event.query.sql)),
  });
  await MIGRATIONS[index]?.(db, dialect);
  await db.destroy();
  return statements;
}

for (const dialect of ['sqlite', 'mysql'] as const) {
  t.test(`migrations only add what the version before does not see (${dialect})`, async (t) => {
    for (const index of MIGRATIONS.keys()) {
      const statements = await statementsOf(dialect, index);
      t.ok(statements.length > 0, `migration ${index + 1} has statements`);
      const made = new Set(statements.map((statement) => CREATE.exec(statement)?.[1]));
      const wrong = statements.filter((statement) => {
        const filled = INSERT.exec(statement)?.[1];
        if (filled !== undefined) return !made.has(filled);
        return !ADDITIONS.some((pattern) => pattern.test(statement));
      });
      t.strictSame(wrong, [], `migration ${index + 1}`);
    }
  });
}

t.test('the rule refuses what would break the version before', async (t) => {
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
