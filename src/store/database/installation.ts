import { StorageUnavailable } from '../terms.ts';
import type { Database } from './database.ts';
import { isFault, RowDamaged } from './database-fault.ts';
import { INSTALLATION_ROW } from './tables/installation.ts';

/** The id of the database. Throws StorageUnavailable when its row is gone or damaged. */
export async function databaseId(database: Database): Promise<string> {
  try {
    const row = await database.read((db) =>
      db
        .selectFrom('installation')
        .select('database_id')
        .where('installation_id', '=', INSTALLATION_ROW)
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
