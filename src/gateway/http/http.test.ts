import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import t from 'tap';
import type { Test } from 'tap';
import { talk } from '../../../test/fixtures/talk.ts';
import { connectionsMax } from './descriptors.ts';
import { HttpServer, ListenError } from './http-server.ts';
import type { Request } from './request.ts';
import { isLastOfConnection } from './request.ts';
import { Response } from './response.ts';

interface Seen {
  readonly request: Request;
  readonly response: Response;
  body: string;
}

interface Served {
  readonly port: number;
  readonly server: HttpServer;
  readonly seen: Seen[];
}

/**
 * Starts a server that answers sound requests with method, path and body, faulty ones with the
 * fault.
 */
async function serve(t: Test, max = 1_000, onSeen = echo): Promise<Served> {
  const seen: Seen[] = [];
  const server = new HttpServer(max, (request, res) => {
    const events = { onSlow: () => undefined, onOver: () => undefined };
    const response = new Response(res, isLastOfConnection(request), events);
    const one = { request, response, body: '' };
    seen.push(one);
    onSeen(one);
    response.leaveHandler();
  });
  const port = await server.listen('127.0.0.1', 0);
  t.teardown(() => server.close());
  return { port, server, seen };
}

function echo(seen: Seen): void {
  const { request, response } = seen;
  const { chunked, contentLength } = request.headers;
  const answer = (): void => {
    const text = request.fault || `${request.method} ${request.path} ${seen.body}`;
    response.send({ status: request.fault === '' ? 200 : 400, fields: '' }, text);
  };
  if (request.fault !== '' || (!chunked && contentLength <= 0)) {
    answer();
    return;
  }
  response.onBody((bytes, isLast) => {
    seen.body += Buffer.from(bytes).toString('latin1');
    if (isLast) answer();
  });
}

function echoLate(seen: Seen): void {
  setImmediate(() => echo(seen));
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((next) => setImmediate(next));
}

const NEXT = 'GET /next HTTP/1.1\r\nHost: x\r\n\r\n';
const POST = 'POST /b HTTP/1.1\r\nHost: x\r\n';
const CHUNKED = `${POST}Transfer-Encoding: chunked\r\n\r\n`;

t.test('a chunked request is the last one of its connection', async (t) => {
  const { port } = await serve(t);
  const alone = await talk(port, [`${CHUNKED}5\r\nhello\r\n0\r\n\r\n`]);
  t.same(alone.statuses, [200]);
  t.match(alone.text, /Connection: close/);
  t.match(alone.text, /POST \/b hello$/);
  t.ok(alone.closed);
});

t.test('a POST whose length is hidden behind a line without a name is the last one', async (t) => {
  const { port, seen } = await serve(t);
  const bytes = `${POST}: v\r\nContent-Length: ${NEXT.length}\r\n\r\n${NEXT}`;
  const { statuses, closed } = await talk(port, [bytes]);
  t.ok(closed);
  t.same(statuses, [], 'neither it nor the request in its body is answered');
  t.ok(seen.every(({ response }) => response.isAborted));
});

t.test('100 Continue is sent, and the body that follows is read', async (t) => {
  const { port } = await serve(t);
  const socket = connect(port, '127.0.0.1');
  t.teardown(() => socket.destroy());
  socket.write(`${POST}Expect: 100-continue\r\nContent-Length: 5\r\n\r\n`);
  const [first] = (await once(socket, 'data')) as [Buffer];
  t.equal(first.toString(), 'HTTP/1.1 100 Continue\r\n\r\n');
  socket.write('hello');
  const [second] = (await once(socket, 'data')) as [Buffer];
  t.match(second.toString(), /^HTTP\/1\.1 200 OK\r\n/);
  t.match(second.toString(), /POST \/b hello$/);
});

t.test('a request sent before the response to an earlier one ends the connection', async (t) => {
  const { port } = await serve(t, 10, echoLate);
  const { statuses, closed } = await talk(port, [NEXT + NEXT]);
  t.same(statuses, []);
  t.ok(closed);
});

t.test('large bodies and texts wait for their reader and arrive complete', async (t) => {
  const text = 'é'.repeat(4_000_000);
  const bytes = Buffer.alloc(9_000_000, 0x61);
  const { port, seen } = await serve(t, 10, ({ request, response }) => {
    const head = { status: 200, fields: 'X-A: b' };
    response.send(head, request.path === '/text' ? text : bytes);
  });
  for (const [path, length] of [
    ['/text', 8_000_000],
    ['/bytes', 9_000_000],
  ] as const) {
    const socket = connect(port, '127.0.0.1');
    t.teardown(() => socket.destroy());
    socket.pause();
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await until(() => seen.at(-1)?.request.path === path && seen.at(-1)?.response.heldBytes !== 0);
    const held = seen.at(-1)?.response;
    t.equal(held?.heldBytes, length, 'held until the reader takes it');
    t.notOk(held?.isOver);
    let count = 0;
    socket.on('data', (chunk) => (count += chunk.length));
    socket.resume();
    await until(() => held?.isOver === true && count >= length);
    t.ok(count > length && count < length + 300, `${count} bytes with the head`);
  }
});

t.test('requests whose responses nobody reads end the connection', async (t) => {
  const text = 'x'.repeat(10_000);
  const bytes = Buffer.from(text);
  const head = { status: 200, fields: `X-A: ${text}` };
  const ways: Readonly<Record<string, (response: Response) => void>> = {
    text: (response) => response.send(head, text),
    bytes: (response) => response.send(head, bytes),
    reused: (response) => response.sendReused(Buffer.from(`200 OK\r\nX-A: ${text}`), bytes),
    head: (response) => response.sendHead(head, 10),
  };
  for (const [how, send] of Object.entries(ways)) {
    const { port, seen } = await serve(t, 10, ({ response }) => send(response));
    const socket = connect(port, '127.0.0.1');
    t.teardown(() => socket.destroy());
    socket.on('error', () => undefined);
    socket.pause();
    const isCut = (): boolean => seen.at(-1)?.response.isAborted === true || socket.destroyed;
    // The kernel takes a few megabytes; uWebSockets.js must not buffer the rest of 100 MB.
    while (seen.length < 10_000 && !isCut()) {
      socket.write(NEXT.repeat(100));
      await new Promise((next) => setImmediate(next));
    }
    t.ok(seen.length < 10_000, `${how}: ${seen.length} requests were answered`);
  }
});

t.test('reused bytes may change while their reader is slow', async (t) => {
  const bytes = Buffer.from('x'.repeat(10_000));
  const { port, seen } = await serve(t, 10, ({ response }) => {
    response.sendReused(Buffer.from('200 OK'), bytes);
  });
  const socket = connect(port, '127.0.0.1');
  t.teardown(() => socket.destroy());
  socket.pause();
  while (seen.at(-1)?.response.isOver !== false) {
    const count = seen.length;
    socket.write(NEXT);
    await until(() => seen.length > count);
  }
  bytes.fill('z');
  let bodies = '';
  socket.on('data', (chunk) => {
    bodies += chunk.toString('latin1').replaceAll(/[^xz]/g, '');
  });
  socket.resume();
  await until(() => bodies.length === seen.length * bytes.length);
  t.notOk(bodies.includes('z'));
});

t.test('listeners are called when the client disconnects, unless they were removed', async (t) => {
  const heard: string[] = [];
  const { port, seen } = await serve(t, 10, ({ response }) => {
    response.onAbort(() => heard.push('first'));
    const forget = response.onAbort(() => heard.push('forgotten'));
    response.onAbort(() => heard.push('second'));
    forget();
  });
  const socket = connect(port, '127.0.0.1');
  socket.write(NEXT);
  await until(() => seen.length > 0);
  socket.destroy();
  await until(() => seen[0]?.response.isOver === true);
  t.same(heard, ['first', 'second']);
  t.doesNotThrow(() => seen[0]?.response.send({ status: 200, fields: '' }, 'late'));
});

t.test('responses without a body have no Content-Length', async (t) => {
  const { port } = await serve(t, 10, ({ request, response }) => {
    const status = request.path === '/none' ? 204 : 200;
    response.sendHead({ status, fields: '' }, status === 204 ? null : 12);
  });
  const none = await talk(port, ['GET /none HTTP/1.1\r\nHost: x\r\n\r\n'], {
    enough: ({ text }) => text.endsWith('\r\n\r\n'),
  });
  t.match(none.text, /^HTTP\/1\.1 204 No Content\r\n/);
  t.notMatch(none.text, /Content-Length/i, 'RFC 9110 §8.6');
  const head = await talk(port, ['HEAD /a HTTP/1.1\r\nHost: x\r\n\r\n'], {
    enough: ({ text }) => text.endsWith('\r\n\r\n'),
  });
  t.match(head.text, /\r\nContent-Length: 12\r\n/);
  t.match(head.text, /\r\nConnection: close\r\n/, 'a request behind it would not be answered');
});

t.test('connections beyond the limit are closed, the others stay', async (t) => {
  const { port, server } = await serve(t, 3);
  const sockets: Socket[] = [];
  const open = async (): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1');
    socket.on('error', () => undefined);
    sockets.push(socket);
    await once(socket, 'connect');
    return socket;
  };
  t.teardown(() => sockets.forEach((socket) => socket.destroy()));
  const first = await open();
  await open();
  await open();
  await until(() => server.connections === 3);
  const fourth = await open();
  if (!fourth.closed) await once(fourth, 'close');
  t.equal(server.refusedConnections, 1);
  first.write(NEXT);
  t.match(String(((await once(first, 'data')) as [Buffer])[0]), /^HTTP\/1\.1 200 /);
  first.destroy();
  await until(() => server.connections <= 2);
  const fifth = await open();
  fifth.write(NEXT);
  t.match(String(((await once(fifth, 'data')) as [Buffer])[0]), /^HTTP\/1\.1 200 /);
});

t.test('an address in use is reported as a ListenError', async (t) => {
  const { port } = await serve(t);
  const other = new HttpServer(1, () => undefined);
  t.teardown(() => other.close());
  await t.rejects(other.listen('127.0.0.1', port), ListenError);
});

t.test('the limit of connections leaves descriptors for everything else', async (t) => {
  t.equal(connectionsMax(256), 192, 'a quarter, here 64');
  t.equal(connectionsMax(200), 136, 'and never less than 64');
  t.equal(connectionsMax(4_096), 3_072);
  t.equal(connectionsMax(1_048_576), 16_384, 'bounded although descriptors are plenty');
  t.equal(connectionsMax(40), 1);
  t.ok(connectionsMax() >= 1);
});
