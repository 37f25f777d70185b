import { type Kysely, sql } from 'kysely';
import { fail, type Outcome, succeed } from '../../errors.ts';
import { hasRole } from './roles.ts';
import { auditRow, type NewAudit } from '../audit.ts';
import type { Database } from '../database/database.ts';
import { isFault } from '../database/database-fault.ts';
import type { Schema } from '../database/schema.ts';
import { isId } from '../../runtime/id-rule.ts';
import type { ListPage } from '../terms.ts';
import { endSignIns } from './sign-outs.ts';
import type { NewUser, Role, UserRecord } from './types.ts';
import { asUser, newUserRow } from './users.ts';

/** A user of a team, as its Admins see them. */
export interface MemberRecord extends UserRecord {
  /** null: never since this is recorded. */
  readonly lastSignInAtMs: number | null;
}

/** A change that an Admin makes to a member. With `was`, it is refused if the role is another one. */
export type MemberChange =
  | { readonly kind: 'role'; readonly role: Role; readonly was?: Role | undefined }
  | { readonly kind: 'active'; readonly active: boolean }
  | { readonly kind: 'sign-out' };

/** A change with who makes it, and its audit record, which is written with it or not at all. */
export interface MemberAct {
  readonly teamId: string;
  readonly userId: string;
  /** `user:<userId>` of an Admin of the team. */
  readonly by: string;
  readonly change: MemberChange;
  readonly audit: (before: MemberRecord, after: MemberRecord) => NewAudit;
}

export type MemberResult =
  | { readonly kind: 'done'; readonly member: MemberRecord }
  /** The member has another role than `was`: nothing was changed. */
  | { readonly kind: 'stale'; readonly member: MemberRecord }
  | { readonly kind: 'absent' | 'foreign' | 'role_lost' };

/** Users of one team, for its Admins. */
export interface MemberStore {
  /** Lists members by id, after the user `after`; '' begins with the first. */
  page(teamId: string, after: string, countMax: number): Promise<ListPage<MemberRecord>>;
  /** The active Admins of a team, as `user:<userId>`. */
  admins(teamId: string): Promise<readonly string[]>;
  /**
   * Changes a member while the Admin who asks is still one. Of two Admins who deactivate each other
   * at once, only one does: whoever changes others remains, so a team never loses its last Admin here.
   */
  act(act: MemberAct): Promise<MemberResult>;
  /** Adds a user to the team. Gives `role_lost` if the caller is no longer an Admin of the team. */
  add(user: NewUser, by: string, audit: NewAudit): Promise<Outcome<MemberRecord> | 'role_lost'>;
}

/** More Admins than contributors of any draft, so one of them may decide. */
const ADMINS_MAX = 1_000;

export function members(database: Database): MemberStore {
  return {
    async page(teamId, after, countMax) {
      const rows = await database.read((db) =>
        selectMember(db)
          .where('users.team_id', '=', teamId)
          .where('users.user_id', '>', after)
          .orderBy('users.user_id')
          .limit(sql.lit(countMax))
          .execute(),
      );
      const next = rows.length < countMax ? null : (rows.at(-1)?.user_id ?? null);
      return { items: rows.map(asMember), next };
    },
    async admins(teamId) {
      const rows = await database.read((db) =>
        db
          .selectFrom('users')
          .select('user_id')
          .where('team_id', '=', teamId)
          .where('role', '=', 'Admin')
          .where('active', '=', 1)
          .limit(sql.lit(ADMINS_MAX))
          .execute(),
      );
      return rows.map((row) => `user:${row.user_id}`);
    },
    act: (act) => database.transact((trx) => actOn(database, trx, act)),
    async add(user, by, audit) {
      const row = newUserRow(user);
      if (!row.ok) return row;
      const similar = await findSimilar(database, user);
      if (similar !== null) return fail('bad_request', similarText(similar));
      try {
        return await database.transact(async (trx) => {
          await lock(database, trx, [principalId(by)]);
          if (!(await hasRole(trx, user.teamId, by, ['Admin']))) return 'role_lost';
          await trx.insertInto('users').values(row.value).execute();
          await trx.insertInto('audit').values(auditRow(database, audit)).execute();
          return succeed({ ...asUser(row.value), lastSignInAtMs: null });
        });
      } catch (error) {
        if (isFault(error, 'duplicate')) return fail('bad_request', 'This user exists already.');
        throw error;
      }
    },
  };
}

/** The id of a user of the team that differs from this one in upper and lower case only; null: none. */
async function findSimilar(
  database: Database,
  { teamId, userId }: NewUser,
): Promise<string | null> {
  const row = await database.read((db) =>
    db
      .selectFrom('users')
      .select('user_id')
      .where('team_id', '=', teamId)
      .where(sql`lower(user_id)`, '=', userId.toLowerCase())
      .where('user_id', '!=', userId)
      .executeTakeFirst(),
  );
  return row?.user_id ?? null;
}

export function similarText(userId: string): string {
  return (
    `The team has a user ${userId}, whose id differs only in upper and lower case. One of the two would ` +
    'be taken for the other: change the role of that user, or choose another id.'
  );
}

async function actOn(
  database: Database,
  trx: Kysely<Schema>,
  { teamId, userId, by, change, audit }: MemberAct,
): Promise<MemberResult> {
  if (!isId(userId)) return { kind: 'absent' };
  await lock(database, trx, [principalId(by), userId]);
  if (!(await hasRole(trx, teamId, by, ['Admin']))) return { kind: 'role_lost' };
  const before = await readMember(trx, userId);
  if (before === null) return { kind: 'absent' };
  if (before.teamId !== teamId) return { kind: 'foreign' };
  const isStale = change.kind === 'role' && change.was !== undefined && change.was !== before.role;
  if (isStale) return { kind: 'stale', member: before };
  await applyTo(trx, userId, change);
  const member = (await readMember(trx, userId)) ?? before;
  const record = auditRow(database, audit(before, member));
  await trx.insertInto('audit').values(record).execute();
  return { kind: 'done', member };
}

async function applyTo(trx: Kysely<Schema>, userId: string, change: MemberChange): Promise<void> {
  const one = trx.updateTable('users').where('user_id', '=', userId);
  switch (change.kind) {
    case 'role':
      await one.set({ role: change.role }).execute();
      return;
    case 'active':
      await one.set({ active: change.active ? 1 : 0 }).execute();
      if (!change.active) await endSignIns(trx, [userId]);
      return;
    case 'sign-out':
      await endSignIns(trx, [userId]);
  }
}

function principalId(principal: string): string {
  return principal.slice('user:'.length);
}

/** Locks rows of users in one order, so that two Admins wait for each other. SQLite has one writer. */
async function lock(
  database: Database,
  trx: Kysely<Schema>,
  userIds: readonly string[],
): Promise<void> {
  if (database.dialect !== 'mysql') return;
  for (const userId of [...new Set(userIds)].toSorted()) {
    const row = trx.selectFrom('users').select('user_id').where('user_id', '=', userId);
    await row.forUpdate().execute();
  }
}

async function readMember(trx: Kysely<Schema>, userId: string): Promise<MemberRecord | null> {
  const row = await selectMember(trx).where('users.user_id', '=', userId).executeTakeFirst();
  return row === undefined ? null : asMember(row);
}

function selectMember(db: Kysely<Schema>) {
  return db
    .selectFrom('users')
    .leftJoin('last_sign_ins', 'last_sign_ins.user_id', 'users.user_id')
    .selectAll('users')
    .select('last_sign_ins.at_ms as last_sign_in_at_ms');
}

type MemberRow = Schema['users'] & { readonly last_sign_in_at_ms: number | null };

function asMember(row: MemberRow): MemberRecord {
  return { ...asUser(row), lastSignInAtMs: row.last_sign_in_at_ms };
}
