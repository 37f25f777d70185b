import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer as createMute } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { inspect } from 'node:util';
import t from 'tap';

import {
  type ClientOptions,
  type CreateRunRequest,
  Intaglio,
  OPERATIONS,
} from '../../clients/node/src/index.ts';
import { runTypesOfNode, typesOfNode } from '../../lab/pages/client-types.ts';
import { HOME } from '../../lab/home.ts';
import { conform } from './conformance/judge.ts';
import { runNode } from './conformance/node.ts';
import { API_KEY, PDF, PDF_SHA256, serveDescription, ZIP } from './described-api.ts';

const KIT = join(HOME, 'clients/node');
const RUN = '01a1f4a2-7b00-7000-8a9d-0123456789ab';

t.test('its types match the schemas (npm run generate)', async (t) => {
  t.equal(readFileSync(join(KIT, 'src/types.ts'), 'utf8'), typesOfNode());
  t.equal(readFileSync(join(KIT, 'src/run-types.ts'), 'utf8'), runTypesOfNode());
});

t.test('every operation for keys has a method, which sends what is described', async (t) => {
  const api = await serveDescription(t);
  const client = new Intaglio({ url: `${api.url}/`, apiKey: API_KEY });
  const { runs, identities } = client;
  const folder = t.testdir({ 'x.pdf': PDF });
  const [path, to] = [join(folder, 'x.pdf'), join(folder, 'y.pdf')];
  const request = { templateId: 'receipt', version: 3, data: { customer: 'ไทย' } };
  t.match(await client.generate(request), { sha256: PDF_SHA256, requestId: 'a-request' });
  t.match(await client.generateToFile(request, to), { path: to, bytes: PDF.length });
  t.ok(readFileSync(to).equals(PDF));
  const { documentId } = await client.store({ ...request, options: { signature: true } });
  t.match(await client.dataSchema('receipt', { version: 3 }), { type: 'object' });
  t.match((await client.fieldContract('receipt', { version: 3 })).fields[0]?.name, 'customer');
  t.equal((await client.document(documentId)).documentId, documentId);
  t.ok(Buffer.from((await client.download(documentId)).bytes).equals(PDF));
  t.equal((await client.downloadToFile(documentId, to)).sha256, PDF_SHA256);
  const link = `${api.url}/v1/files/a.link`;
  t.equal((await client.fetchLink(link)).sha256, PDF_SHA256);
  t.equal((await client.fetchLinkToFile(link, to)).bytes, PDF.length);
  t.equal((await client.verify(PDF_SHA256)).issued, true);
  t.equal((await client.verifyFile(path)).issued, true);
  t.equal((await client.verifyReference('RC-0005')).issued, true);
  const made = { templateId: 'receipt', idField: 'refNo', expected: { rows: 2 } };
  t.equal((await runs.create(made)).runId, RUN);
  t.equal((await runs.list())[0]?.runId, RUN);
  for await (const { runId } of runs.listAll()) t.equal(runId, RUN);
  t.equal((await runs.get(RUN)).parts[0]?.checked, true);
  const rows = '{"refNo":"R-1","customer":"สมชาย"}\n';
  t.equal((await runs.putPart(RUN, 1, { format: 'ndjson', rows })).part, 1);
  t.strictSame(await gathered(runs.parts(RUN)), (await runs.get(RUN)).parts);
  writeFileSync(join(folder, 'rows.csv'), '\uFEFFrefNo,customer\nR-1,"สมชาย\nใจดี"\n');
  const uploaded = await runs.upload(RUN, join(folder, 'rows.csv'), { format: 'csv' });
  t.strictSame(uploaded, { sent: 1, skipped: 0, others: 1 });
  t.equal((await runs.start(RUN, { dryRun: true })).state, 'done');
  for (const move of ['pause', 'resume', 'cancel'] as const) await runs[move](RUN);
  const outcomes = await gathered(runs.manifest(RUN, { outcome: 'invalid' }));
  t.strictSame(
    outcomes.map(({ outcome }) => outcome),
    ['stored', 'invalid'],
  );
  t.match(await gathered(runs.exceptions(RUN, { outcome: 'invalid' })), [{ part: 1, line: 17 }]);
  t.equal((await runs.withdraw(RUN, [{ part: 1, line: 17 }])).runId, RUN);
  t.equal((await runs.zipToFile(RUN, to)).bytes, ZIP.length);
  t.equal((await runs.prints(RUN))[0]?.documents, 10_000);
  t.equal((await runs.printToFile(RUN, 1, to)).bytes, PDF.length);
  t.match(await gathered(runs.printIndex(RUN, 1)), [{ row: 'R-1', toPage: 3 }]);
  t.match(await gathered(runs.follow(RUN)), [{ runId: RUN, state: 'done' }]);
  const manifest = await runs.manifestToFile(RUN, to);
  t.equal(manifest.bytes, readFileSync(to).length);
  t.equal((await runs.printIndexToFile(RUN, 1, to)).path, to);
  t.match((await gathered(runs.watch(RUN))).at(-1), { state: 'done' });
  const { teams } = await identities.list();
  t.equal((await identities.sync({ teams, full: false })).teams.created, 1);
  t.strictSame(api.faults, []);
  t.strictSame(OPERATIONS, api.operations);
  t.strictSame(new Set(api.called), new Set(Object.keys(OPERATIONS)));
});

async function gathered<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

t.test('a number that JSON does not have is refused before the call', async (t) => {
  let count = 0;
  const send = async (): Promise<Response> => {
    count += 1;
    return new Response('', { status: 400 });
  };
  const client = new Intaglio({ url: 'http://127.0.0.1:1', apiKey: API_KEY, fetch: send });
  const same = { amount: 1 };
  const wrong: readonly (readonly [Readonly<Record<string, unknown>>, string])[] = [
    [{ total: Number.NaN }, 'data.total'],
    [{ a: [1, { b: -Infinity }] }, 'data.a[1].b'],
    [{ a: same, b: [same, null, { toJSON: () => ({ c: Infinity }) }] }, 'data.b[2].c'],
  ];
  for (const [data, where] of wrong) {
    const message =
      `${where} is NaN or infinite, which JSON does not have: give a number, or null for a field` +
      ' without a value';
    const refused = { name: 'NotFiniteError', where, message };
    await t.rejects(client.generate({ templateId: 'receipt', data }), refused);
  }
  t.equal(count, 0, 'nothing was sent');
  const data = { note: null, text: 'null', whole: 1e300 };
  await t.rejects(client.generate({ templateId: 'receipt', data }), { name: 'ServiceError' });
  t.equal(count, 1, 'null itself is sent');
});

t.test('what cannot be sent is named before the call', async (t) => {
  let count = 0;
  const send = async (): Promise<Response> => {
    count += 1;
    return new Response('{}');
  };
  const options = { url: 'http://127.0.0.1:1', apiKey: API_KEY, fetch: send };
  const client = new Intaglio(options);
  const call = { templateId: 'receipt', data: {} };
  const deep: unknown[] = [];
  for (let inner = deep, depth = 0; depth < 50_000; depth += 1) {
    const next: unknown[] = [];
    inner.push(next);
    inner = next;
  }
  const wrong: readonly (readonly [string, () => unknown])[] = [
    ['data.a', async () => client.generate({ ...call, data: { a: 10n ** 400n } })],
    ['data.b[0]', async () => client.store({ ...call, data: { a: null, b: [1n] } })],
    ['data.\ufffd', async () => client.generate({ ...call, data: { '\ud800': 1 } })],
    ['data', async () => client.generate({ ...call, data: '{"a":' })],
    ['data', async () => client.generate({ ...call, data: '[1]' })],
    ['data', async () => client.generate({ ...call, data: '{"a":"\ud800"}' })],
    ['data', async () => client.generate({ ...call, data: NONE })],
    ['the data of the call', async () => client.generate({ ...call, data: { deep } })],
    ['the data of the call', async () => client.generate({ ...call, data: { toJSON: throws } })],
    ['request', async () => client.generate(NONE)],
    ['idempotencyKey', async () => client.store(call, { idempotencyKey: 'a\nb' })],
    ['idempotencyKey', async () => client.runs.create(NONE, { idempotencyKey: '' })],
    ['options', async () => client.store(call, { idempotencykey: 'a' } as object)],
    ['options', async () => client.generate(call, { signl: 1 } as object)],
    ['options', async () => client.generate(call, NONE)],
    ['options', async () => client.downloadToFile('d', 'p', { SHA256: '' } as object)],
    ['options', async () => client.runs.create({} as CreateRunRequest, { key: 'a' } as object)],
    ['options', async () => client.runs.upload('r', 'a', NONE)],
    ['options', () => new Intaglio(NONE)],
    ['options', () => new Intaglio({ ...options, retryMax: 1 } as ClientOptions)],
    ['tls', () => new Intaglio({ ...options, fetch: undefined, tls: { CA: 'x' } as object })],
    [
      'tls',
      () =>
        new Intaglio({
          ...options,
          fetch: undefined,
          tls: { rejectUnauthorized: false } as object,
        }),
    ],
    ['options', async () => client.generate({ ...call, options: (() => 1) as object })],
    [
      'version',
      async () => client.generate({ ...call, version: Symbol('a') as unknown as number }),
    ],
    ['request', async () => client.generate({ ...call, mode: 'async' } as typeof call)],
    ['request', async () => client.generateToFile({ ...call, mode: 'async' } as typeof call, 'p')],
    ['request', async () => client.store({ ...call, mode: 'sync' } as typeof call)],
    ['request', async () => client.store({ ...call, idempotencyKey: 'a' } as typeof call)],
    ['the body of the call', async () => client.runs.create((() => 1) as never)],
    ['path', async () => client.generateToFile(call, '')],
    ['signal', async () => client.generate(call, { signal: {} as AbortSignal })],
    ['link', async () => client.fetchLink('file:///etc/passwd')],
    ['path', async () => client.verifyFile('a\0b')],
    ['sha256', async () => client.verify({ reference: 'RC-0005' } as unknown as string)],
    ['reference', async () => client.verifyReference(NONE)],
    ['path', async () => client.runs.upload('r', '', { format: 'csv' })],
    ['format', async () => client.runs.upload('r', 'a', { format: 'xlsx' as 'csv' })],
    ['rows', async () => client.runs.putPart('r', 1, { format: 'csv', rows: NONE })],
    ['runId', async () => client.runs.get('\ud800')],
    ['version', async () => client.fieldContract('receipt', { version: Number.NaN })],
    ['url', () => new Intaglio({ ...options, url: 'ftp://a' })],
    ['triesMax', () => new Intaglio({ ...options, triesMax: 0 })],
    ['retryMsMax', () => new Intaglio({ ...options, retryMsMax: Number.NaN })],
    ['proxy', () => new Intaglio({ ...options, fetch: undefined, proxy: 'http://a:%zz@b' })],
    ['tls', () => new Intaglio({ ...options, fetch: undefined, tls: { ca: 'no PEM', cert: 'x' } })],
  ];
  for (const [where, make] of wrong) {
    const refused = { name: 'InvalidArgumentError', where };
    await t.rejects(async () => make(), refused, where);
  }
  const pipe = join(t.testdir(), 'pipe');
  execFileSync('mkfifo', [pipe]);
  for (const target of [pipe, t.testdirName]) {
    const refused = {
      name: 'FileError',
      message: /it is a (?:folder|device, a pipe or a socket), not/,
    };
    await t.rejects(client.generateToFile(call, target), refused);
    await t.rejects(client.downloadToFile('d', target), refused);
    await t.rejects(client.runs.manifestToFile('r', target), refused);
  }
  const stored = { ...call, mode: 'async' } as typeof call;
  await t.rejects(client.generate(stored), { message: /"mode".*generate .*sync.*store .*async/ });
  t.equal(count, 0, 'nothing was sent');
  for (const data of ['{"a":"\\ud83d\\ude00 \\\\ud800"}', '{"a":"\\uD800"}']) {
    await client.generate({ ...call, data }).catch(() => undefined);
  }
  t.equal(count, 2, 'pairs are sent, and so are halves that JSON text escapes');
});

/** Programs in JavaScript give null where types would not let them. */
const NONE = null as never;

function throws(): never {
  throw new Error('a secret');
}

/** Blanks without an end. */
async function* blanks(): AsyncGenerator<Uint8Array> {
  for (;;) {
    await pause(20);
    yield Buffer.from(' ');
  }
}

t.test('a file of this machine that is not there is a FileError', async (t) => {
  const client = new Intaglio({ url: 'http://127.0.0.1:1', apiKey: API_KEY, triesMax: 1 });
  await t.rejects(client.verifyFile('/nowhere/a.pdf'), { name: 'FileError', message: /ENOENT/ });
});

t.test('a proxy that opens no tunnel is left when the call ends', async (t) => {
  const silent = createMute((socket) => void socket.on('error', () => undefined).resume());
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  t.teardown(() => silent.close());
  // A server that listens on TCP has such an address.
  const proxy = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const client = new Intaglio({ url: 'https://127.0.0.1:1', apiKey: API_KEY, proxy });
  const signal = AbortSignal.timeout(300);
  await t.rejects(client.document('d', { signal }), { name: 'CancelledError' });
  const hasty = new Intaglio({
    url: 'https://127.0.0.1:1',
    apiKey: API_KEY,
    proxy,
    triesMax: 1,
    silenceMsMax: 300,
  });
  await t.rejects(hasty.document('d'), { name: 'NoAnswerError', message: /after 1 try: .*silent/ });
});

t.test('a list whose pages repeat has an end, and another document is none', async (t) => {
  const bodies = ['{"rows":[],"next":"1:2"}', '{"rows":[],"next":{}}', '{"documentId":"e"}'];
  for (const body of bodies) {
    const send = async (): Promise<Response> => new Response(body);
    const client = new Intaglio({ url: 'http://127.0.0.1:1', apiKey: API_KEY, fetch: send });
    const call = async (): Promise<unknown> =>
      body.includes('rows') ? gathered(client.runs.exceptions('r')) : client.document('d');
    await t.rejects(call, { name: 'BadAnswerError' }, body);
  }
});

/** A refusal whose body has no end. */
async function refuseSlowly(_: unknown, { signal }: RequestInit = {}): Promise<Response> {
  const given = new TransformStream<Uint8Array, Uint8Array>();
  const ended = signal ? { signal } : {};
  void ReadableStream.from(blanks())
    .pipeTo(given.writable, ended)
    .catch(() => undefined);
  return new Response(given.readable, { status: 400 });
}

t.test('a refusal that comes slowly is told by its status', async (t) => {
  const options = { url: 'http://127.0.0.1:1', apiKey: API_KEY, silenceMsMax: 300 };
  const client = new Intaglio({ ...options, fetch: refuseSlowly });
  await t.rejects(client.document('d'), { name: 'ServiceError', status: 400 });
});

t.test('the rate limit is told with what is left of the running window', async (t) => {
  let nowMs = 1_000;
  const clock = { nowMs: () => nowMs, wait: () => Promise.resolve() };
  const headers = { 'RateLimit-Policy': '"minute";q=6;w=60', RateLimit: '"minute";r=2;t=50' };
  const send = () => Promise.resolve(new Response('', { status: 400, headers }));
  const options = { url: 'http://127.0.0.1:1', apiKey: API_KEY, clock, fetch: send };
  const client = new Intaglio(options);
  t.equal(client.rate, null);
  const request = { templateId: 'receipt', data: {} };
  await t.rejects(client.generate(request), { name: 'ServiceError' });
  nowMs += 10_000;
  t.strictSame(client.rate, { calls: 6, windowMs: 60_000, left: 2, endsInMs: 40_000 });
  nowMs += 40_000;
  t.strictSame(client.rate, { calls: 6, windowMs: 60_000, left: 6, endsInMs: 60_000 }, 'it ended');
});

t.test('the table of cases', async (t) => {
  await conform(t, runNode);
});

t.test('a client that is looked at shows no key', async (t) => {
  const client = new Intaglio({ url: 'http://127.0.0.1:1', apiKey: API_KEY });
  t.notMatch(inspect(client, { depth: 9, showHidden: true }), API_KEY);
});
