import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tap, { type Test } from 'tap';
import { openStore, type StoreSettings } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { type MariaDb, startMariaDb } from './mariadb.ts';

/** One store for a test: its own database and folder, gone when the test ends. */
export interface Bench {
  readonly name: 'sqlite' | 'mysql';
  readonly databaseUrl: string;
  readonly folder: string;
  open(t: Test, settings?: Partial<StoreSettings>): Promise<Store>;
}

/** Runs the same tests over SQLite and over MariaDB; skips the latter loudly when there is none. */
export async function overDialects(
  name: string,
  body: (t: Test, bench: () => Promise<Bench>) => Promise<void>,
): Promise<void> {
  await tap.test(`${name} (sqlite)`, async (t) => {
    await body(t, async () => {
      const folder = await temporaryFolder(t);
      return benchOf('sqlite', `sqlite:${join(folder, 'intaglio.db')}`, folder);
    });
  });
  const started = await startMariaDb();
  if (started.server === null) {
    await tap.test(`${name} (mysql)`, { skip: started.reason }, () => undefined);
    return;
  }
  const server: MariaDb = started.server;
  tap.teardown(() => server.stop());
  await tap.test(`${name} (mysql)`, async (t) => {
    await body(t, async () => benchOf('mysql', await server.freshUrl(), await temporaryFolder(t)));
  });
}

function benchOf(name: Bench['name'], databaseUrl: string, folder: string): Bench {
  return {
    name,
    databaseUrl,
    folder,
    async open(t, settings = {}) {
      const filesUrl = `file:${join(folder, 'files')}`;
      const store = await openStore({ databaseUrl, filesUrl, ...settings });
      t.teardown(() => store.close());
      await store.migrate();
      return store;
    },
  };
}

export async function temporaryFolder(t: Test): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'intaglio-store-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
