import { ConfigError, SETTINGS, type Config } from '../../config.ts';
import { readKeys } from '../../key-source.ts';
import { closeStore, migrateStore, openConfiguredStore } from '../../storage.ts';
import { StorageUnavailable } from '../../store/store.ts';
import type { Finding } from './checks.ts';

const CHECK = 'encryption';

/** Checks whether new files are encrypted, and whether stored files need keys that are missing. */
export async function checkEncryption(config: Config): Promise<Finding> {
  try {
    const encryption = await readKeys(config);
    const store = await openConfiguredStore(config, () => undefined, { encryption });
    try {
      await migrateStore(store, config);
      return judge(store.fileKeys.listed(), await store.fileKeys.missing());
    } finally {
      await closeStore(store);
    }
  } catch (error) {
    // Wrong settings and a database that cannot be used are expected here.
    if (!(error instanceof ConfigError || error instanceof StorageUnavailable)) throw error;
    const mend = 'the service does not start with this';
    return { check: CHECK, state: 'fault', detail: error.message, mend };
  }
}

function judge(listed: readonly string[], missing: readonly string[]): Finding {
  const [first, ...others] = listed;
  const detail =
    first === undefined
      ? 'new files are not encrypted'
      : `new files are encrypted under ${first}; ${others.length} further keys decrypt`;
  if (missing.length === 0) return { check: CHECK, state: 'ok', detail, mend: '' };
  return {
    check: CHECK,
    state: 'fault',
    detail: `${detail}; files may need ${missing.join(', ')}, which is not listed`,
    mend: `list it in ${SETTINGS.encryptionKeys.variable}, or see ./intaglio encryption status`,
  };
}
