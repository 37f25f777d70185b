import type { RunRecord } from '../../../store/runs/types.ts';
import { attachment } from '../../reply/attachment.ts';
import { isoTime } from '../../route.ts';

/** Characters that file systems refuse or that separate folders, and control characters. */
const FORBIDDEN = /[\p{Cc}\p{Cf}/\\:*?"<>|]+/gu;
/** Characters of the run's name in a file name: file systems take 255 bytes, Thai letters have 3. */
const NAME_CHARACTERS_MAX = 40;

/** Headers of a file of a run that is downloaded: `what` names its content, such as `rows`. */
export function headersOf(
  run: RunRecord,
  type: string,
  what: string,
  extension: string,
): Record<string, string> {
  const { runId, spec, createdAtMs } = run;
  const day = isoTime(createdAtMs).slice(0, 10);
  const letters = Array.from(spec.name.replaceAll(FORBIDDEN, ' ').trim());
  const name = letters.slice(0, NAME_CHARACTERS_MAX);
  const parts = [name.join(''), spec.templateId, day, what].filter((part) => part !== '');
  const plain = `${runId}-${what}.${extension}`;
  return {
    'Content-Type': type,
    'Content-Disposition': attachment(`${parts.join('-')}.${extension}`, plain),
    'Cache-Control': 'private, no-store',
  };
}
