import { randomUUID } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';
import { type CompiledQuery, Kysely } from 'kysely';
import { createConnection } from 'mysql2/promise';
import { connectionOptions } from '../../src/store/database/mysql.ts';
import { DOCUMENT_STATES, type Schema } from '../../src/store/database/schema.ts';
import { dueDocuments } from '../../src/store/sweep/sweep.ts';
import { compilingDialect } from '../fixtures/compiling-dialect.ts';
import { type StorePlace, overDialects } from './dialects.ts';

const EXPIRES_AT_MS = 1_000;
const ROWS = 2_000;

/** The query as the store compiles it; no database runs it. */
function compiled(name: StorePlace['name'], state: number, documentId: string): CompiledQuery {
  const dialect = compilingDialect(name);
  const after = { expiresAtMs: EXPIRES_AT_MS, documentId };
  return dueDocuments(new Kysely<Schema>({ dialect }), state, 2_000, after, 50).compile();
}

/** Documents that expire in the same millisecond, in each of the states that the sweep looks for. */
function inserts(): string {
  const rows = Array.from({ length: ROWS }, (_, index) => {
    const state = index % 2 === 0 ? DOCUMENT_STATES.available : DOCUMENT_STATES.deleted;
    const id = randomUUID();
    return `('${id}', 'bank', 'note', 1, '${'0'.repeat(32)}', 1, 1, 0, 0, ${EXPIRES_AT_MS}, ${state})`;
  });
  return `insert into documents (document_id, team_id, template_id, version, sha256, bytes, pages,
    protected, created_at_ms, expires_at_ms, state) values ${rows.join(',')}`;
}

async function planOf(place: StorePlace, query: CompiledQuery): Promise<string> {
  // The numbers and ids that the sweep gives.
  const parameters = query.parameters as readonly (string | number)[];
  if (place.name === 'sqlite') {
    const database = new DatabaseSync(place.databaseUrl.slice('sqlite:'.length), {
      timeout: 60_000,
    });
    database.exec(inserts());
    const rows = database.prepare(`explain query plan ${query.sql}`).all(...parameters);
    database.close();
    return rows.map((row) => String(row['detail'])).join('\n');
  }
  const connection = await createConnection(connectionOptions(place.databaseUrl));
  await connection.query(inserts());
  await connection.query('analyze table documents');
  const [rows] = await connection.query(`explain ${query.sql}`, [...parameters]);
  await connection.end();
  return JSON.stringify(rows);
}

await overDialects('plan of the sweep', async (t, newPlace) => {
  await t.test(
    'documents that expire in one millisecond are read in order, unsorted',
    async (t) => {
      for (const state of [DOCUMENT_STATES.available, DOCUMENT_STATES.deleting]) {
        const place = await newPlace();
        const store = await place.open(t);
        await store.close();
        const plan = await planOf(place, compiled(place.name, state, randomUUID()));
        t.match(plan, /documents_due/, plan);
        t.notMatch(plan, /temp b-tree|filesort/i, plan);
      }
    },
  );
});
