import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import t, { type Test } from 'tap';
import { boundedSocket, endAnswer } from './mysql-socket.ts';

/** Below the limit of one answer; three of them are beyond that of all together. */
const ANSWER_BYTES = 40 * 1024 * 1024;
const PIECE = Buffer.alloc(1024 * 1024);

/** Answers whatever it is sent with so many bytes. */
async function startServer(t: Test, bytes: number): Promise<number> {
  const clients = new Set<Socket>();
  const server = createServer((client) => {
    clients.add(client);
    client.on('error', () => client.destroy());
    client.on('data', () => {
      for (let sent = 0; sent < bytes; sent += PIECE.length) client.write(PIECE);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    for (const client of clients) client.destroy();
    server.close();
  });
  const address = server.address();
  return typeof address === 'object' ? Number(address?.port) : 0;
}

interface Asker {
  readonly socket: Socket;
  /** Asks; resolves with whether the whole answer has come. */
  readonly ask: () => Promise<boolean>;
}

function connectTo(t: Test, port: number): Asker {
  const socket = boundedSocket({ config: { host: '127.0.0.1', port } });
  let received = 0;
  socket.on('data', (piece: Uint8Array) => (received += piece.byteLength));
  socket.on('error', () => socket.destroy());
  t.teardown(() => socket.destroy());
  const ask = async (): Promise<boolean> => {
    received = 0;
    socket.write('?');
    return new Promise((resolve) => {
      socket.on('data', () => received === ANSWER_BYTES && resolve(true));
      socket.once('close', () => resolve(false));
    });
  };
  return { socket, ask };
}

t.test('answers of many connections hold no more memory than all may together', async (t) => {
  const port = await startServer(t, ANSWER_BYTES);
  const askers = Array.from({ length: 6 }, () => connectTo(t, port));
  await Promise.all(askers.map(({ ask }) => ask()));
  const open = askers.filter(({ socket }) => !socket.destroyed);
  t.equal(open.length, 2, 'the longest ones have ended');
});

t.test(
  'an answer that has been read counts no more, nor does that of a closed socket',
  async (t) => {
    const port = await startServer(t, ANSWER_BYTES);
    for (let count = 0; count < 3; count += 1) {
      const { socket, ask } = connectTo(t, port);
      t.ok(await ask());
      endAnswer({ stream: socket });
    }
    for (let count = 0; count < 3; count += 1) {
      const { socket, ask } = connectTo(t, port);
      t.ok(await ask());
      const closed = once(socket, 'close');
      socket.destroy();
      await closed;
    }
    const one = connectTo(t, port);
    for (let count = 0; count < 3; count += 1) t.ok(await one.ask(), 'the next answer begins anew');
  },
);
