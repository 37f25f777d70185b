import { type Kysely, sql } from 'kysely';
import { fail, type Outcome, succeed } from '../../errors.ts';
import { TimeSlice } from '../../runtime/time-slice.ts';
import type { Database } from '../database/database.ts';
import { ID_RULE, isId, isNewId } from '../../runtime/id-rule.ts';
import { clip } from '../ids.ts';
import type { Schema } from '../database/schema.ts';
import { endSignIns, endSignInsOfTeams } from './sign-outs.ts';
import {
  type DeactivationLimit,
  type IdentitySync,
  type IdentityTeam,
  ROLES,
  type SyncCounts,
  type UserRecord,
} from './types.ts';

const TEXT_CHARACTERS_MAX = 255;
/** Rows in one statement: building a statement blocks the event loop. */
const CHUNK = 250;
const PAGE = 1_000;

type TeamRow = Schema['teams'];
type UserRow = Schema['users'];

/**
 * Brings teams and users to the state that the caller lists, in one transaction. Rows are compared in
 * memory and only changed ones written: a few hundred statements for 50,000 users, none when nothing
 * changed. The work is done in time slices, so that a long list does not block the event loop.
 */
export async function syncIdentities(
  database: Database,
  sync: IdentitySync,
  limit: DeactivationLimit,
  nowMs: number,
): Promise<Outcome<{ teams: SyncCounts; users: SyncCounts }>> {
  const slice = new TimeSlice();
  const { teams: listedTeams, users: listedUsers, full } = sync;
  const defect =
    fullDefectOf(sync) ?? (await defectOf(listedTeams ?? [], listedUsers ?? [], slice));
  if (defect !== null) return fail('bad_request', defect);
  return database.transact(async (trx) => {
    if (database.dialect === 'mysql') await waitForOtherSync(trx);
    const oldTeams = await readTeams(trx, slice);
    const oldUsers = await readUsers(trx, slice);
    const teamRows = new Map<string, TeamRow>();
    for (const [index, team] of (listedTeams ?? []).entries()) {
      const createdAtMs = oldTeams.get(team.teamId)?.created_at_ms ?? nowMs;
      if (!oldTeams.has(team.teamId) && !isNewId(team.teamId)) {
        return fail('bad_request', `teams[${index}].teamId: a new id ${ID_RULE}.`);
      }
      teamRows.set(team.teamId, teamRow(team, createdAtMs));
      if (slice.isOver) await slice.next();
    }
    const userRows = new Map<string, UserRow>();
    for (const [index, user] of (listedUsers ?? []).entries()) {
      if (!oldTeams.has(user.teamId) && !teamRows.has(user.teamId)) {
        return fail('bad_request', `users[${index}].teamId: no such team.`);
      }
      if (!oldUsers.has(user.userId) && !isNewId(user.userId)) {
        return fail('bad_request', `users[${index}].userId: a new id ${ID_RULE}.`);
      }
      userRows.set(user.userId, userRow(user));
      if (slice.isOver) await slice.next();
    }
    const deactivatesTeams = full && listedTeams !== null;
    const deactivatesUsers = full && listedUsers !== null;
    const teams = await difference(oldTeams, teamRows, isSameTeam, deactivatesTeams, slice);
    const users = await difference(oldUsers, userRows, isSameUser, deactivatesUsers, slice);
    const excess = excessOf(limit, [
      { name: 'teams', count: teams.counts.deactivated, active: activeIn(oldTeams) },
      { name: 'users', count: users.counts.deactivated, active: activeIn(oldUsers) },
    ]);
    if (excess !== null) return fail('bad_request', excess);
    await replaceTeams(trx, teams.changed, slice);
    await replaceUsers(trx, users.changed, slice);
    await endSessions(trx, teams.changed, users.changed, slice);
    return succeed({ teams: teams.counts, users: users.counts });
  });
}

interface Deactivation {
  readonly name: 'teams' | 'users';
  readonly count: number;
  /** Active ones before the sync. */
  readonly active: number;
}

/** Why the sync deactivates too many; null: it does not. A list cut short at its source looks so. */
function excessOf(limit: DeactivationLimit, lists: readonly Deactivation[]): string | null {
  const all = lists.reduce((sum, { count }) => sum + count, 0);
  switch (limit.kind) {
    case 'none':
      return null;
    case 'count': {
      if (all <= limit.max) return null;
      return `These lists deactivate ${all} teams and users; deactivatesAtMost allows ${limit.max}.`;
    }
    case 'percent': {
      const over = lists.find(({ count, active }) => count * 100 > limit.max * active);
      if (over === undefined) return null;
      const { name, count, active } = over;
      return (
        `${name}: the list deactivates ${count} of ${active}, more than the ${limit.max} % that this ` +
        `service allows. Send deactivatesAtMost: ${all} if that is meant.`
      );
    }
  }
}

function activeIn(rows: ReadonlyMap<string, { readonly active: number }>): number {
  let count = 0;
  for (const { active } of rows.values()) count += active;
  return count;
}

/**
 * Locks the rows of all teams until the transaction ends, so that two syncs run one after the other:
 * each compares its lists with what it read, and two full ones at once would leave both lists
 * active. SQLite has one writer. The key that calls belongs to a team, so there is a row to lock.
 */
async function waitForOtherSync(trx: Kysely<Schema>): Promise<void> {
  await trx.selectFrom('teams').select('team_id').orderBy('team_id').forUpdate().execute();
}

/** Refuses a full sync without lists, and one with an empty list, which would lock everybody out. */
function fullDefectOf({ teams, users, full }: IdentitySync): string | null {
  if (!full) return null;
  if (teams === null && users === null) return 'full needs teams or users, or both.';
  if (teams?.length === 0) return 'teams: an empty list with full would deactivate every team.';
  if (users?.length === 0) return 'users: an empty list with full would deactivate every user.';
  return null;
}

/** The first defect with its position; null: the lists are valid. */
async function defectOf(
  teams: readonly IdentityTeam[],
  users: readonly UserRecord[],
  slice: TimeSlice,
): Promise<string | null> {
  const teamIds = new Set<string>();
  for (const [index, team] of teams.entries()) {
    if (!isId(team.teamId)) return `teams[${index}].teamId: 1 to 128 characters expected.`;
    if (teamIds.has(team.teamId)) return `teams[${index}].teamId: listed twice.`;
    teamIds.add(team.teamId);
    if (slice.isOver) await slice.next();
  }
  const userIds = new Set<string>();
  for (const [index, user] of users.entries()) {
    if (!isId(user.userId)) return `users[${index}].userId: 1 to 128 characters expected.`;
    if (userIds.has(user.userId)) return `users[${index}].userId: listed twice.`;
    if (!ROLES.includes(user.role)) return `users[${index}].role: one of ${ROLES.join(', ')}.`;
    userIds.add(user.userId);
    if (slice.isOver) await slice.next();
  }
  return null;
}

async function readTeams(trx: Kysely<Schema>, slice: TimeSlice): Promise<Map<string, TeamRow>> {
  const rows = new Map<string, TeamRow>();
  for (let after = ''; ;) {
    const page = await trx
      .selectFrom('teams')
      .selectAll()
      .where('team_id', '>', after)
      .orderBy('team_id')
      .limit(sql.lit(PAGE))
      .execute();
    for (const row of page) rows.set(row.team_id, row);
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return rows;
    after = last.team_id;
    await slice.next();
  }
}

async function readUsers(trx: Kysely<Schema>, slice: TimeSlice): Promise<Map<string, UserRow>> {
  const rows = new Map<string, UserRow>();
  for (let after = ''; ;) {
    const page = await trx
      .selectFrom('users')
      .selectAll()
      .where('user_id', '>', after)
      .orderBy('user_id')
      .limit(sql.lit(PAGE))
      .execute();
    for (const row of page) rows.set(row.user_id, row);
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return rows;
    after = last.user_id;
    await slice.next();
  }
}

interface Difference<Row> {
  readonly changed: readonly Row[];
  readonly counts: SyncCounts;
}

/** Compares the listed rows with the old ones, and may deactivate the old rows that are not listed. */
async function difference<Row extends { active: number }>(
  old: ReadonlyMap<string, Row>,
  listed: ReadonlyMap<string, Row>,
  isSame: (one: Row, other: Row) => boolean,
  deactivatesOthers: boolean,
  slice: TimeSlice,
): Promise<Difference<Row>> {
  const changed: Row[] = [];
  const counts = { created: 0, updated: 0, deactivated: 0, unchanged: 0 };
  for (const [id, row] of listed) {
    if (slice.isOver) await slice.next();
    const before = old.get(id);
    if (before !== undefined && isSame(before, row)) {
      counts.unchanged += 1;
      continue;
    }
    changed.push(row);
    if (before === undefined) counts.created += 1;
    else if (before.active === 1 && row.active === 0) counts.deactivated += 1;
    else counts.updated += 1;
  }
  if (!deactivatesOthers) return { changed, counts };
  for (const [id, row] of old) {
    if (slice.isOver) await slice.next();
    if (listed.has(id) || row.active === 0) continue;
    changed.push({ ...row, active: 0 });
    counts.deactivated += 1;
  }
  return { changed, counts };
}

function teamRow(team: IdentityTeam, createdAtMs: number): TeamRow {
  return {
    team_id: team.teamId,
    name: clip(team.name, TEXT_CHARACTERS_MAX),
    active: team.active ? 1 : 0,
    created_at_ms: createdAtMs,
  };
}

function userRow(user: UserRecord): UserRow {
  return {
    user_id: user.userId,
    team_id: user.teamId,
    role: user.role,
    display_name: clip(user.displayName, TEXT_CHARACTERS_MAX),
    email: clip(user.email, TEXT_CHARACTERS_MAX),
    active: user.active ? 1 : 0,
  };
}

function isSameTeam(one: TeamRow, other: TeamRow): boolean {
  return one.name === other.name && one.active === other.active;
}

function isSameUser(one: UserRow, other: UserRow): boolean {
  return (
    one.team_id === other.team_id &&
    one.role === other.role &&
    one.display_name === other.display_name &&
    one.email === other.email &&
    one.active === other.active
  );
}

/**
 * REPLACE is the only upsert with the same syntax in both dialects; it deletes the old row, which
 * is safe because no foreign key refers to it.
 */
async function replaceTeams(
  trx: Kysely<Schema>,
  rows: readonly TeamRow[],
  slice: TimeSlice,
): Promise<void> {
  for (let at = 0; at < rows.length; at += CHUNK) {
    await slice.next();
    await trx
      .replaceInto('teams')
      .values(rows.slice(at, at + CHUNK))
      .execute();
  }
}

async function replaceUsers(
  trx: Kysely<Schema>,
  rows: readonly UserRow[],
  slice: TimeSlice,
): Promise<void> {
  for (let at = 0; at < rows.length; at += CHUNK) {
    await slice.next();
    await trx
      .replaceInto('users')
      .values(rows.slice(at, at + CHUNK))
      .execute();
  }
}

/** Ends the sessions and sign-in links of users who are no longer active, or whose team is not. */
async function endSessions(
  trx: Kysely<Schema>,
  teams: readonly TeamRow[],
  users: readonly UserRow[],
  slice: TimeSlice,
): Promise<void> {
  const teamIds = teams.filter(({ active }) => active === 0).map((team) => team.team_id);
  for (let at = 0; at < teamIds.length; at += CHUNK) {
    await slice.next();
    await endSignInsOfTeams(trx, teamIds.slice(at, at + CHUNK));
  }
  for (let at = 0; at < users.length; at += CHUNK) {
    const chunk = users.slice(at, at + CHUNK).filter((user) => user.active === 0);
    if (chunk.length === 0) continue;
    await slice.next();
    await endSignIns(
      trx,
      chunk.map((user) => user.user_id),
    );
  }
}
