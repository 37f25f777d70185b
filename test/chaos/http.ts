import { once } from 'node:events';
import {
  Agent,
  createServer,
  type IncomingMessage,
  request as send,
  type ServerResponse,
} from 'node:http';
import { count, type FaultyProxy, type HttpFault, PAGE, type Strike } from './faults.ts';

const DELAY_MS_MAX = 3_000;
const PIECE = Buffer.alloc(64 * 1_024);

/** A proxy in front of an object store. It passes requests on as they are, with their signatures. */
export async function startHttpProxy(targetPort: number): Promise<FaultyProxy<HttpFault>> {
  const struck = new Map<HttpFault, number>();
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  let strike: Strike<HttpFault> | null = null;
  /** Requests without an answer, which are cut when the fault is over. */
  const silenced = new Set<IncomingMessage>();

  const receive = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await bodyOf(request);
    const fault = strike !== null && Math.random() < strike.share ? strike.fault : null;
    const forward = (): Promise<Answer> => passOn(agent, targetPort, request, body);
    if (fault === null) {
      reply(response, await forward());
      return;
    }
    count(struck, fault);
    if (fault === 'silence') silenced.add(request);
    else await misbehave(fault, request, response, forward);
  };
  const server = createServer((request, response) => {
    // The service may have left; the object store may be ending.
    receive(request, response).catch(() => request.socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    struck,
    set(next) {
      strike = next;
      for (const request of silenced) request.socket.destroy();
      silenced.clear();
    },
    async close() {
      server.closeAllConnections();
      server.close();
      agent.destroy();
      await once(server, 'close');
    },
  };
}

async function misbehave(
  fault: Exclude<HttpFault, 'silence'>,
  request: IncomingMessage,
  response: ServerResponse,
  forward: () => Promise<Answer>,
): Promise<void> {
  switch (fault) {
    case 'refuse':
      request.socket.resetAndDestroy();
      return;
    case 'cut answer':
      await forward();
      request.socket.destroy();
      return;
    case 'half body':
      replyHalf(request, response, await forward());
      return;
    case 'delay':
      await new Promise((resolve) => setTimeout(resolve, Math.random() * DELAY_MS_MAX));
      reply(response, await forward());
      return;
    case 'repeat':
      await forward();
      reply(response, await forward());
      return;
    case 'endless':
      pourWithoutEnd(request, response);
      return;
    case 'page 200':
    case 'page 404':
    case 'page 503':
    case 'empty 200':
    case 'empty 404':
    case 'no such bucket':
      replyOddly(response, fault);
  }
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

async function passOn(
  agent: Agent,
  port: number,
  { method, url, headers }: IncomingMessage,
  body: Buffer,
): Promise<Answer> {
  const path = url ?? '/';
  const outgoing = send({ agent, host: '127.0.0.1', port, path, method: method ?? '', headers });
  outgoing.end(body);
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
  return {
    status: answer.statusCode ?? 0,
    headers: answer.headers,
    body: await bodyOf(answer),
  };
}

function headersOf({ headers }: Answer): IncomingMessage['headers'] {
  const { connection, 'transfer-encoding': encoding, 'keep-alive': alive, ...kept } = headers;
  void connection;
  void encoding;
  void alive;
  return kept;
}

function reply(response: ServerResponse, answer: Answer): void {
  response.writeHead(answer.status, headersOf(answer)).end(answer.body);
}

function replyHalf(request: IncomingMessage, response: ServerResponse, answer: Answer): void {
  const headers = { ...headersOf(answer), 'content-length': answer.body.length + 1 };
  response.writeHead(answer.status, headers);
  response.write(answer.body.subarray(0, answer.body.length / 2), () => request.socket.destroy());
}

/** The answers of something that is no object store. */
function replyOddly(response: ServerResponse, fault: HttpFault): void {
  const [kind, status] = fault.split(' ');
  if (fault === 'no such bucket') {
    response.writeHead(404).end('<Error><Code>NoSuchBucket</Code></Error>');
  } else if (kind === 'empty') {
    response.writeHead(Number(status), { 'content-length': 0 }).end();
  } else {
    response.writeHead(Number(status), { 'content-type': 'text/html' }).end(PAGE);
  }
}

function pourWithoutEnd(request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/octet-stream' });
  const pour = (): void => {
    while (!request.socket.destroyed && response.write(PIECE));
  };
  response.on('drain', pour);
  pour();
}
