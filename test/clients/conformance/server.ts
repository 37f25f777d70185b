import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Test } from 'tap';

import { API_KEY, PDF, PDF_TYPE } from '../described-api.ts';
import { type Answer, type Case, CASES } from './cases.ts';

/** What a case saw of its client. */
export interface Seen {
  requests: number;
  readonly keys: string[];
  readonly faults: string[];
  readonly sockets: Set<Socket>;
  running: number;
  most: number;
  /** Bytes of each endless body, when its client has left. */
  readonly sent: number[];
}

/** More than a client reads of a body, and less than it takes to fill a memory. */
export const READ_BYTES_MAX = 256 * 1024 ** 2;
const PIECE = Buffer.alloc(1024 ** 2, ' ');

/** Serves all cases: the first place of the path names one. */
export async function serveCases(
  t: Test,
): Promise<{ readonly url: string; readonly seen: ReadonlyMap<string, Seen> }> {
  const cases = new Map(CASES.map((one) => [one.name, one]));
  const seen = new Map(CASES.map(({ name }) => [name, nothingSeen()]));
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      const [, name = ''] = (request.url ?? '').split('/');
      const [one, record] = [cases.get(name), seen.get(name)];
      if (one === undefined || record === undefined) {
        // A redirect was followed.
        for (const each of seen.values()) each.faults.push(`${request.url} was requested`);
        response.end();
      } else void answer(one, record, request, response);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  // A server that listens on TCP has such an address.
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, seen };
}

function nothingSeen(): Seen {
  const sockets = new Set<Socket>();
  return { requests: 0, keys: [], faults: [], sockets, running: 0, most: 0, sent: [] };
}

async function answer(
  { answers }: Case,
  seen: Seen,
  { headers, socket }: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const number = seen.requests;
  seen.requests += 1;
  seen.sockets.add(socket);
  if (headers['x-api-key'] !== API_KEY) seen.faults.push('the key is not sent');
  const key = headers['idempotency-key'];
  if (key !== undefined) seen.keys.push(String(key));
  if (answers === 'window') answerInWindows(seen, response);
  else if (answers === 'busy') await answerBusily(seen, response);
  else if (answers !== 'nobody') {
    await give(answers[Math.min(number, answers.length - 1)] ?? {}, seen, response);
  }
}

async function give(
  { status = 200, headers = {}, body = '', end }: Answer,
  seen: Seen,
  response: ServerResponse,
): Promise<void> {
  if (end === 'dead') response.destroy();
  if (end === 'dead' || (end === 'silence' && status === 0)) return;
  response.writeHead(status, headers);
  switch (end) {
    case undefined:
      response.end(body);
      return;
    case 'cut':
      // What was written reaches the client before the end of its connection does.
      response.write(body, () => response.socket?.end());
      return;
    case 'silence':
      response.write(body);
      return;
    case 'slow':
      await giveSlowly(Buffer.from(body), response);
      return;
    case 'endless':
      response.write(body);
      giveForEver(response, (bytes) => seen.sent.push(bytes));
  }
}

async function giveSlowly(body: Buffer, response: ServerResponse): Promise<void> {
  const size = Math.ceil(body.length / 10);
  for (let at = 0; at < body.length; at += size) {
    response.write(body.subarray(at, at + size));
    await pause(600);
  }
  response.end();
}

/** Sends blanks until the client leaves, or has read far more than it should. */
function giveForEver(response: ServerResponse, onSent: (bytes: number) => void): void {
  let sent = 0;
  const send = (): void => {
    while (!response.closed && sent < 2 * READ_BYTES_MAX) {
      sent += PIECE.byteLength;
      if (!response.write(PIECE)) return;
    }
    response.end();
  };
  response.on('drain', send).on('close', () => onSent(sent));
  send();
}

const windows = new WeakMap<Seen, { left: number; endsMs: number }>();

/** Two calls pass each window of a second. */
function answerInWindows(seen: Seen, response: ServerResponse): void {
  const now = performance.now();
  let window = windows.get(seen);
  if (window === undefined || now >= window.endsMs) {
    window = { left: 2, endsMs: now + 1_000 };
    windows.set(seen, window);
  }
  const seconds = String(Math.ceil((window.endsMs - now) / 1_000));
  if (window.left === 0) {
    response.writeHead(429, { 'retry-after': seconds });
    response.end('{"error":"Too many calls.","code":"rate_limited","requestId":"r-1"}');
    return;
  }
  window.left -= 1;
  const limit = { ratelimit: `"minute";r=${window.left};t=${seconds}` };
  response.writeHead(200, { ...PDF_TYPE, ...limit }).end(PDF);
}

async function answerBusily(seen: Seen, response: ServerResponse): Promise<void> {
  seen.running += 1;
  seen.most = Math.max(seen.most, seen.running);
  await pause(10);
  seen.running -= 1;
  response.writeHead(200, PDF_TYPE).end(PDF);
}
