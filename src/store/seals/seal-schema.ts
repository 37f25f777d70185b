import type { Kysely } from 'kysely';
import { columnTypes, type DialectName } from '../database/columns.ts';

export interface SealSchema {
  /** One row for each sealed day (UTC) of the audit: see seals.ts. */
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

export async function createAuditSeals<T>(db: Kysely<T>, dialect: DialectName): Promise<void> {
  const types = columnTypes(dialect);
  await db.schema
    .createTable('audit_seals')
    .ifNotExists()
    .addColumn('day', types.id, (c) => c.primaryKey().notNull())
    .addColumn('records', types.ms, (c) => c.notNull())
    .addColumn('digest', types.digest, (c) => c.notNull())
    .addColumn('seal', types.digest, (c) => c.notNull())
    .addColumn('key_id', types.text, (c) => c.notNull())
    .addColumn('sealed_at_ms', types.ms, (c) => c.notNull())
    .execute();
}
