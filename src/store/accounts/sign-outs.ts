import type { Kysely } from 'kysely';
import type { Schema } from '../database/schema.ts';

/** Ends the sessions and sign-in links of these users; returns the number of sessions. */
export async function endSignIns(trx: Kysely<Schema>, userIds: readonly string[]): Promise<number> {
  await trx.deleteFrom('sign_in_links').where('user_id', 'in', userIds).execute();
  const ended = await trx.deleteFrom('sessions').where('user_id', 'in', userIds).executeTakeFirst();
  return Number(ended.numDeletedRows);
}

/** Ends the sessions and sign-in links of all users of these teams. */
export async function endSignInsOfTeams(
  trx: Kysely<Schema>,
  teamIds: readonly string[],
): Promise<void> {
  const users = trx.selectFrom('users').select('user_id').where('team_id', 'in', teamIds);
  await trx.deleteFrom('sign_in_links').where('user_id', 'in', users).execute();
  await trx.deleteFrom('sessions').where('user_id', 'in', users).execute();
}
