import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { mock } from 'node:test';
import type { Test } from 'tap';
import type { Answer } from './answer.ts';
import type { RequestHead } from './head.ts';
import { Listener } from './listener.ts';

// Listeners made after this have a clock that the tests move.
mock.timers.enable({ apis: ['setInterval'] });

/** A request as the handler of a test has seen it. */
export interface Call {
  readonly head: RequestHead;
  readonly answer: Answer;
  body: string;
  isWhole: boolean;
  lost: number;
}

export interface Service {
  readonly port: number;
  readonly calls: Call[];
  readonly listener: Listener;
}

/** Lets this many seconds pass for listeners. */
export function pass(seconds: number): void {
  mock.timers.tick(seconds * 1_000);
}

/** Listens with a handler that asks for bodies and then leaves the request to `onCall`. */
export async function listen(t: Test, onCall: (call: Call) => void): Promise<Service> {
  const calls: Call[] = [];
  const listener = new Listener(
    (head, answer) => {
      const call: Call = { head, answer, body: '', isWhole: false, lost: 0 };
      calls.push(call);
      answer.onLost = () => (call.lost += 1);
      if (head.headers.chunked || head.headers.contentLength > 0) {
        answer.receive((data, isLast) => {
          if (call.isWhole) throw new Error('more of a body after its end');
          call.body += Buffer.from(data).toString('latin1');
          call.isWhole = isLast;
        });
      } else call.isWhole = true;
      onCall(call);
    },
    (error) => t.fail(error.message),
  );
  const port = await listener.listen('127.0.0.1', 0);
  t.teardown(() => listener.close());
  return { port, calls, listener };
}

const ANSWER_HEAD = /^HTTP\/1\.1 \d{3} [^]*?\r\nContent-Length: (\d+)\r\n\r\n/;

/** One connection to the service, and what came back on it. */
export class Caller {
  readonly socket: Socket;
  text = '';
  isClosed = false;

  constructor(t: Test, port: number, allowHalfOpen = false) {
    this.socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen });
    this.socket.on('data', (chunk) => (this.text += chunk.toString('latin1')));
    this.socket.on('error', () => undefined);
    this.socket.on('close', () => (this.isClosed = true));
    t.teardown(() => this.socket.destroy());
  }

  async send(text: string): Promise<void> {
    await new Promise<void>((resolve) => {
      this.socket.write(text, 'latin1', () => resolve());
    });
  }

  /** The bodies of the whole answers so far. */
  get bodies(): string[] {
    const found: string[] = [];
    for (let at = 0; at < this.text.length;) {
      const head = ANSWER_HEAD.exec(this.text.slice(at, at + 500));
      if (head === null) break;
      const from = at + head[0].length;
      const to = from + Number(head[1]);
      if (to > this.text.length) break;
      found.push(this.text.slice(from, to));
      at = to;
    }
    return found;
  }
}

/** Waits for what has to come; a hang fails sooner than the test runner notices. */
export async function until(what: string, condition: () => boolean): Promise<void> {
  const endsAt = performance.now() + 5_000;
  while (!condition()) {
    if (performance.now() > endsAt) throw new Error(`never: ${what}`);
    await turn();
  }
}

export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Long enough for what was sent on this machine to have arrived and been dealt with. */
export async function settle(): Promise<void> {
  for (let i = 0; i < 30; i++) await turn();
}

export function reply({ answer }: Call, body: string): void {
  answer.whenTurn(() => {
    const closing = answer.closes ? 'Connection: close\r\n' : '';
    answer.writeText(`HTTP/1.1 200 OK\r\n${closing}Content-Length: ${body.length}\r\n\r\n${body}`);
    answer.finish();
  });
}

export function refuse({ head, answer }: Call): void {
  answer.closes = true;
  answer.whenTurn(() => {
    answer.writeText(`HTTP/1.1 400 Bad Request\r\nContent-Length: ${head.fault.length}\r\n\r\n`);
    answer.writeText(head.fault);
    answer.finish();
  });
}

export const replyPath = (call: Call): void => {
  if (call.head.fault === '') reply(call, call.head.path);
  else refuse(call);
};

export const get = (path: string, headers = ''): string =>
  `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;
export const post = (path: string, body: string, headers = ''): string =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body}`;
export const postChunked = (path: string, chunks: readonly string[]): string => {
  const text = chunks.map((chunk) => `${chunk.length.toString(16)}\r\n${chunk}\r\n`).join('');
  return `POST ${path} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${text}0\r\n\r\n`;
};
export const paths = (count: number): string[] => Array.from({ length: count }, (_, i) => `/${i}`);
