import type { ErrorCode } from '../../errors.ts';
import { RUN_STATES } from '../../store/runs/types.ts';
import { RUN_SCHEMA, RUN_START_SCHEMA } from '../body/schemas.ts';
import { access, json, type Operation, parameter } from './operations.ts';
import { digest, object, text, time, uuid, version } from './schemas.ts';

const count = { type: 'integer', minimum: 0 };
const timeOrNull = { type: ['string', 'null'], format: 'date-time' };
const sums = { type: 'object', additionalProperties: text };

const counts = object({
  received: { ...count, description: 'Rows checked so far, each id once.' },
  stored: count,
  invalid: count,
  failed: count,
  pages: count,
  bytes: count,
  bytesReceived: count,
  bytesChecked: count,
});

const part = object({
  part: { type: 'integer', minimum: 1 },
  sha256: { ...digest, description: 'Of the rows, unpacked.' },
  format: { type: 'string', enum: ['ndjson', 'csv'] },
  bytes: count,
  checked: { type: 'boolean' },
});

const members = {
  runId: uuid,
  name: text,
  templateId: text,
  version,
  idField: text,
  state: { type: 'string', enum: RUN_STATES },
  dryRun: { type: 'boolean' },
  counts,
  expected: object({ rows: { type: ['integer', 'null'] }, sums }),
  invalidShareMax: { type: 'number' },
  retentionSeconds: count,
  documentsPerPrint: { type: ['integer', 'null'] },
  reasons: {
    type: 'array',
    description: 'Why it stopped: rows, invalid_share, input, or a field whose sum does not match.',
    items: object({ name: text, expected: text, actual: text }),
  },
  createdAt: time,
  startedAt: timeOrNull,
  endedAt: timeOrNull,
};
const run = object(members);
const runWithParts = object(
  { ...members, sums: { ...sums, description: 'Of the stored documents.' }, parts: list(part) },
  [...Object.keys(members), 'parts'],
);

const RUN_ID = '01a1f4a2-7b00-7000-8a9d-0123456789ab';
const DIGEST = '6f7c4a1be8a4cbb0b9f2d6c53d0a7d1c2e5b8f90a1b2c3d4e5f60718293a4b5c';
const EXAMPLE = {
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
    invalid: 0,
    failed: 0,
    pages: 2,
    bytes: 44_120,
    bytesReceived: 210,
    bytesChecked: 210,
  },
  expected: { rows: 2, sums: { total: '1500.75' } },
  invalidShareMax: 0.01,
  retentionSeconds: 2_592_000,
  documentsPerPrint: null,
  reasons: [],
  createdAt: '2026-11-01T01:00:00.000Z',
  startedAt: '2026-11-01T01:00:05.000Z',
  endedAt: '2026-11-01T01:00:06.000Z',
};
const PART = { part: 1, sha256: DIGEST, format: 'ndjson', bytes: 210, checked: false };
const WITH_PARTS = { ...EXAMPLE, sums: { total: '1500.75' }, parts: [{ ...PART, checked: true }] };
const MAKE = {
  templateId: 'receipt',
  name: 'Receipts of October',
  idField: 'refNo',
  expected: { rows: 2, sums: { total: '1500.75' } },
  invalidShareMax: 0.01,
};
const ROW = '{"refNo":"R-1","customer":"สมชาย ใจดี","total":"1250.50","issued":"2026-10-31"}\n';
const MANIFEST =
  `{"row":"R-1","outcome":"stored","documentId":"${RUN_ID}","sha256":"${DIGEST}","pages":1,` +
  '"bytes":22060}\n{"row":"R-2","outcome":"invalid","code":"invalid_data","message":"…",' +
  '"fields":[{"field":"total","reason":"number expected"}]}\n';

const PRINT_INDEX = `{"row":"R-1","documentId":"${RUN_ID}","fromPage":1,"toPage":3}\n`;

const printNumber = parameter('path', 'n', { type: 'integer', minimum: 1 }, 1, 'Number, from 1.');
const id = parameter('path', 'id', uuid, RUN_ID, 'Identifier of the run.');
const writes = 'Scope runs, or a session with role Editor or Admin.';
const reads = 'Scope runs, or a session.';
const finding: readonly ErrorCode[] = ['not_found', 'rate_limited', 'storage_unavailable'];
const both = { security: 'both' } as const;

function list(items: object): object {
  return { type: 'array', items };
}

/** A call that changes the state of a run. */
function action(
  name: string,
  operationId: string,
  summary: string,
  schema: object,
  example: object,
): Operation {
  return {
    operationId,
    method: 'post',
    path: `/v1/runs/{id}/${name}`,
    summary,
    needs: `${writes} Repeated, it changes nothing.`,
    ...both,
    parameters: [id],
    body: json(schema, example),
    replies: { 200: { description: 'The run as it is now.', content: json(run, EXAMPLE) } },
    errors: ['bad_request', ...access, ...finding, 'run_conflict'],
  };
}

const EMPTY = { type: 'object', description: 'Empty.' };

/** Runs: a document for each row of a file, however many. */
export const RUN_OPERATIONS: readonly Operation[] = [
  {
    operationId: 'createRun',
    method: 'post',
    path: '/v1/runs',
    summary: 'Create a run, which then accepts rows',
    needs: writes,
    ...both,
    body: json(RUN_SCHEMA, MAKE),
    replies: { 201: { description: 'Made, in state receiving.', content: json(run, EXAMPLE) } },
    errors: ['bad_request', ...access, ...finding, 'payload_too_large', 'overloaded'],
  },
  {
    operationId: 'listRuns',
    method: 'get',
    path: '/v1/runs',
    summary: 'The last 100 runs of the team, newest first',
    needs: reads,
    ...both,
    replies: {
      200: {
        description: 'Runs.',
        content: json(object({ runs: list(run) }), { runs: [EXAMPLE] }),
      },
    },
    errors: [...access, 'storage_unavailable'],
  },
  {
    operationId: 'getRun',
    method: 'get',
    path: '/v1/runs/{id}',
    summary: 'A run with its progress, totals and parts',
    needs: reads,
    ...both,
    parameters: [id],
    replies: { 200: { description: 'The run.', content: json(runWithParts, WITH_PARTS) } },
    errors: [...access, ...finding],
  },
  {
    operationId: 'putRunPart',
    method: 'put',
    path: '/v1/runs/{id}/parts/{n}',
    summary: 'Upload rows as part n',
    needs: `${writes} The same part again changes nothing. At most 16 MB, unpacked.`,
    ...both,
    parameters: [
      id,
      parameter('path', 'n', { type: 'integer', minimum: 1 }, 1, 'Number of the part, from 1.'),
      parameter('header', 'Content-Encoding', { type: 'string' }, 'gzip', 'gzip, or left out.'),
      parameter(
        'header',
        'Content-Digest',
        { type: 'string' },
        'sha-256=:X48E9qOokqqrvdts8nOJRJN3OWDUoyWxBf7kbu9DBPE=:',
        'RFC 9530: SHA-256 of the body as sent. Checked when present.',
      ),
    ],
    body: {
      'application/x-ndjson': { schema: { type: 'string' }, example: ROW },
      'text/csv': { schema: { type: 'string' }, example: 'refNo,customer,total\nR-1,A,12.50\n' },
    },
    replies: {
      200: { description: 'It was received before.', content: json(part, PART) },
      201: { description: 'Received, and durable.', content: json(part, PART) },
    },
    errors: [
      'bad_request',
      ...access,
      ...finding,
      'run_conflict',
      'payload_too_large',
      'overloaded',
    ],
  },
  action('start', 'startRun', 'Check all rows, then make the documents', RUN_START_SCHEMA, {
    dryRun: false,
  }),
  action('pause', 'pauseRun', 'Pause the run after the chunks in progress', EMPTY, {}),
  action('resume', 'resumeRun', 'Resume a paused run', EMPTY, {}),
  action(
    'cancel',
    'cancelRun',
    'Cancel the run: nothing more is stored, stored documents stay',
    EMPTY,
    {},
  ),
  {
    operationId: 'getRunManifest',
    method: 'get',
    path: '/v1/runs/{id}/manifest',
    summary: 'The outcome of every row, in the order of parts and rows',
    needs: reads,
    ...both,
    parameters: [
      id,
      parameter('query', 'format', { enum: ['ndjson', 'csv'] }, 'ndjson', 'ndjson if left out.'),
      parameter(
        'query',
        'outcome',
        { enum: ['pending', 'stored', 'invalid', 'failed'] },
        'invalid',
        'Only rows with this outcome.',
      ),
    ],
    replies: {
      200: {
        description: 'One row a line.',
        content: { 'application/x-ndjson': { schema: { type: 'string' }, example: MANIFEST } },
      },
    },
    errors: ['bad_request', ...access, ...finding, 'gone'],
  },
  {
    operationId: 'getRunZip',
    method: 'get',
    path: '/v1/runs/{id}/zip',
    summary: 'All stored documents of a run as one ZIP archive',
    needs: reads,
    ...both,
    parameters: [id],
    replies: {
      200: {
        description: 'A file for each stored row, named by the id of the row.',
        content: { 'application/zip': { schema: { type: 'string', format: 'binary' } } },
      },
    },
    errors: [...access, ...finding, 'run_conflict', 'gone'],
  },
  {
    operationId: 'listRunPrints',
    method: 'get',
    path: '/v1/runs/{id}/prints',
    summary: 'The finished merged print files',
    needs: reads,
    ...both,
    parameters: [id],
    replies: {
      200: {
        description: 'Print files, numbered from 1.',
        content: json(
          object({
            prints: list(object({ number: count, documents: count, pages: count, bytes: count })),
          }),
          { prints: [{ number: 1, documents: 10_000, pages: 30_000, bytes: 91_004_417 }] },
        ),
      },
    },
    errors: [...access, ...finding],
  },
  {
    operationId: 'getRunPrint',
    method: 'get',
    path: '/v1/runs/{id}/prints/{n}',
    summary: 'A merged print file',
    needs: reads,
    ...both,
    parameters: [id, printNumber],
    replies: {
      200: {
        description: 'One PDF with the pages of its documents; fonts and images are shared.',
        content: { 'application/pdf': { schema: { type: 'string', format: 'binary' } } },
      },
    },
    errors: [...access, ...finding],
  },
  {
    operationId: 'getRunPrintIndex',
    method: 'get',
    path: '/v1/runs/{id}/prints/{n}/index',
    summary: 'Which pages of a print file belong to which document',
    needs: reads,
    ...both,
    parameters: [id, printNumber],
    replies: {
      200: {
        description: 'One document a line, in the order of its pages.',
        content: { 'application/x-ndjson': { schema: { type: 'string' }, example: PRINT_INDEX } },
      },
    },
    errors: [...access, ...finding],
  },
];
