import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';

import { HOME } from '../../lab/home.ts';
import { buildJava, javaArgs, runProgram, withoutJava } from './programs.ts';

const skip = withoutJava();
let classPath = '';
const PIECE = Buffer.alloc(1024 ** 2, ' ');
/** Zeros, of which each takes 40 bytes when it is read. */
const VALUES = Buffer.from(`{"documentId":[${'0,'.repeat(7_000_000)}0]}`);

const ASK = 'Basic realm="a"';

/** Serves the answers; returns the address and the requests. */
async function serve(
  t: Test,
  answer: (request: IncomingMessage, response: ServerResponse) => void,
) {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    response.on('error', () => undefined);
    request.resume().on('end', () => answer(request, response));
  });
  const asks = `HTTP/1.1 407 Who?\r\nproxy-authenticate: ${ASK}\r\ncontent-length: 0\r\n\r\n`;
  server.on('connect', (_, socket) => socket.end(asks));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  // A server that listens on TCP has such an address.
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

/** Sends blanks until the client leaves. */
function giveForEver(response: ServerResponse): void {
  const send = (): void => {
    while (!response.destroyed && response.write(PIECE));
  };
  response.on('drain', send);
  send();
}

/** A PDF of 8 MB, which sixteen threads read at the same time. */
const LARGE = Buffer.concat([
  Buffer.from('%PDF-1.7\n'),
  Buffer.alloc(8 << 20),
  Buffer.from('\n%%EOF\n'),
]);
const json = { 'content-type': 'application/json' };
const NDJSON = { 'content-type': 'application/x-ndjson' };
function answer({ url = '', socket, headers }: IncomingMessage, response: ServerResponse): void {
  // A proxy gets the whole address.
  const [, name = ''] = new URL(url, 'http://any').pathname.split('/');
  switch (name) {
    case 'pdf':
      response.writeHead(200, { 'content-type': 'application/pdf' }).write('%PDF-1.7');
      return giveForEver(response);
    case 'large':
      response.writeHead(200, { 'content-type': 'application/pdf' }).end(LARGE);
      return;
    case 'record':
      response.writeHead(200, url.includes('/manifest') ? NDJSON : json).write('{');
      return giveForEver(response);
    case 'values':
      response.writeHead(200, json).end(VALUES);
      return;
    case 'refusal':
      response.writeHead(400, json).write('{');
      return giveForEver(response);
    case 'asks':
      response.writeHead(401, { 'www-authenticate': ASK }).end();
      return;
    case 'refuses':
      response.writeHead(401).end('<html>');
      return;
    case 'trickle': {
      response.writeHead(400, json).write('{');
      const timer = setInterval(() => response.write(' '), 100);
      response.on('close', () => clearInterval(timer));
      return;
    }
    case 'link':
      response.writeHead(400, json).end(JSON.stringify({ code: 'gone', error: `no ${url}.` }));
      return;
    case 'proxy-asks':
      response.writeHead(407, { 'proxy-authenticate': ASK }).end();
      return;
    case 'proxy-echoes': {
      const told = headers['proxy-authorization'];
      if (told === undefined) response.writeHead(407, { 'proxy-authenticate': ASK }).end();
      else
        response.writeHead(400, json).end(JSON.stringify({ code: 'odd', error: `got ${told}.` }));
      return;
    }
    case 'proxy-refuses':
      response.writeHead(407).end('<html>');
      return;
    default:
      socket.end('HTTP/1.1 ik_a-key\r\n\r\n');
  }
}

t.before(async () => {
  if (skip === false) classPath = await buildJava(join(t.testdirName, 'built'));
});

t.test('strangers fill no memory, and get neither key nor password', { skip }, async (t) => {
  const { url, requests } = await serve(t, answer);
  const words = [...javaArgs(classPath), '-Xmx256m', 'intaglio.client.Endless', url];
  const { code, out } = await runProgram('java', HOME, words);
  t.equal(code, 0, out);
  t.comment(out);
  const told = [
    /^document: NoDocumentException: the PDF is not taken: it is longer than \d+ bytes/,
    /^(document|record|values|line): NoAnswerException: .* the answers .* would fill the memory/,
    /^record: BadAnswerException: the answer is not taken: /,
    /^large: no error: [0-9a-f]{64}$/,
    /^values: BadAnswerException: the answer is n/,
    /^(refusal|trickle): ServiceException: status 400, without a reason of the service/,
    /^line: BadAnswerException: a line of the answer is not taken: /,
    /^(asks|refuses): ServiceException: status 401: the API key is missing or not valid/,
    /^proxy-asks: NoAnswerException: .* after 1 try: the proxy refuses the name and the password/,
    /^(proxy-refuses|tunnel): ServiceException: status 407: the proxy wants a name and a password/,
    /^link: ServiceException: no \/link\/v1\/files\/[…?]\. \(gone, status 400\)$/,
    /^proxy-echoes: ServiceException: got Basic […?]\. \(odd, status 400\)$/,
    /^tells: NoAnswerException: .* after 1 try: the connection was cut/,
  ];
  const odd = out.trimEnd().split('\n');
  t.strictSame(
    odd.filter((line) => !told.some((one) => one.test(line))),
    [],
  );
  const names = new Set(odd.map((line) => line.split(':')[0]));
  t.equal(names.size, 15);
  const given = requests
    .map(({ headers }) => headers.authorization)
    .filter((one) => one !== undefined);
  t.strictSame(given, [], 'name and password of the proxy are for the proxy alone');
});

t.test('mistakes of a program are told by the name of the argument', { skip }, async (t) => {
  const { url, requests } = await serve(t, (_, response) => response.end());
  const words = [...javaArgs(classPath, 'Mistakes'), url];
  const { code, out } = await runProgram('java', HOME, words);
  t.equal(code, 0, out);
  const lines = out.trimEnd().split('\n');
  for (const line of lines) t.match(line, /^([\w.]+): \1\b/, line);
  t.match(out, /data\.x\[1\]\.c is NaN or infinite/);
  t.match(out, /data\.x is nested deeper than 64 levels, or contains itself/);
  t.notMatch(out, /secret/);
  t.equal(requests.length, 0, 'nothing is sent');
});
