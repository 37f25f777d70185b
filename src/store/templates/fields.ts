import { type Kysely } from 'kysely';
import type { Database } from '../database/database.ts';
import { isFault } from '../database/database-fault.ts';
import { fromHex } from '../ids.ts';
import type { Schema } from '../database/schema.ts';
import type { Store } from '../store.ts';

const KEPT_MS = 30 * 86_400_000;
/** A statement must fit into a packet of the database. Descriptors beyond it are made when asked for. */
const BYTES_MAX = 12 * 1024 * 1024;

/** Field descriptors of templates, so that asking for them does not read the template again. */
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
        // By another request: one source has one list.
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

/** Those of the draft that is about to be replaced, or nobody would ever remove them. */
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
