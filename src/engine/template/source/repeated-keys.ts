import { repeatedKeys } from '../../../runtime/json-slips/repeated-keys.ts';
import { repeatedWords } from '../../../runtime/json-slips/words.ts';
import type { Finding } from '../../job.ts';
import { memberPath } from '../vocabulary/findings.ts';

/** A warning for each key that is written more than once in an object. The text must be JSON. */
export function repeatedFindings(text: string): readonly Finding[] {
  return repeatedKeys(text).map(({ key, steps }) => ({
    severity: 'warning' as const,
    path: steps.reduce<string>(pathTo, ''),
    message: repeatedWords(key),
  }));
}

function pathTo(path: string, step: string | number): string {
  return typeof step === 'number' ? `${path}[${step}]` : memberPath(path, step);
}
