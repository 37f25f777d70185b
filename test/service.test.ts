import { createHash } from 'node:crypto';
import t from 'tap';

import { environment, intaglio, serve } from '../lab/service/command-line.ts';
import { folderOf, setUpNote } from './fixtures/note.ts';

/** The service as a process: start, ready line, signals. */

t.test('one line says that it is ready, and SIGTERM ends it with 0', async (t) => {
  const { url, child, lines, exit } = await serve(t, environment(folderOf(t)));
  t.match(lines.at(-1), { level: 'info', msg: 'listening', url: /^http:\/\/127\.0\.0\.1:\d+$/ });
  t.equal((await fetch(`${url}/healthz`)).status, 200);
  t.equal((await fetch(`${url}/readyz`)).status, 200);
  child.kill('SIGTERM');
  t.equal(await exit, 0);
  t.strictSame(
    lines.map(({ msg }) => msg),
    ['listening', 'stopping', 'stopped'],
  );
});

t.test('while it drains it is not ready, but still serves requests', async (t) => {
  const folder = folderOf(t);
  const apiKey = await setUpNote(folder);
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
  const body = JSON.stringify({ templateId: 'note', mode: 'sync', data: { text: 'late' } });
  // Longer than the test: a second signal ends the drain.
  const env = environment(folder, { INTAGLIO_DRAIN_MS: '60000' });
  const { url, child, exit } = await serve(t, env);
  child.kill('SIGTERM');
  for (;;) {
    const ready = await fetch(`${url}/readyz`);
    const { status } = (await ready.json()) as { status: string };
    if (ready.status === 200) continue;
    t.strictSame([ready.status, status], [503, 'stopping']);
    break;
  }
  const reply = await fetch(`${url}/v1/generate`, { method: 'POST', headers, body });
  t.equal(reply.status, 200, 'a request on a new connection');
  t.equal(reply.headers.get('connection'), 'close');
  t.match(Buffer.from(await reply.arrayBuffer()).toString('latin1'), /^%PDF-/);
  child.kill('SIGTERM');
  t.not(await exit, 0);
});

t.test('a wrong setting stops the start with one line', async (t) => {
  const env = environment(folderOf(t), { INTAGLIO_RENDER_TIMEOUT_MS: 'soon' });
  const { code, out, err } = await intaglio(env, 'serve');
  t.equal(code, 1);
  t.equal(out, '');
  t.match(err, /^intaglio: INTAGLIO_RENDER_TIMEOUT_MS is "soon"; allowed: integer, 1 to \d+\n$/);
});

t.test('a taken port stops the start with one line', async (t) => {
  const folder = folderOf(t);
  const { url } = await serve(t, environment(folder));
  const env = environment(folder, { INTAGLIO_PORT: new URL(url).port });
  const { code, err } = await intaglio(env, 'serve');
  t.equal(code, 1);
  t.match(
    err,
    /^intaglio: cannot listen: INTAGLIO_PORT: a running Intaglio of this installation listens .*; end it.*\n$/,
  );
});

interface Acknowledged {
  readonly documentId: string;
  readonly sha256: string;
}

t.test('SIGTERM under load: exit code 0, and all acknowledged documents exist', async (t) => {
  const folder = folderOf(t);
  const apiKey = await setUpNote(folder);
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
  const first = await serve(t, environment(folder));
  const acknowledged: Acknowledged[] = [];
  const refusals = new Set<number>();
  let stopping = false;
  const caller = async (name: number): Promise<void> => {
    for (let count = 0; ; count += 1) {
      const data = { text: `${name}.${count}` };
      const body = JSON.stringify({ templateId: 'note', mode: 'async', data });
      try {
        const response = await fetch(`${first.url}/v1/generate`, {
          method: 'POST',
          headers,
          body,
        });
        const text = await response.text();
        if (response.status === 201) acknowledged.push(JSON.parse(text) as Acknowledged);
        else refusals.add(response.status);
      } catch (error) {
        // The connection ends with the service; any other error is a bug of the test.
        if (!(stopping && error instanceof TypeError)) throw error;
        return;
      }
      if (acknowledged.length >= 40 && !stopping) {
        stopping = true;
        first.child.kill('SIGTERM');
      }
    }
  };
  await Promise.all([1, 2, 3, 4, 5, 6].map(async (name) => caller(name)));
  t.equal(await first.exit, 0);
  t.ok(acknowledged.length >= 40);
  t.ok(
    [...refusals].every((status) => status === 503),
    [...refusals].join(),
  );

  const second = await serve(t, environment(folder));
  const address = (id: string): string => `${second.url}/v1/documents/${id}?download=1`;
  for (const { documentId, sha256 } of acknowledged) {
    const response = await fetch(address(documentId), { headers });
    const pdf = Buffer.from(await response.arrayBuffer());
    t.equal(createHash('sha256').update(pdf).digest('hex'), sha256);
  }
});
