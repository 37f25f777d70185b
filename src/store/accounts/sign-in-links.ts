import { sql } from 'kysely';
import { fail, succeed } from '../../errors.ts';
import type { Database } from '../database/database.ts';
import { digest, isId, randomToken } from '../ids.ts';
import type { SignInLinkStore } from './types.ts';

/** Limit of the unused links of one user. */
const LINKS_MAX = 5;
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** One-time links for signing in. Each is a random token of which only the SHA-256 is stored. */
export function signInLinks(database: Database): SignInLinkStore {
  return {
    async add(userId, expiresAtMs) {
      if (!isId(userId)) return fail('not_found', 'There is no such active user.');
      const token = randomToken();
      const row = { digest: digest(token), user_id: userId, expires_at_ms: expiresAtMs };
      return database.transact(async (trx) => {
        const user = await trx
          .selectFrom('users')
          .select('user_id')
          .where('user_id', '=', userId)
          .where('active', '=', 1)
          .executeTakeFirst();
        if (user === undefined) return fail('not_found', 'There is no such active user.');
        await trx.insertInto('sign_in_links').values(row).execute();
        const open = await trx
          .selectFrom('sign_in_links')
          .select('digest')
          .where('user_id', '=', userId)
          .orderBy('expires_at_ms', 'desc')
          .offset(sql.lit(LINKS_MAX))
          .limit(sql.lit(100))
          .execute();
        const old = open.map((link) => link.digest);
        if (old.length > 0) {
          await trx.deleteFrom('sign_in_links').where('digest', 'in', old).execute();
        }
        return succeed({ token });
      });
    },
    async redeem(token, nowMs) {
      if (!TOKEN.test(token)) return null;
      return database.transact(async (trx) => {
        const link = await trx
          .selectFrom('sign_in_links')
          .select(['user_id', 'expires_at_ms'])
          .where('digest', '=', digest(token))
          .executeTakeFirst();
        if (link === undefined) return null;
        // When two requests use the link at once, only one of them removes the row.
        const removed = await trx
          .deleteFrom('sign_in_links')
          .where('digest', '=', digest(token))
          .executeTakeFirst();
        const isFirst = removed.numDeletedRows === 1n;
        return isFirst && link.expires_at_ms > nowMs ? link.user_id : null;
      });
    },
  };
}
