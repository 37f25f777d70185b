import { FIELD_TYPES } from '#engine/light';
import { count, flag, list, object, text, type TypeOf, version } from './schema.ts';

/** The fields of a template: schemas, types and examples. docs/contract.md describes their keys. */

export const localText = {
  type: 'object',
  additionalProperties: text,
  description: 'A text by language tag, such as { "th": "…", "en": "…" }.',
} as const;

/** How a form asks for a field; absent where the template does not say. */
export const fieldPresentation = {
  type: 'object',
  description: 'How people are asked for the value, in the languages of the template.',
  properties: {
    label: localText,
    help: localText,
    group: localText,
    example: localText,
    choices: {
      type: 'object',
      additionalProperties: localText,
      description: 'Labels of validation.choices, by value.',
    },
    columns: { ...list(localText), description: 'table: headings of the columns' },
    secret: {
      type: 'boolean',
      description: 'text, date: the service shows the value to nobody again',
    },
  },
} as const;

/** How a field is printed; its keys depend on the type of the field. */
export const fieldFormat = {
  type: 'object',
  description: 'How the template prints the value; for callers to show the same.',
  properties: {
    decimals: { type: 'integer', minimum: 0, maximum: 20, description: 'number' },
    thousandsSeparator: { ...flag, description: 'number' },
    prefix: { ...text, description: 'number' },
    suffix: { ...text, description: 'number' },
    style: { type: 'string', enum: ['bahttext'], description: 'number' },
    words: { ...flag, description: 'number: spelled out' },
    currency: { ...text, description: 'number: ISO 4217 code of the money in words' },
    case: { type: 'string', enum: ['upper', 'lower', 'title'], description: 'text, number, date' },
    language: { ...text, description: 'text, number, date: BCP 47 tag' },
    digits: { type: 'string', enum: ['latin', 'thai'], description: 'number, date' },
    mask: { ...text, description: 'text: signs shown and hidden, such as XXX-X-Xxxxx-x' },
    calendar: { type: 'string', enum: ['gregory', 'buddhist'], description: 'date' },
    pattern: { ...text, description: 'date: such as d MMMM yyyy' },
    presentation: fieldPresentation,
  },
} as const;

const bound = { type: ['number', 'string'] } as const;
export const fieldValidation = {
  type: 'object',
  description: 'Conditions on the value beyond its type.',
  properties: {
    min: { ...bound, description: 'number: inclusive; date: YYYY-MM-DD' },
    max: { ...bound, description: 'number: inclusive; date: YYYY-MM-DD' },
    minLength: { ...count, description: 'text: Unicode code points' },
    maxLength: { ...count, description: 'text: Unicode code points' },
    pattern: { ...text, description: 'text: regular expression' },
    choices: {
      ...list(text),
      description: 'text, number, date: the only values that are taken',
    },
    computed: {
      ...flag,
      description: 'text, number, date, qrcode: the template computes it; callers cannot send it',
    },
    minItems: { ...count, description: 'list: entries of each array' },
    maxItems: { ...count, description: 'list: entries of each array' },
    maxItemsTotal: {
      ...count,
      description: 'list: entries of all its arrays, with those of lists inside it',
    },
  },
} as const;

export const fieldType = { type: 'string', enum: FIELD_TYPES } as const;

export const field = object(
  {
    name: { ...text, description: 'Key to use inside data.' },
    type: fieldType,
    required: flag,
    format: fieldFormat,
    validation: fieldValidation,
    fields: {
      type: 'array',
      items: { type: 'object', additionalProperties: true, description: 'As Field.' },
      description:
        'record, list: the fields of the object, or of each entry; they have the same keys.',
    },
  },
  ['name', 'type', 'required'],
);

export const fieldContract = object({
  templateId: text,
  version,
  status: { type: 'string', enum: ['published', 'draft'] },
  fields: list(field),
});

/** JSON Schema describes itself: json-schema.org/draft/2020-12/schema. */
export const dataSchema = {
  type: 'object',
  additionalProperties: true,
  description: 'JSON Schema 2020-12 of the member `data` of a request.',
} as const;

export type FieldContract = TypeOf<typeof fieldContract>;
export type DataSchema = TypeOf<typeof dataSchema>;

export const DATA_SCHEMA_EXAMPLE = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Receipt',
  type: 'object',
  properties: {
    channel: { title: 'Channel', anyOf: [{ type: 'string', enum: ['APP', 'BRANCH'] }] },
  },
  required: ['channel'],
} satisfies DataSchema;
export const CONTRACT_EXAMPLE = {
  templateId: 'receipt',
  version: 3,
  status: 'published',
  fields: [
    {
      name: 'customer',
      type: 'text',
      required: true,
      format: {
        presentation: {
          label: { th: 'ชื่อลูกค้า', en: 'Customer' },
          help: { th: 'ตามบัตรประชาชน', en: 'As on the identity card' },
        },
      },
      validation: { maxLength: 80 },
    },
    {
      name: 'channel',
      type: 'text',
      required: true,
      format: {
        presentation: {
          label: { th: 'ช่องทาง', en: 'Channel' },
          choices: { APP: { th: 'แอปพลิเคชัน', en: 'App' } },
        },
      },
      validation: { choices: ['APP', 'BRANCH'] },
    },
    {
      name: 'total',
      type: 'number',
      required: true,
      format: { decimals: 2, thousandsSeparator: true, prefix: '฿' },
      validation: { min: 0 },
    },
    {
      name: 'issued',
      type: 'date',
      required: false,
      format: { calendar: 'buddhist', pattern: 'd MMMM yyyy' },
    },
  ],
} satisfies FieldContract;
