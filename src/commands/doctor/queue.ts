import { SETTINGS, shownUrl, type Config } from '../../config.ts';
import type { Finding } from './checks.ts';

const CHECK = 'queue of runs';

/** Checks Redis. It finds no faults, only warnings, because runs work without Redis. */
export async function checkQueue({ queueUrl, databaseUrl }: Config): Promise<Finding> {
  if (queueUrl === null) return ok('the database hands the work of runs out');
  const { variable } = SETTINGS.queueUrl;
  if (!databaseUrl.startsWith('mysql:')) {
    const detail = 'the database is embedded, so there is one instance';
    return warning(detail, `${variable} has no use: leave it out`);
  }
  const { probeQueue } = await import('../../runs/queue.ts');
  try {
    const { version, dropsKeys } = await probeQueue(queueUrl);
    if (!dropsKeys) return ok(`${shownUrl(queueUrl)}, version ${version}`);
    return warning(
      'the server drops keys when its memory is full',
      'set maxmemory-policy noeviction',
    );
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const detail = `${shownUrl(queueUrl)}: ${error.message}`;
    return warning(
      detail,
      `start Redis or mend ${variable}; the database hands work out until then`,
    );
  }
}

function ok(detail: string): Finding {
  return { check: CHECK, state: 'ok', detail, mend: '' };
}

function warning(detail: string, mend: string): Finding {
  return { check: CHECK, state: 'warning', detail, mend };
}
