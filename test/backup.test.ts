import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import t from 'tap';

import { environment, intaglio, serve } from './fixtures/command-line.ts';
import { folderOf, setUpNote } from './fixtures/note.ts';

/** `backup` beside a service under load, and a second service over what `restore` made of it. */

interface Acknowledged {
  readonly documentId: string;
  readonly sha256: string;
}

const CALLERS = 16;
const DOCUMENTS_FIRST = 100;

t.test('every document acknowledged before a backup comes back and verifies', async (t) => {
  const folder = folderOf(t);
  const apiKey = await setUpNote(folder);
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
  const first = await serve(t, environment(folder));
  const acknowledged: Acknowledged[] = [];
  const ending = new AbortController();
  const caller = async (name: number): Promise<void> => {
    for (let count = 0; !ending.signal.aborted; count += 1) {
      const data = { text: `${name}.${count}` };
      const body = JSON.stringify({ templateId: 'note', mode: 'async', data });
      const reply = await fetch(`${first.url}/v1/generate`, { method: 'POST', headers, body });
      if (reply.status !== 201) throw new Error(`${reply.status} ${await reply.text()}`);
      acknowledged.push((await reply.json()) as Acknowledged);
    }
  };
  const calling = Promise.all(Array.from({ length: CALLERS }, (_, name) => caller(name)));
  while (acknowledged.length < DOCUMENTS_FIRST) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const before = [...acknowledged];
  const backup = `${folder}/backup`;
  const written = await intaglio(environment(folder), 'backup', backup, '--json');
  const meanwhile = acknowledged.length - before.length;
  ending.abort();
  await calling;
  t.equal(written.code, 0, written.err);
  t.ok(meanwhile > 0, `${meanwhile} documents were stored while the backup ran`);

  const taken = await intaglio(environment(folder), 'backup', backup);
  t.equal(taken.code, 1);
  t.match(taken.err, /is not empty: name another folder/);

  const fresh = `${folder}/fresh`;
  mkdirSync(fresh);
  const restored = await intaglio(environment(fresh), 'restore', backup);
  t.equal(restored.code, 0, restored.err);
  t.match(restored.out, /^Restored the backup of .*Z: \d+ rows, \d+ files\.\n$/);
  const again = await intaglio(environment(fresh), 'restore', backup);
  t.equal(again.code, 1);
  t.match(again.err, /^intaglio: the database is in use .*restore into an empty one\n$/);

  const second = await serve(t, environment(fresh));
  let lost = 0;
  for (const { documentId, sha256 } of before) {
    const reply = await fetch(`${second.url}/v1/documents/${documentId}?download=1`, { headers });
    const pdf = Buffer.from(await reply.arrayBuffer());
    if (createHash('sha256').update(pdf).digest('hex') !== sha256) lost += 1;
  }
  t.equal(lost, 0, `of ${before.length} documents`);
  const verdict = await fetch(`${second.url}/v1/verify`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ sha256: before[0]?.sha256 }),
  });
  t.match(await verdict.json(), {
    issued: true,
    documents: [{ documentId: before[0]?.documentId }],
  });
});
