import { NAMED_ENCODINGS, TEXT_ENCODINGS } from '../runtime/encoding/decoder.ts';
import { EXCEPTION_OUTCOMES, RUN_STATES } from '../store/runs/types.ts';
import { GENERATE_SCHEMA } from './document-requests.ts';
import { fieldError } from './errors.ts';
import { KEY_ID } from './keys.ts';
import {
  type CreateRunRequest,
  CSV_SCHEMA,
  RUN_PROTECTION_SCHEMA,
  RUN_SCHEMA,
} from './run-requests.ts';
import {
  count,
  digest,
  keysOf,
  list,
  next,
  object,
  orNull,
  text,
  time,
  timeOrNull,
  type TypeOf,
  uuid,
  version,
} from './schema.ts';

/** Runs as responses show them: schemas, types and examples. */

const { metadata, signature, watermark } = GENERATE_SCHEMA.properties.options.properties;
/** The service takes any object here, and names the options that only single documents have. */
export const runOptions = {
  type: 'object',
  additionalProperties: false,
  properties: { metadata, watermark, protection: RUN_PROTECTION_SCHEMA, signature },
  description: RUN_SCHEMA.properties.options.description,
};
export const createBody = {
  ...RUN_SCHEMA,
  properties: { ...RUN_SCHEMA.properties, options: runOptions },
};

const sums = { type: 'object', additionalProperties: text } as const;

export const counts = object({
  received: {
    ...count,
    description: 'Rows checked so far: the sum of the next six, each row once.',
  },
  stored: count,
  pending: { ...count, description: 'Valid rows that are not stored yet.' },
  invalid: count,
  failed: count,
  withdrawn: count,
  identical: { ...count, description: 'Rows that are identical to an earlier one.' },
  refused: { ...count, description: 'Corrections that the last check refused: no rows.' },
  pages: count,
  bytes: { ...count, description: 'Size of the stored documents.' },
  bytesReceived: count,
  bytesChecked: count,
});

const PART_MEMBERS = {
  part: { type: 'integer', minimum: 1 },
  sha256: { ...digest, description: 'Digest of the rows, unpacked and in UTF-8.' },
  format: { type: 'string', enum: ['ndjson', 'csv'] },
  bytes: count,
  checked: { type: 'boolean' },
} as const;
export const part = object(PART_MEMBERS);

export const sentPart = object({
  ...PART_MEMBERS,
  encoding: {
    type: 'string',
    enum: TEXT_ENCODINGS,
    description: 'How its text was read. It is kept in UTF-8.',
  },
});

const named = {
  path: text,
  format: { type: 'string', enum: ['ndjson', 'csv'] },
  encoding: {
    type: ['string', 'null'],
    enum: [...NAMED_ENCODINGS, null],
    description: 'The encoding that was named; null: it is recognised.',
  },
} as const;
export const source = object(named);
export const readSource = object({
  ...named,
  encoding: {
    type: ['string', 'null'],
    enum: [...TEXT_ENCODINGS, null],
    description: 'How its text was read, once read; before, the encoding that was named.',
  },
  read: { type: 'boolean', description: 'Whether it was read to its end.' },
  parts: { ...count, description: 'Parts made of it so far.' },
  bytes: { type: ['integer', 'null'], description: 'Size of the stored file, once read.' },
  sha256: { type: ['string', 'null'], description: 'SHA-256 of the stored file, once read.' },
});

export const runState = { type: 'string', enum: RUN_STATES } as const;
export const expected = object({ rows: { type: ['integer', 'null'] }, sums });
export const reason = object(
  {
    name: text,
    expected: text,
    actual: text,
    advice: {
      type: 'string',
      description:
        'Advice for a run that has all its expected documents and has got further rows since.',
    },
    unread: {
      ...count,
      description: 'Faulty rows whose amount cannot be read: it counts as 0 in actual.',
    },
    unreadWithdrawn: {
      ...count,
      description:
        'The same of withdrawn rows, which cannot be corrected: the total must be lower by their' +
        ' amounts.',
    },
  },
  ['name', 'expected', 'actual'],
);

const members = {
  runId: uuid,
  name: text,
  templateId: text,
  version,
  idField: text,
  state: runState,
  dryRun: { type: 'boolean' },
  counts,
  expected,
  onInvalid: { type: 'string', enum: ['stop', 'skip'] },
  invalidShareMax: { type: 'number' },
  retentionSeconds: count,
  documentsPerPrint: { type: ['integer', 'null'] },
  passwordsByRow: {
    type: 'boolean',
    description: 'Each document opens with a password of its row.',
  },
  signed: { type: 'boolean', description: 'The documents are signed.' },
  source: orNull(source, 'The file that its rows are read from.'),
  csv: orNull(CSV_SCHEMA, 'How its CSV rows are written; null: as the contract has them.'),
  reasons: {
    type: 'array',
    description:
      'Why it stopped or was cancelled: rows, invalid, corrections, not_started, …, or a field whose' +
      ' sum does not match. While it is under way, what it waits for: signer, key (of its rows) or' +
      ' protection (qpdf). Empty in the state stopped: what stopped it holds no more since rows were' +
      ' withdrawn, and a start goes on.',
    items: reason,
  },
  createdBy: { ...text, description: 'Who created it: user:<userId> or key:<keyId>.' },
  createdAt: time,
  startedAt: timeOrNull,
  endedAt: timeOrNull,
} as const;
export const run = object(members);
export const runWithParts = object(
  {
    ...members,
    createdByName: {
      ...text,
      description:
        'Displayed name of the user, or name of the key, that created it. Only users of the Studio get it.',
    },
    source: orNull(readSource, 'The file that its rows are read from.'),
    sums: { ...sums, description: 'Sums of the valid rows, then of the stored documents.' },
    fileSums: { ...sums, description: 'Sums of all rows of the file, identical ones once.' },
    damagedDocuments: {
      ...count,
      description: 'Stored documents that were found damaged or missing: the ZIP is without them.',
    },
    documentsExpired: {
      type: 'boolean',
      description: 'It has stored documents, and all of them have expired.',
    },
    partCount: { ...count, description: 'How many parts the run has.' },
    lastPart: { ...count, description: 'The highest number of a part; 0: there is none.' },
    parts: { ...list(part), description: 'In the order of their numbers, at most 500.' },
    nextPart: orNull(count, 'The value of `after` that gives the next parts.'),
  },
  [
    ...keysOf(members),
    'damagedDocuments',
    'documentsExpired',
    'partCount',
    'lastPart',
    'parts',
    'nextPart',
  ],
);

export const exception = object(
  {
    part: { type: 'integer', minimum: 1 },
    line: { type: 'integer', minimum: 1, description: 'Line of the file, from 1.' },
    outcome: { type: 'string', enum: EXCEPTION_OUTCOMES },
    rowId: { ...text, description: 'Empty where the row has none.' },
    code: text,
    message: text,
    fields: list(fieldError),
    data: orNull(
      { type: 'object', additionalProperties: true },
      'By column or member; null: the row cannot be read, or its part is not stored any more. Where' +
        ' text is not empty, cells may be in the wrong columns.',
    ),
    extra: { ...list(text), description: 'Cells beyond the header.' },
    text: {
      ...text,
      description: 'The row as uploaded, if it does not fit the columns; else empty.',
    },
    unread: {
      ...list(text),
      description:
        'Fields with a control sum whose amount in this row cannot be read: it counts as 0, also once' +
        ' the row is withdrawn.',
    },
  },
  ['part', 'line', 'outcome', 'rowId', 'data', 'extra', 'text'],
);
export const exceptionList = object({
  rows: list(exception),
  next: { type: ['string', 'null'], description: 'The value of `after` that gives more rows.' },
});
export const EXCEPTIONS = {
  rows: [
    {
      part: 1,
      line: 17,
      outcome: 'invalid',
      rowId: 'R-16',
      code: 'invalid_data',
      message: 'The data does not fit the field contract.',
      fields: [{ field: 'total', reason: 'number expected' }],
      data: { refNo: 'R-16', customer: 'สมชาย ใจดี', total: '1,250.50' },
      extra: [],
      text: '',
    },
  ],
  next: null,
} satisfies RunExceptionList;

export const runList = object({ runs: list(run), next });
export const print = object({
  number: count,
  documents: count,
  pages: count,
  bytes: count,
  sha256: {
    type: ['string', 'null'],
    description: 'SHA-256 of the file; null: an earlier version made it.',
  },
});
export const printList = object({ prints: list(print), next });

export type Run = TypeOf<typeof run>;
export type RunWithParts = TypeOf<typeof runWithParts>;
export type RunPart = TypeOf<typeof part>;
export type RunSourceProgress = TypeOf<typeof readSource>;
export type SentRunPart = TypeOf<typeof sentPart>;
export type RunList = TypeOf<typeof runList>;
export type RunExceptionList = TypeOf<typeof exceptionList>;
export type RunPrintList = TypeOf<typeof printList>;

export const RUN_ID = '01a1f4a2-7b00-7000-8a9d-0123456789ab';
export const DIGEST = '6f7c4a1be8a4cbb0b9f2d6c53d0a7d1c2e5b8f90a1b2c3d4e5f60718293a4b5c';
export const EXAMPLE = {
  runId: RUN_ID,
  name: 'Receipts of October',
  templateId: 'receipt',
  version: 3,
  idField: 'refNo',
  state: 'done',
  dryRun: false,
  counts: {
    received: 2,
    stored: 2,
    pending: 0,
    invalid: 0,
    failed: 0,
    withdrawn: 0,
    identical: 0,
    refused: 0,
    pages: 2,
    bytes: 44_120,
    bytesReceived: 210,
    bytesChecked: 210,
  },
  expected: { rows: 2, sums: { total: '1500.75' } },
  onInvalid: 'stop',
  invalidShareMax: 0.01,
  retentionSeconds: 2_592_000,
  documentsPerPrint: null,
  passwordsByRow: false,
  signed: false,
  source: null,
  csv: null,
  reasons: [],
  createdBy: `key:${KEY_ID}`,
  createdAt: '2026-11-01T01:00:00.000Z',
  startedAt: '2026-11-01T01:00:05.000Z',
  endedAt: '2026-11-01T01:00:06.000Z',
} satisfies Run;
export const PART = {
  part: 1,
  sha256: DIGEST,
  format: 'ndjson',
  bytes: 210,
  checked: false,
} satisfies RunPart;
export const SENT_PART: SentRunPart = { ...PART, encoding: 'utf-8' };
export const WITH_PARTS = {
  ...EXAMPLE,
  sums: { total: '1500.75' },
  fileSums: { total: '1500.75' },
  damagedDocuments: 0,
  documentsExpired: false,
  partCount: 1,
  lastPart: 1,
  parts: [{ ...PART, checked: true }],
  nextPart: null,
} satisfies RunWithParts;
export const MAKE = {
  templateId: 'receipt',
  name: 'Receipts of October',
  idField: 'refNo',
  expected: { rows: 2, sums: { total: '1500.75' } },
  onInvalid: 'stop',
} satisfies CreateRunRequest;
export const ROW =
  '{"refNo":"R-1","customer":"สมชาย ใจดี","total":"1250.50","issued":"2026-10-31"}\n';
export const MANIFEST =
  `{"row":"R-1","outcome":"stored","documentId":"${RUN_ID}","sha256":"${DIGEST}","pages":1,` +
  '"bytes":22060,"part":1,"line":1}\n{"row":"R-2","outcome":"invalid","code":"invalid_data",' +
  '"message":"…","fields":[{"field":"total","reason":"number expected"}],"part":1,"line":2}\n';
export const CORRECTIONS =
  '#part,#line,#reasons,refNo,customer,total\n' +
  '1,17,total: number expected,R-16,สมชาย ใจดี,"1,250.50"\n';

export const PRINT_INDEX = `{"row":"R-1","documentId":"${RUN_ID}","fromPage":1,"toPage":3}\n`;
