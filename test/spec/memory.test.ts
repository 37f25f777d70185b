import { readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';

import { openStore } from '../../src/store/open.ts';
import { environment, nodeOptions, serve } from '../../lab/service/command-line.ts';
import { folderOf, setUpNote } from '../fixtures/note.ts';
import { until } from '../../lab/process/waiting.ts';

const CALLS = 20;
const HOUR_MS = 3_600_000;
/** A key is held for the 3 s of its look-up. */
const LOOKUP_ENDED_MS = 4_000;
/** Looks into the heap: a busy machine may drop the key later. */
const LOOKS_MAX = 5;
const UNKNOWN_KEY = `ik_${'x'.repeat(43)}`;

/** The id of a key, and the token of a new session. */
async function openSession(folder: string): Promise<{ keyId: string; token: string }> {
  const store = await openStore({
    databaseUrl: `sqlite:${folder}/intaglio.db`,
    filesUrl: `file:${folder}/files`,
  });
  try {
    await store.users.add({ userId: 'user', teamId: 'team', role: 'Viewer' });
    const added = await store.sessions.add('user', Date.now() + HOUR_MS);
    const [key] = await store.keys.list('team');
    if (!added.ok || key === undefined) throw new Error('no session');
    return { keyId: key.keyId, token: added.value.token };
  } finally {
    await store.close();
  }
}

/** The heap snapshot of the process, complete when the list of strings at its end is. */
async function snapshotIn(folder: string): Promise<string> {
  let text = '';
  await until(async () => {
    const name = readdirSync(folder).find((one) => one.endsWith('.heapsnapshot'));
    if (name === undefined || statSync(join(folder, name)).size === 0) return false;
    text = readFileSync(join(folder, name), 'latin1');
    if (!text.trimEnd().endsWith(']}')) return false;
    rmSync(join(folder, name));
    return true;
  });
  return text;
}

t.test(
  'keys stay in memory for seconds only, session cookies and link tokens not at all',
  async (t) => {
    const folder = folderOf(t);
    const apiKey = await setUpNote(folder);
    const { keyId, token } = await openSession(folder);
    const NODE_OPTIONS = nodeOptions(`--heapsnapshot-signal=SIGUSR2 --diagnostic-dir=${folder}`);
    const { url, child } = await serve(t, environment(folder, { NODE_OPTIONS }));
    const made = await fetch(`${url}/v1/generate`, {
      method: 'POST',
      headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ templateId: 'note', mode: 'async', data: { text: 'a' } }),
    });
    const document = (await made.json()) as { documentId: string; url: string };
    const { pathname } = new URL(document.url);
    const calls = [
      [`/v1/documents/${document.documentId}`, { 'x-api-key': apiKey }],
      [pathname, {}],
      // V8 keeps the last text that a regular expression matched, the driver the last values of a
      // query.
      [`/v1/documents/${document.documentId}`, { 'x-api-key': UNKNOWN_KEY }],
      // Nor are the headers of the last request kept.
      [`/v1/documents/${document.documentId}`, { cookie: `intaglio_session=${token}` }],
    ] as const;
    for (const [path, headers] of calls) {
      const isUnknown = 'x-api-key' in headers && headers['x-api-key'] === UNKNOWN_KEY;
      for (let call = 0; call < CALLS; call += 1) {
        const reply = await fetch(url + path, { headers });
        await reply.arrayBuffer();
        t.equal(reply.status, isUnknown ? 401 : 200, path.slice(0, 20));
      }
    }
    const linkToken = pathname.slice(pathname.lastIndexOf('/') + 1);
    const secrets = Object.entries({ apiKey, token, linkToken });
    let kept: readonly string[] = [];
    for (let looks = 0; looks === 0 || (kept.length > 0 && looks < LOOKS_MAX); looks += 1) {
      await pause(LOOKUP_ENDED_MS);
      child.kill('SIGUSR2');
      const heap = await snapshotIn(folder);
      t.ok(heap.includes(keyId), 'the id of the key is kept, and found');
      kept = secrets.filter(([, secret]) => heap.includes(secret)).map(([name]) => name);
    }
    for (const [name, secret] of secrets) t.ok(secret.length >= 20, `${name} is a secret`);
    t.strictSame(kept, [], 'no secret is kept');
  },
);
