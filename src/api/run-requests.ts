import { CALENDARS, DATES, DECIMALS, DELIMITERS } from '../runtime/csv/csv-format.ts';
import { NAMED_ENCODINGS } from '../runtime/encoding/decoder.ts';
import { PLAIN_PATTERN, type TypeOf } from './schema.ts';

/** Requests about runs. These schemas validate the bodies and are part of /openapi.json. */

export const RUN_TOTALS_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  description: 'Control totals of the rows of the file, and of the documents at the end.',
  properties: {
    rows: { type: 'integer', minimum: 0, maximum: 1_000_000_000 },
    sums: {
      type: 'object',
      maxProperties: 20,
      additionalProperties: { type: 'string', maxLength: 64 },
      description: 'Sums of number fields by name: decimals in strings, compared exactly.',
    },
  },
} as const;

const ON_INVALID_SCHEMA = {
  type: 'string',
  enum: ['stop', 'skip'],
  description:
    '`stop`: no document is made while rows are invalid; `skip`: these rows are left out, up to ' +
    'invalidShareMax. When omitted: skip if invalidShareMax above 0 was given, else stop.',
} as const;

export const CSV_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  description:
    'How CSV rows write what the field contract has as 1250.50 and 2026-12-31; a cell that is not in' +
    ' this format is invalid. Without it, cells are as the contract has them.',
  properties: {
    delimiter: {
      type: 'string',
      enum: DELIMITERS,
      description: 'Between cells. Comma, semicolon and tab are recognised when omitted.',
    },
    decimal: {
      type: 'string',
      enum: DECIMALS,
      description: 'Before the decimals of numbers, whose digits may be in groups of three.',
    },
    date: {
      type: 'string',
      enum: DATES,
      description: 'Order in dates, with /, . or - between; the year has four digits.',
    },
    calendar: {
      type: 'string',
      enum: CALENDARS,
      description: 'Calendar of the years; gregory when omitted. It needs date.',
    },
  },
} as const;

export const RUN_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['templateId', 'idField'],
  properties: {
    templateId: { type: 'string', description: 'Template identifier.' },
    version: {
      type: 'number',
      description: 'Published version. The latest now when omitted; fixed from here on.',
    },
    name: {
      type: 'string',
      maxLength: 200,
      pattern: PLAIN_PATTERN,
      description: 'For people. No personal data.',
    },
    idField: {
      type: 'string',
      minLength: 1,
      maxLength: 128,
      description: 'Key of a row that holds its id, which is unique in the run.',
    },
    retentionSeconds: {
      type: 'integer',
      minimum: 1,
      maximum: 3_153_600_000,
      description:
        "Life of the documents from the moment they are stored. The service's own when omitted.",
    },
    expected: RUN_TOTALS_SCHEMA,
    onInvalid: ON_INVALID_SCHEMA,
    invalidShareMax: {
      type: 'number',
      minimum: 0,
      maximum: 1,
      description: 'Share of invalid and failed rows over which the run stops. 0.05 when omitted.',
    },
    documentsPerPrint: {
      type: 'integer',
      minimum: 1,
      maximum: 100_000,
      description:
        'Documents in each merged print file; more, if there would be more than 20,000 files. No print ' +
        'files are made when omitted.',
    },
    source: {
      type: 'object',
      additionalProperties: false,
      required: ['path'],
      description:
        'A file, plain or packed with gzip, from which the service reads the rows when the run starts. ' +
        'Parts can be uploaded after it was read.',
      properties: {
        path: {
          type: 'string',
          minLength: 1,
          maxLength: 1_024,
          description:
            '`/folder/…/file` or `s3://bucket/…/key`, below a place that the operator allows.',
        },
        format: {
          type: 'string',
          enum: ['ndjson', 'csv'],
          description: 'Derived from the name of the file when omitted.',
        },
        encoding: {
          type: 'string',
          enum: NAMED_ENCODINGS,
          description:
            'Recognised when omitted: UTF-8, UTF-16 with a byte order mark, or windows-874.',
        },
      },
    },
    csv: CSV_SCHEMA,
    options: {
      type: 'object',
      additionalProperties: true,
      description:
        'metadata and watermark of every document, as in POST /v1/generate. protection with fields of' +
        ' the row in its passwords: {"userPassword": "{{birthDate}}"}, or with a format' +
        ' {"userPassword": {"text": "{{birthDate}}", "format": {"pattern": "ddMMyyyy"}}}. signature: true' +
        ' has every document signed by the signer of the team.',
    },
  },
} as const;

/** Texts of a format: those of dates, masks and letter case. */
const PASSWORD_FORMAT = {
  type: 'object',
  additionalProperties: false,
  properties: {
    pattern: { type: 'string', minLength: 1, maxLength: 64 },
    calendar: { type: 'string', enum: ['gregory', 'buddhist'] },
    digits: { type: 'string', enum: ['latin', 'thai'] },
    language: { type: 'string', minLength: 1, maxLength: 35 },
    mask: { type: 'string', minLength: 1, maxLength: 128 },
    case: { type: 'string', enum: ['upper', 'lower'] },
  },
} as const;
const PASSWORD_TEXT = { type: 'string', minLength: 1, maxLength: 500 } as const;
export const RUN_PASSWORD = {
  oneOf: [
    PASSWORD_TEXT,
    {
      type: 'object',
      additionalProperties: false,
      required: ['text'],
      properties: { text: PASSWORD_TEXT, format: PASSWORD_FORMAT },
    },
  ],
} as const;
/** The owner password of a run: made of the row as the other one, or at random. */
export const RUN_OWNER_PASSWORD = {
  oneOf: [
    RUN_PASSWORD,
    {
      type: 'object',
      additionalProperties: false,
      required: ['random'],
      properties: { random: { type: 'boolean', const: true } },
      description: 'Each document gets another password, which nobody keeps.',
    },
  ],
} as const;
/** `options.protection` of a run. */
export const RUN_PROTECTION_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  properties: {
    userPassword: RUN_PASSWORD,
    ownerPassword: RUN_OWNER_PASSWORD,
    permissions: {
      type: 'object',
      additionalProperties: false,
      properties: {
        print: { type: 'boolean' },
        copy: { type: 'boolean' },
        modify: { type: 'boolean' },
      },
    },
  },
} as const;

export const RUN_START_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  properties: {
    dryRun: { type: 'boolean', description: 'Check all rows, and render nothing.' },
    onInvalid: { ...ON_INVALID_SCHEMA, description: "Replaces the run's own from now on." },
    expected: RUN_TOTALS_SCHEMA,
  },
} as const;

const PLACE = { type: 'integer', minimum: 1, maximum: 2_147_483_647 } as const;
export const RUN_WITHDRAW_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['rows'],
  properties: {
    rows: {
      type: 'array',
      minItems: 1,
      maxItems: 1_000,
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['part', 'line'],
        properties: { part: PLACE, line: PLACE },
      },
      description: 'Rows that are invalid or failed, by part and line.',
    },
  },
} as const;

export type RunProtectionRequest = TypeOf<typeof RUN_PROTECTION_SCHEMA>;
export type RunTotals = TypeOf<typeof RUN_TOTALS_SCHEMA>;
export type StartRunRequest = TypeOf<typeof RUN_START_SCHEMA>;
export type CreateRunRequest = TypeOf<typeof RUN_SCHEMA>;
