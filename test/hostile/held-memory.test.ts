import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request } from 'undici';
import t from 'tap';
import type { Test } from 'tap';
import type { TestService } from '../../lab/service/gateway.ts';
import { noPool, startTestService } from '../../lab/service/gateway.ts';

/** With INTAGLIO_TEST_LONG=1, as many as the service must withstand; otherwise fewer. */
const IS_LONG = process.env['INTAGLIO_TEST_LONG'] === '1';
const SIZE = IS_LONG
  ? { silent: 4_000, bodies: 40, readers: 120, bodyMemoryMb: 256 }
  : { silent: 200, bodies: 6, readers: 12, bodyMemoryMb: 32 };
const MEGABYTE = 1_048_576;
/**
 * Bytes sent of each body, which announces 16 MB, the most that the service accepts; the rest never
 * comes.
 */
const SENT_BYTES = 12 * MEGABYTE;
const FIELDS_BYTES = 7_000_000;
/** The most that stalled responses may hold for longer than a moment (SlowWrites). */
const HELD_BYTES_MAX = 32 * MEGABYTE;
/** It includes the clients' ends of all connections, which this process holds, too. */
const ADDED_BYTES_MAX = 300 * MEGABYTE;

/** A draft with a kept field contract of `bytes`, so that no renderer has to make it. */
async function addDraft({ store }: TestService, name: string, bytes: number): Promise<void> {
  await store.templates.saveDraft('bank', name, name, Buffer.from(`{"templateId":"${name}"}`));
  const draft = await store.templates.draftHash('bank', name);
  if (!draft.found) throw new Error('no draft');
  await store.templates.keepFields(draft.value.hash, Buffer.from(`["${'x'.repeat(bytes)}"]`));
}

function pathOf(draft: string): string {
  return `/v1/templates/${draft}/fields?draft=true`;
}

/** Connects, sends `bytes` and reads nothing. */
async function open(t: Test, service: TestService, bytes: readonly Uint8Array[]): Promise<Socket> {
  const { hostname, port } = new URL(service.url);
  const socket = connect(Number(port), hostname);
  // The service may end the connection at any time.
  socket.on('error', () => socket.destroy());
  t.teardown(() => socket.destroy());
  socket.pause();
  await once(socket, 'connect');
  for (const piece of bytes) socket.write(piece);
  return socket;
}

/** Polls until `isSo` holds; only the test's timeout bounds it. */
async function until(isSo: () => Promise<boolean>): Promise<void> {
  while (!(await isSo())) await pause(20);
}

function figure(metrics: string, name: string): number {
  const line = metrics.split('\n').find((one) => one.startsWith(`intaglio_http_${name} `));
  return Number(line?.split(' ')[1] ?? 0);
}

async function metricsOf({ url }: TestService): Promise<string> {
  return (await fetch(`${url}/metrics`)).text();
}

/** A caller whose connection stays open; returns the status of each response. */
function connectedCaller(t: Test, url: string, cookie: string): () => Promise<number> {
  const dispatcher = new Agent({ connections: 1, pipelining: 1 });
  t.teardown(() => dispatcher.destroy());
  return async () => {
    const reply = await request(url, { headers: { cookie }, dispatcher });
    await reply.body.arrayBuffer();
    return reply.statusCode;
  };
}

/**
 * Sends bodies of identity syncs that stall, each with another key: a key may send one at a time.
 */
async function openBodies(t: Test, service: TestService): Promise<void> {
  const piece = Buffer.alloc(SENT_BYTES, 0x20);
  for (let n = 0; n < SIZE.bodies; n += 1) {
    const key = await service.key('bank', ['identity-sync']);
    const head =
      'POST /v1/sync/identities HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n' +
      `X-Api-Key: ${key}\r\nContent-Length: ${16 * MEGABYTE}\r\n\r\n`;
    await open(t, service, [Buffer.from(head), piece]);
  }
}

t.test('memory is bounded whatever connections, bodies and answers callers hold', async (t) => {
  const options = { bodyMemoryMb: SIZE.bodyMemoryMb };
  const service = await startTestService(t, {
    checksReplies: false,
    options,
    parts: { pool: noPool },
  });
  await addDraft(service, 'wide', FIELDS_BYTES);
  await addDraft(service, 'small', 10);
  const cookie = await service.session('bank', 'Editor');
  const call = connectedCaller(t, service.url + pathOf('small'), cookie);
  t.equal(await call(), 200);
  const before = process.memoryUsage().rss;
  let most = 0;
  let worst = 200;
  const sample = async (): Promise<string> => {
    most = Math.max(most, process.memoryUsage().rss - before);
    worst = Math.max(worst, await call());
    return metricsOf(service);
  };

  for (let n = 0; n < SIZE.silent; n += 1) await open(t, service, []);
  await sample();
  await openBodies(t, service);
  // Bodies beyond the budget are refused.
  const kept = Math.floor((SIZE.bodyMemoryMb * MEGABYTE) / SENT_BYTES);
  const refused = /\{route="POST \/v1\/sync\/identities",status="503"\} (\d+)/;
  let bodies = 0;
  await until(async () => {
    const text = await sample();
    bodies = Math.max(bodies, figure(text, 'body_bytes'));
    return Number(refused.exec(text)?.[1] ?? 0) >= SIZE.bodies - kept;
  });
  t.ok(bodies > 0 && bodies <= SIZE.bodyMemoryMb * MEGABYTE, `bodies held ${bodies} bytes`);

  const ask = Buffer.from(`GET ${pathOf('wide')} HTTP/1.1\r\nHost: x\r\nCookie: ${cookie}\r\n\r\n`);
  for (let n = 0; n < SIZE.readers; n += 1) await open(t, service, [ask]);
  let held = 0;
  await until(async () => {
    const text = await sample();
    const now = figure(text, 'held_bytes');
    held = Math.max(held, now);
    const over = /fields",status="0"\} (\d+)/.exec(text)?.[1] ?? '0';
    return now <= HELD_BYTES_MAX && Number(over) >= SIZE.readers - HELD_BYTES_MAX / FIELDS_BYTES;
  });
  t.ok(held > FIELDS_BYTES, `answers held ${held} bytes`);
  t.equal(worst, 200, 'a caller who was connected before is still served');
  t.comment(`${SIZE.silent} connections and the rest: ${Math.round(most / MEGABYTE)} MB more`);
  if (IS_LONG) t.ok(most <= ADDED_BYTES_MAX, `${most} bytes more`);
});
