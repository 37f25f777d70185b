import { slipWords } from '../../../src/runtime/json-slips/words.ts';
import type { Slip } from '../../../src/runtime/json-slips/slip.ts';
import type { Finding } from '../api/types.ts';

/** The findings of the service that the slips do not tell: it names repeated keys in the same words. */
export function untold(slips: readonly Slip[], findings: readonly Finding[]): readonly Finding[] {
  const told = new Set(slips.map(slipWords));
  return findings.filter(({ message }) => !told.has(message));
}
