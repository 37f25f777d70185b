import { API_KEY, PDF, PDF_SHA256, PDF_TYPE } from '../described-api.ts';
import {
  type Answer,
  type Call,
  type Case,
  LONG,
  MADE,
  OK,
  PAGE,
  RECORD,
  refusal,
  tagOf,
} from './terms.ts';

/** The names of the options that bound tries and waits, as the clients spell them. */
const TRIES = /^.*tries_?max/i;
const WAITS = /^.*retry_?(?:ms_?)?max/i;
const FAR_DATE = 'Sun, 28 Nov 2100 07:28:00 GMT';
const PAST_DATE = 'Wed, 21 Oct 2015 07:28:00 GMT';

const limited = (retryAfter: string): Answer =>
  refusal(429, 'rate_limited', {}, { 'retry-after': retryAfter });

/** A refusal that names no useful time is repeated after the client's own back-off. */
const soon: readonly Case[] = [
  ...['0', PAST_DATE].flatMap((retryAfter): Case[] => {
    const name = `retry-after-${retryAfter === '0' ? 'zero' : 'past'}`;
    return [
      {
        name: `${name}-bounded-by-tries`,
        calls: ['generate'],
        options: { triesMax: 3 },
        answers: [limited(retryAfter)],
        gives: { error: 'Service', code: 'rate_limited', text: TRIES },
        requests: 3,
        // 250 and 500 ms, of which a half may be left out.
        tookMsMin: 370,
      },
      {
        name: `${name}-then-made`,
        calls: ['generate'],
        answers: [limited(retryAfter), limited(retryAfter), OK],
        gives: MADE,
        requests: 3,
        tookMsMin: 370,
      },
    ];
  }),
  {
    name: 'retry-after-zero-bounded-by-time',
    calls: ['generate'],
    options: { triesMax: 1_000, retryMs: 1_500 },
    answers: [limited('0')],
    gives: { error: 'Service', code: 'rate_limited', text: WAITS },
    requests: 'any',
    requestsMost: 7,
  },
  {
    name: 'retry-after-zero-of-an-uncounted-call',
    calls: ['document'],
    options: { triesMax: 3 },
    answers: [limited('0')],
    gives: { error: 'Service', code: 'rate_limited', text: TRIES },
    requests: 3,
    tookMsMin: 370,
  },
  ...['-5', '0.5', 'soon', '1 s'].map((retryAfter, index): Case => ({
    name: `retry-after-unreadable-${index + 1}`,
    calls: ['generate'],
    options: { retryMs: 20_000 },
    answers: [limited(retryAfter), OK],
    gives: MADE,
    requests: 2,
    tookMsMin: 120,
  })),
];

/** A wait that is longer than the call may take ends it at once, and nothing is sent again. */
const late: readonly Case[] = ['generate', 'document'].flatMap((call) =>
  Object.entries({
    billion: '1000000000',
    digits: '9'.repeat(26),
    date: FAR_DATE,
  }).flatMap(([what, retryAfter]): Case[] =>
    [429, 503].map((status) => ({
      name: `retry-after-far-${what}-${call}-${status}`,
      // The names are those of calls.
      calls: [call as Call],
      answers: [
        refusal(
          status,
          status === 429 ? 'rate_limited' : 'overloaded',
          {},
          { 'retry-after': retryAfter },
        ),
      ],
      gives: {
        error: 'Service',
        status,
        text: /^.*the service asks to wait \d+ s; retry_?(?:ms_?)?max allows \d+/i,
      },
      tookMsMax: 10_000,
    })),
  ),
);

const pdf = (etag?: string, body: Uint8Array = PDF): Answer => ({
  headers: { ...PDF_TYPE, ...(etag === undefined ? {} : { etag }) },
  body,
});
const sha256 = PDF_SHA256;
const zipped = `"${sha256}-gzip"`;

/** A file is verified by the digest that the caller gives, or by that of the answer. */
const digests: readonly Case[] = [
  ...(
    [
      ['no-tag', pdf(), false],
      ['foreign-tag', pdf('"5f-2"'), false],
      ['own-tag', pdf(tagOf(PDF)), true],
      ['weak-tag', pdf(`W/${tagOf(PDF)}`), true],
      ['zipped-tag', pdf(zipped), true],
      ['weak-zipped-tag', pdf(`W/${zipped}`), true],
    ] as const
  ).flatMap(([name, answer, verified]): Case[] => [
    {
      name: `digest-${name}`,
      calls: ['toFile'],
      answers: [answer],
      gives: { sha256, verified },
      left: ['a.pdf'],
    },
    {
      name: `digest-${name}-demanded`,
      calls: ['toSureFile'],
      answers: [answer],
      gives: verified ? { sha256, verified } : { error: 'Digest' },
      left: verified ? ['a.pdf'] : [],
    },
    {
      name: `digest-${name}-given`,
      calls: ['toGivenFile'],
      answers: [answer],
      gives: { sha256, verified: true },
      left: ['a.pdf'],
    },
  ]),
  ...[pdf(undefined, LONG), pdf(tagOf(LONG), LONG), pdf(tagOf(PDF), LONG)].map(
    (answer, index): Case => ({
      name: `digest-given-another-file-${index + 1}`,
      calls: ['toGivenFile'],
      answers: [answer],
      gives: { error: 'Digest' },
      left: [],
    }),
  ),
  {
    name: 'digest-zipped-tag-of-another-file',
    calls: ['toFile'],
    answers: [pdf(zipped, LONG)],
    gives: { error: 'Digest' },
    left: [],
  },
  {
    name: 'document-with-a-page-behind-it',
    calls: ['toFile', 'generate'],
    answers: [pdf(undefined, Buffer.concat([PDF, Buffer.from(PAGE)]))],
    gives: { error: 'NoDocument' },
    left: [],
  },
  {
    name: 'document-as-a-range',
    calls: ['toFile', 'generate'],
    answers: [{ ...pdf(), status: 206 }],
    gives: { error: 'NoDocument' },
    left: [],
  },
];

const WITHOUT_REDIRECT = /^(?!.*redirect)/;

/** Refusals of strangers, told in words that are true and hold no key. */
const words: readonly Case[] = [
  {
    name: 'echo-of-the-key',
    calls: ['generate', 'document'],
    answers: [refusal(400, 'bad_request', { error: `x-api-key: ${API_KEY}, ${API_KEY}` })],
    gives: { error: 'Service', status: 400, text: /^.*x-api-key: …, …/ },
  },
  {
    name: 'echo-of-the-key-in-capitals',
    calls: ['generate'],
    answers: [refusal(400, 'bad_request', { error: `got ${API_KEY.toUpperCase()}.` })],
    gives: { error: 'Service', status: 400, text: /^got ….*bad_request/ },
  },
  {
    name: 'defects-that-are-no-text',
    calls: ['generate'],
    answers: [refusal(400, 'invalid_data', { error: { en: 'x' }, fields: [{ field: 7 }, 5] })],
    gives: { error: 'Service', status: 400, code: 'unknown', fields: [] },
  },
  {
    name: 'echo-of-the-key-as-code',
    calls: ['generate'],
    answers: [refusal(400, API_KEY, { requestId: API_KEY })],
    gives: { error: 'Service', status: 400 },
  },
  {
    name: 'echo-of-the-key-in-fields',
    calls: ['generate'],
    answers: [
      refusal(400, 'invalid_data', { fields: [{ field: API_KEY, reason: `not ${API_KEY}` }] }),
    ],
    gives: { error: 'InvalidData', fields: [{ field: '…', reason: 'not …' }] },
  },
  {
    name: 'endless-words',
    calls: ['generate'],
    answers: [
      refusal(400, 'bad_request', { error: `a\u0007b\nc\u001b[31m\u0085${'x'.repeat(9_999)}` }),
    ],
    gives: { error: 'Service', code: 'bad_request', text: /^a.?b.?c/ },
  },
  {
    name: 'words-that-are-no-text',
    calls: ['generate'],
    answers: [refusal(400, 'bad_request', { error: { message: 'x' }, requestId: [7], fields: 5 })],
    gives: { error: 'Service', status: 400, text: /^(?!.*\[object)/ },
  },
  {
    name: 'status-304-is-no-redirect',
    calls: ['document', 'toFile'],
    answers: [{ status: 304 }],
    gives: { error: 'Service', status: 304, text: WITHOUT_REDIRECT },
    left: [],
  },
  {
    name: 'status-401-names-the-key',
    calls: ['document'],
    answers: [{ status: 401, body: PAGE }],
    gives: { error: 'Service', status: 401, text: /^.*\bkey\b/i },
  },
  {
    name: 'status-407-names-the-proxy',
    calls: ['document'],
    answers: [{ status: 407, body: PAGE }],
    gives: { error: 'Service', status: 407, text: /^.*proxy wants/i },
  },
  {
    name: 'one-refusal',
    calls: ['generate'],
    options: { triesMax: 1 },
    answers: [refusal(503, 'overloaded')],
    gives: { error: 'Service', text: /^.*after 1 try\b.*tries_?max/i },
  },
  ...[300, 305].map((status): Case => ({
    name: `status-${status}-is-a-redirect`,
    calls: ['document'],
    answers: [{ status, headers: { location: '/elsewhere' } }],
    gives: { error: 'Service', status, text: /redirect, which would hand the key on/ },
  })),
  {
    name: 'two-deaths',
    calls: ['generate'],
    options: { triesMax: 2 },
    answers: [{ end: 'dead' }],
    gives: { error: 'NoAnswer', tries: 2, text: /^no answer .*tries_?max/i },
    // The JDK sends a request again when its connection is cut.
    requests: 'any',
  },
  {
    name: 'one-death',
    calls: ['generate'],
    options: { triesMax: 1 },
    answers: [{ end: 'dead' }],
    gives: { error: 'NoAnswer', tries: 1, text: /^.*after 1 try: / },
  },
];

/** What a program gives by mistake: it is named, and nothing is sent. */
const mistakes: readonly Case[] = (
  [
    ['lone-surrogate', 'loneSurrogate', /^.*data\.customer/],
    ['circular-data', 'circular', /^.*data\.a/],
    ['name-of-file', 'nulPath', /^.*path/i],
    ['name-of-document', 'nulId', /^.*document_?id/i],
    ['no-name-of-document', 'noId', /^.*document_?id/i],
    ['name-that-leads-away', 'dotId', /^.*document_?id/i],
    ['null-key', 'nullKey', /^.*api_?key/i],
    ['digest-of-no-shape', 'oddDigest', /^.*sha256/i],
    ['no-reference', 'noReference', /^.*reference/],
  ] as const
).map(([name, call, text]): Case => ({
  name: `mistake-${name}`,
  calls: [call],
  answers: [OK],
  gives: { error: 'InvalidArgument', text },
  requests: 0,
  left: [],
}));

const uploads: readonly Case[] = [
  {
    // The first part is there, and another second one than the file has.
    name: 'upload-of-a-changed-file',
    calls: ['upload', 'upload'],
    answers: 'changed',
    gives: [
      { error: 'Service', code: 'run_conflict' },
      { error: 'File', text: /^.*changed/ },
    ],
    // The parts of the run, the first, the second that is refused, the parts again.
    requests: 4,
  },
  {
    name: 'upload-beside-other-rows',
    calls: ['upload'],
    answers: 'others',
    gives: { sent: 2, skipped: 0, others: 1 },
    requests: 3,
  },
];

/** Answers to `store` that are no record. */
const shapes: Readonly<Record<string, object>> = {
  'of-a-proxy': { status: 'ok' },
  'without-digest': { ...RECORD, sha256: undefined },
  'with-another-digest': { ...RECORD, sha256: 'abc' },
  'without-id': { ...RECORD, documentId: null },
  'with-a-path-as-id': { ...RECORD, documentId: '../../etc/passwd' },
};
const stores: readonly Case[] = Object.entries(shapes).map(([name, body]) => ({
  name: `stored-${name}`,
  calls: ['store'],
  answers: [{ status: 200, body: JSON.stringify(body) }],
  gives: { error: 'BadAnswer' },
}));

/** A time limit and a cancellation end a call in each of its phases. */
const phases: readonly Case[] = (
  [
    ['handshake', 'mute'],
    ['head', [{ end: 'trickling head' }]],
    ['body', [{ headers: PDF_TYPE, body: '%PDF-1.7', end: 'trickle' }]],
    ['refusal', [{ status: 400, body: '{', end: 'trickle' }]],
    ['record', [{ status: 200, body: '{', end: 'trickle' }]],
  ] as const
).flatMap(([phase, answers]): Case[] => {
  const calls: readonly Call[] = [phase === 'record' ? 'document' : 'toFile'];
  const common = { answers, requests: 'any', tookMsMax: 10_000, left: [] } as const;
  return [
    {
      name: `${phase}-beyond-its-time`,
      calls,
      options: { limitMs: 1_500 },
      gives: { error: 'Cancelled' },
      ...common,
    },
    {
      name: `${phase}-cancelled`,
      calls,
      options: { cancelMs: 1_500 },
      gives: { error: 'Cancelled' },
      ...common,
    },
  ];
});

/** What strangers between client and service may answer, and what programs may get wrong. */
export const HOSTILE_CASES: readonly Case[] = [
  ...soon,
  ...late,
  ...digests,
  ...words,
  ...mistakes,
  ...uploads,
  ...stores,
  ...phases,
];
