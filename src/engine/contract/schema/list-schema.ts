import { LIMITS } from '../../../limits.ts';
import type { ListField } from '../types.ts';
import type { Schema } from './field-schema.ts';

/** The schema of an array of such entries, and the rules that JSON Schema cannot state. */
export function listSchema(
  { validation = {} }: Pick<ListField, 'validation'>,
  items: Schema,
): { readonly schema: Schema; readonly beyond: readonly string[] } {
  const { minItems, maxItems, maxItemsTotal = LIMITS.listEntriesDefault } = validation;
  const schema = {
    type: 'array',
    ...(minItems === undefined ? {} : { minItems }),
    maxItems: Math.min(maxItems ?? Infinity, LIMITS.listEntriesMax),
    items,
  };
  const beyond = `At most ${maxItemsTotal} entries together with those of lists inside it.`;
  return { schema, beyond: [beyond] };
}
