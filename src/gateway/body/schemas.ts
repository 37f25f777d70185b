import { LIMITS } from '../../limits.ts';
import { CALENDARS, DATES, DECIMALS, DELIMITERS } from '../../runtime/csv-format.ts';
import { NAMED_ENCODINGS } from '../../runtime/encoding/decoder.ts';
import { ROLES, SCOPES } from '../../store/store.ts';
import { HASH, NOTE_TEXT } from './approval-schemas.ts';

/** Schemas of request bodies, which validate requests and are part of /openapi.json. */

/** Scopes that an Admin may grant; the identity sync reaches all teams and is left to the operator. */
export const TEAM_SCOPES = SCOPES.filter((scope) => scope !== 'identity-sync');

/** Texts without control characters, such as the NUL at which some programs end a text. */
export const PLAIN_PATTERN = '^[^\\u0000-\\u001f\\u007f-\\u009f]*$';

const idText = { type: 'string', minLength: 1, maxLength: 128 } as const;

export const GENERATE_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['templateId', 'mode', 'data'],
  properties: {
    templateId: { type: 'string', description: 'Template identifier.' },
    version: {
      type: 'number',
      description: 'Published version to pin. The latest when omitted.',
    },
    mode: {
      type: 'string',
      enum: ['sync', 'async'],
      description: 'sync: the PDF in the response, not stored. async: stored, with a link.',
    },
    draft: {
      type: 'boolean',
      description: 'The current draft instead of a published version: browser users, sync only.',
    },
    data: {
      type: 'object',
      additionalProperties: true,
      description: 'Keys and values per the field contract. Other keys are ignored.',
    },
    options: {
      type: 'object',
      additionalProperties: false,
      properties: {
        metadata: {
          type: 'object',
          additionalProperties: false,
          description:
            'Embedded in the PDF and never encrypted: references only, no personal data.',
          properties: {
            title: { type: 'string', maxLength: LIMITS.metadataTitleCodePointsMax },
            subject: { type: 'string', maxLength: LIMITS.metadataSubjectCodePointsMax },
          },
        },
        protection: {
          type: 'object',
          additionalProperties: false,
          description: 'AES-256. At least one password that is not empty.',
          properties: {
            userPassword: { type: 'string', description: 'Opens the document.' },
            ownerPassword: {
              type: 'string',
              description: 'Manages permissions. The user password when omitted.',
            },
            permissions: {
              type: 'object',
              additionalProperties: false,
              description: 'Allowed unless false.',
              properties: {
                print: { type: 'boolean' },
                copy: { type: 'boolean' },
                modify: { type: 'boolean' },
              },
            },
          },
        },
        attach: {
          type: 'array',
          maxItems: LIMITS.attachmentsMax,
          items: { type: 'string' },
          description:
            'documentIds of own async documents that are not protected, merged behind the new one in' +
            ' this order. Page numbers count the merged total: {{pages}} in the footer of the new' +
            ' document counts their pages, too, and their own page numbers are replaced.',
        },
        watermark: {
          type: 'object',
          additionalProperties: false,
          required: ['text'],
          properties: {
            text: {
              type: 'string',
              minLength: 1,
              maxLength: LIMITS.watermarkCodePointsMax,
              description: 'Drawn over every page, attached ones too, from corner to corner.',
            },
            opacity: {
              type: 'number',
              minimum: 0,
              maximum: 1,
              description: '0.15 when omitted.',
            },
          },
        },
        signature: {
          type: 'boolean',
          description:
            'Sign the document (PAdES) with the signer of the team, last of all. Not together with ' +
            'protection.',
        },
      },
    },
  },
} as const;

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
      description: 'metadata and watermark of every document, as in POST /v1/generate.',
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

export const VERIFY_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  minProperties: 1,
  maxProperties: 1,
  properties: {
    sha256: {
      type: 'string',
      pattern: '^[0-9a-fA-F]{64}$',
      description: 'Hexadecimal SHA-256 of the file.',
    },
    reference: {
      type: 'string',
      minLength: 1,
      maxLength: 255,
      description: 'The reference that is printed on the document.',
    },
  },
} as const;

export const PUBLISH_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  properties: {
    note: {
      ...NOTE_TEXT,
      description:
        'Why, kept with the version. When left out, it is the note of the request for approval.',
    },
    compared: {
      type: 'object',
      additionalProperties: false,
      required: ['draft', 'published'],
      description:
        'What the publisher has compared. Required once a version of the template is published.',
      properties: {
        draft: { ...HASH, description: 'Hash of the draft, as getTemplate tells it.' },
        published: {
          ...HASH,
          type: ['string', 'null'],
          description: 'Hash of the latest version in use; null: no version is in use.',
        },
        changes: {
          type: 'array',
          maxItems: 1_000,
          items: { type: 'string', maxLength: 16 },
          description:
            'The id of each change that checkDraft lists: the publisher has seen it. Required where ' +
            'publishing takes two people.',
        },
      },
    },
  },
} as const;

export const ROLLBACK_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['version'],
  properties: {
    version: {
      type: 'integer',
      minimum: 1,
      maximum: 2_147_483_647,
      description: 'The version whose content is published again.',
    },
    note: { ...NOTE_TEXT, description: 'Why, kept with the new version.' },
  },
} as const;

export const KEY_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['name', 'scopes'],
  properties: {
    name: {
      type: 'string',
      minLength: 1,
      maxLength: 100,
      pattern: PLAIN_PATTERN,
      description: 'For people.',
    },
    scopes: {
      type: 'array',
      minItems: 1,
      uniqueItems: true,
      items: { type: 'string', enum: TEAM_SCOPES },
    },
    rateLimitPerMinute: {
      type: 'integer',
      minimum: 1,
      maximum: 1_000_000,
      description: "Generate calls per minute. The service's default when omitted.",
    },
    expiresAt: {
      type: 'string',
      format: 'date-time',
      description: 'ISO 8601. The key does not expire when omitted.',
    },
  },
} as const;

const ROLE = { type: 'string', enum: [...ROLES] } as const;

export const ROLE_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['role'],
  properties: {
    role: ROLE,
    was: { ...ROLE, description: 'Refuses the change if the user has another role by now.' },
  },
} as const;

export const NEW_USER_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['userId', 'role'],
  properties: {
    userId: { type: 'string', minLength: 1, maxLength: 128 },
    displayName: { type: 'string', maxLength: 255 },
    email: { type: 'string', maxLength: 255 },
    role: ROLE,
  },
} as const;

export const IDENTITIES_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  properties: {
    teams: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['teamId', 'name'],
        properties: {
          teamId: idText,
          name: { type: 'string', maxLength: 200, pattern: PLAIN_PATTERN },
          active: { type: 'boolean' },
        },
      },
    },
    users: {
      type: 'array',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['userId', 'teamId', 'role'],
        properties: {
          userId: idText,
          teamId: idText,
          role: { type: 'string', enum: [...ROLES] },
          displayName: { type: 'string', maxLength: 200, pattern: PLAIN_PATTERN },
          email: { type: 'string', maxLength: 320 },
          active: { type: 'boolean' },
        },
      },
    },
    full: {
      type: 'boolean',
      description:
        'Deactivate every team that teams does not list, and every user that users does not.' +
        ' Concerns only the lists that are sent; each must name somebody.',
    },
    deactivatesAtMost: {
      type: 'integer',
      minimum: 0,
      description:
        'Refuse the sync when it would deactivate more teams and users than this. Lifts the share ' +
        'that the operator may have set.',
    },
  },
} as const;
