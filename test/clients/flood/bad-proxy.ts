import { once } from 'node:events';
import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Test } from 'tap';

/** How often the proxy did what. */
export interface Mischief {
  passed: number;
  /** Connections cut before the service got the request, and after it had answered. */
  cutBefore: number;
  cutAfter: number;
  refused: number;
}

/**
 * A proxy before a service. It cuts one connection in twenty: half of them before the request is
 * passed on, half when the response has come, before it or in its middle. It answers one request in a
 * hundred with 429, two with 503 and one with the page of a balancer, instead of the service.
 */
export async function serveBadly(
  t: Test,
  service: string,
  random: () => number,
): Promise<{ readonly url: string; readonly mischief: Mischief }> {
  const mischief: Mischief = { passed: 0, cutBefore: 0, cutAfter: 0, refused: 0 };
  const agent = new Agent({ keepAlive: true });
  const serve = async (asked: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await bytesOf(asked);
    const chance = random();
    if (chance < 0.025) {
      mischief.cutBefore += 1;
      response.destroy();
      return;
    }
    if (chance > 0.96) {
      mischief.refused += 1;
      refuse(response, chance);
      return;
    }
    const { method = '', headers, url = '' } = asked;
    const passed = request(service + url, { method, headers, agent });
    passed.end(body);
    const [answer] = (await once(passed, 'response')) as [IncomingMessage];
    const whole = await bytesOf(answer);
    if (chance < 0.05) {
      mischief.cutAfter += 1;
      await cutInTheMiddle(answer, whole.subarray(0, whole.length * random()), response);
      return;
    }
    mischief.passed += 1;
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    response.end(whole);
  };
  const server = createServer((asked, response) => void serve(asked, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    agent.destroy();
    server.closeAllConnections();
    server.close();
  });
  // A server that listens on TCP has such an address.
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, mischief };
}

async function bytesOf(message: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function refusalOf(code: string): string {
  return JSON.stringify({ error: code, code, requestId: 'r' });
}

function refuse(response: ServerResponse, chance: number): void {
  if (chance > 0.99) {
    response.writeHead(429, { 'retry-after': '1' }).end(refusalOf('rate_limited'));
  } else if (chance > 0.97) response.writeHead(503).end(refusalOf('overloaded'));
  else response.writeHead(502, { 'content-type': 'text/html' }).end('<h1>Bad gateway</h1>');
}

/** The length that is told is that of the whole body: the client sees that it is cut. */
async function cutInTheMiddle(
  answer: IncomingMessage,
  part: Buffer,
  response: ServerResponse,
): Promise<void> {
  if (part.length > 0) {
    response.writeHead(answer.statusCode ?? 502, answer.headers);
    await new Promise((written) => response.write(part, written));
  }
  response.destroy();
}
