import { once } from 'node:events';
import { createServer, METHODS } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import t, { type Test } from 'tap';
import type { RequestHeaders } from './headers.ts';
import type { RequestHead } from './head.ts';
import { faultyHead, readHead } from './head.ts';

/** Reads a head twice: the second time it may be remembered, and has to be the same. */
function read(text: string): RequestHead {
  const first = structuredClone(readHead(text));
  if (!isDeepStrictEqual(readHead(text), first)) t.fail(`another reading of ${text}`);
  return first;
}

const get = (...lines: readonly string[]): RequestHead =>
  read(['GET / HTTP/1.1', 'Host: x', ...lines].join('\r\n'));
const request = (line: string): RequestHead => read(`${line}\r\nHost: x`);

t.test('a request line is taken apart', async (t) => {
  t.match(request('GET /a/b?c=d&e HTTP/1.1'), {
    method: 'GET',
    path: '/a/b',
    query: 'c=d&e',
    closes: false,
    fault: '',
  });
  t.match(request('GET /a??b?c HTTP/1.1'), { path: '/a', query: '?b?c' });
  t.match(request('GET /a? HTTP/1.1'), { path: '/a', query: '' });
  t.match(request('GET //a HTTP/1.1'), { path: '//a' });
  t.match(request('GET /%2e%2E/%00 HTTP/1.1'), { path: '/%2e%2E/%00' }, 'not decoded');
  t.match(request('get / HTTP/1.1'), { method: 'get' }, 'methods are case-sensitive');
  t.match(request("!#$%&'*+-.^_`|~09AZaz / HTTP/1.1"), { fault: '' }, 'any token');
  t.match(request('OPTIONS * HTTP/1.1'), { path: '*', fault: '' });
  t.match(request('GET /\xe0\xb8\x81 HTTP/1.1'), { path: '/\xe0\xb8\x81', fault: '' });
});

t.test('a whole address is read as its path', async (t) => {
  const cases: [string, string, string][] = [
    ['http://a/b?c', '/b', 'c'],
    ['https://a:443/b', '/b', ''],
    ['HTTP://a/b', '/b', ''],
    ['http://a', '/', ''],
    ['http://a/', '/', ''],
    ['http://a/http://b/c', '/http://b/c', ''],
    ['/http://b/c', '/http://b/c', ''],
    ['/b?http://c/d', '/b', 'http://c/d'],
  ];
  for (const [target, path, query] of cases) {
    t.match(request(`GET ${target} HTTP/1.1`), { path, query, fault: '' }, target);
  }
});

t.test('a whole address with a query and no path asks for the root', async (t) => {
  t.match(request('GET http://a?b=c HTTP/1.1'), { path: '/', query: 'b=c', fault: '' });
});

t.test('another request line is a fault', async (t) => {
  const lines = [
    ['', ' ', 'GET', 'GET /', 'GET / ', '/ HTTP/1.1', ' GET / HTTP/1.1', 'GET  / HTTP/1.1'],
    ['GET /  HTTP/1.1', 'GET / HTTP/1.1 ', 'GET\t/ HTTP/1.1', 'GET /\tHTTP/1.1', 'GET HTTP/1.1'],
    ['GET / HTTP/1.2', 'GET / HTTP/2.0', 'GET / HTTP/0.9', 'GET / HTTP/1.10', 'GET / http/1.1'],
    ['GET / HTTP/1', 'GET / HTTP/11', 'GET / HTTP/1,1', 'GET / HTTPS/1.1', 'GET /a b HTTP/1.1'],
    ['G(T / HTTP/1.1', 'GET, / HTTP/1.1', 'G\xc9T / HTTP/1.1', 'GET: / HTTP/1.1'],
    ['GET /\0 HTTP/1.1', 'GET /\x7f HTTP/1.1', 'GET /a\n HTTP/1.1', 'GET /a\r HTTP/1.1'],
    ['PRI * HTTP/2.0', '\x16\x03\x01\x02', 'SSH-2.0-OpenSSH_9.6', 'HTTP/1.1 200 OK'],
  ].flat();
  for (const line of lines) t.not(request(line).fault, '', JSON.stringify(line));
});

t.test('a faulty head ends the connection and says nothing else', async (t) => {
  const { fault, closes, method, headers } = faultyHead('why');
  t.strictSame([fault, closes, method, headers.contentLength], ['why', true, '', -1]);
});

t.test('HTTP/1.0 and Connection: close end the connection', async (t) => {
  t.equal(get().closes, false);
  for (const value of ['close', 'Close', 'CLOSE', 'keep-alive, close', 'close,x', 'x ,\tclose ,']) {
    t.equal(get(`Connection: ${value}`).closes, true, value);
  }
  for (const value of ['keep-alive', 'Keep-Alive', 'closed', 'close-x', 'x close', '"close"', '']) {
    t.equal(get(`Connection: ${value}`).closes, false, value);
  }
  t.equal(get('Connection: keep-alive', 'Connection: close').closes, true, 'in two lines');
  t.equal(read('GET / HTTP/1.0').closes, true);
  t.equal(read('GET / HTTP/1.0\r\nConnection: keep-alive').closes, true);
});

t.test('a request of HTTP/1.1 names one host', async (t) => {
  t.not(read('GET / HTTP/1.1').fault, '');
  t.not(read('GET / HTTP/1.1\r\nHost:').fault, '');
  t.not(read('GET / HTTP/1.1\r\nHost: \t ').fault, '');
  t.not(read('GET http://a/ HTTP/1.1\r\nX: y').fault, '', 'nor does the address stand for it');
  t.not(get('Host: x').fault, '', 'twice the same');
  t.not(get('host: y').fault, '', 'in other letters');
  t.not(get('HOST:').fault, '', 'the second empty');
  t.equal(read('GET / HTTP/1.0').fault, '');
  t.not(read('GET / HTTP/1.0\r\nHost: x\r\nHost: x').fault, '');
});

const length = (...values: readonly string[]): RequestHead =>
  get(...values.map((value) => `Content-Length: ${value}`));

t.test('a body has one length', async (t) => {
  t.match(length(), { fault: '', headers: { contentLength: -1, chunked: false } });
  t.match(length('0'), { fault: '', headers: { contentLength: 0 } });
  t.match(length('00012'), { fault: '', headers: { contentLength: 12 } });
  t.match(length('999999999999999'), {
    fault: '',
    headers: { contentLength: 999_999_999_999_999 },
  });
  const wrong = [
    '',
    '-1',
    '+1',
    '1.0',
    '1e3',
    '0x1',
    '1 2',
    '1,1',
    '1, 1',
    'x',
    '1;',
    '\xb2',
    '"1"',
  ];
  for (const value of [...wrong, '9'.repeat(16)]) t.not(length(value).fault, '', value);
  t.not(length('1', '2').fault, '', 'two');
  t.not(length('1', '1').fault, '', 'twice the same');
  t.not(length('', '1').fault, '', 'one of them empty');
});

t.test('a body is either chunked or has a length', async (t) => {
  const chunked = get('Transfer-Encoding: chunked');
  t.match(chunked, { fault: '', headers: { chunked: true, contentLength: -1 } });
  t.match(get('Transfer-Encoding: Chunked'), { fault: '', headers: { chunked: true } });
  const wrong = ['', 'identity', 'gzip', 'gzip, chunked', 'chunked, gzip', 'chunked, chunked'];
  for (const value of [...wrong, 'xchunked', 'chunkedx', 'chunked;a=b', 'chunked,', '"chunked"']) {
    t.not(get(`Transfer-Encoding: ${value}`).fault, '', value);
  }
  t.not(get('Transfer-Encoding:\x0bchunked').fault, '', 'a vertical tab before it');
  t.not(get('Transfer-Encoding: chunked', 'Transfer-Encoding: chunked').fault, '', 'twice');
  t.not(get('Transfer-Encoding: chunked', 'Content-Length: 1').fault, '');
  t.not(get('Content-Length: 0', 'Transfer-Encoding: chunked').fault, '');
  t.not(get('Content-Length: x', 'Transfer-Encoding: chunked').fault, '');
});

t.test('a header line is a name, a colon and a value', async (t) => {
  const lines = [
    ['X', 'X y', ': y', ' X: y', '\tX: y', 'X : y', 'X\t: y', 'X Y: z', 'X\0: y', 'X(: y'],
    ['"X": y', 'X,Y: z', 'X;: y', 'X/Y: z', 'X[]: y', 'X@: y', '\xc9: y', 'X\x7f: y', '=', ' '],
  ].flat();
  for (const line of lines) t.not(get(line).fault, '', JSON.stringify(line));
  for (const line of ['X:', 'X:y', "!#$%&'*+-.^_`|~: y", 'X: :', '1: 2']) {
    t.equal(get(line).fault, '', JSON.stringify(line));
  }
});

t.test('folded lines, half line ends and controls are faults', async (t) => {
  const lines = [
    ['X: a\r\n b', 'X: a\r\n\tb', 'X: a\r\n ', 'Content-Length: 1\r\n 2', 'X: a\nY: b', 'X: a\n'],
    ['X: a\rY: b', 'X: a\r', 'X: \0', 'X: a\0b', 'X: \x01', 'X: \x0b', 'X: \x0c', 'X: \x1b[0m'],
    ['X: \x7f', 'X: a\n\r\nY: b', 'X: a\r\r\nY: b', 'X\n: a', '\n', '\r'],
  ].flat();
  for (const line of lines) t.not(get(line).fault, '', JSON.stringify(line));
  t.not(read('GET / HTTP/1.1\nHost: x').fault, '');
  t.not(read('GET / HTTP/1.1\r\n Host: x').fault, '');
  t.not(read('GET / HTTP/1.1\r\n\r\nHost: x').fault, '', 'an empty line within');
});

const key = (value: string): string => get(`X-Api-Key:${value}`).headers.apiKey;

t.test('values keep their bytes and lose the blanks around them', async (t) => {
  t.equal(key('abc'), 'abc');
  t.equal(key(' \t a \t b\t '), 'a \t b');
  t.equal(key(''), '');
  t.equal(key(' \t '), '');
  t.equal(key(' \x80\xa0\xff '), '\x80\xa0\xff', 'other blanks belong to the value');
  t.equal(key('a:b: c'), 'a:b: c');
});

t.test('the headers that are read, by names in any case', async (t) => {
  const { headers, fault } = read(
    [
      'POST /v1/generate HTTP/1.1',
      'hOST: example.com:8080',
      'X-API-KEY: k',
      'content-type: application/json; charset=utf-8',
      'Content-Encoding: gzip',
      'CONTENT-LENGTH: 7',
      'Connection: keep-alive',
      'Connection: x',
      'Expect: 100-Continue',
      'Cookie: a=b',
      'COOKIE: c=d',
      'Origin: http://x',
      'Sec-Fetch-Site: same-origin',
      'Idempotency-Key: i',
      'Range: bytes=0-1',
      'If-Range: "e"',
      'Accept: */*',
    ].join('\r\n'),
  );
  t.equal(fault, '');
  t.strictSame(headers, {
    apiKey: 'k',
    apiKeyDigest: '',
    cookie: 'a=b; c=d',
    contentType: 'application/json; charset=utf-8',
    contentEncoding: 'gzip',
    contentLength: 7,
    chunked: false,
    connection: 'keep-alive,x',
    expect: '100-continue',
    host: 'example.com:8080',
    origin: 'http://x',
    fetchSite: 'same-origin',
    idempotencyKey: 'i',
    range: 'bytes=0-1',
    ifRange: '"e"',
  } satisfies RequestHeaders);
});

t.test('what decides about access, and what a request is, comes once', async (t) => {
  for (const name of ['X-Api-Key', 'Content-Type', 'Origin', 'Idempotency-Key']) {
    t.not(get(`${name}: a`, `${name}: b`).fault, '', name);
    t.not(get(`${name}: a`, `${name.toLowerCase()}: a`).fault, '', name);
    t.not(get(`${name}:`, `${name}: a`).fault, '', `${name}, first without a value`);
  }
});

t.test('remembered heads do not take the place of others', async (t) => {
  const keyOf = (i: number): string => get(`X-Api-Key: key ${i}`).headers.apiKey;
  for (let round = 0; round < 2; round++) {
    for (let i = 0; i < 700; i++) if (keyOf(i) !== `key ${i}`) t.fail(`key ${i}`);
  }
  t.equal(get('X-Api-Key: a').headers.apiKey, 'a');
  t.equal(get('X-Api-Key: a ').headers.apiKey, 'a');
  t.equal(get('x-api-key: A').headers.apiKey, 'A');
});

/** What a parser makes of a head, as far as both tell. */
interface Seen {
  readonly method: string;
  readonly url: string;
  /** Name in lower case and value, in their order. */
  readonly headers: readonly (readonly [string, string])[];
}

const READ = {
  'x-api-key': 'apiKey',
  cookie: 'cookie',
  'content-type': 'contentType',
  'content-encoding': 'contentEncoding',
  connection: 'connection',
  host: 'host',
  origin: 'origin',
  'sec-fetch-site': 'fetchSite',
  'idempotency-key': 'idempotencyKey',
  range: 'range',
  'if-range': 'ifRange',
} as const;

/** Heads, most of them sound, and some with a scrap put in or left out. */
function heads(): fc.Arbitrary<string> {
  const sound = [
    ['X-Api-Key: k\xe9y', 'X-Api-Key:\t a b \t', 'Cookie: a=b', 'cookie:c=d', 'Y:', 'Accept: */*'],
    ['Content-Length: 5', 'Content-Length: 05', 'Transfer-Encoding: chunked', 'Expect: x'],
    ['TRANSFER-ENCODING: Chunked', 'Connection: close', 'Connection: keep-alive, x'],
    ['Content-Type: application/json', 'Content-Encoding: gzip', 'Origin: http://x'],
    ['Range: bytes=0-1', 'If-Range: "\x80"', 'Sec-Fetch-Site: none', 'Idempotency-Key: i'],
    ['Expect: 100-continue', 'CONTENT-ENCODING: br', 'range: bytes=5-'],
  ].flat();
  const unsound = [
    ['Host: x', 'host:x:80', 'Host: ', 'content-length: 5, 5', 'Content-Length: +5', 'X : a'],
    ['Transfer-Encoding: gzip,chunked', 'X: a\r\n b', ' X: a', 'Content-Length : 5'],
    ['Transfer-Encoding:\x0bchunked'],
  ].flat();
  const line = fc.oneof(
    { weight: 30, arbitrary: fc.constantFrom(...sound) },
    fc.constantFrom(...unsound),
  );
  const targets = ['/', '/a?b=c', '/%00?', 'http://x/a?b', 'HTTPS://x', '*', '//a', '/a#b'];
  const methods = ['GET', 'POST', 'DELETE', 'PUT', 'OPTIONS', 'PATCH'];
  const versions = ['HTTP/1.1', 'HTTP/1.1', 'HTTP/1.1', 'HTTP/1.1', 'HTTP/1.0', 'HTTP/1.2'];
  const scraps = [
    '\r',
    '\n',
    '\r\n',
    '\r\n ',
    '\n\n',
    '\0',
    ' ',
    '\t',
    ':',
    ',',
    '\x7f',
    '\x80',
    '\x0b',
  ];
  const change = fc.record({
    place: fc.nat(400),
    cut: fc.nat(2),
    scrap: fc.constantFrom('', ...scraps),
  });
  return fc
    .record({
      method: fc.constantFrom(...methods),
      target: fc.constantFrom(...targets),
      version: fc.constantFrom(...versions),
      lines: fc.array(line, { maxLength: 6 }),
      host: fc.constantFrom('Host: x', 'Host: x', 'Host: x', 'Host: x', 'A: b'),
      changes: fc.oneof(
        { weight: 2, arbitrary: fc.constant([]) },
        fc.array(change, { maxLength: 2 }),
      ),
    })
    .map(({ method, target, version, lines, host, changes }) => {
      let text = [`${method} ${target} ${version}`, host, ...lines].join('\r\n');
      for (const { place, cut, scrap } of changes) {
        const from = place % (text.length + 1);
        text = text.slice(0, from) + scrap + text.slice(from + cut);
      }
      return text;
    });
}

/** The targets that node:http knows; others have no address here. */
const TARGET = /^\S+ (?:\/|https?:\/\/|\*(?= ))[!-~]* HTTP/i;

/** Answers with what has come. */
function tell(from: IncomingMessage, to: ServerResponse): void {
  const headers: [string, string][] = [];
  from.rawHeaders.forEach((name, i, all) => {
    if (i % 2 === 0) headers.push([name.toLowerCase(), all[i + 1] ?? '']);
  });
  const seen: Seen = { method: from.method ?? '', url: from.url ?? '', headers };
  to.writeHead(200, { Connection: 'close' });
  to.end(`\n${JSON.stringify(seen)}`);
}

/** A server by node:http that answers with what it has seen. */
async function startWitness(t: Test): Promise<number> {
  const server = createServer();
  for (const event of ['request', 'checkContinue', 'checkExpectation']) server.on(event, tell);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  // An address by host and port, not a pipe.
  return (server.address() as AddressInfo).port;
}

/** null: node:http refused the head. */
async function witness(port: number, head: string): Promise<Seen | null> {
  const socket = connect(port, '127.0.0.1');
  socket.end(`${head}\r\n\r\n`, 'latin1');
  let text = '';
  for await (const chunk of socket) text += (chunk as Buffer).toString();
  const json = /^\{"method".*\}$/m.exec(text)?.[0];
  // What the server above has written.
  return json === undefined ? null : (JSON.parse(json) as Seen);
}

/** How the two readings differ; '' when they agree. */
function difference(head: RequestHead, seen: Seen): string {
  const url = seen.url.replace(/^https?:\/\/[^/?]*\/?/i, '/');
  const valuesOf = (name: string): string[] =>
    seen.headers.flatMap(([other, value]) => (other === name ? [value] : []));
  if (head.method !== seen.method) return 'method';
  if (
    url !== (head.query === '' && !url.endsWith('?') ? head.path : `${head.path}?${head.query}`)
  ) {
    return 'url';
  }
  for (const [name, field] of Object.entries(READ)) {
    const values = valuesOf(name);
    // Lists are joined; of what may come twice and is no list, the last one counts.
    const joins: Readonly<Record<string, string>> = { cookie: '; ', connection: ',' };
    const join = joins[name];
    const expected = join === undefined ? values.at(-1) : values.join(join);
    if (head.headers[field] !== (expected ?? '')) return name;
  }
  const length = valuesOf('content-length');
  if (length.length > 1) return 'two lengths';
  if (head.headers.contentLength !== Number(length[0] ?? -1)) return 'content-length';
  const codings = valuesOf('transfer-encoding');
  return head.headers.chunked === codings.length > 0 ? '' : 'transfer-encoding';
}

t.test('what is accepted here, node:http accepts too, and reads in the same way', async (t) => {
  const port = await startWitness(t);
  const texts = new Set(fc.sample(heads(), { numRuns: 6_000, seed: 20_261_121 }));
  const accepted = [...texts].filter((text) => {
    const { fault, method } = read(text);
    return fault === '' && METHODS.includes(method) && TARGET.test(text);
  });
  t.ok(accepted.length > 1_500, `${accepted.length} of ${texts.size} are accepted`);
  const differing: string[] = [];
  const left = accepted.values();
  const compare = async (): Promise<void> => {
    for (const text of left) {
      const seen = await witness(port, text);
      const why = seen === null ? 'refused' : difference(readHead(text), seen);
      if (why !== '') differing.push(`${why}: ${JSON.stringify(text)}`);
    }
  };
  await Promise.all(Array.from({ length: 32 }, compare));
  t.strictSame(differing.slice(0, 20), []);
});
