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
/**
 * Memory that the answers of all connections may take together, in bytes. A faulty server may answer
 * without end on every connection at once: ten connections then held half a gigabyte.
 */
const ANSWERS_BYTES_MAX = 96 * 1024 * 1024;
/** Shorter answers are not counted: nearly all are. */
const SHORT_BYTES_MAX = 64 * 1024;

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
 * all memory before the time limit of the statement. All connections share the memory for answers;
 * when it is used up, the longest answer ends.
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

/** The answer that a socket receives now. */
interface Answer {
  readonly socket: Socket;
  bytes: number;
}

/** The answers under way that are not short, and their bytes together. */
const longAnswers = new Set<Answer>();
let longBytes = 0;
const answers = new WeakMap<Socket, Answer>();

/** Must be called when an answer has been read: an idle connection holds none of it any more. */
export function endAnswer(connection: object): void {
  // mysql2 does not declare it.
  const answer = answers.get((connection as { stream: Socket }).stream);
  if (answer !== undefined) forget(answer);
}

function forget(answer: Answer): void {
  if (longAnswers.delete(answer)) longBytes -= answer.bytes;
  answer.bytes = 0;
}

function boundAnswers(socket: Socket, firstBytesMax: number): void {
  const answer: Answer = { socket, bytes: 0 };
  answers.set(socket, answer);
  let bytesMax = firstBytesMax;
  socket.on('data', (piece: Uint8Array) => {
    answer.bytes += piece.byteLength;
    if (answer.bytes > bytesMax) end(answer);
    else if (answer.bytes > SHORT_BYTES_MAX) countLong(answer, piece.byteLength);
  });
  socket.once('close', () => forget(answer));
  const write = socket.write.bind(socket) as (...args: unknown[]) => boolean;
  socket.write = (...args: unknown[]): boolean => {
    bytesMax = ANSWER_BYTES_MAX;
    forget(answer);
    return write(...args);
  };
}

/** Ends the longest answer when all of them together hold too much. */
function countLong(answer: Answer, bytes: number): void {
  longBytes += longAnswers.has(answer) ? bytes : answer.bytes;
  longAnswers.add(answer);
  if (longBytes <= ANSWERS_BYTES_MAX) return;
  let longest = answer;
  for (const other of longAnswers) if (other.bytes > longest.bytes) longest = other;
  end(longest);
}

function end(answer: Answer): void {
  forget(answer);
  answer.socket.destroy(fault('ANSWER_WITHOUT_END'));
}

function fault(code: string): Error {
  return Object.assign(new Error('the database does not answer as one'), { code });
}
