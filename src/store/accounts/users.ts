import { CompiledQuery, sql } from 'kysely';
import { fail, type Outcome, succeed } from '../../errors.ts';
import { TimeSlice } from '../../runtime/time-slice.ts';
import type { Database } from '../database/database.ts';
import { isFault } from '../database/database-fault.ts';
import { ID_RULE, isId, isNewId } from '../../runtime/id-rule.ts';
import { clip, digest, hex, randomToken } from '../ids.ts';
import { nameFault } from '../../runtime/readable-name.ts';
import { listDigests } from './digest-list.ts';
import { syncIdentities } from './identities.ts';
import type { Schema } from '../database/schema.ts';
import { endSignIns } from './sign-outs.ts';
import {
  type NewUser,
  ROLES,
  type Role,
  type SessionRecord,
  type SessionStore,
  type UserChange,
  type UserRecord,
  type UserStore,
} from './types.ts';
import { teamExists } from './teams.ts';

const TEXT_CHARACTERS_MAX = 255;
/** Rows read at a time: reading SQLite blocks the event loop until it returns. */
const PAGE_ROWS = 1_000;
const TOKEN = /^[A-Za-z0-9_-]{43}$/;

/** The users of the Studio. */
export function users(database: Database, wallMs: () => number): UserStore {
  return {
    async add(user) {
      const row = newUserRow(user);
      if (!row.ok) return row;
      if (!(await teamExists(database, user.teamId))) {
        return fail('not_found', 'There is no such team.');
      }
      try {
        await database.write((db) => db.insertInto('users').values(row.value).execute());
      } catch (error) {
        if (isFault(error, 'duplicate')) return fail('bad_request', 'This user exists already.');
        throw error;
      }
      return succeed(asUser(row.value));
    },
    async find(userId) {
      if (!isId(userId)) return null;
      const row = await database.read((db) =>
        db.selectFrom('users').selectAll().where('user_id', '=', userId).executeTakeFirst(),
      );
      return row === undefined ? null : asUser(row);
    },
    async list(teamId) {
      const records: UserRecord[] = [];
      for await (const page of pages(database, teamId)) records.push(...page);
      return records;
    },
    pages: (teamId) => pages(database, teamId),
    change: (userId, change) => changeUser(database, userId, change),
    moveActive: (user) => moveActive(database, user),
    sync: (sync, limit = { kind: 'none' }) => syncIdentities(database, sync, limit, wallMs()),
  };
}

/** The row of a new, active user, whose team is not checked. */
export function newUserRow(user: NewUser): Outcome<Schema['users']> {
  if (!isNewId(user.userId)) return fail('bad_request', `A user id ${ID_RULE}.`);
  const { displayName = '' } = user;
  const fault = displayName === '' ? null : nameFault(displayName);
  if (fault !== null) return fail('bad_request', `displayName ${fault}.`);
  if (!isRole(user.role)) return fail('bad_request', `A role is one of ${ROLES.join(', ')}.`);
  return succeed({
    user_id: user.userId,
    team_id: user.teamId,
    role: user.role,
    display_name: displayName,
    email: clip(user.email ?? '', TEXT_CHARACTERS_MAX),
    active: 1,
  });
}

async function changeUser(
  database: Database,
  userId: string,
  change: UserChange,
): Promise<UserRecord | null> {
  if (!isId(userId)) return null;
  const values = 'role' in change ? change : { active: change.active ? 1 : 0 };
  return database.transact(async (trx) => {
    await trx.updateTable('users').set(values).where('user_id', '=', userId).execute();
    if (!('role' in change) && !change.active) await endSignIns(trx, [userId]);
    const row = await trx
      .selectFrom('users')
      .selectAll()
      .where('user_id', '=', userId)
      .executeTakeFirst();
    return row === undefined ? null : asUser(row);
  });
}

/** See `UserStore`. */
async function moveActive(
  database: Database,
  { userId, teamId, role, displayName, email }: UserRecord,
): Promise<boolean> {
  if (!isId(userId) || !(await teamExists(database, teamId))) return false;
  const change = {
    team_id: teamId,
    role,
    display_name: clip(displayName, TEXT_CHARACTERS_MAX),
    email: clip(email, TEXT_CHARACTERS_MAX),
  };
  const { numUpdatedRows } = await database.write((db) =>
    db
      .updateTable('users')
      .set(change)
      .where('user_id', '=', userId)
      .where('active', '=', 1)
      .executeTakeFirst(),
  );
  return numUpdatedRows === 1n;
}

/** Yields the users of a team, or of all teams, in the order of their ids. */
async function* pages(
  database: Database,
  teamId: string | null,
): AsyncGenerator<readonly UserRecord[], void, undefined> {
  const slice = new TimeSlice();
  for (let after = ''; ;) {
    const rows = await database.read((db) => {
      let query = db.selectFrom('users').selectAll().where('user_id', '>', after);
      if (teamId !== null) query = query.where('team_id', '=', teamId);
      return query.orderBy('user_id').limit(sql.lit(PAGE_ROWS)).execute();
    });
    yield rows.map(asUser);
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE_ROWS) return;
    after = last.user_id;
    await slice.next();
  }
}

/** A row that FIND_SESSIONS returns. */
type SessionRow = Pick<Schema['users'], 'user_id' | 'team_id' | 'role'> &
  Pick<Schema['sessions'], 'digest' | 'expires_at_ms'>;

/**
 * This query runs with each request of a session. Building it with kysely would cost as much as
 * running it.
 */
const FIND_SESSIONS =
  'select users.user_id, users.team_id, users.role, sessions.digest, sessions.expires_at_ms' +
  ' from sessions' +
  ' inner join users on users.user_id = sessions.user_id' +
  ' inner join teams on teams.team_id = users.team_id' +
  ' where users.active = 1 and teams.active = 1 and sessions.expires_at_ms > ?' +
  ' and sessions.digest';

/** The sessions of users. Only the SHA-256 of a session's token is stored. */
export function sessions(database: Database, wallMs: () => number): SessionStore {
  return {
    async add(userId, expiresAtMs) {
      const user = isId(userId)
        ? await database.read((db) =>
            db
              .selectFrom('users')
              .innerJoin('teams', 'teams.team_id', 'users.team_id')
              .select('user_id')
              .where('user_id', '=', userId)
              .where('users.active', '=', 1)
              .where('teams.active', '=', 1)
              .executeTakeFirst(),
          )
        : undefined;
      if (user === undefined) return fail('not_found', 'There is no such active user.');
      const token = randomToken();
      const row = { digest: digest(token), user_id: userId, expires_at_ms: expiresAtMs };
      await database.transact(async (trx) => {
        await trx.insertInto('sessions').values(row).execute();
        const signIn = { user_id: userId, at_ms: wallMs() };
        await trx.replaceInto('last_sign_ins').values(signIn).execute();
      });
      return succeed({ token, expiresAtMs });
    },
    async find(token, nowMs) {
      const [session] = await findSessions(database, [token], nowMs);
      return session ?? null;
    },
    findAll: (tokens, nowMs) => findSessions(database, tokens, nowMs),
    async remove(token) {
      await database.write((db) =>
        db.deleteFrom('sessions').where('digest', '=', digest(token)).execute(),
      );
    },
    async endAll(userId) {
      return isId(userId) ? database.transact((trx) => endSignIns(trx, [userId])) : 0;
    },
  };
}

async function findSessions(
  database: Database,
  tokens: readonly string[],
  nowMs: number,
): Promise<readonly (SessionRecord | null)[]> {
  const list = listDigests(tokens, TOKEN);
  if (list === null) return tokens.map(() => null);
  const query = CompiledQuery.raw(`${FIND_SESSIONS} ${list.condition}`, [
    nowMs,
    ...list.parameters,
  ]);
  const { rows } = await database.read((db) => db.executeQuery<SessionRow>(query));
  const found = new Map(rows.map((row) => [hex(row.digest), asSession(row)]));
  return list.digests.map((sha256) => found.get(sha256) ?? null);
}

function asSession(row: SessionRow): SessionRecord {
  return {
    userId: row.user_id,
    teamId: row.team_id,
    role: asRole(row.role),
    expiresAtMs: row.expires_at_ms,
  };
}

export function isRole(value: string): value is Role {
  return ROLES.some((role) => role === value);
}

/** This program writes only valid roles; any other text in the database gets the least rights. */
function asRole(text: string): Role {
  return isRole(text) ? text : 'Viewer';
}

export function asUser(row: Schema['users']): UserRecord {
  return {
    userId: row.user_id,
    teamId: row.team_id,
    role: asRole(row.role),
    displayName: row.display_name,
    email: row.email,
    active: row.active === 1,
  };
}
