import { sql } from 'kysely';
import { uuidv7 } from '../../ids.ts';
import type { SchemaEditor } from '../schema-editor.ts';

/** The key of the only row. */
export const INSTALLATION_ROW = 1;

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
    values (${INSTALLATION_ROW}, ${uuidv7(Date.now())})`.execute(schema.db);
}
