import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import { AUDIT_EXAMPLE } from '../../src/api/audit.ts';
import { checkReplies } from './reply-check.ts';

t.test('a test learns of a member that /openapi.json does not describe', async (t) => {
  const [record] = AUDIT_EXAMPLE.records;
  let body: object = AUDIT_EXAMPLE;
  const server = createServer((_request, response) => {
    const text = JSON.stringify(body);
    response.setHeader('content-type', 'application/json');
    response.setHeader('content-length', Buffer.byteLength(text)).end(text);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  // A TCP server has such an address.
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  checkReplies(url);
  t.strictSame(await (await fetch(`${url}/v1/audit`)).json(), AUDIT_EXAMPLE);
  body = { records: [{ ...record, password: 'x' }], next: null };
  await t.rejects(fetch(`${url}/v1/audit`), /records\/0 must NOT have additional properties/);
  body = { records: [], next: 5 };
  await t.rejects(fetch(`${url}/v1/audit`), /next must be string,null/);
  t.ok((await fetch(`${url}/healthz`)).ok, 'what is not described is not compared');
});
