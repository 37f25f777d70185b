import type { Kysely } from 'kysely';
import { fail, type Outcome, succeed } from '../errors.ts';
import type { Database } from './database.ts';
import { clip, isId } from './ids.ts';
import type { Schema } from './schema.ts';
import { type IdentitySync, ROLES, type SyncCounts } from './store.ts';

const TEXT_CHARACTERS_MAX = 255;
const CHUNK = 500;

type TeamRow = Schema['teams'];
type UserRow = Schema['users'];

/**
 * Makes teams and users what the caller lists, in one transaction. The difference is found in
 * memory and written in chunks, so 50,000 users take a few hundred statements, and none when
 * nothing changed.
 */
export async function syncIdentities(
  database: Database,
  sync: IdentitySync,
  nowMs: number,
): Promise<Outcome<{ teams: SyncCounts; users: SyncCounts }>> {
  const defect = defectOf(sync);
  if (defect !== null) return fail('bad_request', defect);
  return database.transact(async (trx) => {
    const oldTeams = await trx.selectFrom('teams').selectAll().execute();
    const oldUsers = await trx.selectFrom('users').selectAll().execute();
    const known = new Set(oldTeams.map((team) => team.team_id));
    for (const team of sync.teams) known.add(team.teamId);
    const position = sync.users.findIndex((user) => !known.has(user.teamId));
    if (position >= 0) return fail('bad_request', `users[${position}].teamId: no such team.`);

    const createdAt = new Map(oldTeams.map((team) => [team.team_id, team.created_at_ms]));
    const teams = difference<TeamRow>(
      new Map(oldTeams.map((row) => [row.team_id, row])),
      new Map(sync.teams.map((team) => [team.teamId, teamRow(team, createdAt, nowMs)])),
      (one, other) => one.name === other.name && one.active === other.active,
      sync.full,
    );
    const users = difference<UserRow>(
      new Map(oldUsers.map((row) => [row.user_id, row])),
      new Map(sync.users.map((user) => [user.userId, userRow(user)])),
      sameUser,
      sync.full,
    );
    await replaceTeams(trx, teams.changed);
    await replaceUsers(trx, users.changed);
    await endSessions(
      trx,
      users.changed.filter((user) => user.active === 0).map((user) => user.user_id),
    );
    return succeed({ teams: teams.counts, users: users.counts });
  });
}

/** The first thing wrong, with its position; null when all is well. */
function defectOf(sync: IdentitySync): string | null {
  const teamIds = new Set<string>();
  for (const [index, team] of sync.teams.entries()) {
    if (!isId(team.teamId)) return `teams[${index}].teamId: 1 to 128 characters expected.`;
    if (teamIds.has(team.teamId)) return `teams[${index}].teamId: listed twice.`;
    teamIds.add(team.teamId);
  }
  const userIds = new Set<string>();
  for (const [index, user] of sync.users.entries()) {
    if (!isId(user.userId)) return `users[${index}].userId: 1 to 128 characters expected.`;
    if (userIds.has(user.userId)) return `users[${index}].userId: listed twice.`;
    if (!ROLES.includes(user.role)) return `users[${index}].role: one of ${ROLES.join(', ')}.`;
    userIds.add(user.userId);
  }
  return null;
}

interface Difference<Row> {
  readonly changed: readonly Row[];
  readonly counts: SyncCounts;
}

/** Who is not listed is left alone, or deactivated when the list is `full`. */
function difference<Row extends { active: number }>(
  old: ReadonlyMap<string, Row>,
  listed: ReadonlyMap<string, Row>,
  same: (one: Row, other: Row) => boolean,
  full: boolean,
): Difference<Row> {
  const changed: Row[] = [];
  const counts = { created: 0, updated: 0, deactivated: 0, unchanged: 0 };
  for (const [id, row] of listed) {
    const before = old.get(id);
    if (before !== undefined && same(before, row)) {
      counts.unchanged += 1;
      continue;
    }
    changed.push(row);
    if (before === undefined) counts.created += 1;
    else if (before.active === 1 && row.active === 0) counts.deactivated += 1;
    else counts.updated += 1;
  }
  if (!full) return { changed, counts };
  for (const [id, row] of old) {
    if (listed.has(id) || row.active === 0) continue;
    changed.push({ ...row, active: 0 });
    counts.deactivated += 1;
  }
  return { changed, counts };
}

function teamRow(
  team: IdentitySync['teams'][number],
  createdAt: ReadonlyMap<string, number>,
  nowMs: number,
): TeamRow {
  return {
    team_id: team.teamId,
    name: clip(team.name, TEXT_CHARACTERS_MAX),
    active: team.active ? 1 : 0,
    created_at_ms: createdAt.get(team.teamId) ?? nowMs,
  };
}

function userRow(user: IdentitySync['users'][number]): UserRow {
  return {
    user_id: user.userId,
    team_id: user.teamId,
    role: user.role,
    display_name: clip(user.displayName, TEXT_CHARACTERS_MAX),
    email: clip(user.email, TEXT_CHARACTERS_MAX),
    active: user.active ? 1 : 0,
  };
}

function sameUser(one: UserRow, other: UserRow): boolean {
  return (
    one.team_id === other.team_id &&
    one.role === other.role &&
    one.display_name === other.display_name &&
    one.email === other.email &&
    one.active === other.active
  );
}

/** REPLACE is the one upsert that both dialects spell alike; no row refers to these. */
async function replaceTeams(trx: Kysely<Schema>, rows: readonly TeamRow[]): Promise<void> {
  for (let at = 0; at < rows.length; at += CHUNK) {
    await turn();
    await trx
      .replaceInto('teams')
      .values(rows.slice(at, at + CHUNK))
      .execute();
  }
}

async function replaceUsers(trx: Kysely<Schema>, rows: readonly UserRow[]): Promise<void> {
  for (let at = 0; at < rows.length; at += CHUNK) {
    await turn();
    await trx
      .replaceInto('users')
      .values(rows.slice(at, at + CHUNK))
      .execute();
  }
}

/** SQLite answers within the call: between two chunks other requests must have their turn. */
function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

async function endSessions(trx: Kysely<Schema>, userIds: readonly string[]): Promise<void> {
  for (let at = 0; at < userIds.length; at += CHUNK) {
    await trx
      .deleteFrom('sessions')
      .where('user_id', 'in', userIds.slice(at, at + CHUNK))
      .execute();
  }
}
