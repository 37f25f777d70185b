import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ConfigError, SETTINGS, shownUrl, storeSettings, type Config } from '../settings/config.ts';
import { readKeys } from './key-source.ts';
import { makeFolder } from '../runtime/folder.ts';
import { openFiles, openStore, type StoreSettings } from '../store/open.ts';
import { reasonOf } from '../store/reason.ts';
import { type Store, StorageUnavailable } from '../store/store.ts';
import { within } from '../runtime/within.ts';

/** Timeout for trying the disk or server at the start. */
const TRY_MS_MAX = 5_000;
/** Timeout for closing; what is still open ends with the process. */
const CLOSE_MS_MAX = 2_000;

/**
 * Opens the configured database and file store. Throws ConfigError, one line with variable and
 * address, when the database cannot be used.
 */
export async function openConfiguredStore(
  config: Config,
  warn: (message: string) => void,
  more: Pick<StoreSettings, 'upstream' | 'databaseLogin' | 'encryption'> = {},
): Promise<Store> {
  const encryption = more.encryption ?? (await readKeys(config));
  return withNamedSetting('databaseUrl', config, async () => {
    await within(tryDatabaseFile(config.databaseUrl), TRY_MS_MAX, () => {
      throw new StorageUnavailable('the disk does not answer');
    });
    return openStore({ ...storeSettings(config, warn), ...more, encryption });
  });
}

/** Brings the schema up to date. */
export async function migrateStore(store: Store, config: Config): Promise<void> {
  await withNamedSetting('databaseUrl', config, () => store.migrate());
}

/** Writes a file to the file store as a test. Throws ConfigError when that fails. */
export async function tryFiles(config: Config): Promise<void> {
  await withNamedSetting('filesUrl', config, async () => {
    const files = openFiles({ filesUrl: config.filesUrl, filesTimeoutMs: TRY_MS_MAX });
    await files.probe();
    await files.close();
  });
}

/** Throws ConfigError when the file store belongs to another database, as far as is known. */
export async function demandOwnFiles(store: Store, config: Config): Promise<void> {
  const { foreignFiles } = store.figures();
  await withNamedSetting('filesUrl', config, () => {
    if (foreignFiles === null) return Promise.resolve();
    throw new StorageUnavailable(foreignFiles);
  });
}

/** As `demandOwnFiles`, before the schema is brought up to date; it writes nothing. */
export async function inspectFiles(store: Store, config: Config): Promise<void> {
  await withNamedSetting('filesUrl', config, () => store.inspectFiles());
  await demandOwnFiles(store, config);
}

/** Closes the store; false: it has not closed within `timeoutMs`. */
export async function closeStore(store: Store, timeoutMs = CLOSE_MS_MAX): Promise<boolean> {
  return within(
    store.close().then(() => true),
    timeoutMs,
    () => false,
  );
}

/** Opens the file asynchronously, so that a hung disk is noticed: SQLite would block the thread. */
async function tryDatabaseFile(databaseUrl: string): Promise<void> {
  const path = databaseUrl.slice('sqlite:'.length);
  if (!databaseUrl.startsWith('sqlite:') || path === ':memory:') return;
  try {
    makeFolder(dirname(path));
    const file = await open(path, 'a', 0o600);
    try {
      await file.sync();
    } finally {
      await file.close();
    }
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    throw new StorageUnavailable(reasonOf(String(error.code)));
  }
}

/** The database or the file store of a setting cannot be used. */
export class UnusableStorage extends ConfigError {
  readonly setting: 'databaseUrl' | 'filesUrl';

  constructor(setting: UnusableStorage['setting'], message: string) {
    super(message);
    this.setting = setting;
  }
}

/** Turns StorageUnavailable into UnusableStorage, whose message names the setting and its address. */
async function withNamedSetting<T>(
  setting: UnusableStorage['setting'],
  config: Config,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof StorageUnavailable)) throw error;
    const url = shownUrl(config[setting]);
    const { variable } = SETTINGS[setting];
    throw new UnusableStorage(setting, `${variable}: cannot use ${url}: ${error.message}`);
  }
}
