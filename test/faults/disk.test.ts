import { join } from 'node:path';
import t, { type Test } from 'tap';

import { environment, nodeOptions, serve, type Served } from '../../lab/service/command-line.ts';
import { folderOf, setUpNote } from '../fixtures/note.ts';
import { endHanging, ending, hangingFile, readiness, until } from '../../lab/process/waiting.ts';

/** A running service whose disk hangs. */

/** Starts a service and makes all threads of its file I/O hang in reading a document. */
async function serveHung(
  t: Test,
  more: Readonly<Record<string, string>>,
): Promise<Served & { readonly file: string }> {
  const folder = folderOf(t);
  const apiKey = await setUpNote(folder);
  const served = await serve(t, environment(folder, more));
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
  const body = JSON.stringify({ templateId: 'note', mode: 'async', data: { text: 'a' } });
  const made = await fetch(`${served.url}/v1/generate`, { method: 'POST', headers, body });
  const { documentId } = (await made.json()) as { documentId: string };
  const place = join(folder, 'files', documentId.slice(0, 5), documentId.slice(5, 8));
  const file = join(place, `${documentId}.pdf`);
  hangingFile(file);
  t.teardown(() => endHanging(file));
  for (let count = 0; count < 6; count += 1) {
    // No response comes; the connection ends with the service.
    fetch(`${served.url}/v1/documents/${documentId}?download=1`, { headers }).catch(
      () => undefined,
    );
  }
  await until(async () => (await readiness(served.url)).status !== 'ready');
  return { ...served, file };
}

t.test('/readyz reports a disk that hangs, and recovers by itself', async (t) => {
  const { url, file } = await serveHung(t, {});
  t.strictSame(await readiness(url), {
    status: 'storage unavailable',
    reason: 'no answer within a second',
  });
  t.equal((await fetch(`${url}/healthz`)).status, 200);
  t.match(await (await fetch(`${url}/metrics`)).text(), /^intaglio_store_up 0$/m);
  endHanging(file);
  await until(async () => (await readiness(url)).status === 'ready');
  t.pass('ready again');
});

t.test('SIGTERM ends the service within its time while the disk hangs', async (t) => {
  const { child, exit } = await serveHung(t, { INTAGLIO_SHUTDOWN_TIMEOUT_MS: '500' });
  child.kill('SIGTERM');
  t.not(await ending(exit), 'never');
});

t.test('a second signal ends it at once while the disk hangs', async (t) => {
  const { child, exit, lines } = await serveHung(t, { INTAGLIO_SHUTDOWN_TIMEOUT_MS: '600000' });
  child.kill('SIGTERM');
  await until(async () => lines.some(({ msg }) => msg === 'stopping'));
  child.kill('SIGTERM');
  t.not(await ending(exit), 'never');
});

t.test('an uncaught exception ends it while the disk hangs', async (t) => {
  const module = `process.on('SIGUSR2', () => { throw new Error('a bug'); })`;
  const NODE_OPTIONS = nodeOptions(`--import "data:text/javascript,${encodeURIComponent(module)}"`);
  const { child, exit, lines } = await serveHung(t, { NODE_OPTIONS });
  child.kill('SIGUSR2');
  t.not(await ending(exit), 'never');
  t.match(lines.at(-1), { level: 'fatal', msg: 'uncaught exception', err: { message: 'a bug' } });
});
