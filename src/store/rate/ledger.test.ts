import t from 'tap';
import { createConnection } from 'mysql2/promise';
import { startMariaDb } from '../../../lab/servers/mariadb.ts';
import { migrate } from '../../../test/store/migrated.ts';
import { connectionOptions } from '../database/mysql.ts';
import { openLedger } from './ledger.ts';

const started = await startMariaDb();
const skip = started.server === null ? started.reason : false;
t.teardown(() => started.server?.stop());

/** The table as earlier versions made it when the service started. */
const EARLIER = `create table if not exists rate_windows (
  caller varchar(160) character set utf8mb4 collate utf8mb4_bin not null primary key,
  calls int not null, ends_at_ms bigint not null, key rate_windows_end (ends_at_ms)
) engine = innodb`;
const IN_A_MINUTE = 'cast(unix_timestamp(now(3)) * 1000 as signed) + 60000';

t.test('the migrations make the table, the ledger makes none', { skip }, async (t) => {
  if (started.server === null) return;
  const url = await started.server.freshUrl();
  const open = (): ReturnType<typeof openLedger> =>
    openLedger(connectionOptions(url), () => undefined);
  await t.rejects(open(), { message: /ER_NO_SUCH_TABLE/ });
  await migrate(url);
  const ledger = await open();
  t.teardown(() => ledger.close());
  t.match(await ledger.add([{ caller: 'a', calls: 2 }]), new Map([['a', { calls: 2 }]]));
  const beside = await createConnection(connectionOptions(url));
  t.teardown(() => beside.end());
  // An instance of the version before starts beside this one.
  await beside.query(EARLIER);
  const [indexes] = await beside.query("show index from rate_windows where Key_name <> 'PRIMARY'");
  t.match(indexes, [{ Key_name: 'rate_windows_end', Column_name: 'ends_at_ms' }]);
});

t.test('a table of an earlier version is taken over with its windows', { skip }, async (t) => {
  if (started.server === null) return;
  const url = await started.server.freshUrl();
  const beside = await createConnection(connectionOptions(url));
  t.teardown(() => beside.end());
  await beside.query(EARLIER);
  await beside.query(`insert into rate_windows values ('a', 5, ${IN_A_MINUTE})`);
  await migrate(url);
  const ledger = await openLedger(connectionOptions(url), () => undefined);
  t.teardown(() => ledger.close());
  t.match(await ledger.add([{ caller: 'a', calls: 1 }]), new Map([['a', { calls: 6 }]]));
});
