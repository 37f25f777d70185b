import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import t from 'tap';
import { noPool, startTestService } from '../fixtures/gateway.ts';
import { TURN_MS, TurnMeter } from './turn-meter.ts';

/** The machine is shared: the best of this many tries counts. */
const TRIES_MAX = 12;
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
    parentPort.postMessage({ bytes: body === null ? 0 : body.length });
    const reply = await fetch(url, body === null ? { headers } : { method: 'POST', headers, body });
    const text = await reply.text();
    const { users } = JSON.parse(text);
    parentPort.postMessage({ status: reply.status, users, bytes: text.length });
  });`;

t.test('identities, listed and synchronised, do not hold up the gateway', async (t) => {
  const service = await startTestService(t, { parts: { pool: noPool } });
  const headers = {
    'x-api-key': await service.key('bank', ['identity-sync']),
    'content-type': 'application/json',
  };
  const caller = new Worker(CALLER, { eval: true });
  t.teardown(() => caller.terminate());
  const url = `${service.url}/v1/sync/identities`;
  const call = async (sync: object | null) => {
    caller.postMessage({ url, headers, sync });
    const [sent] = (await once(caller, 'message')) as [{ bytes: number }];
    const meter = new TurnMeter();
    const [reply] = (await once(caller, 'message')) as [
      { status: number; users: unknown; bytes: number },
    ];
    meter.stop();
    t.equal(reply.status, 200);
    return { sentBytes: sent.bytes, reply, longestMs: meter.longestMs };
  };
  const bestOf = async (make: (round: number) => object | null) => {
    let best = await call(make(0));
    for (let tries = 1; tries < TRIES_MAX && best.longestMs > TURN_MS.max; tries += 1) {
      const next = await call(make(tries));
      if (next.longestMs < best.longestMs) best = next;
    }
    return best;
  };

  // Each round changes every row, so all are written.
  const synced = await bestOf((round) => ({ users: USERS, round, bytes: BODY_BYTES }));
  t.ok(synced.sentBytes > 0.9 * BODY_BYTES && synced.sentBytes < BODY_BYTES, 'a full body');
  t.ok(synced.longestMs <= TURN_MS.max, `sync: ${synced.longestMs.toFixed(1)} ms`);
  const repeated = await bestOf(() => ({ users: USERS, round: 'same', bytes: BODY_BYTES }));
  t.ok(repeated.longestMs <= TURN_MS.max, `sync again: ${repeated.longestMs.toFixed(1)} ms`);
  const listed = await bestOf(() => null);
  t.ok(listed.longestMs <= TURN_MS.max, `list: ${listed.longestMs.toFixed(1)} ms`);
  t.ok(listed.reply.bytes > 10_000_000, 'a list of over 10 MB');
  const users = listed.reply.users as readonly { userId: string }[];
  t.equal(users.length, USERS);
  t.equal(users.at(-1)?.userId, 'user-059999');
  t.comment(
    `sync ${synced.longestMs.toFixed(1)}, again ${repeated.longestMs.toFixed(1)}, ` +
      `list ${listed.longestMs.toFixed(1)} ms`,
  );
});
