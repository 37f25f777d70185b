import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { inspect } from 'node:util';
import t, { type Test } from 'tap';

import {
  type ClientOptions,
  DigestError,
  Intaglio,
  InvalidDataError,
  NoAnswerError,
  OPERATIONS,
  ServiceError,
} from '../../clients/node/src/index.ts';
import { runTypesOfNode, typesOfNode } from '../../scripts/client-types.ts';
import { HOME } from '../source.ts';
import {
  API_KEY,
  PDF,
  PDF_SHA256,
  PDF_TYPE,
  pdfOf,
  serveDescription,
  ZIP,
} from './described-api.ts';
import { answerOddly, ODD_ANSWERS } from './odd-answers.ts';
import { refuse, serveScript, type Script } from './scripted.ts';

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
  t.match((await client.fieldContract('receipt', { version: 3 })).fields[0]?.name, 'customer');
  t.equal((await client.document(documentId)).documentId, documentId);
  t.ok(Buffer.from((await client.download(documentId)).bytes).equals(PDF));
  t.equal((await client.downloadToFile(documentId, to)).sha256, PDF_SHA256);
  const link = `${api.url}/v1/files/a.link`;
  t.equal((await client.fetchLink(link)).sha256, PDF_SHA256);
  t.equal((await client.fetchLinkToFile(link, to)).bytes, PDF.length);
  t.equal((await client.verify(PDF_SHA256)).issued, true);
  t.equal((await client.verifyFile(path)).issued, true);
  const made = { templateId: 'receipt', idField: 'refNo', expected: { rows: 2 } };
  t.equal((await runs.create(made)).runId, RUN);
  t.equal((await runs.list())[0]?.runId, RUN);
  for await (const { runId } of runs.listAll()) t.equal(runId, RUN);
  t.equal((await runs.get(RUN)).parts[0]?.checked, true);
  const rows = '{"refNo":"R-1","customer":"สมชาย"}\n';
  t.equal((await runs.putPart(RUN, 1, { format: 'ndjson', rows })).part, 1);
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

type Answer = Parameters<typeof serveScript>[1];

/** A client, and a server whose responses `answer` writes. */
async function scripted(
  t: Test,
  answer: Answer,
  options: Partial<ClientOptions> = {},
): Promise<Script & { client: Intaglio }> {
  const script = await serveScript(t, answer);
  return { ...script, client: new Intaglio({ url: script.url, apiKey: API_KEY, ...options }) };
}

const REQUEST = { templateId: 'receipt', data: { customer: 'a secret' } };

t.test('temporary refusals are retried, not before Retry-After', async (t) => {
  const { client, requests } = await scripted(t, (response, number) => {
    if (number === 0) refuse(response, 429, 'rate_limited', { headers: { 'retry-after': '1' } });
    else if (number === 1) refuse(response, 503, 'overloaded');
    else if (number === 2) response.writeHead(502).end('<html>');
    else response.writeHead(200, PDF_TYPE).end(PDF);
  });
  const startMs = performance.now();
  t.equal((await client.generate(REQUEST)).sha256, PDF_SHA256);
  t.equal(requests.length, 4);
  // Timers may fire a millisecond early.
  const tookMs = performance.now() - startMs;
  t.ok(tookMs >= 999, `${tookMs} ms`);
});

t.test('a client whose rate limit is used up waits before its next call', async (t) => {
  const spent = { ratelimit: '"minute";r=0;t=1' };
  const { client, requests } = await scripted(t, (response, number) => {
    response.writeHead(200, { ...PDF_TYPE, ...(number === 0 ? spent : {}) }).end(PDF);
  });
  const startMs = performance.now();
  await client.generate(REQUEST);
  await client.verifyFile(join(HOME, 'package.json')).catch(() => undefined);
  t.equal(requests.length, 2, 'calls that are not counted do not wait');
  await client.generate(REQUEST);
  const tookMs = performance.now() - startMs;
  t.ok(tookMs >= 999, `${tookMs} ms`);
});

t.test('calls pass one window of the rate limit after the other', async (t) => {
  let left = 2;
  let ends = 0;
  // Two calls pass each window of a second, and ten are made at once.
  const { client, requests } = await scripted(
    t,
    (response) => {
      const now = performance.now();
      if (now >= ends) [left, ends] = [2, now + 1_000];
      const seconds = String(Math.ceil((ends - now) / 1_000));
      if (left === 0)
        refuse(response, 429, 'rate_limited', { headers: { 'retry-after': seconds } });
      else
        response
          .writeHead(200, { ...PDF_TYPE, ratelimit: `"minute";r=${--left};t=${seconds}` })
          .end(PDF);
    },
    { retryMsMax: 1_500, triesMax: 2 },
  );
  const calls = Array.from({ length: 10 }, () => client.generate(REQUEST));
  const settled = await Promise.allSettled(calls);
  t.strictSame(
    settled.filter(({ status }) => status === 'rejected'),
    [],
  );
  t.ok(requests.length >= 10);
});

t.test('an error after the last try says which options allow more', async (t) => {
  const { client } = await scripted(t, (response) => refuse(response, 503, 'overloaded'), {
    triesMax: 2,
  });
  await t.rejects(client.generate(REQUEST), {
    code: 'overloaded',
    message: /given up after 2 tries: triesMax and retryMsMax allow more/,
  });
  const once = await scripted(
    t,
    (response) => refuse(response, 429, 'rate_limited', { headers: { 'retry-after': '1' } }),
    { triesMax: 1 },
  );
  await t.rejects(once.client.generate(REQUEST), { code: 'rate_limited' });
  t.equal(once.requests.length, 1, 'nothing is repeated with triesMax 1');
});

t.test('a request without an answer is retried with the same Idempotency-Key', async (t) => {
  const { client, requests } = await scripted(t, (response, number) => {
    if (number === 0) response.destroy();
    else response.writeHead(201).end('{"documentId":"d"}');
  });
  t.equal((await client.store(REQUEST)).documentId, 'd');
  const keys = requests.map(({ message }) => message.headers['idempotency-key']);
  t.equal(keys.length, 2);
  t.equal(keys[0], keys[1]);
  await client.store(REQUEST, { idempotencyKey: 'mine' });
  t.equal(requests[2]?.message.headers['idempotency-key'], 'mine');
});

t.test('permanent refusals are thrown at once, with code, fields and request id', async (t) => {
  const fields = [{ field: 'customer', reason: 'required' }];
  const { client, requests } = await scripted(t, (response, number) => {
    if (number === 0) refuse(response, 400, 'invalid_data', { fields });
    else refuse(response, 503, 'protection_unavailable');
  });
  const invalid: unknown = await client.generate(REQUEST).catch((error: unknown) => error);
  t.ok(invalid instanceof InvalidDataError);
  t.match(invalid, { code: 'invalid_data', status: 400, requestId: 'r-1', fields });
  t.notMatch(inspect(invalid), /secret/);
  const final: unknown = await client.generate(REQUEST).catch((error: unknown) => error);
  t.ok(final instanceof ServiceError);
  t.match(final, { code: 'protection_unavailable', message: /status 503/ });
  t.equal(requests.length, 2);
  t.notMatch(inspect(client, { depth: 9, showHidden: true }), API_KEY);
});

t.test('it gives up after its tries, or when Retry-After is too long', async (t) => {
  const { client, requests } = await scripted(
    t,
    (response) => refuse(response, 503, 'overloaded'),
    { triesMax: 3 },
  );
  await t.rejects(client.generate(REQUEST), { code: 'overloaded' });
  t.equal(requests.length, 3);
  const far = await scripted(t, (response) =>
    refuse(response, 429, 'rate_limited', { headers: { 'retry-after': '3600' } }),
  );
  await t.rejects(far.client.generate(REQUEST), { code: 'rate_limited', retryAfterMs: 3_600_000 });
  t.equal(far.requests.length, 1);
});

t.test(
  'a refused connection and a silent service give NoAnswerError with origin and tries',
  async (t) => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await new Promise((closed) => server.close(closed));
    const url = `http://127.0.0.1:${port}`;
    const gone = new Intaglio({ url, apiKey: API_KEY, triesMax: 2 });
    const error: unknown = await gone.store(REQUEST).catch((caught: unknown) => caught);
    t.ok(error instanceof NoAnswerError);
    t.match(error, { tries: 2, message: `no answer from ${url} after 2 tries: ECONNREFUSED` });
    t.notMatch(inspect(error), /secret|ik_/);
    const silent = await scripted(t, () => undefined, { silenceMsMax: 1_000, triesMax: 2 });
    await t.rejects(silent.client.document('d'), { message: /silent for too long/ });
    t.equal(silent.requests.length, 2);
  },
);

t.test('an abort signal ends a call that waits or is under way', async (t) => {
  const { client } = await scripted(t, (response, number) => {
    if (number > 0) refuse(response, 503, 'overloaded', { headers: { 'retry-after': '100' } });
  });
  for (let turn = 0; turn < 2; turn += 1) {
    const signal = AbortSignal.timeout(100);
    await t.rejects(client.generate(REQUEST, { signal }), { name: 'TimeoutError' });
  }
});

t.test('a truncated file is fetched again; one with a wrong digest is refused', async (t) => {
  const folder = t.testdir();
  const whole = pdfOf('x');
  const etag = `"${createHash('sha256').update(whole).digest('hex')}"`;
  const { client, requests } = await scripted(t, (response, number) => {
    const body = number === 2 ? pdfOf('y') : whole;
    response.writeHead(200, { ...PDF_TYPE, etag, 'content-length': body.length });
    if (number > 0) response.end(body);
    else response.write(body.subarray(0, 100_000), () => setTimeout(() => response.destroy(), 20));
  });
  const path = join(folder, 'a.pdf');
  await client.downloadToFile('d', path);
  t.equal(requests.length, 2);
  t.ok(readFileSync(path).equals(whole));
  const other = join(folder, 'b.pdf');
  const error: unknown = await client.downloadToFile('d', other).catch((caught: unknown) => caught);
  t.ok(error instanceof DigestError);
  t.strictSame(readdirSync(folder), ['a.pdf'], 'nothing is left of it');
});

t.test('an answer that is no whole document is never given as one', async (t) => {
  const folder = t.testdir();
  const { client, requests } = await scripted(t, answerOddly);
  for (const { error: name } of ODD_ANSWERS) {
    await t.rejects(client.downloadToFile('d', join(folder, 'a.pdf')), { name });
  }
  t.strictSame(readdirSync(folder), [], 'nothing is left of them');
  t.equal((await client.downloadToFile('d', join(folder, 'a.pdf'))).sha256, PDF_SHA256);
  t.equal(requests.length, ODD_ANSWERS.length + 1, 'none is asked for again');
  const again = await scripted(t, answerOddly);
  for (const { error: name } of ODD_ANSWERS) {
    await t.rejects(again.client.generate(REQUEST), { name });
  }
});

t.test('requests beyond the limit wait, and connections are reused', async (t) => {
  let running = 0;
  let most = 0;
  const options = { concurrencyMax: 3 };
  const answer = (response: ServerResponse): void => {
    most = Math.max(most, (running += 1));
    setTimeout(() => {
      running -= 1;
      response.writeHead(200, PDF_TYPE).end(PDF);
    }, 10);
  };
  const { client, sockets } = await scripted(t, answer, options);
  await Promise.all(Array.from({ length: 24 }, () => client.generate(REQUEST)));
  t.equal(most, 3);
  t.ok(sockets() <= 12, `${sockets()} connections for 24 requests`);
});
