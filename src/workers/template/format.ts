import { formatProblems } from '../contract/descriptor.ts';
import type { FieldFormat } from '../contract/types.ts';
import { checkIsObject, checkObject } from './check.ts';
import type { Findings } from './findings.ts';
import type { KeyTable } from './values.ts';
import { VALUES as V, ValueType } from './values.ts';

/** Keys of a field's format and of an inline one. */
export const FORMAT_KEYS = {
  decimals: new ValueType<number>('a whole number from 0 to 20', {
    type: 'integer',
    minimum: 0,
    maximum: 20,
  }),
  thousandsSeparator: V.boolean,
  prefix: V.string,
  suffix: V.string,
  style: new ValueType<'bahttext'>('"bahttext"', { const: 'bahttext' }),
  digits: new ValueType<'latin' | 'thai'>('"latin" or "thai"', { enum: ['latin', 'thai'] }),
  mask: V.name,
  calendar: new ValueType<'gregory' | 'buddhist'>('"gregory" or "buddhist"', {
    enum: ['gregory', 'buddhist'],
  }),
  pattern: V.name,
} as const satisfies KeyTable;

/** An inline format, or null with findings. */
export function checkFormat(source: unknown, path: string, findings: Findings): FieldFormat | null {
  const object = checkIsObject(source, path, findings);
  if (object === null) return null;
  const format = checkObject(object, path, FORMAT_KEYS, findings);
  const problems = formatProblems(format, undefined, path);
  for (const { severity, path: at, message } of problems) findings[severity](at, message);
  return problems.some(({ severity }) => severity === 'error') ? null : format;
}
