import { ConfigError, type Config } from '../../settings/config.ts';
import { readKeys } from '../../start/key-source.ts';
import { closeStore, migrateStore, openConfiguredStore } from '../../start/storage.ts';
import type { EncryptionKeys } from '../../store/encryption/key-ring.ts';
import { type Store, StorageUnavailable } from '../../store/store.ts';

const NO_KEYS: EncryptionKeys = { keys: () => [] };

/** The settings under examination, with the store that the checks share. Close it afterwards. */
export class Examination {
  readonly config: Config;
  /** Whether the schema of the database is brought up to date, as a start does. */
  readonly migrates: boolean;
  /** What opening the database warned of. */
  readonly storeWarnings: string[] = [];
  #keys: Promise<EncryptionKeys> | null = null;
  #store: Promise<Store> | null = null;
  #hasDatabaseFault = false;

  constructor(config: Config, migrates: boolean) {
    this.config = config;
    this.migrates = migrates;
  }

  /** The keys for stored files. Rejects with ConfigError. */
  keys(): Promise<EncryptionKeys> {
    this.#keys ??= readKeys(this.config);
    return this.#keys;
  }

  /** The store, opened at the first call. Rejects with ConfigError. */
  store(): Promise<Store> {
    this.#store ??= this.#open();
    return this.#store;
  }

  /** Tells the later checks that the check of the database has failed. */
  reportDatabaseFault(): void {
    this.#hasDatabaseFault = true;
  }

  /** The store; null when the database is at fault, which its own check reports. */
  async storeIfSound(): Promise<Store | null> {
    return this.#hasDatabaseFault ? null : this.#storeIfOpen();
  }

  async #storeIfOpen(): Promise<Store | null> {
    try {
      return await this.store();
    } catch (error) {
      if (!isExpected(error)) throw error;
      return null;
    }
  }

  async close(): Promise<void> {
    const store = await this.#storeIfOpen();
    if (store !== null) await closeStore(store);
  }

  async #open(): Promise<Store> {
    const { config, storeWarnings } = this;
    let isOpen = false;
    // Later warnings tell of progress, and of files, which have a check of their own.
    const warn = (message: string): void => void (isOpen || storeWarnings.push(message));
    const store = await openConfiguredStore(config, warn, {
      encryption: await this.#keysIfSound(),
    });
    isOpen = true;
    if (!this.migrates) return store;
    try {
      await migrateStore(store, config);
      return store;
    } catch (error) {
      await closeStore(store);
      throw error;
    }
  }

  /** No keys when they cannot be read: that is no fault of the database. */
  async #keysIfSound(): Promise<EncryptionKeys> {
    try {
      return await this.keys();
    } catch (error) {
      if (!isExpected(error)) throw error;
      return NO_KEYS;
    }
  }
}

/** Whether an error tells of a setting or a store that cannot be used, and not of a bug. */
export function isExpected(error: unknown): error is Error {
  return error instanceof ConfigError || error instanceof StorageUnavailable;
}
