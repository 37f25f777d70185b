import { Database } from '../../src/store/database/database.ts';

/** Gives a MySQL database the present schema. */
export async function migrate(url: string): Promise<void> {
  const database = new Database({
    url,
    connectionsMax: 2,
    connectTimeoutMs: 60_000,
    statementTimeoutMs: 60_000,
    allowUnsafeCommits: false,
  });
  await database.migrate();
  await database.close();
}
