import type { Refusals } from '#client';
import { counted } from '../console/output.ts';

/** A line for each kind, with what helps; none where nothing was refused. */
export function describeRefusals({ overLimit, busy }: Refusals): readonly string[] {
  const lines: string[] = [];
  if (overLimit > 0) {
    lines.push(
      `The rate limit refused ${counted(overLimit, 'request')}, which waited for it: a run is not ` +
        'bound by it, and a key can have a higher one (docs/how-long.md).',
    );
  }
  if (busy > 0) {
    lines.push(`The service was busy ${counted(busy, 'time')}; those requests were sent again.`);
  }
  return lines;
}
