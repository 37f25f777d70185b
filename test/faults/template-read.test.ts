import { StatementSync } from 'node:sqlite';
import t, { type Test } from 'tap';
import { post, startTestService } from '../../lab/service/gateway.ts';

/** SQLITE_IOERR_READ (sqlite3.h): the disk answered a read with EIO. */
const IOERR_READ = 266;

/** Makes every read of a template's source fail; the function returned undoes that. */
function failTemplateReads(t: Test): () => void {
  const original = Object.getOwnPropertyDescriptor(StatementSync.prototype, 'all');
  const all: unknown = original?.value;
  if (original === undefined || typeof all !== 'function') throw new Error('no such method');
  const value = function read(this: StatementSync, ...values: unknown[]): unknown {
    if (!/"(?:draft_)?source"/.test(this.sourceSQL)) return Reflect.apply(all, this, values);
    throw Object.assign(new Error('disk I/O error'), {
      code: 'ERR_SQLITE_ERROR',
      errcode: IOERR_READ,
    });
  };
  Object.defineProperty(StatementSync.prototype, 'all', { ...original, value });
  const mend = (): void => {
    Object.defineProperty(StatementSync.prototype, 'all', original);
  };
  t.teardown(mend);
  return mend;
}

t.test('EIO while a template is read gives 503 until the disk is back', async (t) => {
  const service = await startTestService(t);
  await service.publish('bank', 'receipt');
  await service.draft('bank', 'next');
  const headers = { 'x-api-key': await service.key('bank', ['generate', 'templates:read']) };
  const cookie = await service.session('bank', 'Admin');
  const calls = {
    generate: () =>
      post(`${service.url}/v1/generate`, headers, {
        templateId: 'receipt',
        mode: 'sync',
        data: { customer: 'a' },
      }),
    fields: () => fetch(`${service.url}/v1/templates/receipt/fields`, { headers }),
    publish: () => post(`${service.url}/v1/templates/next/publish`, { cookie }, {}),
  };
  const mend = failTemplateReads(t);
  for (let round = 0; round < 2; round += 1) {
    for (const [name, call] of Object.entries(calls)) {
      const reply = await call();
      t.equal(reply.status, 503, name);
      t.ok(Number(reply.headers.get('retry-after')) > 0, 'a time to try again');
      t.match(await reply.json(), { code: 'storage_unavailable' });
    }
  }
  t.equal((await fetch(`${service.url}/healthz`)).status, 200);
  mend();
  for (const [name, call] of Object.entries(calls)) {
    const reply = await call();
    t.ok([200, 201].includes(reply.status), `${name}: ${reply.status}`);
    await reply.arrayBuffer();
  }
});
