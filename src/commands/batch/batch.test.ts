import { createHash } from 'node:crypto';
import { appendFileSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';

import { CommandFailed } from '../failure.ts';
import { Client } from './client.ts';
import { readRecords, type BatchRecord, type InputFormat } from './input.ts';
import type { ManifestEntry } from './manifest.ts';
import { runBatch, type BatchCounts, type BatchPlan } from './run.ts';

interface Call {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

type Answer = (call: Call, response: ServerResponse) => void;

/** A service that answers as the test says, and remembers what it was asked. */
async function startFake(t: Test, answer: Answer): Promise<{ url: string; calls: Call[] }> {
  const calls: Call[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { url: path = '', headers } = request;
      const call = { path, headers, body: Buffer.concat(chunks).toString() };
      calls.push(call);
      answer(call, response);
    });
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls };
}

const json = (response: ServerResponse, status: number, value: unknown, extra = {}): void => {
  response.writeHead(status, { 'content-type': 'application/json', ...extra });
  response.end(JSON.stringify(value));
};

function plan(url: string, out: string, change: Partial<BatchPlan> = {}): BatchPlan {
  const base = { url, out, apiKey: 'ik_test', templateId: 'receipt', version: null } as const;
  return { ...base, mode: 'sync', options: null, concurrency: 3, ...change };
}

async function* list(count: number): AsyncGenerator<BatchRecord, void, undefined> {
  for (let number = 1; number <= count; number += 1) yield { number, data: `{"n":${number}.10}` };
}

/** A clock on which waiting takes no time; remembers the pauses. */
function jumpingClock(): {
  pauses: number[];
  nowMs: () => number;
  wait: (ms: number) => Promise<void>;
} {
  let nowMs = 0;
  const pauses: number[] = [];
  return {
    pauses,
    nowMs: () => nowMs,
    wait: async (ms) => {
      pauses.push(ms);
      nowMs += ms;
    },
  };
}

async function run(
  t: Test,
  batch: BatchPlan,
  records: AsyncGenerator<BatchRecord, void, undefined>,
  clock = jumpingClock(),
): Promise<BatchCounts> {
  const client = new Client(batch.concurrency, clock);
  t.teardown(async () => client.close());
  return runBatch(batch, records, client, () => undefined);
}

function manifest(out: string): ManifestEntry[] {
  const lines = readFileSync(join(out, 'manifest.ndjson'), 'utf8').trimEnd().split('\n');
  return lines
    .map((line) => JSON.parse(line) as ManifestEntry)
    .toSorted((a, b) => a.number - b.number);
}

t.test('sync: each record becomes a file and a line, its digits unchanged', async (t) => {
  const out = join(t.testdir(), 'made');
  const { url, calls } = await startFake(t, (call, response) => response.end(`%PDF ${call.body}`));
  const counts = await run(t, plan(url, out, { version: 3, options: { metadata: {} } }), list(7));
  t.strictSame(counts, { made: 7, failed: 0, skipped: 0 });
  t.equal(readdirSync(out).length, 8);
  const entry = manifest(out)[6];
  const pdf = readFileSync(join(out, '00000007.pdf'));
  t.match(pdf.toString(), '{"templateId":"receipt","version":3,"mode":"sync"');
  t.match(pdf.toString(), '"data":{"n":7.10}}');
  t.match(entry, {
    status: 'done',
    file: '00000007.pdf',
    sha256: createHash('sha256').update(pdf).digest('hex'),
  });
  t.equal(calls[0]?.headers['x-api-key'], 'ik_test');
  t.equal(calls[0]?.headers['idempotency-key'], undefined);
});

t.test('resumes: what is done stays, what failed or changed is made again', async (t) => {
  const out = t.testdir();
  let broken = true;
  const { url, calls } = await startFake(t, (call, response) => {
    if (broken && call.body.includes('"n":2.10')) {
      const fields = [{ field: 'n', reason: 'number expected' }];
      json(response, 400, { code: 'invalid_data', error: 'no', fields });
    } else response.end('%PDF');
  });
  const counts = await run(t, plan(url, out), list(3));
  t.strictSame(counts, { made: 2, failed: 1, skipped: 0 });
  t.match(manifest(out)[1], {
    status: 'failed',
    code: 'invalid_data',
    fields: [{ field: 'n', reason: 'number expected' }],
  });
  broken = false;
  // As a batch leaves it that was killed while it wrote.
  appendFileSync(join(out, 'manifest.ndjson'), '{"number":3,"inp');
  calls.length = 0;
  t.strictSame(await run(t, plan(url, out), list(4)), { made: 2, failed: 0, skipped: 2 });
  t.strictSame(
    calls
      .map(({ body }) => body.match(/"n":(\d)/)?.[1] ?? '')
      .toSorted((a, b) => a.localeCompare(b)),
    ['2', '4'],
  );
  t.strictSame(await run(t, plan(url, out, { templateId: 'other' }), list(1)), {
    made: 1,
    failed: 0,
    skipped: 0,
  });
});

t.test(
  'async: the stored file is fetched and checked, lost replies are asked for again',
  async (t) => {
    const out = t.testdir();
    const pdf = '%PDF stored';
    const sha256 = createHash('sha256').update(pdf).digest('hex');
    let tries = 0;
    const { url, calls } = await startFake(t, (call, response) => {
      if (call.path === '/v1/files/token') response.end(pdf);
      else if (++tries === 1) response.destroy();
      else json(response, 201, { documentId: 'd1', url: `${url}/v1/files/token`, sha256 });
    });
    const counts = await run(t, plan(url, out, { mode: 'async', concurrency: 1 }), list(1));
    t.strictSame(counts, { made: 1, failed: 0, skipped: 0 });
    t.match(manifest(out), [{ documentId: 'd1', sha256 }]);
    const keys = calls.map(({ headers }) => headers['idempotency-key']);
    t.match(keys[0], /^[0-9a-f]{64}$/);
    t.equal(keys[0], keys[1], 'the same record has the same Idempotency-Key');
  },
);

t.test('async: a file that does not have its digest stops the batch', async (t) => {
  const { url } = await startFake(t, (call, response) => {
    if (call.path === '/v1/files/token') response.end('%PDF other');
    else json(response, 201, { documentId: 'd', url: `${url}/v1/files/token`, sha256: '0' });
  });
  const batch = plan(url, t.testdir(), { mode: 'async' });
  await t.rejects(run(t, batch, list(1)), CommandFailed);
});

t.test('waits as long as Retry-After says, then goes on; all lanes wait', async (t) => {
  const refusals = [
    { status: 429, code: 'rate_limited', after: '37' },
    { status: 503, code: 'overloaded', after: '2' },
  ];
  const { url, calls } = await startFake(t, (_, response) => {
    const refusal = refusals.shift();
    if (refusal === undefined) response.end('%PDF');
    else json(response, refusal.status, { code: refusal.code }, { 'retry-after': refusal.after });
  });
  const clock = jumpingClock();
  const counts = await run(t, plan(url, t.testdir(), { concurrency: 1 }), list(3), clock);
  t.equal(counts.made, 3);
  t.equal(calls.length, 5);
  t.strictSame(clock.pauses.map(Math.round), [37_000, 2_000]);
});

t.test('without Retry-After the pauses grow, and end', async (t) => {
  const { url, calls } = await startFake(t, (_, response) =>
    json(response, 503, { code: 'storage_unavailable' }),
  );
  const clock = jumpingClock();
  const batch = plan(url, t.testdir(), { concurrency: 1 });
  await t.rejects(run(t, batch, list(2), clock), { message: /gave up after 20 tries/ });
  t.equal(calls.length, 20);
  t.ok((clock.pauses[6] ?? 0) > (clock.pauses[1] ?? 0));
  t.ok(clock.pauses.every((ms) => ms >= 125 && ms <= 30_000));
});

for (const [status, code] of [
  [401, 'unauthenticated'],
  [404, 'not_found'],
  [503, 'protection_unavailable'],
] as const) {
  t.test(`${code} stops the whole batch at once`, async (t) => {
    const { url, calls } = await startFake(t, (_, response) => json(response, status, { code }));
    await t.rejects(run(t, plan(url, t.testdir()), list(1_000)), { message: new RegExp(code) });
    t.ok(calls.length <= 3, `${calls.length} calls`);
  });
}

async function read(t: Test, text: string, format: InputFormat): Promise<string[]> {
  const path = join(t.testdir(), 'input');
  writeFileSync(path, text);
  const data: string[] = [];
  for await (const record of readRecords(path, format)) data.push(record.data);
  return data;
}

t.test('NDJSON: blank lines, a byte order mark and CRLF do not count', async (t) => {
  t.strictSame(await read(t, '\uFEFF{"a":1.50}\r\n\n{"b":"ไทย"}', 'ndjson'), [
    '{"a":1.50}',
    '{"b":"ไทย"}',
  ]);
  await t.rejects(read(t, '{"a":1}\n[1]\n', 'ndjson'), {
    message: /record 2 is not a JSON object/,
  });
  await t.rejects(read(t, '{"a":\n', 'ndjson'), { message: /record 1/ });
});

t.test('CSV: quotes, line breaks in cells, empty cells are absent', async (t) => {
  const text = '\uFEFFname,total,note\r\n"สมชาย, ""ใจดี""",1250.50,\r\n\r\nb,2,"two\nlines"\r\n';
  t.strictSame(
    (await read(t, text, 'csv')).map((data) => JSON.parse(data) as unknown),
    [
      { name: 'สมชาย, "ใจดี"', total: '1250.50' },
      { name: 'b', total: '2', note: 'two\nlines' },
    ],
  );
  await t.rejects(read(t, 'a,b\n1\n', 'csv'), { message: /not valid CSV/ });
  await t.rejects(read(t, 'a,b\n"1', 'csv'), { message: /not valid CSV/ });
});

t.test('an input that is not there is named', async (t) => {
  for (const format of ['csv', 'ndjson'] as const) {
    const records = readRecords(join(t.testdir(), 'nowhere'), format);
    await t.rejects(records.next(), { message: /cannot read .*nowhere/ });
  }
});
