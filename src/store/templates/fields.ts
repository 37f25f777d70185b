import { type Kysely } from 'kysely';
import type { Database } from '../database/database.ts';
import { isFault } from '../database/database-fault.ts';
import { fromHex } from '../ids.ts';
import type { Schema } from '../database/schema.ts';
import type { Store } from '../store.ts';

const KEPT_MS = 30 * 86_400_000;
/** Larger descriptors are not stored: a statement must fit into a packet of the database. */
const BYTES_MAX = 12 * 1024 * 1024;

/** Stored field descriptors of templates, which save reading and compiling the template. */
export function templateFields(
  database: Database,
  wallMs: () => number,
): Pick<Store['templates'], 'fields' | 'keepFields'> {
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
      if (key === null || fields.byteLength > BYTES_MAX) return;
      const row = { hash: key, fields, stored_at_ms: wallMs() };
      try {
        await database.write((db) => db.insertInto('template_fields').values(row).execute());
      } catch (error) {
        // Another request stored it; a source always has the same descriptors.
        if (!isFault(error, 'duplicate')) throw error;
      }
      await database.write((db) =>
        db
          .deleteFrom('template_fields')
          .where('stored_at_ms', '<', wallMs() - KEPT_MS)
          .execute(),
      );
    },
  };
}

/** Removes the descriptors of the draft that is about to be replaced. */
export async function forgetFields(
  trx: Kysely<Schema>,
  { teamId, templateId }: { readonly teamId: string; readonly templateId: string },
): Promise<void> {
  const draft = await trx
    .selectFrom('templates')
    .select('draft_hash')
    .where('team_id', '=', teamId)
    .where('template_id', '=', templateId)
    .executeTakeFirst();
  if (draft === undefined || draft.draft_hash === null) return;
  await trx.deleteFrom('template_fields').where('hash', '=', draft.draft_hash).execute();
}
