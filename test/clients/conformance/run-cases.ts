import { type Answer, type Case, fields, MADE, OK, PAGE, STORED, tagOf } from './terms.ts';

const LINES = Buffer.from('{"row":"R-1","outcome":"stored","part":1}\n'.repeat(1_000));
const NDJSON = { 'content-type': 'application/x-ndjson' };
const exception = { part: 1, line: 2, rowId: 'R-1', outcome: 'invalid', fields, data: null };
const page = (next: string | null): Answer => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ rows: [{ ...exception, extra: [], text: '' }], next }),
});

/** Runs. */
export const runs: readonly Case[] = [
  {
    name: 'upload-goes-on',
    calls: ['upload', 'upload'],
    answers: 'parts',
    gives: [
      { error: 'Service', code: 'run_conflict' },
      { sent: 1, skipped: 1 },
    ],
    // The parts of the run, the first, the second twice, and before it the parts again.
    requests: 5,
  },
  {
    name: 'watch-goes-on',
    calls: ['watch'],
    answers: 'events',
    gives: { state: 'done' },
    requests: 'any',
  },
  {
    name: 'exceptions-page-by-page',
    calls: ['exceptions'],
    answers: [page('1:2'), page(null)],
    gives: { count: 2 },
    requests: 2,
  },
  {
    name: 'list-of-a-proxy',
    calls: ['exceptions', 'exceptions'],
    answers: [{ body: '{"status":"ok"}' }, { body: '{"rows":{},"next":null}' }],
    gives: { error: 'BadAnswer' },
  },
  {
    name: 'manifest-to-file',
    calls: ['manifestToFile'],
    answers: [
      { headers: NDJSON, body: LINES.subarray(0, 1_000), end: 'cut' },
      { headers: NDJSON, body: LINES },
    ],
    gives: { sha256: tagOf(LINES).slice(1, -1) },
    requests: 2,
    left: ['manifest.ndjson'],
  },
  {
    name: 'manifest-of-a-proxy',
    calls: ['manifestToFile'],
    answers: [{ headers: { 'content-type': 'text/html' }, body: PAGE }],
    gives: { error: 'NoDocument' },
    left: [],
  },
];

/** Proxies and certificates. */
export const ways: readonly Case[] = [
  {
    name: 'proxy-with-password',
    calls: ['generate', 'document'],
    options: { isBehindProxy: true },
    answers: [OK, STORED],
    gives: [MADE, {}],
  },
  {
    name: 'proxy-passed-by',
    calls: ['document'],
    options: { isPassedBy: true },
    answers: [STORED],
    gives: {},
  },
  {
    name: 'certificate-of-the-client',
    calls: ['document'],
    options: { certificate: 'own' },
    answers: [STORED],
    gives: {},
  },
  {
    name: 'no-certificate-of-the-client',
    calls: ['document'],
    options: { certificate: 'none', triesMax: 1 },
    answers: [STORED],
    gives: { error: 'NoAnswer', tries: 1 },
    requests: 0,
  },
];
