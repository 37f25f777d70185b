import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Route } from 'playwright-core';
import type { Test } from 'tap';

/** Answers a request as the service does, and breaks the connection in the body of the answer. */
export async function breakInBody(t: Test, route: Route): Promise<void> {
  const answer = await route.fetch();
  const body = await answer.body();
  const { etag = '', 'content-type': type = '' } = answer.headers();
  const server = createServer((_, reply) => {
    reply.writeHead(answer.status(), {
      etag,
      'content-type': type,
      'content-length': body.length,
    });
    reply.write(body.subarray(0, body.length >> 1), () => reply.destroy());
  });
  server.listen(0, '127.0.0.1');
  t.teardown(() => server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await route.continue({ url: `http://127.0.0.1:${port}/` });
}
