import type { DataObject } from './json.ts';
import type { PendingImage } from './image-field.ts';
import type { Reason } from './reasons.ts';
import type { FieldValue } from './types.ts';

/**
 * Checks one present value (neither null nor ''). Gives the value, the reason it is refused, null
 * when nothing is left of it after cleaning, or an image whose header passed and whose decoding
 * is still to come.
 */
export type FieldCheck = (
  value: unknown,
  input: DataObject,
  name: string,
) => FieldValue | PendingImage | Reason | null;
