import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import t from 'tap';
import { noPool, startTestService } from '../../lab/service/gateway.ts';
import { bestTurnMs, TURN_MS } from './turn-meter.ts';

const USERS = 60_000;
/** The largest body that the service accepts: 16 MB. */
const BODY_BYTES = 16 * 1024 * 1024;

/** In a separate thread, so that sending and receiving cost the gateway's thread nothing. */
const CALLER = `
  const { parentPort } = require('node:worker_threads');
  const bodyOf = (users, round, bytes) => {
    const displayName = String(round).padStart(Math.floor(bytes / users) - 115, 'n');
    const list = Array.from({ length: users }, (_, n) => {
      const userId = 'user-' + String(n).padStart(6, '0');
      return { userId, teamId: 'bank', role: 'Viewer', displayName, email: userId + '@bank.test' };
    });
    return JSON.stringify({ users: list });
  };
  parentPort.on('message', async ({ url, headers, sync }) => {
    const body = sync === null ? null : bodyOf(sync.users, sync.round, sync.bytes);
    const reply = await fetch(url, body === null ? { headers } : { method: 'POST', headers, body });
    const text = await reply.text();
    const { users } = JSON.parse(text);
    const sentBytes = body === null ? 0 : body.length;
    parentPort.postMessage({ status: reply.status, users, bytes: text.length, sentBytes });
  });`;

/** What the other thread received, and the size of what it sent. */
interface Reply {
  readonly status: number;
  readonly users: unknown;
  readonly bytes: number;
  readonly sentBytes: number;
}

t.test('identities, listed and synchronised, do not hold up the gateway', async (t) => {
  const service = await startTestService(t, { checksReplies: false, parts: { pool: noPool } });
  const headers = {
    'x-api-key': await service.key('bank', ['identity-sync']),
    'content-type': 'application/json',
  };
  const caller = new Worker(CALLER, { eval: true });
  t.teardown(() => caller.terminate());
  const url = `${service.url}/v1/sync/identities`;
  let reply: Reply = { status: 0, users: null, bytes: 0, sentBytes: 0 };
  const call = async (sync: object | null): Promise<void> => {
    caller.postMessage({ url, headers, sync });
    [reply] = (await once(caller, 'message')) as [Reply];
    t.equal(reply.status, 200);
  };
  const size = { users: USERS, bytes: BODY_BYTES };

  // Each round changes every row, so all are written.
  const received = { bodyBytes: BODY_BYTES };
  const syncMs = await bestTurnMs((round) => call({ ...size, round }), received);
  t.ok(reply.sentBytes > 0.9 * BODY_BYTES && reply.sentBytes < BODY_BYTES, 'a full body');
  t.ok(syncMs <= TURN_MS.max, `sync: ${syncMs.toFixed(1)} ms`);
  const againMs = await bestTurnMs(() => call({ ...size, round: 'same' }), received);
  t.ok(againMs <= TURN_MS.max, `sync again: ${againMs.toFixed(1)} ms`);
  const listMs = await bestTurnMs(() => call(null));
  t.ok(listMs <= TURN_MS.max, `list: ${listMs.toFixed(1)} ms`);
  t.ok(reply.bytes > 10_000_000, 'a list of over 10 MB');
  const users = reply.users as readonly { userId: string }[];
  t.equal(users.length, USERS);
  t.equal(users.at(-1)?.userId, 'user-059999');
  t.comment(`sync ${syncMs.toFixed(1)}, again ${againMs.toFixed(1)}, list ${listMs.toFixed(1)} ms`);
});
