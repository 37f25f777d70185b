import { DATE_FIELD } from './date-field.ts';
import type { FieldDefinition, FieldRules } from './definition.ts';
import { IMAGE_FIELD } from './image-field.ts';
import { LIST_FIELD, RECORD_FIELD } from './nested/rules.ts';
import { NUMBER_FIELD } from './number-field.ts';
import { QRCODE_FIELD } from './qrcode-field.ts';
import { SVG_FIELD } from './svg-field.ts';
import { TABLE_FIELD } from './table-field.ts';
import { TEXT_FIELD } from './text-field.ts';
import type { PlainType } from './types.ts';
import { FIELD_TYPES } from './types.ts';

/** The types of fields. All that differs from type to type outside of layout is said here. */
export const DEFINITIONS: Readonly<
  Record<PlainType, FieldDefinition> & Record<'record' | 'list', FieldRules>
> = {
  text: TEXT_FIELD,
  number: NUMBER_FIELD,
  date: DATE_FIELD,
  image: IMAGE_FIELD,
  qrcode: QRCODE_FIELD,
  table: TABLE_FIELD,
  svg: SVG_FIELD,
  record: RECORD_FIELD,
  list: LIST_FIELD,
};

/** The types that `{{name}}` prints in a text. */
export const PRINTED_TYPES = FIELD_TYPES.filter((type) => DEFINITIONS[type].prints !== null);
