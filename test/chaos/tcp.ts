import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { count, type FaultyProxy, PAGE, type Strike, type TcpFault } from './faults.ts';

/** A cut connection has let at most this many bytes pass since the fault began. */
const CUT_BYTES_MAX = 4_096;
const DELAY_MS_MAX = 1_500;
const COMMIT = Buffer.from('\u0003commit');
const PIECE = Buffer.alloc(64 * 1_024, 0x41);

interface Pair {
  readonly client: Socket;
  readonly upstream: Socket;
  /** Chosen for this connection when the fault began; null: it is spared. */
  fault: TcpFault | null;
  cutAfter: number;
}

/** A proxy in front of MySQL or Redis. */
export async function startTcpProxy(targetPort: number): Promise<FaultyProxy<TcpFault>> {
  const pairs = new Set<Pair>();
  const struck = new Map<TcpFault, number>();
  let strike: Strike<TcpFault> | null = null;
  const choose = (pair: Pair): void => {
    pair.fault = strike !== null && Math.random() < strike.share ? strike.fault : null;
    pair.cutAfter = Math.floor(Math.random() * CUT_BYTES_MAX);
    if (pair.fault !== null) count(struck, pair.fault);
    if (pair.fault === 'refuse') drop(pair);
  };
  const server = createServer((client) => {
    const upstream = connect(targetPort, '127.0.0.1');
    const pair: Pair = { client, upstream, fault: null, cutAfter: 0 };
    pairs.add(pair);
    for (const socket of [client, upstream]) {
      socket.setNoDelay(true);
      // Both ends fail on purpose; the harness checks what the service does.
      socket.on('error', () => drop(pair));
      socket.on('close', () => {
        drop(pair);
        pairs.delete(pair);
      });
    }
    choose(pair);
    client.on('data', (bytes: Buffer) => toServer(pair, bytes));
    upstream.on('data', (bytes: Buffer) => toClient(pair, bytes));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    struck,
    set(next) {
      const before = strike;
      strike = next;
      for (const pair of pairs) {
        // A connection that lost or delayed bytes cannot recover, so it is cut.
        if (before !== null && pair.fault !== null) drop(pair);
        else choose(pair);
      }
    },
    async close() {
      for (const pair of pairs) drop(pair);
      server.close();
      await once(server, 'close');
    },
  };
}

function drop({ client, upstream }: Pair): void {
  if (!client.destroyed) client.resetAndDestroy();
  upstream.destroy();
}

function toServer(pair: Pair, bytes: Buffer): void {
  const { client, upstream } = pair;
  switch (pair.fault) {
    case 'silence':
      return;
    case 'page':
      client.end(`HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n${PAGE}`);
      return;
    case 'endless':
      pourWithoutEnd(client);
      return;
    case 'cut':
      passUntilCut(pair, bytes, upstream);
      return;
    case 'cut commit':
      if (!bytes.includes(COMMIT)) break;
      if (Math.random() < 0.5) upstream.write(bytes, () => setTimeout(() => drop(pair), 50));
      else drop(pair);
      return;
    case 'delay':
      later(client, () => upstream.write(bytes));
      return;
    case 'refuse':
    case null:
      break;
  }
  pass(client, upstream, bytes);
}

function toClient(pair: Pair, bytes: Buffer): void {
  const { client, upstream } = pair;
  switch (pair.fault) {
    case 'silence':
      return;
    case 'page':
      client.end(`HTTP/1.1 502 Bad Gateway\r\ncontent-type: text/html\r\n\r\n${PAGE}`);
      return;
    case 'endless':
      pourWithoutEnd(client);
      return;
    case 'cut':
      passUntilCut(pair, bytes, client);
      return;
    case 'cut commit':
    case 'delay':
    case 'refuse':
    case null:
      pass(upstream, client, bytes);
  }
}

function passUntilCut(pair: Pair, bytes: Buffer, to: Socket): void {
  if (pair.cutAfter >= bytes.length) {
    pair.cutAfter -= bytes.length;
    to.write(bytes);
    return;
  }
  to.write(bytes.subarray(0, pair.cutAfter), () => drop(pair));
}

function pass(from: Socket, to: Socket, bytes: Buffer): void {
  if (to.destroyed || to.write(bytes)) return;
  from.pause();
  to.once('drain', () => from.resume());
}

/** Stops the sender for a random time, so that its bytes stay in order. */
function later(from: Socket, act: () => void): void {
  from.pause();
  setTimeout(() => {
    act();
    from.resume();
  }, Math.random() * DELAY_MS_MAX);
}

/** Sends bytes for as long as the reader takes them. */
function pourWithoutEnd(client: Socket): void {
  if (client.listenerCount('drain') > 0) return;
  const pour = (): void => {
    while (!client.destroyed && client.write(PIECE));
  };
  client.on('drain', pour);
  pour();
}
