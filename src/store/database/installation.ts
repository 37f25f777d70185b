import { sql } from 'kysely';
import { uuidv7 } from '../ids.ts';
import { StorageUnavailable } from '../terms.ts';
import type { Database } from './database.ts';
import { isFault, RowDamaged } from './database-fault.ts';
import type { SchemaEditor } from './schema-editor.ts';

/** The key of the only row. */
const ROW = 1;

/**
 * A migration: gives the database an id, by which its file store and its queue know it. A copy of
 * the database file has the same id; a database that was restored from a backup has another.
 */
export async function createInstallation(schema: SchemaEditor): Promise<void> {
  const { types } = schema;
  await schema
    .createTable('installation')
    .addColumn('installation_id', types.number, (c) => c.primaryKey().notNull())
    .addColumn('database_id', types.uuid, (c) => c.notNull())
    .execute();
  const ignore = sql.raw(schema.dialect === 'mysql' ? 'ignore' : 'or ignore');
  await sql`
    insert ${ignore} into installation (installation_id, database_id)
    values (${ROW}, ${uuidv7(Date.now())})`.execute(schema.db);
}

/** The id of the database. Throws StorageUnavailable when its row is gone or damaged. */
export async function databaseId(database: Database): Promise<string> {
  try {
    const row = await database.read((db) =>
      db
        .selectFrom('installation')
        .select('database_id')
        .where('installation_id', '=', ROW)
        .executeTakeFirst(),
    );
    if (row !== undefined) return row.database_id;
  } catch (error) {
    if (!(error instanceof RowDamaged)) throw error;
    throw new StorageUnavailable(error.message, { cause: error });
  }
  throw new StorageUnavailable('the table installation has no row: the database has lost its id');
}

/** As `databaseId`; null: the schema is older than the ids. */
export async function databaseIdIfAny(database: Database): Promise<string | null> {
  try {
    return await databaseId(database);
  } catch (error) {
    if (!isFault(error, 'refused')) throw error;
    return null;
  }
}
