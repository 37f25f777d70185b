import { SETTINGS, shownUrl } from '../../settings/config.ts';
import type { Examination } from './examination.ts';
import { ok, type Verdict, warning } from './finding.ts';
import { remedyOf } from './remedies.ts';

/** Checks Redis. It finds no faults, only warnings, because runs work without Redis. */
export async function checkQueue({
  config: { queueUrl, databaseUrl },
}: Examination): Promise<Verdict> {
  if (queueUrl === null) return ok('the database hands the work of runs out');
  const { variable } = SETTINGS.queueUrl;
  if (!databaseUrl.startsWith('mysql:')) {
    const detail = `${variable}: the database is embedded, so there is one instance`;
    return warning(detail, `${variable} has no use: leave it out`);
  }
  const { probeQueue } = await import('../../runs/queue.ts');
  try {
    const { version, dropsKeys } = await probeQueue(queueUrl);
    if (!dropsKeys) return ok(`${shownUrl(queueUrl)}, version ${version}`);
    return warning(
      `${variable}: the server drops keys when its memory is full`,
      'set maxmemory-policy noeviction',
    );
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const place = shownUrl(queueUrl);
    const otherwise = `start Redis or correct ${variable}`;
    const mend = remedyOf(error.message, { variable, place }, otherwise);
    return warning(
      `${variable}: ${place} cannot be used: ${error.message}`,
      `${mend}; the database hands work out until then`,
    );
  }
}
