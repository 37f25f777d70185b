import { createServer } from 'node:net';
import type { AddressInfo, Socket } from 'node:net';
import t from 'tap';
import type { Test } from 'tap';
import { startTestService } from '../service/gateway.ts';
import { generateRequest } from './requests.ts';
import { Fleet } from './wire.ts';

interface Answer {
  readonly status: number;
  readonly bytes: number;
}

/** Answers every piece it reads with the next of `answers`; each is written piece by piece. */
async function serve(
  t: Test,
  answers: readonly (readonly string[] | 'hang up')[],
): Promise<string> {
  let next = 0;
  const write = (socket: Socket, [piece, ...rest]: readonly string[]): void => {
    if (piece === undefined) return;
    socket.write(piece, () => setImmediate(() => write(socket, rest)));
  };
  const server = createServer((socket) => {
    socket.setNoDelay(true);
    socket.on('error', () => socket.destroy());
    socket.on('data', () => {
      const answer = answers[next++] ?? 'hang up';
      if (answer === 'hang up') socket.destroy();
      else write(socket, answer);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  t.teardown(() => server.close());
  const { port } = server.address() as AddressInfo;
  return `http://127.0.0.1:${port}`;
}

/** Sends requests one after the other and gives their answers. */
async function exchange(url: string, count: number): Promise<Answer[]> {
  const answers: Answer[] = [];
  const fleet = new Fleet(url, 1, (_sent, status, bytes) => answers.push({ status, bytes }));
  try {
    for (let i = 0; i < count; i++) {
      if (!fleet.send(Buffer.from('x'), performance.now(), true)) throw new Error('not sent');
      await fleet.done();
    }
  } finally {
    fleet.close();
  }
  return answers;
}

t.test('answers are read whatever their pieces', async (t) => {
  const url = await serve(t, [
    ['HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabcde'],
    ['HTTP/1.1 50', '3 Full\r\nX: y\r\ncontent-length:', ' 2\r', '\n\r\nab'],
    ['HTTP/1.1 201 Created\r\nContent-Length: 4\r\n\r\n', 'a', 'bc', 'd'],
    ['HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'],
  ]);
  t.strictSame(await exchange(url, 4), [
    { status: 200, bytes: 5 },
    { status: 503, bytes: 2 },
    { status: 201, bytes: 4 },
    { status: 200, bytes: 0 },
  ]);
});

t.test('what breaks counts once, and the next request has a new connection', async (t) => {
  const url = await serve(t, [
    'hang up',
    ['HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na and more'],
    ['HTTP/1.1 200 OK\r\n\r\nwithout a length'],
    ['HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\na'],
    ['HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab'],
  ]);
  const answers = await exchange(url, 5);
  t.equal(answers.length, 5);
  t.strictSame(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [0, 0, 0, 200, 200],
  );
});

t.test('a request that finds all connections busy is not sent', async (t) => {
  const answer = ['HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\na'];
  const url = await serve(t, [answer, answer, answer]);
  let answered = 0;
  const fleet = new Fleet(url, 2, () => {
    answered += 1;
  });
  const send = (): boolean => fleet.send(Buffer.from('x'), performance.now(), true);
  t.strictSame([send(), send(), send()], [true, true, false]);
  await fleet.done();
  t.equal(answered, 2);
  t.ok(send(), 'a connection that has its answer takes the next request');
  await fleet.done();
  fleet.close();
  t.equal(answered, 3);
});

t.test('the service answers it, every byte counted', async (t) => {
  const service = await startTestService(t);
  await service.publish('bank', 'plain');
  const key = await service.key('bank', ['generate']);
  const request = (data: object): Buffer =>
    generateRequest(service.url, key, JSON.stringify({ templateId: 'plain', mode: 'sync', data }));
  const fetched = await fetch(`${service.url}/v1/generate`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ templateId: 'plain', mode: 'sync', data: { customer: 'a' } }),
  });
  const bytes = (await fetched.arrayBuffer()).byteLength;
  const answers: Answer[] = [];
  const fleet = new Fleet(service.url, 4, (_sent, status, count) => {
    answers.push({ status, bytes: count });
  });
  for (let i = 0; i < 4; i++) fleet.send(request({ customer: 'a' }), performance.now(), true);
  await fleet.done();
  fleet.close();
  t.ok(bytes > 0);
  t.strictSame(
    answers,
    Array.from({ length: 4 }, () => ({ status: 200, bytes })),
  );
});
