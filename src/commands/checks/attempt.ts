import { SETTINGS, shownUrl, type Config } from '../../settings/config.ts';
import { UnusableStorage } from '../../start/storage.ts';
import { DatabaseFull } from '../../store/database/database-fault.ts';
import { reasonOf } from '../../store/reason.ts';
import { isExpected } from './examination.ts';
import { fault, type Verdict, withMend } from './finding.ts';
import { type Culprit, remedyOf } from './remedies.ts';

/**
 * Runs a check. Turns a setting or store that cannot be used, or a failed system call, into a fault
 * with its remedy.
 */
export async function attempt(
  culprit: Culprit,
  work: () => Promise<Verdict> | Verdict,
): Promise<Verdict> {
  try {
    return await work();
  } catch (error) {
    if (isExpected(error)) return fault(error.message, mendOf(error.message, culprit));
    if (!(error instanceof Error && 'syscall' in error && 'code' in error)) throw error;
    const detail = `${culprit.variable}: ${culprit.place}: ${reasonOf(String(error.code))}`;
    return fault(detail, mendOf(detail, culprit));
  }
}

/** The remedy that the checks print for storage that a start could not use. It opens nothing. */
export function mendOfStorage({ setting, message }: UnusableStorage, config: Config): string {
  return mendOf(message, setting === 'databaseUrl' ? ofDatabase(config) : ofFiles(config));
}

/**
 * An error of the store with the remedy below its message; null: it is none, or no remedy is known.
 * Most errors do not tell whether rows or files are to blame.
 */
export function explainStorage(error: unknown, config: Config): string | null {
  const culprit = culpritOf(error, config);
  if (culprit === null || !(error instanceof Error)) return null;
  const mend = remedyOf(error.message, culprit, '');
  return mend === '' ? null : withMend(error.message, mend);
}

function culpritOf(error: unknown, config: Config): Culprit | null {
  if (error instanceof DatabaseFull) return ofDatabase(config);
  if (!(error instanceof UnusableStorage)) return null;
  return error.setting === 'databaseUrl' ? ofDatabase(config) : ofFiles(config);
}

function mendOf(message: string, culprit: Culprit): string {
  return remedyOf(message, culprit, `correct ${culprit.variable} (docs/settings.md)`);
}

/** The culprit when the rows cannot be used. */
export function ofDatabase({ databaseUrl }: Config): Culprit {
  return { variable: SETTINGS.databaseUrl.variable, place: placeOf(databaseUrl) };
}

/** The culprit when the files cannot be used. */
export function ofFiles({ filesUrl }: Config): Culprit {
  return { variable: SETTINGS.filesUrl.variable, place: placeOf(filesUrl) };
}

function placeOf(url: string): string {
  return localPath(url) ?? shownUrl(url);
}

/** The folder or file on this machine that a URL names; null: the URL names a remote store. */
export function localPath(url: string): string | null {
  if (url === 'sqlite::memory:' || !/^(?:file|sqlite):/.test(url)) return null;
  return url.slice(url.indexOf(':') + 1);
}
