import { ERRORS, RETRIED_CODES } from '../../errors.ts';
import { FIELD_TYPES } from '#engine/light';
import { GENERATE_SCHEMA } from '../../api/documents.ts';
import {
  digest,
  fieldError,
  keysOf,
  next,
  object,
  text,
  time,
  uuid,
  version,
} from '../../api/schema.ts';

/** Schemas of responses, and of requests whose description says more than the validation. */

const url = { type: 'string', format: 'uri' };

function list(items: object, description = ''): object {
  return { type: 'array', items, ...(description === '' ? {} : { description }) };
}

export const localText = {
  type: 'object',
  additionalProperties: text,
  description: 'A text by language tag, such as { "th": "…", "en": "…" }.',
};

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
    columns: { type: 'array', items: localText, description: 'table: headings of the columns' },
  },
};

/** The format of a field (docs/contract.md); its keys depend on the type of the field. */
export const fieldFormat = {
  type: 'object',
  description: 'How the template prints the value; for callers to show the same.',
  properties: {
    decimals: { type: 'integer', minimum: 0, maximum: 20, description: 'number' },
    thousandsSeparator: { type: 'boolean', description: 'number' },
    prefix: { type: 'string', description: 'number' },
    suffix: { type: 'string', description: 'number' },
    style: { type: 'string', enum: ['bahttext'], description: 'number' },
    words: { type: 'boolean', description: 'number: spelled out' },
    currency: { type: 'string', description: 'number: ISO 4217 code of the money in words' },
    case: { type: 'string', enum: ['upper', 'lower', 'title'], description: 'text, number, date' },
    language: { type: 'string', description: 'text, number, date: BCP 47 tag' },
    digits: { type: 'string', enum: ['latin', 'thai'], description: 'number, date' },
    mask: { type: 'string', description: 'text: signs shown and hidden, such as XXX-X-Xxxxx-x' },
    calendar: { type: 'string', enum: ['gregory', 'buddhist'], description: 'date' },
    pattern: { type: 'string', description: 'date: such as d MMMM yyyy' },
    presentation: fieldPresentation,
  },
};

const bound = { type: ['number', 'string'] };
export const fieldValidation = {
  type: 'object',
  description: 'Conditions on the value beyond its type.',
  properties: {
    min: { ...bound, description: 'number: inclusive; date: YYYY-MM-DD' },
    max: { ...bound, description: 'number: inclusive; date: YYYY-MM-DD' },
    minLength: { type: 'integer', minimum: 0, description: 'text: Unicode code points' },
    maxLength: { type: 'integer', minimum: 0, description: 'text: Unicode code points' },
    pattern: { type: 'string', description: 'text: regular expression' },
    choices: {
      type: 'array',
      items: text,
      description: 'text, number, date: the only values that are taken',
    },
  },
};

export const field = object(
  {
    name: { ...text, description: 'Key to use inside data.' },
    type: { type: 'string', enum: FIELD_TYPES },
    required: { type: 'boolean' },
    format: fieldFormat,
    validation: fieldValidation,
  },
  ['name', 'type', 'required'],
);

export const errorCode = {
  type: 'string',
  enum: Object.keys(ERRORS),
  description:
    `The same request may be sent again later after ${RETRIED_CODES.join(', ')}: when ` +
    'Retry-After has passed, or after a back-off where the response has none. After every other ' +
    'code, the same request gets the same response.',
};

export const errorBody = object(
  {
    error: { ...text, description: 'The fault, its place, and how to correct it.' },
    code: errorCode,
    requestId: uuid,
    fields: list(fieldError, 'Every defective field of data, with code invalid_data.'),
  },
  ['error', 'code', 'requestId'],
);

/** Headers of POST /v1/generate with the caller's rate limit. */
export const RATE_HEADERS = {
  'RateLimit-Policy': {
    description: 'Calls allowed (q) in a window of w seconds.',
    schema: text,
    example: '"minute";q=120;w=60',
  },
  RateLimit: {
    description: 'Calls left (r), and seconds until the window ends (t).',
    schema: text,
    example: '"minute";r=87;t=34',
  },
};
/** Headers of a response that brings a new document. */
export const DOCUMENT_HEADERS = {
  ...RATE_HEADERS,
  'X-Intaglio-Missing-Characters': {
    description: 'Characters of the data that no font has; absent when there are none.',
    schema: { type: 'integer', minimum: 1 },
    example: 3,
  },
};
export const RETRY_HEADER = {
  'Retry-After': {
    description: 'Seconds to wait before the request is sent again.',
    schema: { type: 'integer', minimum: 1 },
    example: 2,
  },
};

/** The body of a call that takes no parameters. */
export const emptyBody = { type: 'object', additionalProperties: false, description: 'Empty.' };

/** docs/templates.md describes it, and its JSON schema is made from the same vocabulary. */
export const templateFile = {
  type: 'object',
  additionalProperties: true,
  description: 'A template file.',
};

/** Requests are validated as `number`, so that 1.5 is an unknown version (404), as the spec has it. */
export const generateBody = {
  ...GENERATE_SCHEMA,
  properties: {
    ...GENERATE_SCHEMA.properties,
    version: { ...version, description: GENERATE_SCHEMA.properties.version.description },
  },
};

/** JSON Schema describes itself: json-schema.org/draft/2020-12/schema. */
export const dataSchema = {
  type: 'object',
  additionalProperties: true,
  description: 'JSON Schema 2020-12 of the member `data` of a request.',
};

export const fieldContract = object({
  templateId: text,
  version,
  status: { type: 'string', enum: ['published', 'draft'] },
  fields: list(field),
});

const link = {
  ...url,
  description: 'Fresh, time-limited link. Keep the documentId, not the link.',
};
export const acknowledgement = object({
  documentId: uuid,
  url: link,
  sha256: digest,
  expiresAt: time,
});

/** Members of a document whose template declares them. */
export const naming = {
  reference: { ...text, description: 'Its reference, if the template keeps it as a text.' },
  fileName: { ...text, description: 'The name of its file, if the template declares one.' },
};

const ofRecord = {
  documentId: uuid,
  templateId: text,
  version,
  sha256: digest,
  createdAt: time,
  expiresAt: time,
  url: link,
};
export const documentRecord = object({ ...ofRecord, ...naming }, keysOf(ofRecord));

const available = { type: 'boolean', description: 'false: it has expired, its file is gone.' };
const issuedDocument = { documentId: uuid, templateId: text, version };
const issuedTimes = { createdAt: time, expiresAt: time, available };
export const verifiedDocument = object({ ...issuedDocument, ...issuedTimes });
export const unstoredAnswer = object({ at: time, requestId: text, templateId: text, version });
export const draftAnswer = object({ at: time, requestId: text, templateId: text });
export const verification = object(
  {
    issued: {
      type: 'boolean',
      description: "A stored document of the caller's team has these bytes, or this reference.",
    },
    sha256: digest,
    ...issuedDocument,
    ...issuedTimes,
    documents: list(
      verifiedDocument,
      'Every such document, at most 20: the oldest first, by reference the newest. The members above ' +
        'are those of the first.',
    ),
    madeHere: list(
      unstoredAnswer,
      'Responses in mode sync with these bytes, which were not stored, at most 20.',
    ),
    drafts: list(
      draftAnswer,
      'Previews of drafts with these bytes. They were made from no published version.',
    ),
  },
  ['issued', 'documents', 'madeHere', 'drafts'],
);

export const templateSummary = object({
  templateId: text,
  name: text,
  latestVersion: { type: ['integer', 'null'], description: 'null: nothing is published.' },
  hasDraft: { type: 'boolean' },
  updatedAt: time,
  archivedAt: { type: ['string', 'null'], format: 'date-time', description: 'null: it is in use.' },
});
export const templateList = object({ templates: list(templateSummary), next });

export const finding = object({
  severity: { type: 'string', enum: ['error', 'warning'] },
  path: text,
  message: text,
});
export const findings = list(finding);

export const draftSaved = object({
  templateId: text,
  status: { type: 'string', enum: ['draft'] },
  findings,
});

export const published = object({ templateId: text, version });

export const role = { type: 'string', enum: ['Editor', 'Admin', 'Viewer'] };
const active = { type: 'boolean' };
export const identities = object({
  teams: list(object({ teamId: text, name: text, active })),
  users: list(object({ userId: text, teamId: text, role, displayName: text, email: text, active })),
});

export const changeCounts = object(
  Object.fromEntries(
    ['created', 'updated', 'deactivated', 'unchanged'].map((name) => [
      name,
      { type: 'integer', minimum: 0 },
    ]),
  ),
);
export const identityCounts = object({ teams: changeCounts, users: changeCounts });
