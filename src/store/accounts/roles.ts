import type { Kysely } from 'kysely';
import type { Role } from './types.ts';
import type { Schema } from '../database/schema.ts';

/**
 * Whether a principal still has one of the roles, read in the transaction of what needs it: the gateway
 * checks the role when a request arrives, and a publication renders all samples after that. Commands
 * have no role.
 */
export async function hasRole(
  trx: Kysely<Schema>,
  teamId: string,
  principal: string,
  roles: readonly Role[],
): Promise<boolean> {
  if (!principal.startsWith('user:')) return true;
  const row = await trx
    .selectFrom('users')
    .select('role')
    .where('user_id', '=', principal.slice('user:'.length))
    .where('team_id', '=', teamId)
    .where('active', '=', 1)
    .executeTakeFirst();
  return roles.some((role) => role === row?.role);
}
