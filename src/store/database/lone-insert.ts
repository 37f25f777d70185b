import { CompiledQuery, type Kysely } from 'kysely';
import { CommitUnknown, DatabaseFault } from './database-fault.ts';
import { RowsInsert } from './inserts.ts';
import type { Schema } from './schema.ts';
import type { ScriptStatement } from './script.ts';

/** The INSERT that a script is, if it is nothing else; null: the script needs a transaction. */
export function loneInsert(statements: readonly ScriptStatement[]): RowsInsert | null {
  const [first] = statements;
  return statements.length === 1 && first instanceof RowsInsert ? first : null;
}

/**
 * MySQL: runs an INSERT as a transaction. It inserts all rows or none and commits by itself, so BEGIN
 * and COMMIT would only add two round trips, each of which takes a turn of the event loop. Throws
 * faults and `CommitUnknown` untranslated.
 */
export function insertAlone(pool: Kysely<Schema>, insert: RowsInsert): Promise<void> {
  return pool.connection().execute(async (connection) => {
    try {
      await connection.executeQuery(CompiledQuery.raw(insert.sql, [...insert.parameters]));
    } catch (error) {
      // The server says so when it inserted nothing. Without its answer, the rows may be there.
      if (error instanceof DatabaseFault && error.kind !== 'lost') throw error;
      throw new CommitUnknown('an INSERT has no answer', { cause: error });
    }
  });
}
