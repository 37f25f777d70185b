import { entryAt, type FieldDefect } from '../../errors.ts';
import { REASONS } from '../contract/reasons.ts';
import type { FieldValues } from '../contract/types.ts';
import type { ReadyTemplate } from '../template/compile.ts';
import { checkValues } from './check-values.ts';

/** Why no document is made of values that fit the contract, as `checkValues`; or of its reference. */
export function findDefects(template: ReadyTemplate, values: FieldValues): readonly FieldDefect[] {
  const defects = checkValues(template, values);
  if (template.naming === null) return defects;
  const index = template.naming.findTooLong(values);
  if (index === null) return defects;
  const field = entryAt(template.fields, index).name;
  return [...defects, { field, reason: REASONS.referenceLong }];
}
