import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, createServer as createMuteServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { gunzipSync } from 'node:zlib';
import type { Test } from 'tap';

import { API_KEY, PDF, PDF_TYPE } from '../described-api.ts';
import { makeCertificates } from '../make-certificates.ts';
import { CASES } from './cases.ts';
import type { Answer, Case } from './terms.ts';

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
  refused: number;
  /** Parts of a run by their digests, with how often each was uploaded. */
  readonly parts: Map<string, number>;
}

/** More than a client reads of a body, and less than it takes to fill a memory. */
export const READ_BYTES_MAX = 256 * 1024 ** 2;
const PIECE = Buffer.alloc(1024 ** 2, ' ');

/** Address of the service that only the proxy knows. */
export const BEHIND_PROXY = 'http://documents.bank.example';

/** All cases: the first place of the path names one. */
interface Served {
  /** It is the address of the proxy, too. */
  readonly url: string;
  readonly secureUrl: string;
  /** Takes connections and says nothing. */
  readonly muteUrl: string;
  readonly seen: ReadonlyMap<string, Seen>;
}

/** Serves all cases, over TLS with certificates that it makes in the folder. */
export async function serveCases(t: Test, folder: string): Promise<Served> {
  const cases = new Map(CASES.map((one) => [one.name, one]));
  const seen = new Map(CASES.map(({ name }) => [name, nothingSeen()]));
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      // A proxy gets the whole address.
      const [, name = ''] = new URL(request.url ?? '', 'http://any').pathname.split('/');
      const [one, record] = [cases.get(name), seen.get(name)];
      if (one === undefined || record === undefined) {
        // A redirect was followed.
        for (const each of seen.values()) each.faults.push(`${request.url} was requested`);
        response.end();
      } else if (one.options?.isBehindProxy === true && !passesProxy(request)) {
        response.writeHead(407, { 'proxy-authenticate': 'Basic realm="proxy"' }).end();
      } else void answer(one, record, { request, body: Buffer.concat(chunks) }, response);
    });
  };
  const url = `http://127.0.0.1:${await listen(t, createServer(serve))}`;
  const read = makeCertificates(folder);
  const tls = { ca: read('ca.pem'), key: read('own.key'), cert: read('own.pem') };
  const secure = createSecureServer({ ...tls, requestCert: true }, serve);
  const secureUrl = `https://127.0.0.1:${await listen(t, secure)}`;
  return { url, secureUrl, muteUrl: `https://127.0.0.1:${await listenMutely(t)}`, seen };
}

/** A server that takes connections and says nothing. */
async function listenMutely(t: Test): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createMuteServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => socket.destroy()).resume();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  // A server that listens on TCP has such an address.
  return (server.address() as AddressInfo).port;
}

async function listen(t: Test, server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  // A server that listens on TCP has such an address.
  return (server.address() as AddressInfo).port;
}

/** Whether the proxy was told its name and password, and gets a whole address. */
function passesProxy({ url = '', headers }: IncomingMessage): boolean {
  const basic = `Basic ${Buffer.from('a user:p:ss').toString('base64')}`;
  return headers['proxy-authorization'] === basic && url.startsWith(`${BEHIND_PROXY}/`);
}

function nothingSeen(): Seen {
  const sockets = new Set<Socket>();
  return {
    requests: 0,
    keys: [],
    faults: [],
    sockets,
    running: 0,
    most: 0,
    sent: [],
    refused: 0,
    parts: new Map(),
  };
}

/** A request with its body. */
interface Received {
  readonly request: IncomingMessage;
  readonly body: Buffer;
}

async function answer(
  { answers, sends }: Case,
  seen: Seen,
  received: Received,
  response: ServerResponse,
): Promise<void> {
  const { headers, socket } = received.request;
  const number = seen.requests;
  seen.requests += 1;
  seen.sockets.add(socket);
  if (headers['x-api-key'] !== API_KEY) seen.faults.push('the key is not sent');
  const key = headers['idempotency-key'];
  if (key !== undefined) seen.keys.push(String(key));
  if (sends !== undefined && !isDeepStrictEqual(JSON.parse(String(received.body)), sends)) {
    seen.faults.push('another body is sent');
  }
  switch (answers) {
    case 'window':
      answerInWindows(seen, response);
      return;
    case 'busy':
      await answerBusily(seen, response);
      return;
    case 'parts':
    case 'changed':
    case 'others':
      takeParts(answers, seen, received, response);
      return;
    case 'events':
      tellEvents(number, received, response);
      return;
    case 'nobody':
    case 'mute':
      return;
  }
  await give(answers[Math.min(number, answers.length - 1)] ?? {}, seen, response);
}

/** A run in this state; `parts` are digests. */
function runOf(state: string, parts: readonly string[] = []): string {
  const counts = Object.fromEntries(COUNTS.map((name) => [name, 0]));
  const told = parts.map((sha256, index) => {
    return { part: index + 1, sha256, format: 'csv', bytes: 1, checked: false };
  });
  const run = { ...RUN, state, counts, parts: told };
  return JSON.stringify({ ...run, partCount: parts.length, lastPart: parts.length });
}

/** The digest of rows that no file of a case has. */
const OTHER_ROWS = 'f'.repeat(64);

/** Takes parts as a run does, and refuses the second one at first, unless the run has other rows. */
function takeParts(
  script: 'parts' | 'changed' | 'others',
  seen: Seen,
  { request, body }: Received,
  response: ServerResponse,
): void {
  const json = { 'content-type': 'application/json' };
  if (request.method === 'GET') {
    const digests = [...seen.parts.keys()];
    if (script === 'others') digests.unshift(OTHER_ROWS);
    if (script === 'changed' && digests.length > 0) digests.push(OTHER_ROWS);
    response.writeHead(200, json).end(runOf('receiving', digests));
    return;
  }
  const digest = createHash('sha256').update(body).digest('base64');
  if (request.headers['content-digest'] !== `sha-256=:${digest}:`) seen.faults.push('the digest');
  const rows = request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body;
  if (!rows.toString().startsWith('customer,total\n')) seen.faults.push('a part without header');
  if (script !== 'others' && seen.parts.size === 1 && seen.refused === 0) {
    seen.refused += 1;
    response.writeHead(409, json);
    response.end('{"error":"No.","code":"run_conflict","requestId":"r-1"}');
    return;
  }
  const sha256 = createHash('sha256').update(rows).digest('hex');
  seen.parts.set(sha256, (seen.parts.get(sha256) ?? 0) + 1);
  const part = seen.parts.size;
  const made = { part, sha256, format: 'csv', bytes: rows.length, checked: false };
  response.writeHead(201, json).end(JSON.stringify(made));
}

/** Tells that a run goes on, cuts the connection, and tells its end to those who come again. */
function tellEvents(number: number, { request }: Received, response: ServerResponse): void {
  if (request.url?.includes('/events') !== true) {
    response.writeHead(200, { 'content-type': 'application/json' }).end(runOf('running'));
    return;
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  if (number > 1) response.end(`: hello\n\n${eventOf('done')}`);
  else response.write(`${eventOf('running')}ev`, () => response.destroy());
}

function eventOf(state: string): string {
  return `event: progress\ndata: ${runOf(state)}\n\n`;
}

const COUNTS =
  'received stored pending invalid failed withdrawn identical refused pages bytes bytesReceived bytesChecked'.split(
    ' ',
  );
const RUN = {
  runId: '01a1f4a2-7b00-7000-8a9d-0123456789ab',
  name: '',
  templateId: 'receipt',
  version: 1,
  idField: 'customer',
  dryRun: false,
  expected: { rows: null, sums: {} },
  onInvalid: 'stop',
  invalidShareMax: 0.05,
  retentionSeconds: 3_600,
  documentsPerPrint: null,
  passwordsByRow: false,
  source: null,
  csv: null,
  reasons: [],
  createdBy: 'user:somchai',
  createdAt: '2026-11-28T08:00:00.000Z',
  startedAt: null,
  endedAt: null,
  damagedDocuments: 0,
  documentsExpired: false,
  nextPart: null,
};

async function give(
  { status = 200, headers = {}, body = '', end }: Answer,
  seen: Seen,
  response: ServerResponse,
): Promise<void> {
  if (end === 'dead') response.destroy();
  if (end === 'dead' || (end === 'silence' && status === 0)) return;
  if (end === 'trickling head') {
    response.socket?.write('HTTP/1.1 200 OK\r\n');
    trickle(response, () => response.socket?.write('x-a: b\r\n'));
    return;
  }
  if (end === 'raw' || end === 'raw silence' || end === 'raw reset') {
    giveRaw(String(body), end, response);
    return;
  }
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
    case 'trickle':
      response.write(body);
      trickle(response, () => response.write(' '));
      return;
    case 'endless':
      response.write(body);
      giveForEver(response, (bytes) => seen.sent.push(bytes));
  }
}

/** Writes a whole answer as it is. */
function giveRaw(
  text: string,
  end: 'raw' | 'raw silence' | 'raw reset',
  { socket }: ServerResponse,
): void {
  if (end === 'raw') socket?.end(text);
  else socket?.write(text);
  // What was written reaches the client first.
  if (end === 'raw reset') setTimeout(() => socket?.resetAndDestroy(), 300);
}

/** Writes a little again and again, until the client leaves. */
function trickle(response: ServerResponse, write: () => void): void {
  const timer = setInterval(write, 100);
  response.on('close', () => clearInterval(timer));
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
    seen.refused += 1;
    response.writeHead(429, { 'retry-after': seconds });
    response.end('{"error":"Too many calls.","code":"rate_limited","requestId":"r-1"}');
    return;
  }
  window.left -= 1;
  const limit = {
    ratelimit: `"minute";r=${window.left};t=${seconds}`,
    'ratelimit-policy': '"minute";q=2;w=1',
  };
  response.writeHead(200, { ...PDF_TYPE, ...limit }).end(PDF);
}

async function answerBusily(seen: Seen, response: ServerResponse): Promise<void> {
  seen.running += 1;
  seen.most = Math.max(seen.most, seen.running);
  await pause(10);
  seen.running -= 1;
  response.writeHead(200, PDF_TYPE).end(PDF);
}
