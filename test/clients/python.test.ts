import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import t, { type Test } from 'tap';

import { typesOfPython } from '../../scripts/client-types.ts';
import { HOME } from '../source.ts';
import { PDF, PDF_SHA256, PDF_TYPE, pdfOf, serveDescription } from './described-api.ts';
import { answerOddly, ODD_ANSWERS } from './odd-answers.ts';
import { PYTHON_ENV, refuse, runProgram, serveScript, withoutPython } from './scripted.ts';

const KIT = join(HOME, 'clients/python');
const skip = withoutPython();

/** Runs a function of scenarios.py; returns its result. */
async function scenario(t: Test, name: string, url: string, more = {}): Promise<unknown> {
  const args = ['-W', 'error', join(HOME, 'test/clients/scenarios.py'), name, url, t.testdir()];
  const done = await runProgram('python3', HOME, args, { ...PYTHON_ENV, ...more });
  t.equal(done.code, 0, done.out);
  return JSON.parse(done.out.split('\n')[0] ?? '');
}

t.test('its types match the schemas (npm run generate)', async (t) => {
  t.equal(readFileSync(join(KIT, 'intaglio_client/types.py'), 'utf8'), typesOfPython());
});

t.test(
  'every operation for keys has a method, which sends what is described',
  { skip },
  async (t) => {
    const api = await serveDescription(t);
    const operations = await scenario(t, 'everything', api.url);
    t.strictSame(api.faults, []);
    t.strictSame(operations, api.operations);
    t.strictSame(new Set(api.called), new Set(Object.keys(api.operations)));
  },
);

t.test('temporary refusals are retried, not before Retry-After', { skip }, async (t) => {
  const script = await serveScript(t, (response, number) => {
    if (number === 0) refuse(response, 429, 'rate_limited', { headers: { 'retry-after': '1' } });
    else if (number === 1) refuse(response, 503, 'overloaded');
    else if (number === 2) response.writeHead(502).end('<html>');
    else response.writeHead(200, PDF_TYPE).end(PDF);
  });
  const startMs = performance.now();
  t.strictSame(await scenario(t, 'make', script.url), { sha256: PDF_SHA256 });
  t.equal(script.requests.length, 4);
  // Timers may fire a millisecond early.
  const tookMs = performance.now() - startMs;
  t.ok(tookMs >= 999, `${tookMs} ms`);
});

t.test('a request without an answer is retried with its Idempotency-Key', { skip }, async (t) => {
  const script = await serveScript(t, (response, number) => {
    if (number === 0) response.destroy();
    else response.writeHead(201).end('{"documentId":"d"}');
  });
  t.strictSame(await scenario(t, 'store', script.url), { documentId: 'd' });
  const [first, second] = script.requests.map(({ message }) => message.headers['idempotency-key']);
  t.match(first, /^[\w-]{36}$/);
  t.equal(first, second);
});

t.test(
  'permanent refusals are raised at once, with code, fields and request id',
  { skip },
  async (t) => {
    const fields = [{ field: 'customer', reason: 'required' }];
    const invalid = await serveScript(t, (response) =>
      refuse(response, 400, 'invalid_data', { fields }),
    );
    const told = await scenario(t, 'make', invalid.url);
    t.match(told, { kind: 'InvalidDataError', code: 'invalid_data', requestId: 'r-1', fields });
    t.notMatch(told, { text: /secret|ik_/ });
    const final = await serveScript(t, (response) =>
      refuse(response, 503, 'protection_unavailable'),
    );
    t.match(await scenario(t, 'make', final.url), { kind: 'ServiceError', text: /status 503/ });
    t.equal(invalid.requests.length + final.requests.length, 2);
  },
);

t.test('a silent service gives NoAnswerError after its tries', { skip }, async (t) => {
  const script = await serveScript(t, () => undefined);
  const told = await scenario(t, 'make', script.url, { SILENCE: '0.5' });
  const text = new RegExp(`no answer from ${script.url} after 4 tries: the service was silent`);
  t.match(told, { kind: 'NoAnswerError', text });
});

t.test('a truncated file is fetched again, a wrong one is refused', { skip }, async (t) => {
  const whole = pdfOf('x');
  const etag = `"${createHash('sha256').update(whole).digest('hex')}"`;
  const script = await serveScript(t, (response, number) => {
    const body = number === 2 ? pdfOf('y') : whole;
    response.writeHead(200, { ...PDF_TYPE, etag, 'content-length': body.length });
    if (number > 0) response.end(body);
    else response.write(body.subarray(0, 100_000), () => setTimeout(() => response.destroy(), 20));
  });
  t.strictSame(await scenario(t, 'download', script.url), ['a.pdf']);
  t.equal(script.requests.length, 3);
});

t.test('an answer that is no whole document is never given as one', { skip }, async (t) => {
  const script = await serveScript(t, answerOddly);
  t.strictSame(await scenario(t, 'odd', script.url), {
    kinds: ODD_ANSWERS.map(({ error }) => error),
    left: ['a.pdf'],
  });
  t.equal(script.requests.length, ODD_ANSWERS.length + 1, 'none is asked for again');
  const again = await serveScript(t, answerOddly);
  t.match(await scenario(t, 'make', again.url), { kind: 'NoDocumentError' });
});

t.test('a Cancel ends a call that waits or is under way', { skip }, async (t) => {
  const script = await serveScript(t, (response, number) => {
    if (number > 0) refuse(response, 503, 'overloaded', { headers: { 'retry-after': '100' } });
  });
  t.equal(await scenario(t, 'cancelled', script.url), 3);
});

t.test('requests beyond the limit wait, and connections are reused', { skip }, async (t) => {
  let running = 0;
  let most = 0;
  const answer = (response: ServerResponse): void => {
    most = Math.max(most, (running += 1));
    setTimeout(() => {
      running -= 1;
      response.writeHead(200, PDF_TYPE).end(PDF);
    }, 10);
  };
  const script = await serveScript(t, answer);
  t.equal(await scenario(t, 'many', script.url), 24);
  t.ok(most <= 3, `${most} at a time`);
  t.ok(script.sockets() <= 12, `${script.sockets()} connections for 24 requests`);
});
