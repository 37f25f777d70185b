import { once } from 'node:events';
import { createServer } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { sql } from 'kysely';
import { createConnection } from 'mysql2/promise';
import tap from 'tap';
import { Database } from '../../src/store/database/database.ts';
import { SAFE_OPTIONS } from '../../src/store/database/mysql.ts';
import { startTcpProxy } from '../chaos/tcp.ts';
import { startMariaDb } from '../../lab/servers/mariadb.ts';

await tap.test('what greets without end in the place of MySQL is left at once', async (t) => {
  const piece = Buffer.alloc(65_536, 0x41);
  const server = createServer((client) => {
    client.on('error', () => client.destroy());
    const pour = (): void => {
      while (!client.destroyed && client.write(piece));
    };
    client.on('drain', pour);
    pour();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const address = server.address();
  const port = typeof address === 'object' ? Number(address?.port) : 0;
  const options = { host: '127.0.0.1', port, user: 'u', password: 'p', ...SAFE_OPTIONS };
  await t.rejects(createConnection(options), { code: 'ANSWER_WITHOUT_END' });
});

const started = await startMariaDb();
if (started.server === null) {
  await tap.test('endless answers', { skip: started.reason }, () => undefined);
} else {
  const { server } = started;
  tap.teardown(() => server.stop());
  await tap.test('a statement that is answered without end ends its connection', async (t) => {
    const url = new URL(await server.freshUrl());
    const proxy = await startTcpProxy(Number(url.port));
    url.hostname = '127.0.0.1';
    url.port = String(proxy.port);
    const database = new Database({
      url: url.href,
      connectionsMax: 4,
      connectTimeoutMs: 20_000,
      // Without a bound, the answers would be read for as long as this.
      statementTimeoutMs: 3_600_000,
      allowUnsafeCommits: true,
    });
    t.teardown(async () => {
      await database.close();
      await proxy.close();
    });
    const length = (text: string): Promise<unknown> =>
      database.read((db) => sql`select length(${sql.raw(text)}) as bytes`.execute(db));
    const long = await database.read((db) =>
      sql<{ text: string }>`select repeat('x', 10000000) as text`.execute(db),
    );
    t.equal(long.rows[0]?.text.length, 10_000_000, 'a long answer is read');
    proxy.set({ fault: 'endless', share: 1 });
    await t.rejects(length("'a'"), { name: 'StorageUnavailable' });
    proxy.set(null);
    // The outage is over as soon as the server answers again.
    for (;;) {
      await turn();
      const back = await length("'ab'").catch(() => null);
      if (back !== null) {
        t.match(back, { rows: [{ bytes: 2 }] });
        return;
      }
    }
  });
}
