import type { SchemaEditor } from '../schema-editor.ts';

/** The tables of the seals of the audit (seals.ts) as the database holds them. */
export interface SealSchema {
  /** One row for each seal. */
  audit_chain: {
    number: number;
    from_ms: number;
    until_ms: number;
    records: number;
    digest: Uint8Array;
    /** Hex; '' for the first seal without a daily one before it. */
    previous: string;
    sealed_at_ms: number;
    seal: Uint8Array;
    key_id: string;
  };
  /** Daily seals (daily-seals.ts), which earlier versions made: one row for each day in UTC. */
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

/** A migration: creates the table of daily seals. */
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

/** A migration: creates the table of seals. */
export async function createAuditChain(schema: SchemaEditor): Promise<void> {
  const { types } = schema;
  await schema
    .createTable('audit_chain')
    .addColumn('number', types.bigNumber, (c) => c.primaryKey().notNull())
    .addColumn('from_ms', types.ms, (c) => c.notNull())
    .addColumn('until_ms', types.ms, (c) => c.notNull())
    .addColumn('records', types.bigNumber, (c) => c.notNull())
    .addColumn('digest', types.digest, (c) => c.notNull())
    .addColumn('previous', types.text, (c) => c.notNull())
    .addColumn('sealed_at_ms', types.ms, (c) => c.notNull())
    .addColumn('seal', types.digest, (c) => c.notNull())
    .addColumn('key_id', types.text, (c) => c.notNull())
    .execute();
}
