import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer, type Server } from 'node:net';
import t, { type Test } from 'tap';
import { talk } from '../fixtures/talk.ts';
import type { HttpFault, TcpFault } from './faults.ts';
import { startHttpProxy } from './http.ts';
import { startTcpProxy } from './tcp.ts';

/** The proxies of run.ts do what the names of their faults say. */

async function portOf(t: Test, server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  return (server.address() as AddressInfo).port;
}

await t.test('a proxy of connections', async (t) => {
  const echo = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.on('data', (bytes) => socket.write(bytes));
  });
  const proxy = await startTcpProxy(await portOf(t, echo));
  t.teardown(() => proxy.close());
  const says = (enough: number) =>
    talk(proxy.port, ['PING'.repeat(4_000)], { enough: ({ text }) => text.length >= enough });
  const under = async (fault: TcpFault, enough = Infinity) => {
    proxy.set({ fault, share: 1 });
    const heard = await says(enough);
    proxy.set(null);
    return heard;
  };
  t.equal((await says(16_000)).text.length, 16_000, 'without a fault');
  t.match(await under('refuse'), { text: '', closed: true });
  t.ok((await under('cut')).text.length < 16_000);
  t.equal((await under('delay', 16_000)).text.length, 16_000);
  t.match((await under('page')).text, /<html>/);
  t.ok((await under('endless', 1_000_000)).text.length >= 1_000_000);
  t.equal((await says(16_000)).text.length, 16_000, 'afterwards');
});

await t.test('a proxy of an object store', async (t) => {
  let requests = 0;
  const store = createHttpServer((_, response) => {
    requests += 1;
    response.setHeader('etag', '"it"').end('an object');
  });
  const port = await portOf(t, store);
  t.teardown(() => store.closeAllConnections());
  const proxy = await startHttpProxy(port);
  t.teardown(() => proxy.close());
  const get = async (fault: HttpFault | null) => {
    proxy.set(fault === null ? null : { fault, share: 1 });
    const answer = await fetch(`http://127.0.0.1:${proxy.port}/object`);
    return { status: answer.status, text: await answer.text() };
  };
  t.match(await get(null), { status: 200, text: 'an object' });
  t.match(await get('page 404'), { status: 404, text: /<html>/ });
  t.match(await get('empty 200'), { status: 200, text: '' });
  t.match(await get('no such bucket'), { status: 404, text: /NoSuchBucket/ });
  for (const fault of ['refuse', 'cut answer', 'half body'] as const) {
    await t.rejects(get(fault), fault);
  }
  requests = 0;
  t.match(await get('repeat'), { status: 200, text: 'an object' });
  t.equal(requests, 2, 'sent twice');
  t.match(await get(null), { status: 200, text: 'an object' });
});
