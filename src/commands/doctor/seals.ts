import { ConfigError, type Config } from '../../config.ts';
import { closeStore, migrateStore, openConfiguredStore } from '../../storage.ts';
import type { SealAge } from '../../store/seals/types.ts';
import { StorageUnavailable } from '../../store/store.ts';
import type { Finding } from './checks.ts';

const CHECK = 'audit seals';
const MINUTE_MS = 60_000;
/** A record is sealed at most 50 minutes after its time; the rest is for a busy service. */
const UNSEALED_MINUTES_MAX = 60;

/** Checks that the records of the audit are sealed in time, and that no seal is gone. */
export async function checkSeals(config: Config): Promise<Finding> {
  try {
    const store = await openConfiguredStore(config, () => undefined);
    try {
      await migrateStore(store, config);
      return judgeSeals(await store.seals.age(), Date.now());
    } finally {
      await closeStore(store);
    }
  } catch (error) {
    if (!(error instanceof ConfigError || error instanceof StorageUnavailable)) throw error;
    return warning(`cannot be read: ${error.message}`, 'mend the database and the files first');
  }
}

export function judgeSeals(age: SealAge, nowMs: number): Finding {
  const { sealedAtMs, unsealedFromMs, missing } = age;
  const last = sealedAtMs === null ? 'no seal yet' : `last seal ${time(sealedAtMs)}`;
  if (missing > 0) {
    return warning(
      `${last}; ${missing} seals are missing in the table audit_chain`,
      'run ./intaglio audit verify: it names the periods; after a restore this is expected',
    );
  }
  if (unsealedFromMs === null) return ok(`${last}: there is no record to seal`);
  const minutes = Math.floor((nowMs - unsealedFromMs) / MINUTE_MS);
  if (minutes <= UNSEALED_MINUTES_MAX) return ok(`${last}; the next one is not late`);
  return warning(
    `${last}; records since ${time(unsealedFromMs)} are not sealed, for ${minutes} minutes`,
    'start the service: it seals within minutes. If it runs, its log says why: audit was not sealed',
  );
}

/** A damaged row may hold any number. */
function time(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? 'at no valid time' : date.toISOString();
}

function ok(detail: string): Finding {
  return { check: CHECK, state: 'ok', detail, mend: '' };
}

function warning(detail: string, mend: string): Finding {
  return { check: CHECK, state: 'warning', detail, mend };
}
