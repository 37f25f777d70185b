import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Test } from 'tap';

import { HOME } from '../source.ts';

/** A request with its body. */
interface Request {
  readonly message: IncomingMessage;
  readonly body: string;
}

/** A server whose responses a test writes, and a record of the requests it received. */
export interface Script {
  readonly url: string;
  readonly requests: readonly Request[];
  /** The number of connections so far. */
  readonly sockets: () => number;
}

/** Starts a server that calls `answer` for each request, with the number of the request from 0. */
export async function serveScript(
  t: Test,
  answer: (response: ServerResponse, number: number, request: Request) => void,
): Promise<Script> {
  const requests: Request[] = [];
  let sockets = 0;
  const server = createServer((message, response) => {
    let body = '';
    message.setEncoding('utf8').on('data', (text: string) => (body += text));
    message.on('end', () => {
      const request = { message, body };
      requests.push(request);
      answer(response, requests.length - 1, request);
    });
  });
  server.on('connection', () => (sockets += 1));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  // A server that listens on TCP has such an address.
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, requests, sockets: () => sockets };
}

/** Responds with an error of the service; `more` are further members of its body, and headers. */
export function refuse(response: ServerResponse, status: number, code: string, more = {}): void {
  const { headers = {}, ...body } = more as { headers?: Record<string, string> };
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify({ error: `${code}.`, code, requestId: 'r-1', ...body }));
}

/**
 * Runs a program without the variables of the test runner; returns its standard output and error.
 */
export async function runProgram(
  program: string,
  cwd: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = { PATH: process.env['PATH'] },
): Promise<{ readonly code: number; readonly out: string }> {
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (out += text));
  }
  const [code] = (await once(child, 'close')) as [number];
  return { code, out };
}

/** The reason why tests of the Python client are skipped, or false. */
export function withoutPython(): string | false {
  const has = spawnSync('python3', ['--version']).status === 0;
  return has ? false : 'python3 is not installed: the Python client is not tested';
}

/** Lets Python find the client, and keeps it from writing compiled files. */
export const PYTHON_ENV: Readonly<Record<string, string>> = {
  PATH: process.env['PATH'] ?? '',
  PYTHONPATH: join(HOME, 'clients/python'),
  PYTHONDONTWRITEBYTECODE: '1',
  PYTHONIOENCODING: 'utf-8',
};
