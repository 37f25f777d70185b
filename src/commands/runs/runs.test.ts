import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import t from 'tap';

import { startTestService } from '../../../lab/service/gateway.ts';
import { run } from '../../cli.ts';
import { cutIntoParts } from './parts.ts';

interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

async function intaglio(...words: readonly string[]): Promise<Ended> {
  let out = '';
  let err = '';
  const code = await run(words, {
    out: (text) => {
      out += Buffer.from(text).toString();
    },
    err: (text) => {
      err += text;
    },
  });
  return { code, out, err };
}

t.test('a file is uploaded, rendered and reported', async (t) => {
  const service = await startTestService(t, { runs: true });
  await service.publish('bank', 'receipt');
  const caller = ['--url', service.url, '--key', await service.key('bank', ['runs'])];
  const file = join(service.folder, 'october.csv');
  writeFileSync(file, 'customer,total,do\nA,1.50,\nB,2.25,invalid\n');
  const create = ['create', '--template', 'receipt', '--id-field', 'customer'];
  const totals = ['--rows', '2', '--sum', 'total=3.75', '--invalid-share-max', '0.9'];
  const made = await intaglio('runs', ...create, ...totals, ...caller);
  const runId = made.out.trim();
  t.match(runId, /^[0-9a-f-]{36}$/, made.err);
  t.match((await intaglio('runs', 'upload', runId, file, ...caller)).out, '1 part uploaded');
  t.match((await intaglio('runs', 'upload', runId, file, ...caller)).out, '1 were there before');
  t.equal((await intaglio('runs', 'start', runId, ...caller)).code, 0);
  const stopped = await intaglio('runs', 'watch', runId, ...caller);
  t.equal(stopped.code, 1);
  t.match(stopped.out, /stopped: 2 rows, 1 stored \(1 page\), 1 invalid, 0 failed/);
  t.match(stopped.out, /stored or withdrawn rows: 1, and the control total is 2/);
  writeFileSync(file, 'customer,total,do\nB,2.25,\n');
  await intaglio('runs', 'upload', runId, file, ...caller);
  await intaglio('runs', 'start', runId, ...caller);
  const done = await intaglio('runs', 'watch', runId, ...caller);
  t.equal(done.code, 0, done.out);
  const out = join(service.folder, 'report');
  t.equal((await intaglio('runs', 'report', runId, '--out', out, '--zip', ...caller)).code, 0);
  const manifest = readFileSync(join(out, 'manifest.ndjson'), 'utf8').trim().split('\n');
  t.match(
    manifest.map((line) => JSON.parse(line) as object),
    [{ row: 'A' }, { row: 'B' }],
  );
  t.equal(readFileSync(join(out, 'documents.zip')).readUInt32LE(0), 0x04034b50);
});

t.test(
  'an --id-field that is no field of the template is named before the run is made',
  async (t) => {
    const service = await startTestService(t, { runs: true });
    await service.publish('bank', 'receipt');
    const create = async (
      idField: string,
      ...scopes: readonly 'templates:read'[]
    ): Promise<Ended> => {
      const key = await service.key('bank', ['runs', ...scopes]);
      const caller = ['--url', service.url, '--key', key];
      return intaglio('runs', 'create', '--template', 'receipt', '--id-field', idField, ...caller);
    };
    const mistyped = await create('custmer', 'templates:read');
    t.equal(mistyped.code, 0);
    t.match(
      mistyped.err,
      '--id-field: receipt has no field "custmer"; did you mean "customer"? Each row must have a key of',
    );
    t.equal((await create('customer', 'templates:read')).err, '');
    t.equal((await create('rowKey', 'templates:read')).err, '', 'a column of the file alone');
    t.equal((await create('custmer')).err, '', 'a key without the scope cannot read the fields');
  },
);

t.test('a retention of less than a day says when documents are gone', async (t) => {
  const service = await startTestService(t, { runs: true });
  await service.publish('bank', 'receipt');
  const key = await service.key('bank', ['runs']);
  const run = ['--template', 'receipt', '--id-field', 'customer', '--url', service.url];
  const create = (seconds: string): Promise<Ended> =>
    intaglio('runs', 'create', ...run, '--key', key, '--retention-seconds', seconds);
  const short = await create('30');
  t.equal(short.code, 0, 'it is made all the same');
  t.match(short.err, /--retention-seconds 30: documents are kept for 30 s only: .* gone at \d{4}-/);
  t.equal((await create('86400')).err, '');
});

t.test('an answer from another program is reported with its address', async (t) => {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<html></html>');
  }).listen(0, '127.0.0.1');
  t.teardown(() => server.close());
  await once(server, 'listening');
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  const { code, err } = await intaglio('runs', 'list', '--url', url, '--key', 'ik_x');
  t.equal(code, 1);
  t.equal(err, `intaglio: ${url}: the answer is no JSON of the service; does a proxy answer?\n`);
});

t.test('a withdrawal says what is left, and a lower total where nothing else helps', async (t) => {
  const service = await startTestService(t, { runs: true });
  await service.publish('bank', 'receipt');
  const caller = ['--url', service.url, '--key', await service.key('bank', ['runs'])];
  const file = join(service.folder, 'november.csv');
  const create = ['create', '--template', 'receipt', '--id-field', 'customer', '--rows', '2'];
  /** Withdraws line 3 of a run that has stopped. */
  const withdrawn = async (line: string, ...options: readonly string[]): Promise<string[]> => {
    writeFileSync(file, `customer,total,do\nA,1.50,\n${line}\n`);
    const made = await intaglio('runs', ...create, '--sum', 'total=3.75', ...options, ...caller);
    const runId = made.out.trim();
    await intaglio('runs', 'upload', runId, file, ...caller);
    await intaglio('runs', 'start', runId, ...caller);
    t.equal((await intaglio('runs', 'watch', runId, ...caller)).code, 1);
    const { out } = await intaglio('runs', 'withdraw', runId, '3', ...caller);
    return [runId, out];
  };
  const [first = '', said] = await withdrawn('B,2.25,invalid', '--invalid-share-max', '0.9');
  const again = `what stopped it holds no more, so start again: ./intaglio runs start ${first}`;
  t.match(said, again);
  t.match((await intaglio('runs', 'watch', first, ...caller)).out, again);
  await intaglio('runs', 'start', first, ...caller);
  t.equal((await intaglio('runs', 'watch', first, ...caller)).code, 0);
  const [other = '', lowered] = await withdrawn('B,2.Z5,invalid');
  const start = `./intaglio runs start ${other} --sum total=1.50`;
  t.match(
    lowered,
    'the amount of 1 withdrawn row cannot be read and counts as 0: lower the total by its amount,' +
      ` and start again: ${start}\n`,
  );
  t.equal((await intaglio(...start.split(' ').slice(1), ...caller)).code, 0);
  t.equal((await intaglio('runs', 'watch', other, ...caller)).code, 0);
});

function payment(_: unknown, index: number): string {
  const id = index === 16 ? '' : `C${index}`;
  return `${id},1.05,${index === 92 || index === 149 ? 'invalid' : ''}\n`;
}

t.test(
  '200 rows, three faulty, end exactly: corrected, withdrawn, and by their file',
  async (t) => {
    const service = await startTestService(t, { runs: true });
    await service.publish('bank', 'receipt');
    const caller = ['--url', service.url, '--key', await service.key('bank', ['runs'])];
    const file = join(service.folder, 'november.csv');
    const rows = Array.from({ length: 200 }, payment).join('');
    writeFileSync(file, `customer,total,do\n${rows}C0,1.05,\n`);
    const create = ['create', '--template', 'receipt', '--id-field', 'customer', '--rows', '200'];
    const made = await intaglio('runs', ...create, '--sum', 'total=210', ...caller);
    const runId = made.out.trim();
    await intaglio('runs', 'upload', runId, file, ...caller);
    await intaglio('runs', 'start', runId, ...caller);
    const stopped = await intaglio('runs', 'watch', runId, ...caller);
    t.equal(stopped.code, 1);
    t.strictSame(stopped.out.split('\n').slice(0, -1), [
      'stopped: 201 rows, 0 stored (0 pages), 3 invalid, 0 failed, 197 pending, 1 identical',
      '  3 rows are invalid: correct or withdraw them, or make the others:' +
        ` ./intaglio runs start ${runId} --on-invalid skip (the run then stops at its control totals,` +
        ' until they are corrected or withdrawn)',
      '  1 row is identical to earlier ones: line 202',
      '  line 18 invalid: customer: row id expected: 1 to 128 characters, no control characters',
      '  2 rows invalid: total: number expected: line 94 (C92), line 151 (C149)',
    ]);
    const correct = ['runs', 'correct', runId];
    t.match(await intaglio(...correct, '18', 'customer=C16', ...caller), {
      code: 0,
      out: /^corrected/,
    });
    t.match(await intaglio(...correct, '94', 'totl=94', ...caller), {
      code: 2,
      err: 'line 94 has no column "totl"; did you mean "total"? Nothing was corrected.',
    });
    t.match(await intaglio(...correct, '19', 'customer=C16', ...caller), {
      code: 1,
      err: /line 19/,
    });
    t.match(await intaglio(...correct, 'x', 'customer=C16', ...caller), {
      code: 2,
      err: /PART:LINE/,
    });
    t.match(await intaglio('runs', 'withdraw', runId, '94', ...caller), {
      out: /^1 row withdrawn\nstopped: .*\n {2}2 rows are invalid \(the last check found 3\): /,
    });
    const out = join(service.folder, 'report');
    await intaglio('runs', 'report', runId, '--out', out, ...caller);
    const invalid = join(out, 'invalid.csv');
    const faulty = readFileSync(invalid, 'utf8');
    t.match(faulty, /^\uFEFF#part,#line,#reasons,customer,total,do\n1,18,/);
    writeFileSync(invalid, faulty.replace(/^1,18,.*\n/m, '').replace('1.05,invalid', '1.05,'));
    await intaglio('runs', 'upload', runId, invalid, ...caller);
    await intaglio('runs', 'start', runId, ...caller);
    const done = await intaglio('runs', 'watch', runId, ...caller);
    t.match(done, {
      code: 0,
      out: /^done: 201 rows, 199 stored \(199 pages\), 0 invalid, 0 failed, 1 withdrawn, 1 identical\n/,
    });
    t.match(done.out, /\n {2}1 row is withdrawn: line 94\n/);
    t.match((await intaglio('runs', 'exceptions', runId, ...caller)).out, 'no such rows');
    const withdrawn = await intaglio(
      'runs',
      'exceptions',
      runId,
      '--outcome',
      'withdrawn',
      ...caller,
    );
    t.match(withdrawn.out, 'line 94 (C92) withdrawn');
  },
);

t.test('a correction of a row whose cells do not fit its columns names all of them', async (t) => {
  const service = await startTestService(t, { runs: true });
  await service.publish('bank', 'receipt');
  const caller = ['--url', service.url, '--key', await service.key('bank', ['runs'])];
  const file = join(service.folder, 'comma.csv');
  // The decimal comma makes two cells, of which the first looks like the total.
  writeFileSync(file, 'customer,total\nA,1.05\nB,12,50\n');
  const create = ['create', '--template', 'receipt', '--id-field', 'customer'];
  const runId = (await intaglio('runs', ...create, ...caller)).out.trim();
  await intaglio('runs', 'upload', runId, file, ...caller);
  await intaglio('runs', 'start', runId, ...caller);
  t.equal((await intaglio('runs', 'watch', runId, ...caller)).code, 1);
  const correct = ['runs', 'correct', runId, '3'];
  t.match(await intaglio(...correct, 'customer=B', ...caller), {
    code: 2,
    err: /line 3 do not fit its columns: say what each holds, also total=… \(B,12,50\)/,
  });
  const correction = await intaglio(...correct, 'customer=B', 'total=12.50', ...caller);
  t.equal(correction.code, 0, correction.err);
  await intaglio('runs', 'start', runId, ...caller);
  t.match(await intaglio('runs', 'watch', runId, ...caller), { out: /^done: 2 rows, 2 stored/ });
});

t.test('the service reads a file itself', async (t) => {
  const spool = t.testdir({ 'october.csv': 'customer,total\nA,1.50\nB,2.25\n' });
  const service = await startTestService(t, { runs: true, store: { runSources: [spool] } });
  await service.publish('bank', 'receipt');
  const caller = ['--url', service.url, '--key', await service.key('bank', ['runs'])];
  const create = ['runs', 'create', '--template', 'receipt', '--id-field', 'customer', ...caller];
  const made = await intaglio(...create, '--source', join(spool, 'october.csv'));
  const runId = made.out.trim();
  t.equal((await intaglio('runs', 'start', runId, ...caller)).code, 0, made.err);
  const done = await intaglio('runs', 'watch', runId, ...caller);
  t.match(done, { code: 0, out: /done: 2 rows, 2 stored/ });
  t.match(await intaglio(...create, '--source', '/etc/passwd', '--source-format', 'csv'), {
    code: 1,
    err: /not below a folder that the operator allows/,
  });
  t.match(await intaglio(...create, '--source-format', 'csv'), { code: 2, err: /--source/ });
});

/** A run as the service describes it. */
function told(state: string): string {
  const counts = { received: 2, stored: 2, invalid: 0, failed: 0, pages: 2 };
  return JSON.stringify({ runId: 'r', state, counts, reasons: [] });
}

t.test('watching reads events, or polls when there are none', async (t) => {
  const asked: string[] = [];
  let finds = 0;
  let isListening = true;
  const server = createServer(({ url = '' }, response) => {
    asked.push(url);
    if (url.endsWith('/events')) {
      if (!isListening) response.writeHead(503).end('{}');
      else if (asked.length > 2) response.end(`: hello\n\nevent: end\ndata: ${told('done')}\n\n`);
      else
        response.write(
          `retry: 1\n\nevent: progress\ndata: ${told('running')}\n\nev`,
          cut(response),
        );
    } else {
      finds += 1;
      response.end(told(finds > 2 && !isListening ? 'stopped' : 'running'));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : null;
  const watch = ['runs', 'watch', 'r', '--url', `http://127.0.0.1:${port}`, '--key', 'k'];
  t.match(await intaglio(...watch), { code: 0, out: /^done: 2 rows/ });
  const [run, events] = ['/v1/runs/r', '/v1/runs/r/events'];
  t.strictSame(asked, [run, events, run, events], 'it reconnects after a lost connection');
  [isListening, finds] = [false, 0];
  asked.length = 0;
  t.match(await intaglio(...watch), { code: 1, out: /^stopped/ });
  t.strictSame(asked, [run, events, run, run]);
});

/** Ends the connection in the middle of a response. */
function cut(response: ServerResponse): () => void {
  return () => void response.destroy();
}

t.test('wrong options are refused before anything is sent', async (t) => {
  const create = ['runs', 'create', '--template', 't', '--id-field', 'f', '--key', 'k'];
  t.match(await intaglio(...create, '--sum', 'total'), { code: 2, err: /FIELD=DECIMAL/ });
  t.match(await intaglio(...create, '--invalid-share-max', '2'), { code: 2, err: /0 to 1/ });
  t.match(await intaglio('runs', 'upload', 'x', 'y.txt', '--key', 'k'), { code: 2, err: /format/ });
});

t.test('the environment comes before the option that the process list shows', async (t) => {
  const keyless = await intaglio('runs', 'watch', 'x');
  t.match(keyless, { code: 2, err: /INTAGLIO_API_KEY.*--key/s });
  for (const command of [['runs', 'watch'], ['batch']]) {
    const { out } = await intaglio(...command, '--help');
    t.match(out, /--key <apiKey>\s+API key; set INTAGLIO_API_KEY\s+instead/, command.join(' '));
  }
});

function longRow(_: unknown, index: number): string {
  return `"row ${index}\nof ""two"" lines",${'x'.repeat(900)}\n`;
}

t.test('a file is cut at row ends without losing bytes', async (t) => {
  const folder = t.testdir({});
  const text = Array.from({ length: 20_000 }, longRow).join('');
  const file = join(folder, 'large.csv');
  writeFileSync(file, `name,filling\n${text}`);
  const hash = createHash('sha256');
  let count = 0;
  for await (const { rows, readTo } of cutIntoParts(file, 'csv', null)) {
    const [header, ...rest] = rows.toString().split('\n');
    t.equal(header, 'name,filling');
    t.ok(rows.toString().endsWith('x\n'), 'it ends with a row');
    hash.update(rest.join('\n'));
    count += 1;
    t.ok(readTo > 0 && rows.length <= 9 * 1024 * 1024);
  }
  t.ok(count > 1);
  t.equal(hash.digest('hex'), createHash('sha256').update(text).digest('hex'));
});

t.test('a report keeps an earlier file in which rows may have been corrected', async (t) => {
  const service = await startTestService(t, { runs: true });
  await service.publish('bank', 'receipt');
  const caller = ['--url', service.url, '--key', await service.key('bank', ['runs'])];
  const file = join(service.folder, 'two.csv');
  writeFileSync(file, 'customer,total,do\nA,1.05,\nB,1.05,invalid\n');
  const create = ['create', '--template', 'receipt', '--id-field', 'customer'];
  const runId = (await intaglio('runs', ...create, ...caller)).out.trim();
  await intaglio('runs', 'upload', runId, file, ...caller);
  await intaglio('runs', 'start', runId, ...caller);
  await intaglio('runs', 'watch', runId, ...caller);
  const out = join(service.folder, 'report');
  const report = (): ReturnType<typeof intaglio> =>
    intaglio('runs', 'report', runId, '--out', out, ...caller);
  await report();
  t.equal((await report()).err, '', 'the same files again');
  const invalid = join(out, 'invalid.csv');
  const original = readFileSync(invalid, 'utf8');
  writeFileSync(invalid, 'my corrections');
  t.match(
    (await report()).err,
    /invalid\.csv existed with other content: it is now .*invalid-1\.csv\n$/,
  );
  t.equal(readFileSync(join(out, 'invalid-1.csv'), 'utf8'), 'my corrections');
  t.equal(readFileSync(invalid, 'utf8'), original);
  t.strictSame(readdirSync(out).toSorted(), ['invalid-1.csv', 'invalid.csv', 'manifest.ndjson']);
  const blocked = await intaglio('runs', 'report', runId, '--out', file, ...caller);
  t.match(blocked, { code: 1, err: /^intaglio: cannot write .*two\.csv: / });

  const workbook = await intaglio('runs', 'upload', runId, 'october.xlsx', ...caller);
  t.match(workbook, {
    code: 2,
    err: /by its name, october\.xlsx is a workbook .*"CSV UTF-8 .*or give --format csv/,
  });
  const swapped = await intaglio('runs', 'upload', file, runId, ...caller);
  t.match(swapped, { code: 2, err: /two\.csv is a file: the id of the run comes first/ });
  const nameless = await intaglio('runs', 'upload', runId, 'october', ...caller);
  t.match(nameless, { code: 2, err: /give --format csv or --format ndjson/ });
});

t.test('a correction does not blame the scope when the version is gone', async (t) => {
  const service = await startTestService(t, { runs: true });
  await service.publish('bank', 'receipt');
  const key = await service.key('bank', ['runs', 'templates:read']);
  const caller = ['--url', service.url, '--key', key];
  const file = join(service.folder, 'two.csv');
  writeFileSync(file, 'customer,total,do\nA,1.05,\nB,1.05,invalid\n');
  const create = ['create', '--template', 'receipt', '--id-field', 'customer'];
  const runId = (await intaglio('runs', ...create, ...caller)).out.trim();
  await intaglio('runs', 'upload', runId, file, ...caller);
  await intaglio('runs', 'start', runId, ...caller);
  await intaglio('runs', 'watch', runId, ...caller);
  await service.store.templates.unpublish('bank', 'receipt', 1);
  // The service notices within three seconds.
  let refused: Ended;
  const untilMs = performance.now() + 20_000;
  do refused = await intaglio('runs', 'correct', runId, '3', 'totl=1.05', ...caller);
  while (refused.err.includes('the template has no field') && performance.now() < untilMs);
  t.equal(refused.code, 2);
  t.match(refused.err, 'has no column "totl"; did you mean "total"? Nothing was corrected.');
  t.notMatch(refused.err, 'templates:read');
  t.match(
    refused.err,
    'The fields of receipt are not known: the service has no version 1 any more.',
  );
});

t.test('refusals say what to do about them', async (t) => {
  const service = await startTestService(t, { runs: true });
  await service.publish('bank', 'receipt');
  const at = (key: string): string[] => ['--url', service.url, '--key', key];
  const [weak, sound] = [
    await service.key('bank', ['generate']),
    await service.key('bank', ['runs']),
  ];
  const errorOf = async (...words: readonly string[]): Promise<string> =>
    (await intaglio('runs', ...words)).err;
  t.match(
    await errorOf('list', ...at('ik_wrong')),
    /\(unauthenticated\): check --key or INTAGLIO_API_KEY/,
  );
  t.match(
    await errorOf('list', ...at(weak)),
    /scope runs\. .*: an operator .* keys add --scope runs\n/,
  );
  t.match(
    await errorOf('watch', 'x', ...at(sound)),
    /no such run\. \(not_found\): .*runs list names/,
  );
  const create = ['create', '--template', 'receipt', '--id-field', 'customer', ...at(sound)];
  t.match(await errorOf(...create, '--version', '99'), /this templateId in this version\./);
  const wrong = await intaglio('runs', 'list', '--limit', '0', ...at(sound));
  t.equal(wrong.code, 2);
  t.match(
    wrong.err,
    "option '--limit <n>' argument '0' is invalid. Allowed: integer, 1 to 100000.",
  );
  const empty = join(service.folder, 'empty.json');
  writeFileSync(empty, ' ');
  t.match(await errorOf(...create, '--options', empty), /empty\.json is empty\n/);
});
