import { once } from 'node:events';
import { connect } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import type { Route } from './bodies.ts';
import { hostileBodies, ROUTES } from './bodies.ts';

/**
 * A caller in a separate thread, so that sending does not use the gateway's thread. For each number
 * that it receives, it sends the body of that number, and posts the status and the start of the
 * response's body.
 */

const TEXT_MAX = 300;

interface Target {
  readonly port: number;
  /** The header that says who calls. */
  readonly callers: Readonly<Record<Route, string>>;
}

export interface Sent {
  readonly status: number;
  readonly text: string;
}

// Set by block.test.ts.
const { port, callers } = workerData as Target;
const bodies = hostileBodies();

async function send(index: number): Promise<Sent> {
  const hostile = bodies[index];
  if (hostile === undefined) throw new Error(`there is no body ${index}`);
  const { route, body, pieceBytes } = hostile;
  const socket = connect(port, '127.0.0.1');
  socket.setNoDelay(true);
  await once(socket, 'connect');
  const answered = once(socket, 'data') as Promise<[Buffer]>;
  const length =
    pieceBytes === null ? `content-length: ${body.length}` : 'transfer-encoding: chunked';
  socket.write(
    `${ROUTES[route]} HTTP/1.1\r\nhost: x\r\n${callers[route]}\r\n` +
      `content-type: application/json\r\n${length}\r\nconnection: close\r\n\r\n`,
  );
  if (pieceBytes === null) socket.write(body);
  else {
    for (let at = 0; at < body.length; at += pieceBytes) {
      const piece = Buffer.from(body.subarray(at, at + pieceBytes)).toString('latin1');
      socket.write(`${piece.length.toString(16)}\r\n${piece}\r\n`, 'latin1');
    }
    socket.write('0\r\n\r\n');
  }
  const [start] = await answered;
  socket.destroy();
  const [head = '', text = ''] = start.toString('utf8').split('\r\n\r\n', 2);
  return { status: Number(head.slice(9, 12)), text: text.slice(0, TEXT_MAX) };
}

parentPort?.on('message', (index: number) => {
  void send(index).then((sent) => parentPort?.postMessage(sent));
});
