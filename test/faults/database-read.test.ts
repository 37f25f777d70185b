import mysql from 'mysql2';
import t, { type Test } from 'tap';
import { post, startTestService } from '../../lab/service/gateway.ts';
import { startMariaDb } from '../../lab/servers/mariadb.ts';

/** ER_GET_ERRNO: the storage engine got an error from the disk (MariaDB, "MariaDB Error Codes"). */
const READ_ERROR = { errno: 1030, code: 'ER_GET_ERRNO' };
/** The code of mysql2 for a connection that ended in the middle of a result. */
const LOST = { code: 'PROTOCOL_CONNECTION_LOST', fatal: true };

type Done = (error: unknown, result?: unknown) => void;

/** Makes every matching read fail as in MariaDB; the function returned undoes that. */
function failReads(t: Test, wanted: RegExp, fault: object): () => void {
  // mysql2 declares connections by an interface only; they are all of this class.
  const prototype = (mysql as unknown as { Connection: { prototype: object } }).Connection
    .prototype;
  const execute: unknown = Reflect.get(prototype, 'execute');
  if (typeof execute !== 'function') throw new Error('no such method');
  const fail = function fail(this: unknown, text: string, values: unknown, done: Done): unknown {
    if (!wanted.test(text)) return Reflect.apply(execute, this, [text, values, done]);
    setImmediate(() => done(Object.assign(new Error('read error'), fault)));
    return undefined;
  };
  Object.defineProperty(prototype, 'execute', { value: fail, configurable: true, writable: true });
  const mend = (): void => {
    Object.defineProperty(prototype, 'execute', {
      value: execute,
      configurable: true,
      writable: true,
    });
  };
  t.teardown(mend);
  return mend;
}

const started = await startMariaDb();
if (started.server === null) {
  await t.test('read errors of MariaDB', { skip: started.reason }, () => undefined);
} else {
  const { server } = started;
  t.teardown(() => server.stop());
  await t.test('a read error of MariaDB gives 503 until it reads again', async (t) => {
    const service = await startTestService(t, { store: { databaseUrl: await server.freshUrl() } });
    service.open();
    await service.publish('bank', 'receipt');
    // This template is in no cache yet.
    await service.publish('bank', 'letter');
    await service.draft('bank', 'next');
    const scopes = ['generate', 'templates:read', 'documents:read'] as const;
    const headers = { 'x-api-key': await service.key('bank', [...scopes]) };
    const cookie = await service.session('bank', 'Admin');
    const generate = (templateId: string, mode: string): Promise<Response> =>
      post(`${service.url}/v1/generate`, headers, { templateId, mode, data: { customer: 'a' } });
    const stored = await generate('receipt', 'async');
    t.equal(stored.status, 201);
    const { documentId } = (await stored.json()) as { documentId: string };
    const calls = {
      'a template to generate from': () => generate('letter', 'sync'),
      'a template for its fields': () =>
        fetch(`${service.url}/v1/templates/letter/fields`, { headers }),
      'a version of a template': () =>
        fetch(`${service.url}/v1/templates/receipt/versions/1`, { headers: { cookie } }),
      'a draft to publish': () => post(`${service.url}/v1/templates/next/publish`, { cookie }, {}),
      'a document': () => fetch(`${service.url}/v1/documents/${documentId}`, { headers }),
      'the bytes of a document': () =>
        fetch(`${service.url}/v1/documents/${documentId}?download=1`, { headers }),
    };
    const refused = async (name: string, call: () => Promise<Response>): Promise<void> => {
      const reply = await call();
      t.equal(reply.status, 503, name);
      t.ok(Number(reply.headers.get('retry-after')) > 0, 'a time to try again');
      t.match(await reply.json(), { code: 'storage_unavailable' });
    };
    for (const fault of [READ_ERROR, LOST]) {
      const mend = failReads(t, /`(?:draft_)?source`|from `documents`/, fault);
      for (const [name, call] of Object.entries(calls)) {
        await refused(`${name}, ${fault.code}`, call);
      }
      t.equal((await fetch(`${service.url}/healthz`)).status, 200);
      mend();
    }
    for (const [name, call] of Object.entries(calls)) {
      const reply = await call();
      t.ok([200, 201].includes(reply.status), `${name}: ${reply.status}`);
      await reply.arrayBuffer();
    }
  });
}
