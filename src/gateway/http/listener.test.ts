import t, { type Test } from 'tap';
import type { Call, Service } from '../../../test/fixtures/http.ts';
import {
  Caller,
  get,
  listen,
  pass,
  paths,
  post,
  reply,
  replyPath,
  settle,
  until,
} from '../../../test/fixtures/http.ts';

const first = ({ calls }: Service): Call => {
  const [call] = calls;
  if (call === undefined) throw new Error('no request has come');
  return call;
};

/** Lets seconds pass one by one, each time after `each`, until the connection is ended. */
async function secondsUntilEnd(
  caller: Caller,
  secondsMax: number,
  each: () => Promise<void>,
): Promise<number> {
  for (let seconds = 0; seconds < secondsMax; seconds++) {
    await each();
    await settle();
    if (caller.isClosed) return seconds;
    pass(1);
  }
  await settle();
  return caller.isClosed ? secondsMax : Infinity;
}

const nothing = async (): Promise<void> => undefined;

t.test('a connection without requests is kept for a minute, and ended some time', async (t) => {
  const service = await listen(t, replyPath);
  for (const text of ['', get('/a')]) {
    const caller = new Caller(t, service.port);
    await caller.send(text);
    await until('the answer', () => caller.bodies.length === (text === '' ? 0 : 1));
    await settle();
    const seconds = await secondsUntilEnd(caller, 100, nothing);
    t.ok(seconds > 60 && seconds <= 100, `${seconds} s`);
  }
});

t.test('a head has ten seconds, however it drips', async (t) => {
  const service = await listen(t, replyPath);
  const drips = [nothing, (caller: Caller) => caller.send('x')];
  for (const drip of drips) {
    const caller = new Caller(t, service.port);
    await caller.send('GET / HTTP/1.1\r\nX: ');
    await settle();
    const seconds = await secondsUntilEnd(caller, 30, () => drip(caller));
    t.ok(seconds >= 10 && seconds <= 12, `${seconds} s`);
  }
});

t.test('a head that begins late has ten seconds of its own', async (t) => {
  const service = await listen(t, replyPath);
  const caller = new Caller(t, service.port);
  for (const path of paths(5)) {
    await caller.send(get(path).slice(0, 9));
    await settle();
    pass(8);
    await caller.send(get(path).slice(9));
    await settle();
    pass(50);
  }
  await until('all', () => caller.bodies.length === 5);
  t.equal(caller.isClosed, false);
});

t.test('a body that stands still or drips is given up', async (t) => {
  const service = await listen(t, () => undefined);
  const drips = [nothing, (caller: Caller) => caller.send('x')];
  for (const drip of drips) {
    const caller = new Caller(t, service.port);
    await caller.send(post('/', 'x'.repeat(100_000)).slice(0, 100));
    await settle();
    const seconds = await secondsUntilEnd(caller, 30, () => drip(caller));
    t.ok(seconds >= 10 && seconds <= 12, `${seconds} s`);
  }
  t.same(
    service.calls.map(({ lost }) => lost),
    [1, 1],
  );
});

t.test('a body that comes slowly is waited for', async (t) => {
  const service = await listen(t, () => undefined);
  const caller = new Caller(t, service.port);
  const text = post('/', 'x'.repeat(100_000));
  for (let at = 0; at < text.length; at += 2_500) {
    await caller.send(text.slice(at, at + 2_500));
    await settle();
    pass(1);
  }
  await until('the body', () => first(service).isWhole);
  reply(first(service), 'late');
  await until('the answer', () => caller.bodies.length === 1);
});

t.test('an answer may take long, also the last one of a connection', async (t) => {
  const requests = [
    get('/a'),
    get('/a', 'Connection: close\r\n'),
    'GET /a HTTP/1.0\r\n\r\n',
    post('/a', 'body', 'Connection: close\r\n'),
    `${get('/a')}\x16\x03\x01`,
    get('/a') + get('/b').slice(0, 20),
  ];
  for (const text of requests) {
    const service = await listen(t, () => undefined);
    const caller = new Caller(t, service.port);
    await caller.send(text);
    await until('the request', () => service.calls.length > 0);
    await settle();
    t.equal(await secondsUntilEnd(caller, 200, nothing), Infinity, text);
    reply(first(service), 'late');
    await until('the answer', () => caller.bodies.length === 1);
    service.listener.close();
  }
});

t.test('who waits for its turn to send a body may wait long', async (t) => {
  const service = await listen(t, () => undefined);
  const caller = new Caller(t, service.port);
  const text = post('/b', 'body', 'Expect: 100-continue\r\n');
  await caller.send(get('/a') + text.slice(0, -4));
  await until('both', () => service.calls.length === 2);
  t.equal(await secondsUntilEnd(caller, 30, nothing), Infinity);
  reply(first(service), 'late');
  await until('the go-ahead', () => caller.text.endsWith('100 Continue\r\n\r\n'));
  await settle();
  const seconds = await secondsUntilEnd(caller, 30, nothing);
  t.ok(seconds >= 10 && seconds <= 12, `${seconds} s from then on`);
});

t.test('a body that is not read because answers are due may wait long', async (t) => {
  const service = await listen(t, () => undefined);
  const caller = new Caller(t, service.port);
  const body = 'x'.repeat(1_000_000);
  void caller.send(
    paths(40)
      .map((path) => get(path))
      .join('') + post('/last', body),
  );
  await until('32 requests', () => service.calls.length === 32);
  for (let i = 0; i < 9; i++) {
    const call = service.calls[i];
    if (call !== undefined) replyPath(call);
    await settle();
  }
  t.equal(service.calls.at(-1)?.head.path, '/last');
  t.equal(await secondsUntilEnd(caller, 30, nothing), Infinity);
  for (const call of service.calls.slice(9)) if (call.head.path !== '/last') replyPath(call);
  pass(1);
  const last = service.calls.at(-1);
  await until('the body', () => last?.isWhole === true || caller.isClosed);
  t.equal(last?.body.length, body.length);
});

t.test('what comes after the last answer is dropped, and the connection soon ended', async (t) => {
  const service = await listen(t, replyPath);
  const caller = new Caller(t, service.port, true);
  await caller.send(get('/a', 'Connection: close\r\n'));
  await until('the answer', () => caller.bodies.length === 1);
  await caller.send('more');
  await settle();
  await caller.send('more');
  await settle();
  t.equal(caller.isClosed, false);
  pass(4);
  await settle();
  await caller.send('more');
  await settle();
  await caller.send('more');
  await until('the end', () => caller.isClosed);
  t.equal(service.calls.length, 1);
});

/** Whether the caller, which has read nothing so far, gets the whole answer. */
async function getsAll(caller: Caller, bytes: number): Promise<boolean> {
  caller.socket.resume();
  await until('the answer or the end', () => caller.isClosed || caller.text.length > bytes);
  return caller.bodies[0]?.length === bytes;
}

t.test('short answers that nobody takes end the connection after a minute', async (t) => {
  const bytes = 30_000_000;
  const body = 'x'.repeat(bytes);
  for (const header of ['', 'Connection: close\r\n']) {
    for (const seconds of [50, 100]) {
      const service = await listen(t, (call) => reply(call, body));
      const caller = new Caller(t, service.port);
      caller.socket.pause();
      await caller.send(get('/', header));
      await until('the request', () => service.calls.length === 1);
      await settle();
      pass(seconds);
      await settle();
      t.equal(await getsAll(caller, bytes), seconds < 60, `${seconds} s ${header}`);
      caller.socket.destroy();
    }
  }
});

/** Answers with bytes in pieces, which are overwritten as soon as they are free. */
function replyInPieces(t: Test, { answer }: Call, total: number, pieceBytes: number): void {
  let sent = 0;
  let head = `HTTP/1.1 200 OK\r\nContent-Length: ${total}\r\n\r\n`;
  let held: Buffer | null = null;
  const goOn = (): void => {
    held?.fill('!');
    held = null;
    while (sent < total) {
      const piece = Buffer.alloc(Math.min(pieceBytes, total - sent), `${sent % 10}`);
      sent += piece.length;
      let isHere = true;
      const isTaken = answer.writeBytes(head, piece, () => {
        if (isHere) t.fail('told of before it was asked to wait');
        goOn();
      });
      isHere = false;
      head = '';
      if (!isTaken) {
        held = piece;
        return;
      }
      piece.fill('!');
    }
    answer.finish();
  };
  answer.whenTurn(goOn);
}

t.test('a large answer in pieces arrives whole at a reader that stops and goes on', async (t) => {
  const total = 12_000_003;
  const pieceBytes = 262_147;
  const service = await listen(t, (call) => {
    if (call.head.path === '/large') replyInPieces(t, call, total, pieceBytes);
    else replyPath(call);
  });
  const caller = new Caller(t, service.port);
  let count = 0;
  caller.socket.on('data', () => {
    count += 1;
    if (count % 20 !== 0) return;
    caller.socket.pause();
    setImmediate(() => caller.socket.resume());
  });
  await caller.send(get('/a') + get('/large') + get('/b'));
  await until('all', () => caller.text.length > total && caller.text.endsWith('/b'));
  const [, body = ''] = caller.bodies;
  t.equal(body.length, total);
  let isSame = true;
  for (let at = 0; at < total; at += pieceBytes) {
    const piece = body.slice(at, at + pieceBytes);
    isSame &&= piece === `${at % 10}`.repeat(piece.length);
  }
  t.ok(isSame, 'nothing was overwritten before it was sent');
});

t.test('when its reader goes, nobody is told that a piece was taken', async (t) => {
  const service = await listen(t, ({ head, answer }) => {
    answer.whenTurn(() => {
      const told = (): void => void t.fail(`nobody has taken that of ${head.path}`);
      t.equal(answer.writeBytes('', Buffer.alloc(60_000_000), told), false);
    });
  });
  for (const leave of ['destroy', 'resetAndDestroy'] as const) {
    service.calls.length = 0;
    const caller = new Caller(t, service.port);
    caller.socket.pause();
    await caller.send(get('/') + get('/behind'));
    await until('the first', () => service.calls.length === 1);
    await settle();
    caller.socket[leave]();
    await until('it is lost', () => service.calls[0]?.lost === 1);
    await settle();
    t.equal(service.calls.length, 1, 'the one behind is not begun');
  }
});

t.test('who sends requests without end and reads nothing is not read from', async (t) => {
  const count = 10_000;
  const body = 'x'.repeat(8_000);
  const service = await listen(t, (call) => setImmediate(() => reply(call, body)));
  const caller = new Caller(t, service.port);
  caller.socket.pause();
  void caller.send(get('/').repeat(count));
  let seen = -1;
  while (seen !== service.calls.length) {
    seen = service.calls.length;
    await settle();
  }
  t.ok(seen > 32 && seen < count / 2, `${seen} are begun`);
  caller.socket.resume();
  await until('all', () => caller.text.length >= count * body.length);
  t.ok(caller.bodies.every((each) => each === body));
  t.equal(service.calls.length, count);
});

t.test('answers made at once do not gather without bound', async (t) => {
  const count = 5_000;
  const body = 'x'.repeat(20_000);
  for (const isAtOnce of [true, false]) {
    const service = await listen(t, (call) => {
      if (isAtOnce) reply(call, body);
      else queueMicrotask(() => reply(call, body));
    });
    const caller = new Caller(t, service.port);
    caller.socket.pause();
    void caller.send(get('/').repeat(count));
    await until('some', () => service.calls.length > 0);
    await settle();
    const { length } = service.calls;
    t.ok(length < count / 4, `${length} answers of 20 KB, from one segment or two`);
    caller.socket.resume();
    await until('all', () => caller.text.length >= count * body.length);
    t.equal(service.calls.length, count);
  }
});

t.test('who stops listening goes on with the connections there are', async (t) => {
  const service = await listen(t, replyPath);
  const caller = new Caller(t, service.port);
  await caller.send(get('/a'));
  await until('an answer', () => caller.bodies.length === 1);
  service.listener.stopListening();
  const late = new Caller(t, service.port);
  await until('a refusal', () => late.isClosed);
  await caller.send(get('/b'));
  await until('another answer', () => caller.bodies.length === 2);
  service.listener.close();
  await until('the end', () => caller.isClosed);
  t.equal(service.calls.length, 2);
});

t.test('an address in use is told', async (t) => {
  const service = await listen(t, replyPath);
  await t.rejects(service.listener.listen('127.0.0.1', service.port));
});
