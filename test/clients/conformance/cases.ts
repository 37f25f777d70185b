import { ERRORS } from '../../../src/errors.ts';
import { PDF, PDF_TYPE } from '../described-api.ts';
import { HOSTILE_CASES } from './hostile-cases.ts';
import { LIST_CASES } from './list-cases.ts';
import { runs, ways } from './run-cases.ts';
import {
  type Answer,
  type Case,
  fields,
  LONG,
  MADE,
  MADE_RECORD,
  OK,
  PAGE,
  RECORD,
  refusal,
  STORED,
  tagOf,
} from './terms.ts';

const overloaded = refusal(503, 'overloaded');
/** Every code of the service: which of them are sent again, and which are final. */
const codes = Object.entries(ERRORS).map(([code, { status, retry }]): Case => {
  const isRepeated = retry === 'later';
  const error = code === 'invalid_data' ? 'InvalidData' : 'Service';
  return {
    name: `code-${code}`,
    calls: ['generate'],
    options: { triesMax: 2 },
    answers: [refusal(status, code), OK],
    gives: isRepeated ? MADE : { error, status, code, requestId: 'r-1' },
    requests: isRepeated ? 2 : 1,
  };
});

const refusals: readonly Case[] = [
  {
    name: 'busy-then-made',
    calls: ['generate'],
    answers: [
      refusal(429, 'rate_limited', {}, { 'retry-after': '1' }),
      overloaded,
      { status: 502, body: '<html>' },
      OK,
    ],
    gives: MADE,
    requests: 4,
    tookMsMin: 999,
  },
  {
    name: 'balancer-pages-are-repeated',
    calls: ['generate'],
    answers: [{ status: 503, body: PAGE }, { status: 504, body: PAGE }, OK],
    gives: MADE,
    requests: 3,
  },
  {
    name: 'odd-retry-after',
    calls: ['generate'],
    answers: [refusal(503, 'overloaded', {}, { 'retry-after': 'soon' }), OK],
    gives: MADE,
    requests: 2,
  },
  {
    name: 'every-defective-field',
    calls: ['generate'],
    answers: [refusal(400, 'invalid_data', { fields })],
    gives: { error: 'InvalidData', status: 400, code: 'invalid_data', requestId: 'r-1', fields },
  },
  {
    name: 'page-of-a-proxy',
    calls: ['generate'],
    answers: [{ status: 500, body: PAGE }],
    gives: { error: 'Service', status: 500, code: 'unknown' },
  },
  {
    name: 'record-of-a-proxy',
    calls: ['store'],
    answers: [{ status: 201, body: '{"documentId":5,"url":"u","sha256":"s","expiresAt":"e"}' }],
    gives: { error: 'BadAnswer' },
  },
  {
    name: 'tries-are-bounded',
    calls: ['generate'],
    options: { triesMax: 3 },
    answers: [overloaded],
    gives: { error: 'Service', code: 'overloaded', text: /given up after 3 tries/ },
    requests: 3,
  },
  {
    name: 'wait-is-too-long',
    calls: ['generate'],
    answers: [refusal(429, 'rate_limited', {}, { 'retry-after': '3600' })],
    gives: { error: 'Service', code: 'rate_limited', retryAfterMs: 3_600_000 },
  },
  {
    name: 'one-try',
    calls: ['generate'],
    options: { triesMax: 1 },
    answers: [refusal(429, 'rate_limited', {}, { 'retry-after': '1' })],
    gives: { error: 'Service', code: 'rate_limited' },
  },
  ...[301, 302, 303, 307, 308].map((status): Case => ({
    name: `redirect-${status}`,
    calls: ['document', 'generate'],
    answers: [{ status, headers: { location: '/elsewhere' } }],
    gives: { error: 'Service', status, text: /redirect, which would hand the key on/ },
  })),
];

const SPENT = { ...PDF_TYPE, ratelimit: '"minute";r=0;t=1' };

const floods: readonly Case[] = [
  {
    name: 'a-spent-limit-is-waited-for',
    calls: ['generate', 'generate'],
    answers: [{ headers: SPENT, body: PDF }, OK],
    gives: MADE,
    tookMsMin: 999,
  },
  {
    name: 'calls-without-limit-do-not-wait',
    calls: ['generate', 'document'],
    options: { limitMs: 30_000 },
    answers: [{ headers: { ...PDF_TYPE, ratelimit: '"minute";r=0;t=60' }, body: PDF }, STORED],
    gives: [MADE, {}],
  },
  {
    name: 'ten-calls-through-windows-of-two',
    calls: Array.from({ length: 10 }, () => 'generate'),
    isParallel: true,
    // A client that waits for no window would need five tries for the last two calls. One that does may
    // still come late on a busy machine and find the next window taken.
    options: { triesMax: 3, retryMs: 1_500 },
    answers: 'window',
    gives: MADE,
  },
  {
    name: 'limit-is-counted',
    calls: Array.from({ length: 12 }, () => 'generate'),
    isParallel: true,
    options: { requestsMax: 4 },
    answers: 'window',
    gives: MADE,
    // Those that are sent before the limit is known.
    refusedMax: 4,
  },
  {
    name: 'three-requests-at-a-time',
    calls: Array.from({ length: 24 }, () => 'generate'),
    isParallel: true,
    options: { requestsMax: 3 },
    answers: 'busy',
    gives: MADE,
  },
];

const deaths: readonly Case[] = [
  {
    name: 'no-answer-keeps-its-key',
    calls: ['store'],
    answers: [{ end: 'dead' }, MADE_RECORD],
    gives: {},
    requests: 2,
  },
  {
    name: 'key-of-the-caller',
    calls: ['named', 'named'],
    answers: [MADE_RECORD],
    gives: {},
  },
  {
    name: 'dies-in-the-middle',
    calls: ['toFile'],
    answers: [
      {
        headers: { ...PDF_TYPE, etag: tagOf(LONG), 'content-length': LONG.length },
        body: LONG.subarray(0, 100_000),
        end: 'cut',
      },
      { headers: { ...PDF_TYPE, etag: tagOf(LONG) }, body: LONG },
    ],
    gives: { sha256: tagOf(LONG).slice(1, -1) },
    requests: 2,
    left: ['a.pdf'],
  },
  {
    name: 'dies-in-the-middle-of-chunks',
    calls: ['toFile'],
    answers: [{ headers: PDF_TYPE, body: LONG.subarray(0, 100_000), end: 'cut' }, OK],
    gives: MADE,
    requests: 2,
    left: ['a.pdf'],
  },
  {
    name: 'dies-in-the-middle-of-a-record',
    calls: ['document'],
    answers: [{ headers: { 'content-length': 100 }, body: '{"doc', end: 'cut' }, STORED],
    gives: {},
    requests: 2,
  },
  {
    name: 'dies-always',
    calls: ['store'],
    options: { triesMax: 3 },
    answers: [{ end: 'dead' }],
    gives: { error: 'NoAnswer', tries: 3, text: /^no answer from http:.* after 3 tries: / },
    requests: 3,
  },
  {
    name: 'nobody-listens',
    calls: ['store'],
    options: { triesMax: 2 },
    answers: 'nobody',
    gives: { error: 'NoAnswer', tries: 2, text: /refused/i },
    requests: 0,
  },
  {
    name: 'is-silent',
    calls: ['store'],
    options: { triesMax: 2, silenceMs: 500 },
    answers: [{ end: 'silence', status: 0 }],
    gives: { error: 'NoAnswer', tries: 2, text: /silent for too long/ },
    requests: 'any',
  },
  {
    name: 'falls-silent-in-the-middle',
    calls: ['toFile'],
    options: { silenceMs: 2_000 },
    answers: [{ headers: PDF_TYPE, body: '%PDF-1.7', end: 'silence' }, OK],
    gives: MADE,
    requests: 'any',
    left: ['a.pdf'],
  },
  {
    name: 'a-slow-body-is-awaited',
    calls: ['toFile'],
    options: { silenceMs: 5_000, triesMax: 1 },
    answers: [{ headers: { ...PDF_TYPE, etag: tagOf(PDF) }, body: PDF, end: 'slow' }],
    gives: MADE,
    left: ['a.pdf'],
  },
];

/** Answers that are taken for no document. */
const NO_DOCUMENTS: Readonly<Record<string, Answer>> = {
  'a page': { headers: { 'content-type': 'text/html' }, body: PAGE },
  'no type': { body: PDF },
  'a page as PDF': { headers: PDF_TYPE, body: PAGE },
  nothing: { headers: PDF_TYPE, body: '' },
  'a beginning': { headers: PDF_TYPE, body: '%PD' },
  'no content': { status: 204, headers: PDF_TYPE },
  // Without a length, an end in the middle looks like the end.
  'a half': { headers: PDF_TYPE, body: PDF.subarray(0, 20) },
  'a long half': { headers: PDF_TYPE, body: LONG.subarray(0, 250_000) },
};

const documents: readonly Case[] = [
  ...Object.entries(NO_DOCUMENTS).map(([name, answer]): Case => ({
    name: `document-${name.replaceAll(' ', '-')}`,
    calls: ['generate', 'toFile'],
    answers: [answer],
    gives: { error: 'NoDocument' },
    left: [],
  })),
  ...['', 'W/'].map((weak): Case => ({
    name: `other-file-${weak === '' ? 'strong' : 'weak'}-tag`,
    calls: ['generate', 'toFile'],
    answers: [{ headers: { ...PDF_TYPE, etag: weak + tagOf(LONG) }, body: PDF }],
    gives: { error: 'Digest' },
    left: [],
  })),
  {
    name: 'weak-tag',
    calls: ['generate', 'toFile'],
    answers: [{ headers: { ...PDF_TYPE, etag: `W/${tagOf(PDF)}` }, body: PDF }],
    gives: MADE,
    left: ['a.pdf'],
  },
  {
    name: 'tag-of-another-kind',
    calls: ['generate'],
    answers: [{ headers: { 'content-type': 'Application/PDF; x=y', etag: '"5f-2"' }, body: PDF }],
    gives: MADE,
  },
  {
    name: 'endless-document',
    calls: ['generate'],
    answers: [{ headers: PDF_TYPE, body: '%PDF-', end: 'endless' }],
    gives: { error: 'NoDocument' },
  },
  {
    name: 'no-folder',
    calls: ['missing'],
    answers: [OK],
    gives: { error: 'File' },
  },
];

/** Answers that are taken for no record. */
const NO_RECORDS: Readonly<Record<string, Answer>> = {
  'a page': { body: PAGE },
  nothing: { body: '' },
  null: { body: 'null' },
  'a text': { body: '"text"' },
  'no text': { body: Buffer.from([0x7b, 0x22, 0xff]) },
  depth: { body: '['.repeat(100_000) },
  endless: { body: '{', end: 'endless' },
};

const NDJSON = { 'content-type': 'application/x-ndjson' };
const ROW = '{"row":"R-1","outcome":"stored","part":1}\n';

const records: readonly Case[] = [
  ...Object.entries(NO_RECORDS).map(([name, answer]): Case => ({
    name: `record-${name.replaceAll(' ', '-')}`,
    calls: ['document'],
    answers: [answer],
    gives: { error: 'BadAnswer' },
  })),
  {
    name: 'endless-refusal',
    calls: ['document'],
    answers: [{ status: 500, body: '{', end: 'endless' }],
    gives: { error: 'Service', status: 500, code: 'unknown' },
  },
  {
    name: 'rows',
    calls: ['rows'],
    answers: [{ headers: NDJSON, body: `${ROW}${ROW.replace('R-1', 'ร-2')}` }],
    gives: {},
  },
  {
    name: 'endless-line',
    calls: ['manifest'],
    answers: [{ headers: NDJSON, body: '{', end: 'endless' }],
    gives: { error: 'BadAnswer' },
  },
  {
    name: 'line-of-a-page',
    calls: ['rows'],
    answers: [{ headers: NDJSON, body: `${ROW}<html>\n` }],
    gives: { error: 'BadAnswer' },
  },
  {
    name: 'rows-break-off',
    calls: ['rows'],
    answers: [{ headers: NDJSON, body: ROW, end: 'cut' }],
    gives: { error: 'NoAnswer', tries: 1 },
    // The end may be seen before the answer is: then nothing was given to the caller yet.
    requests: 'any',
  },
];

const { documentId, expiresAt } = RECORD;
/** Two documents with one reference, as the service lists them. */
const FOUND = [2, 1].map((version) => {
  const createdAt = '2026-11-28T08:00:00.000Z';
  return { documentId, templateId: 'receipt', version, createdAt, expiresAt, available: true };
});
const VERIFIED = { issued: true, ...FOUND[0], documents: FOUND, madeHere: [], drafts: [] };

const references: readonly Case[] = [
  {
    name: 'documents-by-reference',
    calls: ['byReference'],
    sends: { reference: 'RC-0005' },
    answers: [overloaded, { body: JSON.stringify(VERIFIED) }],
    gives: { count: 2 },
    requests: 2,
  },
];

/** On a busy machine a call may be cancelled before its request arrives. */
const cancellations: readonly Case[] = [
  {
    name: 'cancelled-under-way',
    calls: ['generate'],
    options: { cancelMs: 300 },
    answers: [{ end: 'silence', status: 0 }],
    gives: { error: 'Cancelled' },
    requests: 'any',
  },
  {
    name: 'cancelled-in-a-body',
    calls: ['toFile'],
    options: { cancelMs: 300 },
    answers: [{ headers: PDF_TYPE, body: '%PDF-1.7', end: 'silence' }],
    gives: { error: 'Cancelled' },
    requests: 'any',
    left: [],
  },
  {
    name: 'cancelled-while-it-waits',
    calls: ['generate'],
    options: { cancelMs: 300 },
    answers: [refusal(503, 'overloaded', {}, { 'retry-after': '100' })],
    gives: { error: 'Cancelled' },
    requests: 'any',
  },
  {
    name: 'time-limit',
    calls: ['generate', 'generate'],
    isParallel: true,
    options: { limitMs: 300, requestsMax: 1 },
    answers: [{ end: 'silence', status: 0 }],
    gives: { error: 'Cancelled' },
    // The second may get the place of the first before its own limit ends it.
    requests: 'any',
  },
];

export const CASES: readonly Case[] = [
  ...codes,
  ...refusals,
  ...floods,
  ...deaths,
  ...documents,
  ...records,
  ...references,
  ...cancellations,
  ...runs,
  ...ways,
  ...HOSTILE_CASES,
  ...LIST_CASES,
];
