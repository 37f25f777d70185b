import { existsSync } from 'node:fs';
import { readConfig, SETTINGS, shownUrl, type Config } from '../../settings/config.ts';
import type { Outcome } from '../../errors.ts';
import type { Store } from '../../store/store.ts';
import { CommandFailed, NotFound } from './failure.ts';
import { writeErr } from './terminal.ts';

/** Begins the address of a database that is a file. */
const SQLITE = 'sqlite:';

/**
 * Runs an administrative command on the configured database, which a running service may share. Throws
 * `CommandFailed` when there is none: a command that only reads, or changes what is there, makes no
 * file.
 */
export async function withStore<T>(use: (store: Store, config: Config) => Promise<T>): Promise<T> {
  demandDatabase(readConfig(process.env));
  return withNewStore(use);
}

/** Throws `CommandFailed` when the file of the configured database does not exist. */
export function demandDatabase({ databaseUrl }: Config): void {
  const path = databaseUrl.slice(SQLITE.length);
  if (!databaseUrl.startsWith(SQLITE) || path === ':memory:' || existsSync(path)) return;
  const { variable } = SETTINGS.databaseUrl;
  throw new CommandFailed(
    `there is no database ${path}: set ${variable} as the service has it; or make one: ` +
      './intaglio teams add TEAM --name NAME',
  );
}

/**
 * As `withStore`, and makes the database when there is none. The schema is brought up to date first,
 * and everything is closed afterwards. A name that is not found is refused with the database that was
 * searched.
 */
export async function withNewStore<T>(
  use: (store: Store, config: Config) => Promise<T>,
): Promise<T> {
  const config = readConfig(process.env);
  const { closeStore, migrateStore, openConfiguredStore } = await import('../../start/storage.ts');
  const store = await openConfiguredStore(config, warn);
  try {
    await migrateStore(store, config);
    return await use(store, config);
  } catch (error) {
    if (!(error instanceof NotFound)) throw error;
    throw new CommandFailed(`${error.message}\n${searched(config)}`);
  } finally {
    await closeStore(store);
  }
}

/** Names the database, because a command with other settings than the service looks into another one. */
export function searched({ databaseUrl }: Config): string {
  const { variable } = SETTINGS.databaseUrl;
  const place = shownUrl(databaseUrl);
  return `The database is ${place}; if the service has another one, set ${variable} as it has it.`;
}

function warn(message: string): void {
  writeErr(`intaglio: ${message}\n`);
}

/** Returns the value, or throws the refusal as CommandFailed. */
export function demand<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value;
  throw new CommandFailed(`${outcome.message} (${outcome.code})`);
}

/** Collects the values of an option that may be given several times. */
export function collect(value: string, previous: readonly string[] | undefined): string[] {
  return [...(previous ?? []), value];
}
