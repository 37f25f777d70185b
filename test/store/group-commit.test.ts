import { Database } from '../../src/store/database/database.ts';
import type { ScriptStatement } from '../../src/store/database/script.ts';
import { overDialects } from './dialects.ts';

/** More than the connections for writing. */
const OTHERS = 12;

const inserting = (teamId: string): readonly ScriptStatement[] => [
  {
    sql: 'insert into teams (team_id, name, active, created_at_ms) values (?, ?, 1, 0)',
    parameters: [teamId, ''],
    changes: 1,
  },
];

await overDialects('group commit', async (t, newPlace) => {
  await t.test('it waits for no transaction that has yet to begin', async (t) => {
    const { name, databaseUrl } = await newPlace();
    const database = new Database({
      url: databaseUrl,
      connectionsMax: 10,
      connectTimeoutMs: 60_000,
      statementTimeoutMs: 60_000,
      allowUnsafeCommits: false,
    });
    t.teardown(() => database.close());
    await database.migrate();
    const order: string[] = [];
    const { promise: gate, resolve: open } = Promise.withResolvers<void>();
    const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
    const hold = (teamId: string): Promise<void> =>
      database.transact(async (trx) => {
        const team = { team_id: teamId, name: '', active: 1, created_at_ms: 0 };
        await trx.insertInto('teams').values(team).execute();
        begin();
        await gate;
      });
    const noting = async (teamId: string, stored: Promise<void>): Promise<void> => {
      await stored;
      order.push(teamId);
    };
    // MySQL: until the gate opens, all other connections for writing are taken. SQLite has one.
    const holders = Array.from(
      { length: name === 'mysql' ? OTHERS : 1 },
      (_, index) => `h${index}`,
    );
    const held = holders.map((teamId) => noting(teamId, hold(teamId)));
    await begun;
    const waiting = Array.from({ length: OTHERS }, (_, index) => `w${index}`);
    const others = waiting.map((teamId) => noting(teamId, database.commit(inserting(teamId))));
    const group = noting('bank', database.commitGroup(inserting('bank')));
    if (name === 'mysql') await group;
    open();
    await Promise.all([group, ...held, ...others]);
    t.equal(order.indexOf('bank'), name === 'mysql' ? 0 : 1, order.join(' '));
    t.equal(order.length, holders.length + OTHERS + 1);
  });
});
