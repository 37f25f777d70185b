import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import { SMOKE } from '../suites/plan.ts';
import { runRound } from './round.ts';
import { TRIALS } from './trials.ts';

t.test('a smoke load that delivers nothing is repeated until one does', async (t) => {
  let connections = 0;
  // As a busy machine would: nothing is delivered before the first generator has ended.
  let isFirst = true;
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () =>
      response.writeHead(isFirst ? 503 : 200, { 'content-length': 5 }).end('%PDF-'),
    );
  });
  server.on('connection', (socket) => {
    connections += 1;
    socket.on('close', () => (isFirst = false));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => server.close());
  const trial = TRIALS.find(({ name }) => name === 'single');
  if (trial === undefined) return t.fail('no such load');
  const service = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    keys: ['first', 'second'] as const,
    pid: process.pid,
    rssMb: () => 1,
    command: () => Promise.resolve(null),
    descriptors: () => 1,
    children: () => 1,
    stop: () => Promise.resolve(),
  };
  const plan = { ...SMOKE, loadMs: 100 };
  const round = { index: 0, peakPerSecond: 0, attachedId: '' };
  const [{ statuses }] = await runRound({ service, trial, plan }, round);
  t.ok(connections > 0);
  t.ok(statuses['200'], JSON.stringify(statuses));
});
