import { sql } from 'kysely';
import { fail, succeed } from '../../errors.ts';
import type { Database } from '../database/database.ts';
import { isId } from '../../runtime/id-rule.ts';
import { digest, randomToken } from '../ids.ts';
import type { SignInLinkStore } from './types.ts';

/** Limit of the unused links of one user. */
const LINKS_MAX = 5;
/** Limit of the older links that adding one removes. */
const REMOVED_MAX = 100;
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** One-time links for signing in. Only the SHA-256 of a link's token is stored. */
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
        const older = await trx
          .selectFrom('sign_in_links')
          .select('digest')
          .where('user_id', '=', userId)
          .orderBy('expires_at_ms', 'desc')
          .offset(sql.lit(LINKS_MAX))
          .limit(sql.lit(REMOVED_MAX))
          .execute();
        if (older.length > 0) {
          const digests = older.map((link) => link.digest);
          await trx.deleteFrom('sign_in_links').where('digest', 'in', digests).execute();
        }
        return succeed({ token });
      });
    },
    async find(token, nowMs) {
      if (!TOKEN.test(token)) return null;
      const link = await database.read((db) =>
        db
          .selectFrom('sign_in_links')
          .select('user_id')
          .where('digest', '=', digest(token))
          .where('expires_at_ms', '>', nowMs)
          .executeTakeFirst(),
      );
      return link?.user_id ?? null;
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
