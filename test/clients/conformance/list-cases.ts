import { PDF } from '../described-api.ts';
import { type Answer, type Case, MADE_RECORD, OK, PAGE, RECORD, refusal, STORED } from './terms.ts';

const NDJSON = { 'content-type': 'application/x-ndjson' };
const ROW = '{"row":"R-1","outcome":"stored","part":1}\n';
const HEAD = 'HTTP/1.1 200 OK\r\n';
const rows = (body: string | Uint8Array): Answer => ({ headers: NDJSON, body });

/** Answers that are taken for no manifest. */
const NO_MANIFESTS: Readonly<Record<string, Answer>> = {
  'cut-within-a-line': rows(`${ROW}{"row":"R-2","outc`),
  'without-the-last-line-feed': rows(ROW.trim()),
  'with-a-page-in-the-middle': rows(`${ROW}${PAGE}\n${ROW}`),
  'that-is-a-page': rows(`${PAGE}\n`),
  'with-null': rows(`${ROW}null\n`),
  'with-a-number': rows(`${ROW}7\n`),
  'with-an-empty-line': rows(`${ROW}\n${ROW}`),
  'without-outcomes': rows('{"row":"R-1","part":1}\n'),
  'without-rows': rows('{"outcome":"stored","part":1}\n'),
  'with-bytes-that-are-no-text': rows(
    Buffer.from(`{"row":"R-\xff","outcome":"stored","part":1}\n`, 'latin1'),
  ),
  'of-another-type': { headers: { 'content-type': 'application/json' }, body: '' },
  'without-a-type': { body: ROW },
  'with-status-202': { ...rows(ROW), status: 202 },
  'with-status-205': { headers: NDJSON, status: 205 },
  'with-status-206': { ...rows(ROW), status: 206 },
};

const manifests: readonly Case[] = [
  ...Object.entries(NO_MANIFESTS).map(([name, answer]): Case => ({
    name: `manifest-${name}`,
    calls: ['manifestToFile', 'manifest'],
    answers: [answer],
    gives: [{ error: 'NoDocument' }, { error: 'BadAnswer' }],
    left: [],
  })),
  {
    // An outcome that no row has.
    name: 'manifest-without-a-row',
    calls: ['manifestToFile', 'manifest'],
    answers: [rows('')],
    gives: {},
    left: ['manifest.ndjson'],
  },
];

/** The bytes of an answer whose body ends with its connection, and which does not end here. */
const open = (type: string, body: string, end: 'raw silence' | 'raw reset'): readonly Answer[] => [
  { body: `${HEAD}content-type: ${type}\r\nconnection: close\r\n\r\n${body}`, end },
];
const UNENDED = [
  ['manifestToFile', 'application/x-ndjson', ROW],
  ['manifest', 'application/x-ndjson', ROW],
  ['generate', 'application/pdf', PDF.toString()],
] as const;

/** A body without a length is not whole when something else than its connection ends it. */
const unended: readonly Case[] = UNENDED.flatMap(([call, type, body]): Case[] => [
  {
    name: `unended-${call}-cancelled`,
    calls: [call],
    options: { cancelMs: 1_500 },
    answers: open(type, body, 'raw silence'),
    gives: { error: 'Cancelled' },
    requests: 'any',
    left: [],
  },
  {
    name: `unended-${call}-silent`,
    calls: [call],
    options: { triesMax: 1, silenceMs: 1_500 },
    answers: open(type, body, 'raw silence'),
    gives: { error: 'NoAnswer' },
    requests: 'any',
    left: [],
  },
  {
    name: `unended-${call}-reset`,
    calls: [call],
    options: { triesMax: 1 },
    answers: open(type, body, 'raw reset'),
    gives: { error: 'NoAnswer' },
    requests: 'any',
    left: [],
  },
]);

const stored = JSON.parse(String(STORED.body)) as object;
/** The record of a document, with text in place of a member's value. */
const having = (name: string, value: string): string =>
  JSON.stringify({ ...stored, [name]: '?' }).replace('"?"', value);
const BAD_RECORDS: Readonly<Record<string, string | Uint8Array>> = {
  'with-nan': having('version', 'NaN'),
  'with-infinity': having('version', '-Infinity'),
  'with-a-number-beyond-all': having('version', '1e999'),
  'with-many-digits': having('version', '9'.repeat(310)),
  'with-bytes-that-are-no-text': Buffer.from(having('templateId', '"\xff"'), 'latin1'),
  'in-utf-16': Buffer.from(having('templateId', '"a"'), 'utf16le'),
  'with-a-byte-order-mark': `\ufeff${having('templateId', '"a"')}`,
  'with-a-digest-of-no-shape': having('sha256', '"zz"'),
  'with-a-script-as-link': having('url', '"javascript:alert(1)"'),
};

const records: readonly Case[] = [
  ...Object.entries(BAD_RECORDS).map(([name, body]): Case => ({
    name: `record-${name}`,
    calls: ['document'],
    answers: [{ body }],
    gives: { error: 'BadAnswer' },
  })),
  ...[203, 205, 206].map((status): Case => ({
    name: `record-with-status-${status}`,
    calls: ['document'],
    answers: [{ ...STORED, status }],
    gives: { error: 'BadAnswer' },
  })),
  ...Object.entries({
    'a-script-as-link': { ...RECORD, url: 'javascript:alert(1)' },
    'a-name-as-id': { ...RECORD, documentId: 'evil' },
  }).map(([name, record]): Case => ({
    name: `stored-with-${name}`,
    calls: ['store'],
    answers: [{ ...MADE_RECORD, body: JSON.stringify(record) }],
    gives: { error: 'BadAnswer' },
  })),
  ...[201, 202, 203].map((status): Case => ({
    name: `document-with-status-${status}`,
    calls: ['generate', 'toFile'],
    answers: [{ ...OK, status }],
    gives: { error: 'NoDocument' },
    left: [],
  })),
];

/** Heads that are no HTTP. */
const HEADS: Readonly<Record<string, string>> = {
  'two-lengths': `${HEAD}content-length: ${PDF.length}\r\ncontent-length: 10\r\n`,
  'a-signed-length': `${HEAD}content-length: +${PDF.length}\r\n`,
  'a-length-below-nothing': `${HEAD}content-length: -5\r\n`,
  'an-unknown-coding': `${HEAD}transfer-encoding: cipher\r\n`,
  'a-status-beyond-all': 'HTTP/1.1 999 Odd\r\ncontent-length: 0\r\n',
};
const heads: readonly Case[] = Object.entries(HEADS).map(([name, head]): Case => ({
  name: `head-with-${name}`,
  calls: ['generate'],
  options: { triesMax: 1 },
  answers: [{ body: `${head}content-type: application/pdf\r\n\r\n${PDF.toString()}`, end: 'raw' }],
  gives: { error: 'NoAnswer', tries: 1, text: /^no answer .* no HTTP/ },
  requests: 'any',
}));

/** A refusal is told at once, also when its body is cut. */
const cut: readonly Case[] = (['cut', 'silence'] as const).map((end): Case => ({
  name: `refusal-with-a-body-that-ends-in-${end}`,
  calls: ['generate'],
  options: { silenceMs: 1_500 },
  answers: [{ ...refusal(400, 'bad_request'), body: '{"error":"x","code":"bad', end }],
  gives: { error: 'Service', status: 400, code: 'unknown' },
}));

/** Lists, records and refusals of strangers. */
export const LIST_CASES: readonly Case[] = [...manifests, ...unended, ...records, ...heads, ...cut];
