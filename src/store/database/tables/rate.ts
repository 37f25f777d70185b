import type { SchemaEditor } from '../schema-editor.ts';

/**
 * A migration: creates the windows of the rate limit that instances share (rate/ledger.ts). Earlier
 * versions created this table in MySQL when the service started: one that is there stays, with its
 * rows, and they use one that is made here. A single instance with SQLite counts in memory and keeps
 * the table empty, so that a schema has the same tables in both databases.
 */
export async function createRateWindows(schema: SchemaEditor): Promise<void> {
  const { types } = schema;
  await schema
    .createTable('rate_windows')
    .addColumn('caller', types.text, (c) => c.primaryKey().notNull())
    .addColumn('calls', types.number, (c) => c.notNull())
    .addColumn('ends_at_ms', types.ms, (c) => c.notNull())
    .execute();
  await schema.addIndex('rate_windows', 'rate_windows_end', ['ends_at_ms']);
}
