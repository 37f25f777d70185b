import type { EventEmitter } from 'node:events';
import { connect, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';

/** What the server may send before the client's first answer: a greeting, or an error. */
const GREETING_BYTES_MAX = 64 * 1024;
/**
 * What the server may send after each thing that it was sent. The largest answer of a statement, a
 * page of rows or one long value, is far below it.
 */
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;

/** The part of mysql2's options that its sockets are made from. */
interface SocketOptions {
  readonly config: {
    readonly host?: string;
    readonly port?: number;
    readonly socketPath?: string;
    readonly keepAliveInitialDelay?: number;
  };
}

/**
 * A socket for mysql2 that ends when the server sends without end. mysql2 keeps what it receives
 * until a packet is complete or an answer is over: whatever stands in the server's place could take
 * all memory before the time limit of the statement.
 */
export function boundedSocket({ config }: SocketOptions): Socket {
  const { host = 'localhost', port = 3306, socketPath, keepAliveInitialDelay } = config;
  const socket =
    socketPath === undefined || socketPath === '' ? connect(port, host) : connect(socketPath);
  socket.setNoDelay(true);
  socket.once('connect', () => socket.setKeepAlive(true, keepAliveInitialDelay));
  boundAnswers(socket, GREETING_BYTES_MAX);
  return socket;
}

/**
 * Ends an open connection of a pool when an answer is too long, also inside TLS, or when a packet is
 * out of order: mysql2 only warns of it and goes on to read what may be anything.
 */
export function boundConnection(connection: object): void {
  // mysql2 does not declare the two that this uses.
  const { stream, on } = connection as { stream: Socket; on: EventEmitter['on'] };
  if (stream instanceof TLSSocket) boundAnswers(stream, ANSWER_BYTES_MAX);
  on.call(connection, 'warn', () => stream.destroy(fault('PACKETS_OUT_OF_ORDER')));
}

function boundAnswers(socket: Socket, firstBytesMax: number): void {
  let left = firstBytesMax;
  socket.on('data', (bytes: Uint8Array) => {
    left -= bytes.byteLength;
    if (left < 0) socket.destroy(fault('ANSWER_WITHOUT_END'));
  });
  const write = socket.write.bind(socket) as (...args: unknown[]) => boolean;
  socket.write = (...args: unknown[]): boolean => {
    left = ANSWER_BYTES_MAX;
    return write(...args);
  };
}

function fault(code: string): Error {
  return Object.assign(new Error('the database does not answer as one'), { code });
}
