import { SETTINGS } from '../../settings/config.ts';
import { checkSigners, strayTeams } from '../../start/signing-setup.ts';
import { attempt } from './attempt.ts';
import type { Examination } from './examination.ts';
import { ok, type Verdict, warning } from './finding.ts';

const DAY_MS = 24 * 3_600_000;
/** Certificates that expire sooner are a warning; the alert of the same name has the same bound. */
const DAYS_LEFT_MIN = 14;
const { variable: VARIABLE } = SETTINGS.signersFile;

/** Checks the signers file, certificates and labels of tokens; no PIN is used. */
export function checkSigning(examination: Examination): Promise<Verdict> {
  return attempt({ variable: VARIABLE, place: 'the signers' }, async () => {
    const signers = await checkSigners(examination.config);
    if (signers === null) return ok('none are set up');
    const { count, teamIds, expiresAtMs } = signers;
    const stray = await strayTeamsOf(examination, teamIds);
    if (stray.length > 0) {
      const mend = 'documents of other teams are signed as usual; these signers sign nothing';
      return warning(stray.join('; '), mend);
    }
    const expires = `the first certificate expires ${new Date(expiresAtMs).toISOString()}`;
    if (expiresAtMs - Date.now() > DAYS_LEFT_MIN * DAY_MS) return ok(`${count} read; ${expires}`);
    const mend = 'renew it: after that time documents of its team are not signed';
    return warning(`${VARIABLE}: ${expires}`, mend);
  });
}

async function strayTeamsOf(
  examination: Examination,
  teamIds: readonly string[],
): Promise<string[]> {
  const store = await examination.storeIfSound();
  return store === null ? [] : strayTeams(store, teamIds);
}
