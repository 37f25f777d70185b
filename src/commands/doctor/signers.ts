import { type Config, ConfigError } from '../../config.ts';
import { checkSigners, strayTeams } from '../../signing-setup.ts';
import { closeStore, openConfiguredStore } from '../../storage.ts';
import { StorageUnavailable } from '../../store/store.ts';
import type { Finding } from './checks.ts';

const CHECK = 'signers';
const DAY_MS = 24 * 3_600_000;
/** Certificates that expire sooner are a warning; the alert of the same name has the same bound. */
const DAYS_LEFT_MIN = 14;

/** Checks the signers file, certificates and labels of tokens; no PIN is used. */
export async function checkSigning(config: Config): Promise<Finding> {
  try {
    const signers = await checkSigners(config);
    if (signers === null) return { check: CHECK, state: 'ok', detail: 'none are set up', mend: '' };
    const { count, teamIds, expiresAtMs } = signers;
    const stray = await strayTeamsOf(config, teamIds);
    if (stray.length > 0) {
      const mend = 'documents of other teams are signed as usual; these signers sign nothing';
      return { check: CHECK, state: 'warning', detail: stray.join('; '), mend };
    }
    const expires = `the first certificate expires ${new Date(expiresAtMs).toISOString()}`;
    const detail = `${count} read; ${expires}`;
    if (expiresAtMs - Date.now() > DAYS_LEFT_MIN * DAY_MS) {
      return { check: CHECK, state: 'ok', detail, mend: '' };
    }
    const mend = 'renew it: after that time documents of its team are not signed';
    return { check: CHECK, state: 'warning', detail, mend };
  } catch (error) {
    if (!(error instanceof ConfigError || error instanceof StorageUnavailable)) throw error;
    const mend = 'the service does not start with this; see docs/signing.md';
    return { check: CHECK, state: 'fault', detail: error.message, mend };
  }
}

async function strayTeamsOf(config: Config, teamIds: readonly string[]): Promise<string[]> {
  const store = await openConfiguredStore(config, () => undefined);
  try {
    return await strayTeams(store, teamIds);
  } finally {
    await closeStore(store);
  }
}
