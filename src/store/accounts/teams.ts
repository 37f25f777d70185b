import { sql } from 'kysely';
import { fail, succeed } from '../../errors.ts';
import { TimeSlice } from '../../runtime/time-slice.ts';
import type { Database } from '../database/database.ts';
import { isFault } from '../database/database-fault.ts';
import { ID_RULE, isId, isNewId } from '../../runtime/id-rule.ts';
import { nameFault } from '../../runtime/readable-name.ts';
import type { Schema } from '../database/schema.ts';
import type { TeamRecord, TeamStore } from './types.ts';

/** Rows read at a time: reading SQLite blocks the event loop until it returns. */
const PAGE_ROWS = 1_000;

/** The teams, which own keys, users, templates and documents. */
export function teams(database: Database, wallMs: () => number): TeamStore {
  return {
    async add({ teamId, name }) {
      if (!isNewId(teamId)) {
        return fail('bad_request', `A team id ${ID_RULE}.`);
      }
      const fault = nameFault(name);
      if (fault !== null) return fail('bad_request', `name ${fault}.`);
      const row = { team_id: teamId, name, active: 1, created_at_ms: wallMs() };
      try {
        await database.write((db) => db.insertInto('teams').values(row).execute());
      } catch (error) {
        if (isFault(error, 'duplicate')) return fail('bad_request', 'This team exists already.');
        throw error;
      }
      return succeed(asTeam(row));
    },
    async list() {
      const records: TeamRecord[] = [];
      const slice = new TimeSlice();
      let after = '';
      for (;;) {
        const rows = await database.read((db) => {
          const query = db.selectFrom('teams').selectAll().where('team_id', '>', after);
          return query.orderBy('team_id').limit(sql.lit(PAGE_ROWS)).execute();
        });
        for (const row of rows) records.push(asTeam(row));
        const last = rows.at(-1);
        if (last === undefined || rows.length < PAGE_ROWS) return records;
        after = last.team_id;
        await slice.next();
      }
    },
  };
}

/** Whether the team exists, active or not. */
export async function teamExists(database: Database, teamId: string): Promise<boolean> {
  if (!isId(teamId)) return false;
  const row = await database.read((db) =>
    db.selectFrom('teams').select('team_id').where('team_id', '=', teamId).executeTakeFirst(),
  );
  return row !== undefined;
}

export function asTeam(row: Schema['teams']): TeamRecord {
  return { teamId: row.team_id, name: row.name, active: row.active === 1 };
}
