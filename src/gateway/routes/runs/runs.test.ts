import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import t from 'tap';
import { post, startTestService, type TestService } from '../../../../lab/service/gateway.ts';
import { callerOf, MAKE, refused, rows, type Told } from '../../../../test/fixtures/runs/caller.ts';
import { until } from '../../../../lab/process/waiting.ts';

interface PartPage {
  readonly parts: readonly { readonly part: number }[];
  readonly nextPart: number | null;
}

async function metricsOf({ url }: TestService): Promise<string> {
  return (await fetch(`${url}/metrics`)).text();
}

t.test('a start whose body breaks off starts nothing', async (t) => {
  const { service, make, put, run } = await callerOf(t);
  const url = await make();
  t.equal((await put(url, 1, rows(3))).status, 201);
  const headers = { 'x-api-key': await service.key('bank', ['runs']), 'content-length': 15 };
  const sent = request(`${url}/start`, { method: 'POST', headers });
  sent.on('error', () => undefined);
  sent.write('{"dryRun"');
  await until(async () => (await metricsOf(service)).includes('intaglio_http_body_bytes 15\n'));
  sent.destroy();
  await until(async () => /runs\/:id\/start",status="0"\} 1\n/.test(await metricsOf(service)));
  // A run that had been started would be under way by now.
  for (let turn = 0; turn < 5; turn++) t.match(await run(url), { state: 'receiving' });
});

t.test('a start that another caller was quicker with is told how the run is then', async (t) => {
  const { service, make, put, act } = await callerOf(t, { runs: false });
  const { runs } = service.store;
  const start = runs.start.bind(runs);
  const url = await make();
  t.equal((await put(url, 1, rows(3))).status, 201);
  // Between the look at the run and its change, another caller starts it.
  runs.start = async (run, change) => {
    await start(run, { ...change, isDryRun: false });
    return start(run, change);
  };
  t.match(await act(url, 'start'), { state: 'checking', dryRun: false }, 'started once');
  const other = await make();
  t.equal((await put(other, 1, rows(3))).status, 201);
  t.match(await act(other, 'start', { dryRun: true }), {
    code: 'run_conflict',
    error: 'The run is in state checking; this is possible in: receiving, stopped, done.',
  });
});

t.test('from rows to documents, a manifest and an archive', async (t) => {
  const { service, make, put, act, reach, get } = await callerOf(t);
  const url = await make({ expected: { rows: 300, sums: { total: '315' } } });
  const packed = gzipSync(rows(200));
  const digest = createHash('sha256').update(packed).digest('base64');
  const headers = { 'content-encoding': 'gzip', 'content-digest': `sha-256=:${digest}:` };
  t.equal((await put(url, 1, packed, headers)).status, 201);
  t.equal((await put(url, 2, rows(100, 200))).status, 201);
  t.match(await act(url, 'start'), { state: 'checking' });
  const run = await reach(url, 'done');
  t.match(run, { counts: { received: 300, stored: 300 }, sums: { total: '315.00' }, reasons: [] });

  const manifest = await get(`${url}/manifest`);
  const lines = (await manifest.text()).trimEnd().split('\n');
  t.equal(lines.length, 300);
  const last = JSON.parse(lines[299] ?? '') as { row: string; documentId: string; sha256: string };
  t.match(last, { row: 'C299', outcome: 'stored', pages: 1 });
  const file = await get(`${service.url}/v1/documents/${last.documentId}?download=1`);
  const bytes = new Uint8Array(await file.arrayBuffer());
  t.equal(createHash('sha256').update(bytes).digest('hex'), last.sha256);
  const document = (await (await get(`${service.url}/v1/documents/${last.documentId}`)).json()) as {
    url: string;
  };
  const part = await fetch(document.url, { headers: { range: 'bytes=1-3' } });
  t.equal(await part.text(), 'PDF', 'a link serves a document inside a pack');

  const zip = new Uint8Array(await (await get(`${url}/zip`)).arrayBuffer());
  const path = join(service.folder, 'run.zip');
  await writeFile(path, zip);
  execFileSync('python3', ['-c', CHECK_ZIP, path, '300', 'C299.pdf', last.sha256]);
  const audit = await service.store.audit.list({ requestId: url.slice(-36), countMax: 1_000 });
  t.equal(audit.length, 300, 'a record for each document');
});

/** Tests the archive with Python's zipfile. */
const CHECK_ZIP = `
import hashlib, sys, zipfile
z = zipfile.ZipFile(sys.argv[1])
assert z.testzip() is None
assert len(z.namelist()) == int(sys.argv[2])
assert hashlib.sha256(z.read(sys.argv[3])).hexdigest() == sys.argv[4]
`;

t.test('a run whose version was withdrawn does not start', async (t) => {
  const { service, make, put, run, post: send } = await callerOf(t);
  const url = await make();
  t.equal((await put(url, 1, rows(2))).status, 201);
  t.ok(await service.store.templates.unpublish('bank', 'receipt', 1));
  t.match(await refused(send(`${url}/start`, {})), /^run_conflict: Version 1 .* withdrawn/);
  t.match(await run(url), { state: 'receiving' });
});

t.test('a paused run whose version was withdrawn is not resumed', async (t) => {
  const { service, make, put, act, run, post: send } = await callerOf(t);
  const url = await make();
  await put(url, 1, '{"customer":"a","do":"wait"}\n');
  await act(url, 'start');
  t.match(await act(url, 'pause'), { state: 'paused' });
  t.ok(await service.store.templates.unpublish('bank', 'receipt', 1));
  t.match(await refused(send(`${url}/resume`, {})), /^run_conflict: Version 1 .* withdrawn/);
  t.match(await run(url), { state: 'paused' });
  t.match(await act(url, 'cancel'), { state: 'cancelled' });
  t.match(await refused(send(`${url}/resume`, {})), /^run_conflict: .*cancelled/);
  service.open();
});

t.test('a faulty run is refused when it is created', async (t) => {
  const { make } = await callerOf(t);
  await t.rejects(make({ templateId: 'none' }), { message: /no published template/ });
  await t.rejects(make({ idField: '' }), { message: /idField must not be empty/ });
  await t.rejects(make({ options: { attach: ['01a2b3c4-0000-7000-8000-000000000000'] } }), {
    message: /^options\.attach: not possible in a run/,
  });
  await t.rejects(make({ options: { watermark: { text: '' } } }), { message: /watermark/ });
  await t.rejects(make({ expected: { sums: { total: 12 } } }), { message: /must be a string/ });
  await t.rejects(make({ expected: { sums: { total: '1e3' } } }), { message: /decimal/ });
  await t.rejects(make({ expected: { sums: { customer: '1' } } }), { message: /no number field/ });
});

t.test('a run that is created again with its Idempotency-Key is the same run', async (t) => {
  const service = await startTestService(t, { runs: true });
  await service.publish('bank', 'receipt');
  const apiKey = await service.key('bank', ['runs', 'documents:read', 'generate']);
  const create = async (key: string, body: object): Promise<readonly [number, string]> => {
    const headers = { 'x-api-key': apiKey, 'idempotency-key': key };
    const made = await post(`${service.url}/v1/runs`, headers, body);
    const { runId, code } = (await made.json()) as Told;
    return [made.status, runId ?? code];
  };
  const [[status, runId], again] = await Promise.all([create('one', MAKE), create('one', MAKE)]);
  t.equal(status, 201);
  t.strictSame(again, [201, runId], 'at the same time');
  t.strictSame(await create('one', MAKE), [201, runId], 'and later');
  t.strictSame(await create('one', { ...MAKE, name: 'x' }), [409, 'idempotency_conflict']);
  t.not((await create('two', MAKE))[1], runId);
  t.strictSame(await create('three', { ...MAKE, templateId: 'none' }), [404, 'not_found']);
  await service.publish('bank', 'none');
  t.equal(
    (await create('three', { ...MAKE, templateId: 'none' }))[0],
    201,
    'a refusal keeps no key',
  );
});

t.test('events follow a run to its end, for ten listeners of a caller', async (t) => {
  const { service, make, act, get } = await callerOf(t);
  const url = await make();
  // Paused before it was started: it changes only when the test wants it.
  const runId = url.slice(url.lastIndexOf('/') + 1);
  await service.store.runs.move(runId, { from: ['receiving'], to: 'paused' });
  const listening = await Promise.all(Array.from({ length: 10 }, () => get(`${url}/events`)));
  t.ok(listening.every(({ status }) => status === 200));
  t.match(await refused(get(`${url}/events`)), /overloaded.*Too many listeners/, 'one more');
  await act(url, 'cancel');
  const texts = await Promise.all(listening.map((one) => one.text()));
  for (const text of texts) {
    t.match(text, /^retry: 2000\n\nevent: progress\ndata: \{/);
    const last = text.split('\n\n').at(-2) ?? '';
    t.equal(last.split('\n')[0], 'event: end');
    const run = JSON.parse(last.slice(last.indexOf('{'))) as Told;
    t.equal(run.state, 'cancelled');
  }
  t.equal((await get(`${url}/events`)).status, 200, 'listeners that have ended make room');
});

t.test('events end when the key or the session of their listener does', async (t) => {
  const { service, make } = await callerOf(t);
  const url = await make();
  const runId = url.slice(url.lastIndexOf('/') + 1);
  await service.store.runs.move(runId, { from: ['receiving'], to: 'paused' });
  const cookie = await service.session('bank', 'Viewer');
  const apiKey = await service.key('bank', ['runs']);
  const listening = await Promise.all([
    fetch(`${url}/events`, { headers: { cookie } }),
    fetch(`${url}/events`, { headers: { 'x-api-key': apiKey } }),
  ]);
  t.strictSame(
    listening.map(({ status }) => status),
    [200, 200],
  );
  const startMs = performance.now();
  await service.store.sessions.remove(cookie.slice('intaglio_session='.length));
  for (const { keyId } of await service.store.keys.list('bank')) {
    await service.store.keys.revoke(keyId);
  }
  const texts = await Promise.all(listening.map((one) => one.text()));
  const tookMs = performance.now() - startMs;
  // Every 2 s by design; the rest is for a busy machine.
  t.ok(tookMs < 30_000, `${tookMs} ms`);
  for (const text of texts) t.notMatch(text, /event: end/);
});

t.test('a refused part gets a message that names its fault', async (t) => {
  const { make, put } = await callerOf(t);
  const url = await make();
  t.match(await refused(put(url, 0, rows(1))), /numbered from 1/);
  t.match(await refused(put(url, 1, rows(1), { 'content-type': 'text/plain' })), /text\/csv/);
  t.match(await refused(put(url, 1, ' \n\n')), /holds no row/);
  t.match(await refused(put(url, 1, new Uint8Array([0x7b, 0xff]))), /UTF-8/);
  t.match(await refused(put(url, 1, 'no', { 'content-encoding': 'gzip' })), /not valid gzip/);
  const wrong = { 'content-digest': `sha-256=:${'A'.repeat(43)}=:` };
  t.match(await refused(put(url, 1, rows(1), wrong)), /does not have the digest/);
  const csv = { 'content-type': 'text/csv' };
  t.match(await refused(put(url, 1, 'a,b\n1,2\n', csv)), /no column "customer"/);
  t.match(await refused(put(url, 1, 'customer\n', csv)), /needs a header row/);
  for (const separator of [';', ',']) {
    const lines = `sep=${separator}\r\ncustomer${separator}total\r\nA${separator}1.00\r\n`;
    t.match(await refused(put(url, 1, lines, csv)), /first line is sep=.*delete that line/);
  }
  for (const begin of ['504b0304', 'd0cf11e0']) {
    const workbook = Buffer.from(`${begin}00ff0a41`, 'hex');
    t.match(await refused(put(url, 1, workbook, csv)), /workbook of Excel.*CSV UTF-8/);
  }
  const bomb = gzipSync(Buffer.alloc(17 * 1024 * 1024, 'x'));
  t.match(await refused(put(url, 1, bomb, { 'content-encoding': 'gzip' })), /payload_too_large/);
});

t.test('repeated calls change nothing', async (t) => {
  const { make, put, act, reach } = await callerOf(t);
  const url = await make();
  t.equal((await put(url, 1, rows(5))).status, 201);
  t.equal((await put(url, 1, rows(5))).status, 200);
  t.match(await (await put(url, 1, rows(6))).json(), { code: 'run_conflict' });
  await act(url, 'start');
  await act(url, 'start');
  t.match(await reach(url, 'done'), { counts: { received: 5, stored: 5 } });
  t.equal((await put(url, 2, rows(5))).status, 201, 'the same rows once more');
  await act(url, 'start');
  t.match(await reach(url, 'done'), {
    counts: { received: 10, identical: 5, stored: 5, invalid: 0 },
  });
  await act(url, 'cancel').then((told) => t.equal(told.code, 'run_conflict', 'it is done'));
});

t.test('wrong control totals are named, and invalid rows are available as CSV', async (t) => {
  const { make, put, act, reach, get } = await callerOf(t);
  const url = await make({ expected: { rows: 4, sums: { total: '9' } }, invalidShareMax: 1 });
  await put(url, 1, `${rows(3)}{"customer":"bad","do":"invalid"}\n`);
  await act(url, 'start');
  t.match(await reach(url, 'stopped'), {
    counts: { stored: 0, pending: 3, invalid: 1 },
    reasons: [{ name: 'total', expected: '9', actual: '3.15' }],
  });
  const csv = await (await get(`${url}/manifest?outcome=invalid&format=csv`)).text();
  t.equal(
    csv,
    'row,outcome,documentId,sha256,pages,bytes,code,reasons,part,line,missingCharacters,certificateSerial\n' +
      'bad,invalid,,,,,invalid_data,total: number expected,1,4,,\n',
  );
  await put(url, 2, '{"customer":"bad","total":"5.85"}\n');
  await act(url, 'start');
  t.match(await reach(url, 'done'), { counts: { stored: 4, invalid: 0 }, sums: { total: '9.00' } });
});

t.test('a paused run can be resumed, a cancelled one cannot', async (t) => {
  const { service, make, put, act, run } = await callerOf(t);
  const url = await make();
  await put(url, 1, '{"customer":"a","do":"wait"}\n');
  await act(url, 'start');
  t.match(await act(url, 'pause'), { state: 'paused' });
  t.match(await act(url, 'pause'), { state: 'paused' });
  t.match(await act(url, 'start'), { code: 'run_conflict' });
  t.match(await act(url, 'resume'), { state: 'checking' });
  t.match(await act(url, 'cancel'), { state: 'cancelled' });
  t.match(await act(url, 'resume'), { code: 'run_conflict' });
  service.open();
  t.match(await run(url), { state: 'cancelled', counts: { stored: 0 } });
  t.match(await (await put(url, 2, rows(1))).json(), { code: 'run_conflict' });
});

t.test('runs are listed in pages, and the last hundred without a limit', async (t) => {
  const { service, make, get } = await callerOf(t);
  const made: string[] = [];
  for (let count = 0; count < 3; count += 1) made.unshift((await make()).slice(-36));
  const list = async (query: string): Promise<{ ids: string[]; next: string | null }> => {
    const response = await get(`${service.url}/v1/runs${query}`);
    t.equal(response.status, 200, query);
    const { runs, next } = (await response.json()) as { runs: Told[]; next: string | null };
    return { ids: runs.map(({ runId }) => runId), next };
  };
  t.strictSame(await list(''), { ids: made, next: null });
  t.strictSame(await list('?limit=3'), { ids: made, next: null });
  const first = await list('?limit=2');
  t.strictSame(first.ids, made.slice(0, 2));
  t.strictSame(await list(`?limit=2&after=${first.next}`), { ids: made.slice(2), next: null });
  for (const wrong of ['limit=0', 'limit=201', 'limit=x', 'after=x', 'limit=1&limit=2']) {
    t.equal((await get(`${service.url}/v1/runs?${wrong}`)).status, 400, wrong);
  }
  const spec = await service.store.runs.find('bank', made[0] ?? '');
  if (!spec.found) throw new Error('there is no such run');
  for (let count = 3; count <= 100; count += 1) {
    await service.store.runs.create('bank', 'key:k1', spec.value.spec);
  }
  const whole = await list('');
  t.equal(whole.ids.length, 100);
  t.strictSame((await list(`?after=${whole.next}`)).ids, made.slice(2));
});

t.test('runs are listed by template and time, as documents are', async (t) => {
  const { service, make, get } = await callerOf(t);
  const first = (await make()).slice(-36);
  const found = await service.store.runs.find('bank', first);
  if (!found.found) throw new Error('there is no such run');
  const { spec } = found.value;
  const created = [];
  for (const templateId of ['letter', 'letter', 'card', 'letter']) {
    created.push(await service.store.runs.create('bank', 'key:k1', { ...spec, templateId }));
  }
  const [oldest, second, , newest] = created.map(({ runId }) => runId);
  const list = async (query: string): Promise<{ ids: string[]; next: string | null }> => {
    const response = await get(`${service.url}/v1/runs?${query}`);
    t.equal(response.status, 200, query);
    const { runs, next } = (await response.json()) as { runs: Told[]; next: string | null };
    return { ids: runs.map(({ runId }) => runId), next };
  };
  const letters = [newest, second, oldest];
  t.strictSame(await list('templateId=letter'), { ids: letters, next: null });
  const page = await list('templateId=letter&limit=2');
  t.strictSame(page, { ids: [newest, second], next: second });
  t.strictSame((await list(`templateId=letter&after=${page.next}`)).ids, [oldest]);
  t.strictSame((await list('templateId=nothing')).ids, []);
  const long = '1970-01-01T00:00:00Z';
  t.strictSame((await list(`templateId=letter&from=${long}`)).ids, letters);
  t.strictSame((await list(`templateId=letter&to=${long}`)).ids, []);
  for (const wrong of ['template=letter', 'templateId=', 'from=x', 'templateId=a&templateId=b']) {
    t.equal((await get(`${service.url}/v1/runs?${wrong}`)).status, 400, wrong);
  }
});

t.test('the parts of a run come in pages', async (t) => {
  const { service, make, get, put } = await callerOf(t);
  const url = await make();
  t.equal((await put(url, 1, rows(1))).status, 201);
  const runId = url.split('/').at(-1) ?? '';
  const found = await service.store.runs.find('bank', runId);
  if (!found.found) throw new Error('the run is missing');
  // Stored at once, because a request for each would take long.
  const numbers = Array.from({ length: 1_200 }, (_, index) => index + 2);
  const add = (part: number): Promise<unknown> => {
    const sent = {
      part,
      sha256: '00'.repeat(32),
      format: 'ndjson',
      headerBytes: 0,
      firstLine: 1,
    } as const;
    return service.store.runs.addPart(found.value, sent, Buffer.from('{}\n'));
  };
  for (let at = 0; at < numbers.length; at += 100) {
    await Promise.all(numbers.slice(at, at + 100).map(add));
  }
  const page = async (query: string): Promise<PartPage> =>
    (await (await get(`${url}${query}`)).json()) as PartPage;
  const first = await page('');
  t.match(first, { partCount: 1_201, lastPart: 1_201, nextPart: 500 });
  const listed = first.parts.map(({ part }) => part);
  for (let next = first.nextPart; next !== null;) {
    const more = await page(`?after=${next}`);
    listed.push(...more.parts.map(({ part }) => part));
    next = more.nextPart;
  }
  t.strictSame(listed, [1, ...numbers]);
  t.match(await page('?limit=2&after=1199'), { parts: [{ part: 1_200 }, { part: 1_201 }] });
  t.match(await refused(get(`${url}?limit=501`)), 'bad_request: limit must be');
  t.match(await refused(get(`${url}?after=x`)), 'bad_request: after must be');
});

t.test('a run of another team is not found', async (t) => {
  const { service, make } = await callerOf(t);
  const url = await make();
  const key = { 'x-api-key': await service.key('rival', ['runs']) };
  const answer = await fetch(url, { headers: key });
  t.match(await answer.json(), { code: 'not_found' });
  const denied = (await service.audit()).filter(({ outcome }) => outcome === 'denied');
  t.match(denied, [{ action: 'runs.read', teamId: 'rival' }]);
});

t.test('rows are read from a file that the operator allows', async (t) => {
  const spool = await mkdtemp(join(tmpdir(), 'intaglio-spool-'));
  t.teardown(() => rm(spool, { recursive: true, force: true }));
  const allowed = { store: { runSources: [`bank=${spool}`] } };
  const { make, put, act, reach, get } = await callerOf(t, allowed);
  const path = join(spool, 'rows.jsonl.gz');
  const file = gzipSync(rows(300));
  await writeFile(path, file);
  const url = await make({ source: { path }, expected: { rows: 300 } });
  t.match(await refused(put(url, 1, rows(1))), 'run_conflict: The run has yet to read its source');
  t.match(await act(url, 'start'), { state: 'checking', source: { path, format: 'ndjson' } });
  await reach(url, 'done');
  t.match(await (await get(url)).json(), {
    counts: { stored: 300 },
    source: {
      path,
      format: 'ndjson',
      read: true,
      parts: 1,
      bytes: file.length,
      sha256: createHash('sha256').update(file).digest('hex'),
    },
  });
  t.equal((await put(url, 2, rows(1, 300))).status, 201, 'more rows follow as parts');
  await t.rejects(make({ source: { path: '/etc/passwd', format: 'csv' } }), {
    message: /^source\.path cannot be read: it is not below a folder .*INTAGLIO_RUN_SOURCES/,
  });
  await t.rejects(make({ source: { path: join(spool, 'none.csv') } }), { message: /no such file/ });
  await t.rejects(make({ source: { path: join(spool, 'rows.txt') } }), {
    message: /source\.format/,
  });
  const later = await make({ source: { path } });
  await rm(path);
  t.match(await act(later, 'start'), { code: 'bad_request', error: /no such file/ });
});
