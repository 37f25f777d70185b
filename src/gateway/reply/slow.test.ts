import { connect } from 'node:net';
import type { Socket } from 'node:net';
import t from 'tap';
import { post, startTestService } from '../../../lab/service/gateway.ts';
import { SlowWrites } from './slow.ts';

const MEGABYTE = 1_048_576;

interface FakeWrite {
  readonly name: string;
  readonly caller: string;
  readonly heldBytes: number;
  offset: number;
  keepAlive(): void;
  cut(): void;
}

function makeWrites(): {
  events: string[];
  write: (name: string, megabytes?: number) => FakeWrite;
} {
  const events: string[] = [];
  const write = (name: string, megabytes = 0): FakeWrite => ({
    name,
    caller: name.charAt(0),
    heldBytes: megabytes * MEGABYTE,
    offset: 0,
    keepAlive: () => undefined,
    cut: () => void events.push(`${name} cut`),
  });
  return { events, write };
}

t.test('a client that reads nothing for a minute is cut, a slow one is kept', async (t) => {
  const { events, write } = makeWrites();
  const slow = new SlowWrites();
  const [reads, stalls] = [write('reads'), write('stalls')];
  slow.add(reads);
  slow.add(stalls);
  const start = performance.now();
  slow.sweep(start + 4_000);
  reads.offset = 1;
  slow.sweep(start + 30_000);
  slow.sweep(start + 61_000);
  t.same(events, ['stalls cut']);
  slow.remove(reads);
  slow.remove(stalls);
  t.equal(slow.size, 0);
});

t.test('over the limit, the largest caller loses the response that stalled longest', async (t) => {
  const { events, write } = makeWrites();
  const slow = new SlowWrites();
  const start = performance.now();
  const moves = write('a1', 12);
  for (const each of [write('b1', 8), moves, write('a2', 12), write('a3', 4)]) slow.add(each);
  slow.relieve(start + 100);
  t.same(events, [], 'no response has stalled for long');
  moves.offset = 1;
  slow.relieve(start + 1_000);
  t.same(events, ['a2 cut']);
  t.equal(slow.heldBytes, 24 * MEGABYTE);
  slow.add(write('c1', 12));
  slow.relieve(start + 2_000);
  t.same(events.slice(1), ['a3 cut'], 'a holds most, a1 has moved since');
});

t.test('far over the limit, stalled responses are cut at once; a single one stays', async (t) => {
  const { events, write } = makeWrites();
  const slow = new SlowWrites();
  const large = write('a1', 200);
  slow.add(large);
  t.same(events, [], 'alone');
  slow.add(write('b1', 1));
  t.same(events, ['a1 cut'], 'at once');
  t.equal(slow.heldBytes, MEGABYTE);
  slow.remove(large);
  t.equal(slow.heldBytes, MEGABYTE, 'what was cut is not counted twice');
});

const READERS = 24;
const DOCUMENT_BYTES = 12_000_000;

/** Requests a large document and reads nothing of it. */
function stall(url: string, apiKey: string): Socket {
  const { hostname, port } = new URL(url);
  const body = JSON.stringify({
    templateId: 'receipt',
    mode: 'sync',
    data: { customer: 'a', bytes: DOCUMENT_BYTES },
  });
  const socket = connect(Number(port), hostname);
  socket.on('error', () => socket.destroy());
  socket.pause();
  socket.write(
    `POST /v1/generate HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${apiKey}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  );
  return socket;
}

t.test('stalled readers of large documents are cut, others get every byte', async (t) => {
  const service = await startTestService(t, { pool: { queueMax: 2 * READERS } });
  await service.publish('bank', 'receipt');
  const attacker = await service.key('bank', ['generate']);
  const headers = { 'x-api-key': await service.key('bank', ['generate']) };
  const sockets = Array.from({ length: READERS }, () => stall(service.url, attacker));
  t.teardown(() => sockets.forEach((socket) => socket.destroy()));
  const cutCount = async (): Promise<number> => {
    const text = await (await fetch(`${service.url}/metrics`)).text();
    const line = /^intaglio_http_requests_total\{route="POST \/v1\/generate",status="0"\} (\d+)/m;
    return Number(line.exec(text)?.[1] ?? 0);
  };
  // Two responses of 12 MB are within the limit.
  while ((await cutCount()) < READERS - 2) await new Promise((done) => setImmediate(done));
  const data = { customer: 'a', bytes: DOCUMENT_BYTES };
  const body = { templateId: 'receipt', mode: 'sync', data };
  const answer = await post(`${service.url}/v1/generate`, headers, body);
  t.equal((await answer.arrayBuffer()).byteLength, DOCUMENT_BYTES);
});
