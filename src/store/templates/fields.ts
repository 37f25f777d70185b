import type { DialectName } from '../database/schema-editor.ts';
import type { Database } from '../database/database.ts';
import type { ScriptStatement } from '../database/script.ts';
import { fromHex } from '../ids.ts';
import type { TemplateStore } from './types.ts';

const KEPT_MS = 30 * 86_400_000;
/** Larger descriptors are not stored: a statement must fit into a packet of the database. */
const BYTES_MAX = 12 * 1024 * 1024;

/** Stored field descriptors of templates, which save reading and compiling the template. */
export function templateFields(
  database: Database,
  wallMs: () => number,
): Pick<TemplateStore, 'fields' | 'keepFields'> {
  return {
    async fields(hash) {
      const key = fromHex(hash);
      if (key === null) return null;
      const row = await database.read((db) =>
        db
          .selectFrom('template_fields')
          .select('fields')
          .where('hash', '=', key)
          .executeTakeFirst(),
      );
      return row?.fields ?? null;
    },
    async keepFields(hash, fields) {
      const key = fromHex(hash);
      if (key === null) return;
      await database.commitWithRetries(fieldsKept(database.dialect, key, fields, wallMs()));
    },
  };
}

/** Keeps the descriptors of a source, and drops those that have been kept for long enough. */
export function fieldsKept(
  dialect: DialectName,
  hash: Uint8Array,
  fields: Uint8Array,
  nowMs: number,
): ScriptStatement[] {
  if (fields.byteLength > BYTES_MAX) return [];
  // Another request may have kept them: one source has one list.
  const ignore = dialect === 'mysql' ? 'ignore' : 'or ignore';
  return [
    {
      sql: `insert ${ignore} into template_fields (hash, fields, stored_at_ms) values (?,?,?)`,
      parameters: [hash, fields, nowMs],
      changes: null,
    },
    {
      sql: 'delete from template_fields where stored_at_ms < ?',
      parameters: [nowMs - KEPT_MS],
      changes: null,
    },
  ];
}
