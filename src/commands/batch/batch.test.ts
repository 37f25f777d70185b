import { createHash } from 'node:crypto';
import { spawn } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';

import {
  jumpingClock,
  json,
  list,
  manifest,
  pdf,
  plan,
  run,
  startFake,
} from '../../../test/fixtures/batch-scene.ts';
import { CommandFailed } from '../console/failure.ts';
import { Service } from '../console/service.ts';
import { ColumnHints, compareColumns } from './contract.ts';
import { Failures } from './failures.ts';
import { fieldsNamed, fileNames } from './file-name.ts';
import { placeOf, readRecords, surveyInput, type InputFormat } from './input.ts';

const SURVEY = { count: 1, encoding: 'utf-8', delimiter: ',', hasMark: false } as const;

const ID = '01a1f4a2-7b00-7000-8a9d-0123456789ab';
const OTHER = '0'.repeat(64);

t.test('sync: each record becomes a file and a manifest line, digits unchanged', async (t) => {
  const out = join(t.testdir(), 'made');
  const { url, calls } = await startFake(t, (call, response) => pdf(response, call.body));
  const counts = await run(t, plan(url, out, { version: 3, options: { metadata: {} } }), list(7));
  t.strictSame(counts, { made: 7, failed: 0, skipped: 0 });
  t.equal(readdirSync(out).length, 8);
  const entry = manifest(out)[6];
  const made = readFileSync(join(out, '00000007.pdf'));
  t.match(made.toString(), '{"templateId":"receipt","version":3,"mode":"sync"');
  t.match(made.toString(), '"data":{"n":7.10}}');
  t.match(entry, {
    status: 'done',
    file: '00000007.pdf',
    sha256: createHash('sha256').update(made).digest('hex'),
  });
  t.equal(calls[0]?.headers['x-api-key'], 'ik_test');
  t.equal(calls[0]?.headers['idempotency-key'], undefined);
});

t.test('resumes: done records stay, failed or changed ones are made again', async (t) => {
  const out = t.testdir();
  let broken = true;
  const { url, calls } = await startFake(t, (call, response) => {
    if (broken && call.body.includes('"n":2.10')) {
      const fields = [{ field: 'n', reason: 'number expected' }];
      json(response, 400, { code: 'invalid_data', error: 'no', fields });
    } else pdf(response);
  });
  const counts = await run(t, plan(url, out), list(3));
  t.strictSame(counts, { made: 2, failed: 1, skipped: 0 });
  t.match(manifest(out)[1], {
    status: 'failed',
    code: 'invalid_data',
    fields: [{ field: 'n', reason: 'number expected' }],
  });
  broken = false;
  // A batch that is killed while it writes leaves such a line.
  appendFileSync(join(out, 'manifest.ndjson'), '{"number":3,"inp');
  calls.length = 0;
  t.strictSame(await run(t, plan(url, out), list(4)), { made: 2, failed: 0, skipped: 2 });
  t.strictSame(
    calls
      .map(({ body }) => body.match(/"n":(\d)/)?.[1] ?? '')
      .toSorted((a, b) => a.localeCompare(b)),
    ['2', '4'],
  );
});

t.test(
  'async: the stored file is fetched and checked, requests with lost replies are repeated',
  async (t) => {
    const out = t.testdir();
    const stored = '%PDF-1.7 stored\n%%EOF\n';
    const sha256 = createHash('sha256').update(stored).digest('hex');
    let tries = 0;
    const { url, calls } = await startFake(t, (call, response) => {
      if (call.path === '/v1/files/token') pdf(response, 'stored');
      else if (++tries === 1) response.destroy();
      else json(response, 201, { documentId: ID, url: `${url}/v1/files/token`, sha256 });
    });
    const counts = await run(t, plan(url, out, { mode: 'async', concurrency: 1 }), list(1));
    t.strictSame(counts, { made: 1, failed: 0, skipped: 0 });
    t.match(manifest(out), [{ documentId: ID, sha256 }]);
    const keys = calls.map(({ headers }) => headers['idempotency-key']);
    t.match(keys[0], /^[0-9a-f]{64}$/);
    t.equal(keys[0], keys[1], 'the same record has the same Idempotency-Key');
  },
);

t.test('async: a file that does not have its digest stops the batch', async (t) => {
  const { url } = await startFake(t, (call, response) => {
    if (call.path === '/v1/files/token') pdf(response, 'other');
    else json(response, 201, { documentId: ID, url: `${url}/v1/files/token`, sha256: OTHER });
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
    if (refusal === undefined) pdf(response);
    else
      json(
        response,
        refusal.status,
        { code: refusal.code, error: 'no' },
        { 'retry-after': refusal.after },
      );
  });
  const clock = jumpingClock();
  const counts = await run(t, plan(url, t.testdir(), { concurrency: 1 }), list(3), clock);
  t.equal(counts.made, 3);
  t.equal(calls.length, 5);
  t.strictSame(clock.pauses.map(Math.round), [37_000, 2_000]);
});

t.test('a batch whose service stays away says what was made, and how to continue', async (t) => {
  const { url, calls } = await startFake(t, (_, response) => {
    if (calls.length === 1) pdf(response);
    else json(response, 503, { code: 'storage_unavailable', error: 'no' });
  });
  const batch = plan(url, t.testdir(), { concurrency: 1 });
  await t.rejects(run(t, batch, list(2), jumpingClock()), {
    message:
      /gave up after 20 tries.*status 503, no \(storage_unavailable\)\n1 made, 0 failed, 0 made before, the others not sent: run again to continue; .*manifest\.ndjson says which were made$/,
  });
});

t.test('without Retry-After the pauses grow up to a limit', async (t) => {
  const { url, calls } = await startFake(t, (_, response) =>
    json(response, 503, { code: 'storage_unavailable', error: 'no' }),
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
    const { url, calls } = await startFake(t, (_, response) =>
      json(response, status, { code, error: 'no' }),
    );
    await t.rejects(run(t, plan(url, t.testdir()), list(1_000)), { message: new RegExp(code) });
    t.ok(calls.length <= 3, `${calls.length} calls`);
  });
}

async function read(t: Test, text: string, format: InputFormat): Promise<string[]> {
  const path = join(t.testdir(), 'input');
  writeFileSync(path, text);
  const data: string[] = [];
  for await (const record of readRecords({ path, format, encoding: null })) data.push(record.data);
  return data;
}

t.test('records have the line of the file on which they end', async (t) => {
  const linesOf = async (text: string, format: InputFormat): Promise<readonly string[]> => {
    const path = join(t.testdir(), 'input');
    writeFileSync(path, text);
    const places: string[] = [];
    for await (const record of readRecords({ path, format, encoding: null })) {
      places.push(placeOf(record));
    }
    return places;
  };
  t.strictSame(await linesOf('a,b\r\n1,2\r\n,\n\n3,"x\ny"\n5,6\n', 'csv'), [
    'record 1 (line 2)',
    'record 2 (line 6)',
    'record 3 (line 7)',
  ]);
  t.strictSame(await linesOf('{"a":1}\n\n{"a":2}\n', 'ndjson'), ['record 1', 'record 2 (line 3)']);
});

t.test('NDJSON: blank lines, a byte order mark and CRLF are ignored', async (t) => {
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
});

t.test('malformed CSV is reported with line and cause, without cells', async (t) => {
  const faults: readonly (readonly [string, string])[] = [
    ['a,b,c\n1,2,3\n\n4,5\n', 'line 4 has 2 cells, the header has 3'],
    ['a,b\n1,2\n3,4,5\n', 'line 3 has 3 cells, the header has 2'],
    ['a,b\n1,2\n"secret,4\n5,6\n', 'a quote that is opened in line 3 or later is never closed'],
    ['a,b\n"secret"x,2\n', 'line 2: after a closing quote only a comma or the end of the line'],
    ['a,b\n1,2\n1 "secret" 2,3\n', 'line 3: a quote stands inside a cell that does not begin'],
    ['a,b,a\n1,2,3\n', 'column "a" stands twice in the header'],
    ['a|b|c\n1|2|3\n', 'the cells are separated by "|"; a comma, a semicolon or a tab is needed'],
    [`a,b\n1,"${'x'.repeat(1_048_600)}"\n`, 'larger than 1048576 bytes'],
  ];
  for (const [text, message] of faults) {
    const error = await read(t, text, 'csv').catch((fault: unknown) => fault);
    t.ok(error instanceof CommandFailed, message);
    t.match((error as Error).message, message);
    t.notMatch((error as Error).message, /CSV_|secret/);
  }
});

t.test('an input without a record ends the batch', async (t) => {
  const survey = async (name: string, text: string): Promise<unknown> => {
    const path = join(t.testdir(), name);
    writeFileSync(path, text);
    const format = name.endsWith('csv') ? 'csv' : 'ndjson';
    return surveyInput({ path, format, encoding: null });
  };
  await t.rejects(survey('a.csv', ''), { message: /a\.csv holds no record/ });
  for (const text of ['ref,total\n', 'ref;total', 'ref;total\r\n\r\n', '\uFEFFref\ttotal\n']) {
    await t.rejects(survey('a.csv', text), { message: /holds a header, but no record/ }, text);
  }
  await t.rejects(survey('a.ndjson', '\n\n'), { message: /holds no record/ });
  t.strictSame(await survey('b.csv', 'ref,total\n1,2\n'), {
    count: 1,
    keys: ['ref', 'total'],
    encoding: 'utf-8',
    delimiter: ',',
    hasMark: false,
  });
  t.strictSame(await survey('b.ndjson', '{"a":1}\n{"b":1,"a":2}\n'), {
    count: 2,
    keys: ['a', 'b'],
    encoding: 'utf-8',
    delimiter: ',',
    hasMark: false,
  });
});

t.test('a silent service is reported at once, and the batch ends in 15 s', async (t) => {
  const server = createServer();
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const { port } = server.address() as AddressInfo;
  await new Promise((closed) => server.close(closed));
  const clock = jumpingClock();
  const told: string[] = [];
  const batch = plan(`http://127.0.0.1:${port}`, t.testdir(), { concurrency: 2 });
  await t.rejects(run(t, batch, list(50), clock, told), {
    message: `nothing answered at http://127.0.0.1:${port}: the connection was refused (ECONNREFUSED)`,
  });
  t.ok(clock.nowMs() <= 11_000, `${clock.nowMs()} ms`);
  t.equal(told.length, 1, 'one line');
  t.match(told[0], 'no answer from http://127.0.0.1:');
});

t.test(
  'a service that accepts and stays silent ends the batch after its first request',
  async (t) => {
    const { url, calls } = await startFake(t, () => undefined);
    const told: string[] = [];
    const clock = { nowMs: () => performance.now(), wait: async () => undefined };
    const options = { concurrency: 2, warn: (line: string) => told.push(line), clock };
    const service = new Service({ url, apiKey: 'ik_test' }, { ...options, unansweredMsMax: 200 });
    t.teardown(async () => service.close());
    const call = service.ask((client) => client.fieldContract('receipt'));
    await t.rejects(call, {
      message: /^nothing answered at .*: no answer within 0\.2 s \(UND_ERR_HEADERS_TIMEOUT\)/,
    });
    t.equal(calls.length, 1);
    t.strictSame(told, []);
  },
);

t.test('a batch waits for a service that is down for a while', async (t) => {
  let calls = 0;
  const { url } = await startFake(t, (_, response) => {
    calls += 1;
    if (calls > 1 && calls < 12) response.destroy();
    else pdf(response);
  });
  const told: string[] = [];
  const batch = plan(url, t.testdir(), { concurrency: 1 });
  const counts = await run(t, batch, list(3), jumpingClock(), told);
  t.equal(counts.made, 3);
  t.match(told, [/^no answer from .*: the connection was cut/]);
});

t.test(
  'failures: each reason is reported once, all are in a file of the same format',
  async (t) => {
    const out = t.testdir();
    const told: string[] = [];
    const keys = ['ref', 'note, free'];
    const columns = { keys, delimiter: ',', encoding: 'utf-8', hasMark: false } as const;
    const failures = new Failures(out, 'csv', columns, (message) => told.push(message));
    const error = {
      code: 'invalid_data',
      error: 'no',
      fields: [{ field: 'ref', reason: 'required' }],
    };
    for (let number = 1; number <= 25; number += 1) {
      const source = ['', number === 2 ? 'two\n"lines"' : ` ${number}`];
      failures.add({ number, line: number + 1, data: '{}', source }, error);
    }
    failures.summarize(25);
    t.strictSame(told.splice(0), [
      'record 1 (line 2): ref: required (invalid_data)',
      'all 25 records: ref: required (invalid_data)',
    ]);
    failures.summarize(26);
    t.equal(told.pop(), '25 records: ref: required (invalid_data)');
    const rows: (readonly string[] | string)[] = [];
    const input = { path: failures.path, format: 'csv', encoding: null } as const;
    for await (const { source } of readRecords(input)) rows.push(source);
    t.equal(rows.length, 25);
    t.strictSame(rows[1], ['', 'two\n"lines"'], 'reads back as it was');
    t.strictSame(rows[2], ['', ' 3']);
    const many = new Failures(out, 'ndjson', columns, (message) => told.push(message));
    for (let number = 1; number <= 25; number += 1) {
      const fields = [{ field: `f${number}`, reason: 'required' }];
      many.add({ number, line: number, data: '{}', source: '{}' }, { ...error, fields });
    }
    t.equal(told.length, 21);
    t.equal(told[19], 'record 20: f20: required (invalid_data)');
    t.match(told[20], /^records that failed for further reasons are in .*failed\.ndjson/);
    const lines = new Failures(out, 'ndjson', columns, () => undefined);
    lines.add({ number: 1, line: 1, data: '{"a": 1.50}', source: '{"a": 1.50}' }, error);
    t.equal(readFileSync(lines.path, 'utf8'), '{"a": 1.50}\n');
    new Failures(out, 'csv', columns, () => undefined).begin();
    t.notOk(existsSync(failures.path), 'a run begins without the failures of the one before');
  },
);

t.test('--name: file names from the data, safe, bounded and unique', async (t) => {
  const names = fileNames('{{branch}}-{{ refNo }}');
  const of = (number: number, data: object): string => names.of(number, JSON.stringify(data)).file;
  t.strictSame(names.of(1, '{"branch":"BKK","refNo":"LN/2026/7"}'), {
    name: 'BKK-LN/2026/7',
    file: 'BKK-LN_2026_7.pdf',
    isTaken: false,
  });
  t.equal(of(2, { branch: 'BKK', refNo: 'LN/2026/7' }), 'BKK-LN_2026_7-00000002.pdf', 'taken');
  t.equal(of(3, { branch: 'bkk', refNo: 'ln_2026_7' }), 'bkk-ln_2026_7-00000003.pdf', 'case');
  t.equal(of(4, {}), '00000004.pdf', 'nothing to name it by');
  t.equal(of(5, { branch: '../../etc', refNo: '..' }), 'etc.pdf');
  t.equal(of(6, { branch: 'สาขา', refNo: 'ที่ 1' }), 'สาขา-ที่_1.pdf');
  t.equal(of(7, { branch: 'a\u0000\n', refNo: { x: 1 } }), 'a.pdf', 'only texts and numbers');
  const long = of(8, { branch: 'ก'.repeat(500), refNo: 1 });
  t.ok(Buffer.byteLength(long) <= 204 && !long.includes('\uFFFD'), long);
  t.equal(of(9, { branch: 'etc' }), 'etc-00000009.pdf');
  t.equal(of(10, { branch: 'etc-00000009' }), 'etc-00000009-00000010.pdf');
  t.strictSame(fieldsNamed('{{branch}}-{{ refNo }}'), ['branch', 'refNo']);
  t.strictSame(fileNames(null).of(3, '{}'), { name: '', file: '00000003.pdf', isTaken: false });
});

t.test('columns are compared with the contract before anything is made', async (t) => {
  let status = 200;
  const fields = [
    { name: 'refNo', type: 'text', required: true },
    { name: 'note', type: 'text', required: false },
  ];
  const { url, calls } = await startFake(t, (_, response) => json(response, status, { fields }));
  const compare = async (
    keys: readonly string[],
    name: string | null = null,
  ): Promise<readonly string[]> => {
    const told: string[] = [];
    const batch = plan(url, 'nowhere', { version: 4, name });
    const options = { concurrency: 1, warn: () => undefined, clock: jumpingClock() };
    const service = new Service(batch, options);
    t.teardown(async () => service.close());
    await compareColumns(batch, { ...SURVEY, keys }, service, (message) => told.push(message));
    return told;
  };
  t.strictSame(await compare(['refNo', 'notes']), [
    'column "notes" is not a field of receipt; did you mean "note"?',
  ]);
  t.strictSame(await compare(['refNo', 'branch'], '{{branch}}-1'), [], 'it names the files');
  t.equal(calls[0]?.path, '/v1/templates/receipt/fields?version=4');
  await t.rejects(compare(['ref']), { message: /needs "refNo", and no column has that name/ });
  status = 403;
  t.strictSame(await compare(['ref']), [], 'a key without templates:read');
  status = 401;
  await t.rejects(compare(['ref']), { message: /without a code of Intaglio.*is --url/ });
  const told: string[] = [];
  const hints = new ColumnHints(['ref', 'note'], (message) => told.push(message));
  hints.look({ fields: [{ field: 'refNo', reason: 'required' }] });
  hints.look({ fields: [{ field: 'refNo', reason: 'required' }] });
  hints.look({ fields: [{ field: 'note', reason: 'required' }] });
  t.strictSame(told, [
    'field "refNo" is required, and no column has that name; did you mean "ref"?',
  ]);
});

t.test('the manifest holds one line per record, however often a failed one is tried', async (t) => {
  const out = t.testdir();
  let reason = 'required';
  const { url } = await startFake(t, (call, response) => {
    if (call.body.includes('"n":2.10') && reason !== '') {
      json(response, 400, { code: 'invalid_data', error: '', fields: [{ field: 'n', reason }] });
    } else pdf(response);
  });
  const lines = (): number =>
    readFileSync(join(out, 'manifest.ndjson'), 'utf8').trimEnd().split('\n').length;
  for (reason of ['required', 'required', 'number expected', '']) {
    await run(t, plan(url, out), list(3));
    t.equal(lines(), 3, reason);
  }
  t.strictSame(
    manifest(out).map(({ status }) => status),
    ['done', 'done', 'done'],
  );
});

const HOME = join(import.meta.dirname, '../../..');

for (const [signal, code] of [
  ['SIGTERM', 143],
  ['SIGINT', 130],
] as const) {
  t.test(`${signal} ends the batch with a message, and it can be resumed`, async (t) => {
    const folder = t.testdir();
    const input = join(folder, 'in.ndjson');
    writeFileSync(input, '{"n":1}\n'.repeat(9));
    let answered = 0;
    const { url } = await startFake(t, (call, response) => {
      if (call.path !== '/v1/generate')
        json(response, 403, { code: 'insufficient_scope', error: 'no' });
      else if (answered < 4) {
        answered += 1;
        pdf(response);
      } else {
        // The service is busy: the batch waits.
        json(response, 503, { code: 'overloaded', error: 'no' }, { 'retry-after': '600' });
        child.kill(signal);
      }
    });
    const out = join(folder, 'out');
    const args = ['src/cli.ts', 'batch', input, '--template', 'note', '--out', out];
    const more = ['--url', url, '--key', 'ik_test', '--concurrency', '1'];
    const child = spawn(process.execPath, [...args, ...more], { cwd: HOME });
    const err: Buffer[] = [];
    child.stderr.on('data', (chunk: Buffer) => err.push(chunk));
    const ended = await new Promise((end) => child.once('close', end));
    t.equal(ended, code, Buffer.concat(err).toString());
    t.match(Buffer.concat(err).toString(), 'intaglio: stopped at 4 of 9; run again to continue\n');
    t.equal(manifest(out).length, 4);
  });
}

t.test('a missing input file is named', async (t) => {
  for (const format of ['csv', 'ndjson'] as const) {
    const path = join(t.testdir(), 'nowhere');
    const records = readRecords({ path, format, encoding: null });
    await t.rejects(records.next(), { message: /cannot read .*nowhere/ });
  }
});
