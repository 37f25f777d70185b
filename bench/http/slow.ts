import { connect } from 'node:net';
import type { Socket } from 'node:net';
import type { Service } from './service.ts';
import type { Trial } from './trials.ts';

/** Callers that hold a connection and hardly send. */
export interface SlowSenders {
  /** Closes them all. */
  release(): void;
}

const DRIP_MS = 500;
const BODY_BYTES = 100_000;

function opened(socket: Socket): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
}

/** Opens the connections of a trial, each with a request whose body drips for as long as it lasts. */
export async function holdSlowSenders(
  url: string,
  { slowSenders }: Trial,
  { keys }: Service,
): Promise<SlowSenders> {
  const { hostname, port } = new URL(url);
  const head =
    `POST /v1/generate HTTP/1.1\r\nHost: ${hostname}:${port}\r\nX-Api-Key: ${keys[0]}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${BODY_BYTES}\r\n\r\n{`;
  const sockets: Socket[] = [];
  for (let i = 0; i < slowSenders; i++) {
    const socket = connect(Number(port), hostname);
    sockets.push(socket);
    await opened(socket);
    // The service may end such a connection: that is its right.
    socket.on('error', () => socket.destroy());
    socket.resume();
    socket.write(head);
  }
  const drip = setInterval(() => {
    for (const socket of sockets) if (socket.writable) socket.write(' ');
  }, DRIP_MS);
  return {
    release() {
      clearInterval(drip);
      for (const socket of sockets) socket.destroy();
    },
  };
}
