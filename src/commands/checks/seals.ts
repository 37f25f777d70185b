import type { SealAge } from '../../store/seals/types.ts';
import type { Examination } from './examination.ts';
import { ok, type Verdict, warning } from './finding.ts';
import { withStore } from './storage.ts';

const MINUTE_MS = 60_000;
/** A record is sealed at most 50 minutes after its time; the rest is for a busy service. */
const UNSEALED_MINUTES_MAX = 60;

/** Checks that the records of the audit are sealed in time, and that no seal is gone. */
export function checkSeals(examination: Examination): Promise<Verdict> {
  return withStore(examination, async (store) => judgeSeals(await store.seals.age(), Date.now()));
}

export function judgeSeals(age: SealAge, nowMs: number): Verdict {
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
