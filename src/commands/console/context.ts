import { lstatSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { originOf, readConfig, SETTINGS, shownUrl, type Config } from '../../settings/config.ts';
import type { Outcome } from '../../errors.ts';
import type { Store } from '../../store/store.ts';
import { CommandFailed, NotFound, unreadable } from './failure.ts';
import { writeErr } from './terminal.ts';

/** Prefix of the address of a database in a file. */
const SQLITE = 'sqlite:';

/**
 * Runs an administrative command on the configured database, which a running service may share.
 * Throws `CommandFailed` if the database does not exist: a command that reads or changes rows must
 * not create an empty one.
 */
export async function withStore<T>(use: (store: Store, config: Config) => Promise<T>): Promise<T> {
  demandDatabase(readConfig(process.env));
  return withNewStore(use);
}

/** Throws `CommandFailed` when the file of the configured database does not exist, or cannot be reached. */
export function demandDatabase(config: Config): void {
  const path = missingDatabase(config);
  if (path === null) return;
  const { variable } = SETTINGS.databaseUrl;
  throw new CommandFailed(
    `there is no database ${path}: set ${variable} as it is for the service; or create one: ` +
      './intaglio teams add TEAM --name NAME',
  );
}

/**
 * The default place of the database on a machine without a service: no database is configured, and
 * none lies there. null: there is one to be asked.
 */
export function placeWithoutDatabase(config: Config): string | null {
  const isDefault = originOf(SETTINGS.databaseUrl.variable, process.env) === 'default';
  const path = isDefault ? missingDatabase(config) : null;
  // Where the disk of the database is not mounted, there is one, but out of reach.
  return path === null || [path, dirname(path)].some(leadsNowhere) ? null : path;
}

/** Whether a symbolic link lies there whose target is absent. */
function leadsNowhere(path: string): boolean {
  const quietly = { throwIfNoEntry: false } as const;
  return lstatSync(path, quietly) !== undefined && statSync(path, quietly) === undefined;
}

/** The path of the configured database if its file does not exist; throws if it cannot be reached. */
function missingDatabase({ databaseUrl }: Config): string | null {
  const path = databaseUrl.slice(SQLITE.length);
  if (!databaseUrl.startsWith(SQLITE) || path === ':memory:') return null;
  try {
    statSync(path);
    return null;
  } catch (error) {
    // The database may be in a folder that this user may not enter.
    const isAbsent = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    if (!isAbsent) throw unreadable(path, error);
    return path;
  }
}

/**
 * As `withStore`, but creates the database if it does not exist. Updates the schema first and
 * closes everything afterwards. The message about a name that is not found tells which database was
 * searched.
 */
export async function withNewStore<T>(
  use: (store: Store, config: Config) => Promise<T>,
): Promise<T> {
  const config = readConfig(process.env);
  const { closeStore, migrateStore, openConfiguredStore } = await import('../../start/storage.ts');
  try {
    const store = await openConfiguredStore(config, warn);
    try {
      await migrateStore(store, config);
      return await use(store, config);
    } finally {
      await closeStore(store);
    }
  } catch (error) {
    if (error instanceof NotFound) {
      throw new CommandFailed(`${error.message}\n${searched(config)}`);
    }
    const { explainStorage } = await import('../checks/attempt.ts');
    const explained = explainStorage(error, config);
    throw explained === null ? error : new CommandFailed(explained);
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
