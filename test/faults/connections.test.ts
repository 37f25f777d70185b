import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { Agent, request } from 'undici';
import t, { type Test } from 'tap';

import { environment, serve } from '../../lab/service/command-line.ts';
import { folderOf, setUpNote } from '../fixtures/note.ts';

const hasPrlimit = spawnSync('prlimit', ['--version']).status === 0;

/** A connection that sends nothing; resolves when the service has accepted or closed it. */
async function openSilent(t: Test, url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  // The service may reset the connection.
  socket.on('error', () => socket.destroy());
  t.teardown(() => socket.destroy());
  await once(socket, 'connect');
  return socket.resume();
}

t.test(
  'silent connections leave descriptors for the documents of other callers',
  { skip: hasPrlimit ? false : 'needs prlimit of util-linux' },
  async (t) => {
    const folder = folderOf(t);
    const apiKey = await setUpNote(folder);
    const { url } = await serve(t, environment(folder), ['prlimit', '--nofile=256:256', '--']);
    const dispatcher = new Agent({ connections: 1 });
    t.teardown(() => dispatcher.destroy());
    const generate = async (): Promise<number> => {
      const reply = await request(`${url}/v1/generate`, {
        method: 'POST',
        dispatcher,
        headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
        body: JSON.stringify({ templateId: 'note', mode: 'async', data: { text: 'a' } }),
      });
      await reply.body.arrayBuffer();
      return reply.statusCode;
    };
    t.equal(await generate(), 201, 'before');
    for (let count = 50; count <= 400; count += 50) {
      await Promise.all(Array.from({ length: 50 }, () => openSilent(t, url)));
      t.equal(await generate(), 201, `beside ${count} silent connections`);
    }
  },
);
