import t from 'tap';
import type { Call } from '../../../test/fixtures/http.ts';
import {
  Caller,
  get,
  listen,
  paths,
  post,
  postChunked,
  refuse,
  reply,
  replyPath,
  settle,
  turn,
  until,
} from '../../../test/fixtures/http.ts';

/** Answers with method, path and body as soon as the body has come. */
const echo = (call: Call): void => {
  const { head, answer } = call;
  if (head.fault !== '') {
    refuse(call);
    return;
  }
  const answerNow = (): void => reply(call, `${head.method} ${head.path} ${call.body}`);
  if (call.isWhole) {
    answerNow();
    return;
  }
  answer.receive((data, isLast) => {
    call.body += Buffer.from(data).toString('latin1');
    call.isWhole = isLast;
    if (isLast) answerNow();
  });
};

t.test('answers come in the order of the requests, whatever is ready first', async (t) => {
  const service = await listen(t, () => undefined);
  const caller = new Caller(t, service.port);
  await caller.send(
    paths(5)
      .map((path) => get(path))
      .join(''),
  );
  await until('all are begun', () => service.calls.length === 5);
  for (const i of [3, 1, 4]) {
    const call = service.calls[i];
    if (call !== undefined) reply(call, call.head.path);
    await settle();
  }
  t.equal(caller.text, '');
  service.calls.slice(0, 1).forEach(replyPath);
  await until('the first two', () => caller.bodies.length === 2);
  await settle();
  t.strictSame(caller.bodies, ['/0', '/1']);
  service.calls.slice(2, 3).forEach(replyPath);
  await until('all', () => caller.bodies.length === 5);
  t.strictSame(caller.bodies, paths(5));
  t.equal(service.calls.filter(({ lost }) => lost > 0).length, 0);
});

t.test('any number of requests in one segment are answered, some at a time', async (t) => {
  for (const count of [32, 33, 64, 65, 500]) {
    let underWay = 0;
    let most = 0;
    const service = await listen(t, (call) => {
      underWay += 1;
      most = Math.max(most, underWay);
      setImmediate(() => {
        underWay -= 1;
        replyPath(call);
      });
    });
    const caller = new Caller(t, service.port);
    await caller.send(
      paths(count)
        .map((path) => get(path))
        .join(''),
    );
    await until(`${count} answers`, () => caller.bodies.length === count);
    t.strictSame(caller.bodies, paths(count));
    t.ok(most <= 32, `${most} at once`);
  }
});

t.test('requests beyond those under way are begun one by one as answers go out', async (t) => {
  const service = await listen(t, () => undefined);
  const caller = new Caller(t, service.port);
  await caller.send(
    paths(100)
      .map((path) => post(path, `body of ${path}`))
      .join(''),
  );
  for (let i = 0; i < 100; i++) {
    await until(`request ${i}`, () => service.calls.length > i);
    t.ok(service.calls.length <= i + 32);
    const call = service.calls[i];
    if (call !== undefined) reply(call, call.body);
  }
  await until('all', () => caller.bodies.length === 100);
  t.strictSame(
    caller.bodies,
    paths(100).map((path) => `body of ${path}`),
  );
});

const STREAM =
  get('/a?b=c') +
  post('/length', 'GET /x HTTP/1.1\r\nHost: x\r\n\r\n') +
  get('/b', 'X-Api-Key: \xff\r\n') +
  postChunked('/chunked', ['one', 'GET /y HTTP/1.1\r\n\r\n', '0\r\n\r\n']) +
  post('/empty', '') +
  get('/last', 'Connection: close\r\n');
const STREAM_ANSWERS = [
  'GET /a ',
  'POST /length GET /x HTTP/1.1\r\nHost: x\r\n\r\n',
  'GET /b ',
  'POST /chunked oneGET /y HTTP/1.1\r\n\r\n0\r\n\r\n',
  'POST /empty ',
  'GET /last ',
];

t.test('requests are read the same wherever they are split', async (t) => {
  const service = await listen(t, echo);
  const splitAt = async (at: number): Promise<void> => {
    const caller = new Caller(t, service.port);
    await caller.send(STREAM.slice(0, at));
    await settle();
    await caller.send(STREAM.slice(at));
    await until(`all of what was split at ${at}`, () => caller.isClosed);
    const before = JSON.stringify(STREAM.slice(at - 9, at));
    t.strictSame(caller.bodies, STREAM_ANSWERS, `split at ${at}, after ${before}`);
  };
  for (let at = 1; at < STREAM.length; at += 50) {
    const places = Array.from({ length: Math.min(50, STREAM.length - at) }, (_, i) => at + i);
    await Promise.all(places.map(splitAt));
  }
});

t.test('requests that come byte by byte', async (t) => {
  const service = await listen(t, echo);
  const caller = new Caller(t, service.port);
  for (const character of STREAM) {
    await caller.send(character);
    await turn();
  }
  await until('all', () => caller.isClosed);
  t.strictSame(caller.bodies, STREAM_ANSWERS);
});

t.test('empty lines before a request are read over, wherever they are split', async (t) => {
  const service = await listen(t, echo);
  const text = `\r\n${post('/a', 'a')}\r\n\r\n${get('/b')}`;
  for (let at = 1; at < text.length; at++) {
    const caller = new Caller(t, service.port);
    await caller.send(text.slice(0, at));
    await settle();
    await caller.send(text.slice(at));
    await until('both', () => caller.bodies.length === 2);
    t.strictSame(caller.bodies, ['POST /a a', 'GET /b '], `split at ${at}`);
  }
});

t.test('bodies of any size arrive whole at their own request', async (t) => {
  const service = await listen(t, echo);
  const caller = new Caller(t, service.port);
  const sizes = [1, 65_535, 65_536, 65_537, 300_000, 0, 7];
  const bodies = sizes.map((size, i) => String.fromCharCode(97 + i).repeat(size));
  const requests = bodies.flatMap((body, i) => [
    post(`/${i}`, body),
    postChunked(`/${i}`, body === '' ? [] : [body.slice(0, 1), body.slice(1)].filter(Boolean)),
  ]);
  await caller.send(requests.join(''));
  await until('all', () => caller.bodies.length === requests.length);
  const expected = bodies.flatMap((body, i) => [`POST /${i} ${body}`, `POST /${i} ${body}`]);
  t.ok(caller.bodies.every((body, i) => body === expected[i]));
});

t.test('a refusal sent before the body has come leaves the next request alone', async (t) => {
  const service = await listen(t, (call) => reply(call, call.head.path));
  for (const make of [post, (path: string, body: string) => postChunked(path, [body])]) {
    const caller = new Caller(t, service.port);
    const text = make('/refused', get('/smuggled')) + get('/next');
    const cut = text.indexOf('GET /smuggled') + 5;
    await caller.send(text.slice(0, cut));
    await until('the refusal', () => caller.bodies.length === 1);
    await caller.send(text.slice(cut));
    await until('the next answer', () => caller.bodies.length === 2);
    await settle();
    t.strictSame(caller.bodies, ['/refused', '/next']);
    t.equal(caller.isClosed, false);
  }
});

t.test('a refusal that closes ends the connection, whatever of the body still comes', async (t) => {
  const service = await listen(t, (call) => {
    call.answer.closes = true;
    reply(call, call.head.path);
  });
  const caller = new Caller(t, service.port);
  const text = post('/refused', get('/smuggled')) + get('/next');
  const cut = text.indexOf('GET /smuggled') + 5;
  await caller.send(text.slice(0, cut));
  await until('the refusal', () => caller.bodies.length === 1);
  await caller.send(text.slice(cut));
  await until('the end', () => caller.isClosed);
  t.strictSame(caller.bodies, ['/refused']);
  t.equal(service.calls.length, 1);
});

t.test('a caller that waits to be told so is told to send its body', async (t) => {
  const service = await listen(t, echo);
  const caller = new Caller(t, service.port);
  const [head = '', body = ''] = post('/a', 'body', 'Expect: 100-Continue\r\n').split(
    /(?<=\n\r\n)/,
  );
  await caller.send(head);
  await until('the go-ahead', () => caller.text === 'HTTP/1.1 100 Continue\r\n\r\n');
  await caller.send(body);
  await until('the answer', () => caller.text.endsWith('POST /a body'));
});

t.test('one that waits behind a slow answer is told so after it', async (t) => {
  const service = await listen(t, (call) => {
    if (call.head.path !== '/slow') echo(call);
  });
  const caller = new Caller(t, service.port);
  const [head = '', body = ''] = post('/a', 'body', 'Expect: 100-continue\r\n').split(
    /(?<=\n\r\n)/,
  );
  await caller.send(get('/slow') + head);
  await until('both', () => service.calls.length === 2);
  await settle();
  t.equal(caller.text, '', 'not before the answer in front');
  service.calls.slice(0, 1).forEach(replyPath);
  await until('the go-ahead', () => caller.text.endsWith('/slowHTTP/1.1 100 Continue\r\n\r\n'));
  await caller.send(body);
  await until('the answer', () => caller.text.endsWith('POST /a body'));
});

t.test('nobody is told so who speaks HTTP/1.0, or whose body is not wanted', async (t) => {
  const service = await listen(t, echo);
  const old = new Caller(t, service.port);
  const text = post('/a', 'body', 'Expect: 100-continue\r\n');
  await old.send(text.replace('HTTP/1.1', 'HTTP/1.0'));
  await until('the end', () => old.isClosed);
  t.match(old.text, /^HTTP\/1\.1 200 /, 'RFC 9110 §10.1.1');
  const refusing = await listen(t, (call) => {
    call.answer.closes = true;
    replyPath(call);
  });
  const refused = new Caller(t, refusing.port);
  await refused.send(text.slice(0, -4));
  await until('the end', () => refused.isClosed);
  t.strictSame(refused.bodies, ['/a']);
});

t.test('after a last request nothing is run', async (t) => {
  const service = await listen(t, () => undefined);
  const last = [
    get('/last', 'Connection: close\r\n'),
    'GET /last HTTP/1.0\r\n\r\n',
    post('/last', 'abc', 'Connection: close\r\n'),
    postChunked('/last', ['abc']).replace('Host: x', 'Host: x\r\nConnection: close'),
  ];
  for (const text of last) {
    service.calls.length = 0;
    const caller = new Caller(t, service.port);
    await caller.send(get('/first') + text + get('/never') + post('/never', 'abc'));
    await until('two requests', () => service.calls.length === 2);
    await settle();
    t.equal(service.calls.length, 2);
    service.calls.toReversed().forEach(replyPath);
    await until('the end', () => caller.isClosed);
    t.strictSame(caller.bodies, ['/first', '/last']);
    t.match(caller.text, /Connection: close\r\n[^]*\/last$/);
  }
});

t.test('an answer that closes takes the requests after it with it', async (t) => {
  const service = await listen(t, () => undefined);
  const caller = new Caller(t, service.port);
  await caller.send(
    paths(40)
      .map((path) => get(path))
      .join(''),
  );
  await until('32', () => service.calls.length === 32);
  const [first, second] = service.calls;
  if (first === undefined || second === undefined) throw new Error('there are 32');
  second.answer.closes = true;
  reply(second, 'last');
  reply(first, 'first');
  await until('the end', () => caller.isClosed);
  t.strictSame(caller.bodies, ['first', 'last']);
  t.equal(service.calls.length, 32, 'no other is begun');
  t.strictSame(
    service.calls.map(({ lost }) => lost),
    service.calls.map((_, i) => (i < 2 ? 0 : 1)),
  );
  for (const call of service.calls) reply(call, 'too late');
  await settle();
  t.strictSame(caller.bodies, ['first', 'last']);
});

t.test('every answer not out when the caller goes is lost, once', async (t) => {
  for (const leave of ['end', 'destroy', 'resetAndDestroy'] as const) {
    const service = await listen(t, () => undefined);
    const caller = new Caller(t, service.port);
    await caller.send(
      paths(5)
        .map((path) => get(path))
        .join('') + post('/5', 'abc').slice(0, -1),
    );
    await until('six requests', () => service.calls.length === 6);
    service.calls.slice(0, 1).forEach(replyPath);
    service.calls.slice(2, 3).forEach(replyPath);
    await until('an answer', () => caller.bodies.length === 1);
    caller.socket[leave]();
    await until('all lost', () => service.calls.every(({ lost }, i) => lost === 1 || i === 0));
    for (const call of service.calls) {
      reply(call, 'too late');
      t.equal(
        call.answer.writeBytes('', Buffer.alloc(9), () => t.fail('nobody took it')),
        true,
      );
      call.answer.finish();
      call.answer.cut();
    }
    await settle();
    t.strictSame(
      service.calls.map(({ lost }) => lost),
      [0, 1, 1, 1, 1, 1],
      leave,
    );
  }
});

/** A request with a head of so many bytes. */
const long = (bytes: number): string => {
  const shortest = get('/', 'X: \r\n').length;
  return get('/', `X: ${'x'.repeat(bytes - shortest)}\r\n`);
};

t.test('what is no request is answered with its fault, and the connection ends', async (t) => {
  const service = await listen(t, echo);
  const hello = '\x16\x03\x01\x00\xa5\x01\x00\x00\xa1\x03\x03';
  const cases: [string, RegExp][] = [
    [hello, /without TLS/],
    [get('/').replaceAll('\r\n', '\n').replace('GET', '\nGET'), /no request/],
    ['\0', /no request/],
    ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', /request line/],
    ['GET / HTTP/1.1\r\n\r\n', /Host/],
    [long(16_385), /longer than 16384/],
    [long(100_000), /longer than 16384/],
    ['x'.repeat(20_000), /longer than 16384/],
    [`${get('/', 'Content-Length: 5\r\nTransfer-Encoding: chunked\r\n')}0\r\n\r\n`, /exclude/],
  ];
  for (const [text, fault] of cases) {
    service.calls.length = 0;
    const caller = new Caller(t, service.port);
    await caller.send(get('/first') + text + get('/never'));
    await until(`the end of ${text.slice(0, 20)}`, () => caller.isClosed);
    t.equal(caller.bodies[0], 'GET /first ');
    t.match(caller.bodies[1], fault);
    t.equal(service.calls.length, 2);
  }
  const caller = new Caller(t, service.port);
  await caller.send(long(16_384).repeat(3) + get('/last', 'Connection: close\r\n'));
  await until('the longest heads', () => caller.isClosed);
  t.equal(caller.bodies.length, 4);
});

t.test('how long a head may be does not depend on the one before', async (t) => {
  const service = await listen(t, echo);
  const caller = new Caller(t, service.port);
  await caller.send(long(16_384) + long(16_390));
  await until('the end', () => caller.isClosed);
  t.match(caller.bodies, ['GET / ', /longer than 16384/]);
});

t.test('after a malformed body nothing is run, whatever has come already', async (t) => {
  const service = await listen(t, () => undefined);
  const caller = new Caller(t, service.port);
  await caller.send(
    paths(33)
      .map((path) => get(path))
      .join(''),
  );
  await until('32 requests', () => service.calls.length === 32);
  const malformed = postChunked('/malformed', []).replace('0\r\n\r\n', '0\r*');
  for (const text of [malformed, `\r\n${get('/never')}`]) {
    await caller.send(text);
    await settle();
  }
  for (const call of service.calls) replyPath(call);
  await until('the end', () => caller.isClosed);
  t.strictSame(
    service.calls.map(({ head }) => head.path),
    [...paths(33), '/malformed'],
  );
});

t.test('after a cut nothing is run', async (t) => {
  const service = await listen(t, ({ answer }) => answer.cut());
  const caller = new Caller(t, service.port);
  await caller.send(get('/a') + get('/never'));
  await until('the end', () => caller.isClosed);
  t.strictSame(
    service.calls.map(({ head, lost }) => [head.path, lost]),
    [['/a', 1]],
  );
});

t.test('a body that is not chunked as announced ends the connection', async (t) => {
  const service = await listen(t, echo);
  const caller = new Caller(t, service.port);
  const text = postChunked('/a', ['abc']).replace('abc\r\n', 'abc');
  await caller.send(text + get('/never'));
  await until('the end', () => caller.isClosed);
  t.strictSame(
    service.calls.map(({ head, lost }) => [head.path, lost]),
    [['/a', 1]],
  );
});

t.test('the go-ahead and answers made at once leave before the bytes that follow', async (t) => {
  const service = await listen(t, (call) => {
    if (call.head.path !== '/bytes') {
      echo(call);
      return;
    }
    call.answer.whenTurn(() => {
      const head = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n';
      call.answer.writeBytes(head, Buffer.from('bytes'), () => undefined);
      call.answer.finish();
    });
  });
  const caller = new Caller(t, service.port);
  await caller.send(get('/a') + get('/bytes') + get('/b') + get('/bytes') + get('/c'));
  await until('all', () => caller.bodies.length === 5);
  t.strictSame(caller.bodies, ['GET /a ', 'bytes', 'GET /b ', 'bytes', 'GET /c ']);
});
