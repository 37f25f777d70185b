import { SETTINGS } from '../../settings/config.ts';
import { soonGone } from '../console/retention.ts';
import type { Examination } from './examination.ts';
import { ok, type Verdict, warning } from './finding.ts';

/** Warns when documents are kept for less than a day, as when somebody took the setting for days. */
export function checkRetention({ config: { retentionSeconds } }: Examination): Verdict {
  return judgeRetention(retentionSeconds, Date.now());
}

/** Exported for tests. */
export function judgeRetention(seconds: number, nowMs: number): Verdict {
  const { variable } = SETTINGS.retentionSeconds;
  const gone = soonGone(seconds, nowMs);
  if (gone === '') return ok(`documents are kept for ${Math.floor(seconds / 86_400)} d`);
  return warning(gone, `${variable} is in seconds: 2592000 keeps documents for 30 days`);
}
