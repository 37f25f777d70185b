import { type Config, ConfigError } from '../../config.ts';
import { checkSigners } from '../../signing-setup.ts';
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
    const { count, expiresAtMs } = signers;
    const expires = `the first certificate expires ${new Date(expiresAtMs).toISOString()}`;
    const detail = `${count} read; ${expires}`;
    if (expiresAtMs - Date.now() > DAYS_LEFT_MIN * DAY_MS) {
      return { check: CHECK, state: 'ok', detail, mend: '' };
    }
    const mend = 'renew it: after that time documents of its team are not signed';
    return { check: CHECK, state: 'warning', detail, mend };
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const mend = 'the service does not start with this; see docs/signing.md';
    return { check: CHECK, state: 'fault', detail: error.message, mend };
  }
}
