import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import tap, { type Test } from 'tap';
import { openStore, type StoreSettings } from '../../src/store/open.ts';
import type { Store } from '../../src/store/store.ts';
import { type MariaDb, startMariaDb } from '../../lab/servers/mariadb.ts';

/** A database and a folder of files for the stores of one test; both are removed after it. */
export interface StorePlace {
  readonly name: 'sqlite' | 'mysql';
  readonly databaseUrl: string;
  readonly folder: string;
  open(t: Test, settings?: Partial<StoreSettings>): Promise<Store>;
}

/** Runs the same tests over SQLite and over MariaDB; without MariaDB, its tests count as skipped. */
export async function overDialects(
  name: string,
  body: (t: Test, newPlace: () => Promise<StorePlace>) => Promise<void>,
): Promise<void> {
  await tap.test(`${name} (sqlite)`, async (t) => {
    await body(t, async () => {
      const folder = await temporaryFolder(t);
      return placeOf('sqlite', `sqlite:${join(folder, 'intaglio.db')}`, folder);
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
    await body(t, async () => placeOf('mysql', await server.freshUrl(), await temporaryFolder(t)));
  });
}

function placeOf(name: StorePlace['name'], databaseUrl: string, folder: string): StorePlace {
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
  // The thread that examines a damaged file goes on after the store is closed, and makes files
  // beside it.
  const retries = { maxRetries: 10, retryDelay: 200 };
  t.teardown(() => rm(folder, { recursive: true, force: true, ...retries }));
  return folder;
}
