import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export type ProxyFault =
  | 'none'
  /** Connections are reset at once, as when the server is down. */
  | 'refuse'
  /** Bytes are accepted, and no response ever comes. */
  | 'black hole'
  /** The connection ends at COMMIT, which the server never receives. */
  | 'cut before commit'
  /** The server receives COMMIT and responds; the response is lost with the connection. */
  | 'cut after commit'
  /** The connection ends at COMMIT, which the server receives a while later. */
  | 'late commit';

const LATE_MS = 200;

export interface Proxy {
  readonly port: number;
  fault: ProxyFault;
  /** Delay of bytes in each direction. */
  latencyMs: number;
  /** What the faults at COMMIT happen at; by default COMMIT. */
  mark: Buffer;
  /** COMMITs to let pass before a cut, and cuts to make. */
  cuts: number;
  commits(): number;
  connections(): number;
  close(): Promise<void>;
}

/** A COM_QUERY packet (0x03) with the text `commit`. */
const COMMIT = Buffer.from('\u0003commit');

/** A proxy between the store and its database; it breaks their connections. */
export async function startProxy(targetPort: number): Promise<Proxy> {
  const sockets = new Set<Socket>();
  const counts = { commits: 0, connections: 0 };
  const track = (socket: Socket): void => {
    sockets.add(socket);
    socket.setNoDelay(true);
    // Both ends fail on purpose; the test checks what the store reports.
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
  };
  const server = createServer((client) => {
    counts.connections += 1;
    track(client);
    if (proxy.fault === 'refuse') client.resetAndDestroy();
    if (proxy.fault === 'refuse' || proxy.fault === 'black hole') return;
    const upstream = connect(targetPort, '127.0.0.1');
    track(upstream);
    relay(client, upstream, proxy, () => (counts.commits += 1));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const proxy: Proxy = {
    port: address.port,
    fault: 'none',
    latencyMs: 0,
    mark: COMMIT,
    cuts: Number.POSITIVE_INFINITY,
    commits: () => counts.commits,
    connections: () => counts.connections,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
  return proxy;
}

/** Relays one connection, and breaks it as the proxy's fault demands. */
function relay(client: Socket, upstream: Socket, proxy: Proxy, committing: () => void): void {
  let cutAnswer = false;
  let late = false;
  const drop = (): void => {
    client.destroy();
    upstream.destroy();
  };
  const later = (act: () => void): void => {
    if (proxy.latencyMs === 0) act();
    else setTimeout(act, proxy.latencyMs);
  };
  client.on('data', (bytes) => {
    const isCommit = bytes.includes(proxy.mark);
    if (isCommit) committing();
    if (proxy.fault === 'refuse') {
      client.resetAndDestroy();
      upstream.destroy();
      return;
    }
    if (proxy.fault === 'black hole') return;
    if (isCommit && proxy.cuts > 0 && proxy.fault.includes('commit')) {
      proxy.cuts -= 1;
      if (proxy.fault === 'late commit') {
        late = true;
        client.destroy();
        setTimeout(() => upstream.end(bytes), LATE_MS);
        return;
      }
      if (proxy.fault === 'cut before commit') {
        drop();
        return;
      }
      cutAnswer = true;
    }
    later(() => upstream.write(bytes));
  });
  upstream.on('data', (bytes) => {
    if (cutAnswer) drop();
    else if (proxy.fault !== 'black hole') later(() => client.write(bytes));
  });
  client.on('close', () => {
    if (!late) upstream.destroy();
  });
  upstream.on('close', () => client.destroy());
}
