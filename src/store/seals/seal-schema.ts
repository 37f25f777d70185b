import type { SchemaEditor } from '../database/schema-editor.ts';

/** The table of the seals of the audit (seals.ts) as the database holds it. */
export interface SealSchema {
  /** One row for each sealed day, in UTC. */
  audit_seals: {
    /** `2026-11-21`. */
    day: string;
    records: number;
    digest: Uint8Array;
    seal: Uint8Array;
    key_id: string;
    sealed_at_ms: number;
  };
}

/** A migration: creates the table of seals. */
export async function createAuditSeals(schema: SchemaEditor): Promise<void> {
  const { types } = schema;
  await schema
    .createTable('audit_seals')
    .addColumn('day', types.id, (c) => c.primaryKey().notNull())
    .addColumn('records', types.bigNumber, (c) => c.notNull())
    .addColumn('digest', types.digest, (c) => c.notNull())
    .addColumn('seal', types.digest, (c) => c.notNull())
    .addColumn('key_id', types.text, (c) => c.notNull())
    .addColumn('sealed_at_ms', types.ms, (c) => c.notNull())
    .execute();
}
