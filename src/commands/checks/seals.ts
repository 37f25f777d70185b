import { SETTINGS } from '../../settings/config.ts';
import type { SealAge } from '../../store/seals/types.ts';
import { counted } from '../console/output.ts';
import type { Examination } from './examination.ts';
import { ok, type Verdict, warning } from './finding.ts';
import { withStore } from './storage.ts';

const MINUTE_MS = 60_000;
/** A record is sealed at most 50 minutes after its time; the rest is for a busy service. */
const UNSEALED_MINUTES_MAX = 60;

/** Checks that seals need a secret: without one, anybody who can write the rows can make them. */
export function checkAuditKey({ config }: Examination): Verdict {
  const { variable } = SETTINGS.auditKey;
  if (config.auditKey !== null) return ok('audit and backups are sealed with a secret key');
  return warning(
    `${variable} is not set: whoever can write the database or a backup can change records of the` +
      ' audit, and rows of the backup, and make seals that fit',
    `set it to the output of openssl rand -hex 32, the same on every instance, and keep a copy where` +
      ' neither the database nor the backups are; seals made before are then named as made with another key',
  );
}

/** Checks that the records of the audit are sealed in time, and that no seal is gone. */
export function checkSeals(examination: Examination): Promise<Verdict> {
  return withStore(examination, async (store) => judgeSeals(await store.seals.age(), Date.now()));
}

export function judgeSeals(age: SealAge, nowMs: number): Verdict {
  const { sealedAtMs, unsealedFromMs, missing } = age;
  const last = sealedAtMs === null ? 'no seal yet' : `last seal ${time(sealedAtMs)}`;
  if (missing > 0) {
    return warning(
      `${last}; ${counted(missing, 'seal')} missing in the table audit_chain`,
      'run ./intaglio audit verify: it names the periods; after a restore this is expected',
    );
  }
  if (unsealedFromMs === null) return ok(`${last}: there is no record to seal`);
  const minutes = Math.floor((nowMs - unsealedFromMs) / MINUTE_MS);
  if (minutes <= UNSEALED_MINUTES_MAX) return ok(`${last}; the next one is not late`);
  return warning(
    `${last}; records since ${time(unsealedFromMs)} are not sealed, for ${counted(minutes, 'minute')}`,
    'start the service: it seals within minutes. If it runs, its log says why: audit was not sealed',
  );
}

/** A damaged row may hold any number. */
function time(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? 'at no valid time' : date.toISOString();
}
