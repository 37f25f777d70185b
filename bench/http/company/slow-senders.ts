import type { Socket } from 'node:net';
import type { Service } from '../../../lab/service/service.ts';
import type { Company } from './company.ts';
import { openSocket } from './socket.ts';

/** Each sender sends a byte in this interval; at every tick some of them are due. */
const DRIP_MS = 500;
const TICK_MS = 50;
const BODY_BYTES = 100_000;

/** Holds `count` requests open by sending their bodies a byte at a time. */
export async function holdSlowSenders({ url, keys }: Service, count: number): Promise<Company> {
  const head =
    `POST /v1/generate HTTP/1.1\r\nHost: ${new URL(url).host}\r\nX-Api-Key: ${keys[0]}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${BODY_BYTES}\r\n\r\n{`;
  const sockets: Socket[] = [];
  for (let i = 0; i < count; i++) {
    const socket = await openSocket(url);
    sockets.push(socket);
    socket.resume();
    socket.write(head);
  }
  const startMs = performance.now();
  let dripped = 0;
  const drip = setInterval(() => {
    const due = ((performance.now() - startMs) / DRIP_MS) * count;
    for (; dripped < due; dripped += 1) {
      const socket = sockets[dripped % count];
      if (socket?.writable === true) socket.write(' ');
    }
  }, TICK_MS);
  return {
    release() {
      clearInterval(drip);
      for (const socket of sockets) socket.destroy();
    },
  };
}
