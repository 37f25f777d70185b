import { join } from 'node:path';
import tap, { type Test } from 'tap';
import { openStore, type StoreSettings } from '../../src/store/open.ts';
import { type DocumentRecord, StorageUnavailable, type Store } from '../../src/store/store.ts';
import { findViolations } from '../crash/invariants.ts';
import { temporaryFolder } from './dialects.ts';
import { addDocument, newAudit } from './samples.ts';
import { type MariaDb, startMariaDb } from '../../lab/servers/mariadb.ts';
import { type Proxy, startProxy } from '../../lab/servers/tcp-proxy.ts';

/** Many times the usual time, because the machine is shared. */
const RECOVERY_MS_MAX = 180_000;
const PDF = Buffer.from('%PDF-1.7 %%EOF');
/** Short, so that a silent server is noticed within the test. */
const LIMITS = { statementTimeoutMs: 2_000, connectTimeoutMs: 1_500 };
/** The machine is shared: the best of this many tries counts. */
const TRIES_MAX = 20;

interface Scene {
  readonly store: Store;
  readonly proxy: Proxy;
  readonly databaseUrl: string;
  readonly folder: string;
}

async function setScene(
  t: Test,
  server: MariaDb,
  settings: Partial<StoreSettings> = {},
): Promise<Scene> {
  const databaseUrl = await server.freshUrl();
  const proxy = await startProxy(Number(new URL(databaseUrl).port));
  t.teardown(() => proxy.close());
  const through = new URL(databaseUrl);
  through.port = String(proxy.port);
  const folder = await temporaryFolder(t);
  const filesUrl = `file:${join(folder, 'files')}`;
  // Created without the short time limits, which are only for the tests.
  const maker = await openStore({ databaseUrl, filesUrl });
  await maker.migrate();
  await maker.close();
  const store = await openStore({ databaseUrl: through.href, filesUrl, ...LIMITS, ...settings });
  t.teardown(() => store.close());
  return { store, proxy, databaseUrl, folder };
}

/** The time in ms until work is refused. */
async function refusalMs(t: Test, work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now();
  await t.rejects(work(), { name: 'StorageUnavailable' });
  return performance.now() - startedAt;
}

async function recovers(store: Store): Promise<number> {
  const startedAt = performance.now();
  for (;;) {
    try {
      await addDocument(store, PDF);
      return performance.now() - startedAt;
    } catch (error) {
      if (
        !(error instanceof StorageUnavailable) ||
        performance.now() - startedAt > RECOVERY_MS_MAX
      ) {
        throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

const started = await startMariaDb();
if (started.server === null) {
  await tap.test('database faults', { skip: started.reason }, () => undefined);
} else {
  const { server } = started;
  tap.teardown(() => server.stop());

  for (const fault of ['cut before commit', 'cut after commit', 'late commit'] as const) {
    await tap.test(`${fault}: the document is still stored exactly once`, async (t) => {
      const scene = await setScene(t, server, { statementTimeoutMs: 20_000 });
      const { store, proxy } = scene;
      proxy.fault = fault;
      proxy.cuts = 1;
      const alone = await addDocument(store, PDF);
      proxy.cuts = 2;
      // Each time one transaction.
      const together: DocumentRecord[] = [];
      for (const count of [10, 10]) {
        const added = Array.from({ length: count }, () => addDocument(store, PDF));
        together.push(...(await Promise.all(added)));
      }
      t.equal(proxy.cuts, 0, 'the connection was cut three times');
      const { violations, documents, orphans } = await findViolations(scene, [alone, ...together]);
      t.strictSame(
        { violations, documents, orphans },
        { violations: [], documents: 21, orphans: 0 },
      );
    });
  }

  await tap.test('records without a document take one statement', async (t) => {
    const { store, proxy } = await setScene(t, server, { statementTimeoutMs: 20_000 });
    await store.audit.add(newAudit('', { requestId: 'alone' }));
    const together = Array.from({ length: 20 }, () => store.audit.add(newAudit()));
    await Promise.all(together);
    t.equal(proxy.commits(), 0, 'an INSERT commits by itself');
    t.equal((await store.audit.list({ countMax: 100 })).length, 21);
  });

  for (const fault of ['cut before commit', 'cut after commit', 'late commit'] as const) {
    await tap.test(`${fault} at an INSERT: the record is still there exactly once`, async (t) => {
      const { store, proxy } = await setScene(t, server, { statementTimeoutMs: 20_000 });
      // Its statement is prepared by then.
      await store.audit.add(newAudit());
      proxy.mark = Buffer.from('this-one');
      proxy.fault = fault;
      proxy.cuts = 1;
      await store.audit.add(newAudit('', { requestId: 'this-one' }));
      t.equal(proxy.cuts, 0, 'the connection was cut');
      const found = await store.audit.list({ requestId: 'this-one', countMax: 10 });
      t.equal(found.length, 1);
    });
  }

  await tap.test('a COMMIT without an answer deletes nothing', async (t) => {
    const scene = await setScene(t, server);
    const { store, proxy, folder, databaseUrl } = scene;
    await addDocument(store, PDF);
    proxy.fault = 'cut after commit';
    const pending = addDocument(store, Buffer.from('%PDF-unknown'));
    const cutsBefore = proxy.cuts;
    while (proxy.commits() === 1) await new Promise((resolve) => setImmediate(resolve));
    proxy.fault = 'black hole';
    await t.rejects(pending, { name: 'StorageUnavailable' });
    t.equal(proxy.cuts <= cutsBefore, true);
    const { violations, documents, orphans } = await findViolations({ folder, databaseUrl }, []);
    t.strictSame(violations, []);
    t.ok(documents + orphans >= 1 && documents <= 2, 'its row has its file, or neither stayed');
    proxy.fault = 'none';
    await recovers(store);
  });

  await tap.test(
    'while the database is down, work is refused at once and nothing piles up',
    async (t) => {
      const scene = await setScene(t, server);
      const { store, proxy } = scene;
      const before = await addDocument(store, PDF);
      proxy.fault = 'refuse';
      await refusalMs(t, () => addDocument(store, PDF));
      const connections = proxy.connections();
      const startedAt = performance.now();
      let bestMs = Number.POSITIVE_INFINITY;
      for (let tries = 0; tries < TRIES_MAX && bestMs >= 1_000; tries += 1) {
        const manyMs = await Promise.all(
          Array.from({ length: 200 }, () =>
            refusalMs(t, () => store.documents.findAny(before.documentId)),
          ),
        );
        bestMs = Math.min(bestMs, Math.max(...manyMs));
      }
      t.ok(bestMs < 1_000, `200 look-ups refused within ${bestMs} ms at best`);
      // One caller may try every half second; all others are refused at once.
      const triesMax = 1 + Math.floor((performance.now() - startedAt) / 500);
      const triesMade = proxy.connections() - connections;
      t.ok(
        triesMade <= triesMax,
        `and the server is not overrun: ${triesMade} of ${triesMax} tries`,
      );
      await t.rejects(store.probe(), { name: 'StorageUnavailable' });
      await t.rejects(store.audit.add(newAudit()), { name: 'StorageUnavailable' });
      proxy.fault = 'none';
      t.comment(`recovered without a restart after ${await recovers(store)} ms`);
      const { violations } = await findViolations(scene, [before]);
      t.strictSame(violations, []);
    },
  );

  await tap.test(
    'while the database is silent, work is refused within the time limits, soon at once',
    async (t) => {
      const scene = await setScene(t, server);
      const { store, proxy } = scene;
      const before = await addDocument(store, PDF);
      proxy.fault = 'black hole';
      // Documents that expire at other times share no transaction either: the second finds no
      // connection, by which the store knows that the database is away.
      const firstMs = await Promise.all(
        Array.from({ length: 50 }, (_, index) =>
          refusalMs(t, () => addDocument(store, PDF, Date.now() + (index % 2) * 3_600_000)),
        ),
      );
      t.ok(Math.max(...firstMs) < 60_000, `refused within ${Math.max(...firstMs)} ms`);
      const laterMs = await Promise.all(
        Array.from({ length: 50 }, () =>
          refusalMs(t, () => store.keys.find(`ik_${'a'.repeat(43)}`)),
        ),
      );
      const soonestMs = Math.min(...laterMs);
      t.ok(soonestMs < 1_000, `while it is known to be away, nobody waits: ${soonestMs} ms`);
      proxy.fault = 'none';
      t.comment(`recovered without a restart after ${await recovers(store)} ms`);
      const { violations } = await findViolations(scene, [before]);
      t.strictSame(violations, []);
    },
  );

  await tap.test('15 ms more each way delay documents, but lose none', async (t) => {
    const scene = await setScene(t, server, { statementTimeoutMs: 20_000 });
    scene.proxy.latencyMs = 15;
    const added = await Promise.all(
      Array.from({ length: 100 }, () => addDocument(scene.store, PDF)),
    );
    t.ok(scene.proxy.commits() < 50, `100 documents in ${scene.proxy.commits()} commits`);
    const { violations, documents } = await findViolations(scene, added);
    t.strictSame({ violations, documents }, { violations: [], documents: 100 });
  });

  await tap.test('a server that was killed and restarted goes on serving', async (t) => {
    if (process.env['INTAGLIO_TEST_MYSQL_URL'] !== undefined) return t.pass('not our server');
    const scene = await setScene(t, server);
    const added = [await addDocument(scene.store, PDF)];
    const racing = Promise.allSettled(
      Array.from({ length: 50 }, () => addDocument(scene.store, PDF)),
    );
    await server.kill();
    for (const result of await racing) if (result.status === 'fulfilled') added.push(result.value);
    await server.restart();
    await recovers(scene.store);
    const { violations } = await findViolations(scene, added);
    t.strictSame(violations, []);
  });

  await tap.test('while the database is read-only, work is refused', async (t) => {
    const scene = await setScene(t, server);
    const { createConnection } = await import('mysql2/promise');
    const root = await createConnection(scene.databaseUrl);
    t.teardown(() => root.end());
    const name = new URL(scene.databaseUrl).pathname.slice(1);
    await root.query('create user if not exists plain@127.0.0.1');
    await root.query(`grant all on ${name}.* to plain@127.0.0.1`);
    const url = new URL(scene.databaseUrl);
    url.username = 'plain';
    const filesUrl = `file:${join(scene.folder, 'files')}`;
    const store = await openStore({ databaseUrl: url.href, filesUrl, ...LIMITS });
    t.teardown(() => store.close());
    const before = await addDocument(store, PDF);
    await root.query('set global read_only = 1');
    await t.rejects(addDocument(store, PDF), {
      name: 'StorageUnavailable',
      message: /1290|READ_ONLY|OPTION_PREVENTS/,
    });
    await t.rejects(store.probe(), { name: 'StorageUnavailable' });
    t.match(await store.documents.findAny(before.documentId), { gone: false }, 'reads go on');
    await root.query('set global read_only = 0');
    await recovers(store);
    t.strictSame((await findViolations(scene, [before])).violations, []);
  });

  await tap.test('a server that may lose commits is refused, unless that is allowed', async (t) => {
    const { createConnection } = await import('mysql2/promise');
    const databaseUrl = await server.freshUrl();
    const root = await createConnection(databaseUrl);
    t.teardown(() => root.end());
    const filesUrl = `file:${await temporaryFolder(t)}`;
    for (const value of [0, 2]) {
      await root.query(`set global innodb_flush_log_at_trx_commit = ${value}`);
      await t.rejects(openStore({ databaseUrl, filesUrl }), { message: /flush_log/ });
    }
    const store = await openStore({ databaseUrl, filesUrl, allowUnsafeCommits: true });
    await store.close();
    await root.query('set global innodb_flush_log_at_trx_commit = 1');
    const strict = await openStore({ databaseUrl, filesUrl });
    await strict.close();
  });

  await tap.test('errors contain no values of statements', async (t) => {
    const scene = await setScene(t, server);
    const secret = 'canary-7f3a';
    const bad = newAudit(secret, { version: Number.POSITIVE_INFINITY, requestId: secret });
    const error: unknown = await scene.store.audit.add(bad).catch((thrown: unknown) => thrown);
    t.ok(error instanceof Error);
    const { inspect } = await import('node:util');
    t.notMatch(inspect(error, { depth: 10, showHidden: true }), secret);
  });
}
