import type { Kysely } from 'kysely';
import { hasRole } from '../accounts/roles.ts';
import { auditRow } from '../audit.ts';
import type { Database } from '../database/database.ts';
import type { Schema } from '../database/schema.ts';
import { isId } from '../../runtime/id-rule.ts';
import type { TemplateName } from '../terms.ts';
import type { Archiving, ArchivingResult } from './types.ts';

/** Archives a template or ends that, in one transaction with its record. Twice is as once. */
export async function setArchived(
  database: Database,
  { teamId, templateId, isArchived, by, audit }: Archiving,
  nowMs: number,
): Promise<ArchivingResult> {
  if (!isId(templateId)) return 'absent';
  return database
    .transact(async (trx) => {
      const changed = await trx
        .updateTable('templates')
        .set({ archived_at_ms: isArchived ? nowMs : null })
        .where('team_id', '=', teamId)
        .where('template_id', '=', templateId)
        .where('archived_at_ms', isArchived ? 'is' : 'is not', null)
        .executeTakeFirst();
      if (changed.numUpdatedRows === 0n) {
        return (await exists(trx, { teamId, templateId })) ? 'done' : 'absent';
      }
      if (!(await hasRole(trx, teamId, by, ['Admin']))) throw new RoleLost();
      await trx.insertInto('audit').values(auditRow(database, audit)).execute();
      return 'done';
    })
    .catch((error: unknown) => {
      if (error instanceof RoleLost) return 'role_lost';
      throw error;
    });
}

/** The caller is no longer an Admin. Throwing it rolls the transaction back. */
class RoleLost extends Error {}

async function exists(trx: Kysely<Schema>, { teamId, templateId }: TemplateName): Promise<boolean> {
  const row = await trx
    .selectFrom('templates')
    .select('template_id')
    .where('team_id', '=', teamId)
    .where('template_id', '=', templateId)
    .executeTakeFirst();
  return row !== undefined;
}
