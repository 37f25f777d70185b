import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import t from 'tap';
import { Agent, request } from 'undici';

import { environment, intaglio, serve } from '../lab/service/command-line.ts';
import { folderOf, setUpNote } from './fixtures/note.ts';

/**
 * Backs up a service under load, restores the backup, and asks a second service for every document
 * that the first had acknowledged. With INTAGLIO_TEST_BACKUP_SECONDS=60 the load has a steady rate
 * for that long before the backup.
 */

interface Acknowledged {
  readonly documentId: string;
  readonly sha256: string;
}

const CALLERS = 16;
const DOCUMENTS_FIRST = 100;
const SECONDS = Number(process.env['INTAGLIO_TEST_BACKUP_SECONDS'] ?? 0);
/** Requests a second in the long variant, half of them in each mode. */
const RATE = 500;
const LONG_CALLERS = 96;
const CHECKERS = 16;
const LONG_SETTINGS: Readonly<Record<string, string>> =
  SECONDS > 0 ? { INTAGLIO_POOL_THREADS: '2', INTAGLIO_POOL_QUEUE_MAX: '1000' } : {};

/** A load on a service, and its results so far. */
interface Load {
  readonly acknowledged: Acknowledged[];
  readonly answered: () => number;
  readonly startMs: number;
  /** Resolves when the last request is answered. */
  end(): Promise<void>;
}

/** Sends requests from many callers, alternately async and sync; in the long variant at `RATE`. */
function startLoad(url: string, headers: Record<string, string>): Load {
  const agent = new Agent({ connections: SECONDS > 0 ? LONG_CALLERS : CALLERS });
  const acknowledged: Acknowledged[] = [];
  const ending = new AbortController();
  const startMs = performance.now();
  let [sent, answered] = [0, 0];
  const call = async (number: number): Promise<void> => {
    const mode = number % 2 === 0 ? 'async' : 'sync';
    const body = JSON.stringify({ templateId: 'note', mode, data: { text: `${number}` } });
    const options = { method: 'POST', headers, body, dispatcher: agent } as const;
    const reply = await request(`${url}/v1/generate`, options);
    const text = await reply.body.text();
    if (reply.statusCode !== (mode === 'sync' ? 200 : 201)) {
      throw new Error(`${reply.statusCode} ${text.slice(0, 200)}`);
    }
    answered += 1;
    if (mode === 'async') acknowledged.push(JSON.parse(text) as Acknowledged);
  };
  const caller = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      const number = sent;
      sent += 1;
      const dueMs = SECONDS > 0 ? startMs + (number * 1_000) / RATE - performance.now() : 0;
      if (dueMs > 0) await new Promise((resolve) => setTimeout(resolve, dueMs));
      await call(number);
    }
  };
  const count = SECONDS > 0 ? LONG_CALLERS : CALLERS;
  const calling = Promise.all(Array.from({ length: count }, caller));
  return {
    acknowledged,
    answered: () => answered,
    startMs,
    end: async () => {
      ending.abort();
      await calling;
      await agent.close();
    },
  };
}

/** Counts the documents that are missing or differ from what was acknowledged. */
async function countLost(
  url: string,
  headers: Record<string, string>,
  documents: readonly Acknowledged[],
): Promise<number> {
  const left = documents.values();
  let lost = 0;
  const checker = async (): Promise<void> => {
    for (const { documentId, sha256 } of left) {
      const reply = await fetch(`${url}/v1/documents/${documentId}?download=1`, { headers });
      const pdf = Buffer.from(await reply.arrayBuffer());
      const isWhole = createHash('sha256').update(pdf).digest('hex') === sha256;
      // The long variant verifies every document; the short one verifies one, at the end of the
      // test.
      const isIssued =
        !isWhole || SECONDS === 0 || (await names(url, headers, { documentId, sha256 }));
      if (!isWhole || !isIssued) lost += 1;
    }
  };
  await Promise.all(Array.from({ length: CHECKERS }, checker));
  return lost;
}

/**
 * Whether the service names the document for this digest. Equal data gives equal bytes, so a digest
 * may belong to as many as 20 documents.
 */
async function names(
  url: string,
  headers: Record<string, string>,
  { documentId, sha256 }: Acknowledged,
): Promise<boolean> {
  const body = JSON.stringify({ sha256 });
  const reply = await fetch(`${url}/v1/verify`, { method: 'POST', headers, body });
  const told = (await reply.json()) as { issued: boolean; documents: Acknowledged[] };
  return told.issued && told.documents.some((one) => one.documentId === documentId);
}

t.test('every document acknowledged before a backup comes back and verifies', async (t) => {
  const folder = folderOf(t);
  const apiKey = await setUpNote(folder);
  const headers = { 'x-api-key': apiKey, 'content-type': 'application/json' };
  const first = await serve(t, environment(folder, LONG_SETTINGS));
  const load = startLoad(first.url, headers);
  const { acknowledged } = load;
  while (acknowledged.length < DOCUMENTS_FIRST || msSince(load.startMs) < SECONDS * 1_000) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  const before = [...acknowledged];
  const rate = (load.answered() * 1_000) / msSince(load.startMs);
  const backupMs = performance.now();
  const backup = `${folder}/backup`;
  const written = await intaglio(environment(folder), 'backup', backup, '--json');
  const meanwhile = acknowledged.length - before.length;
  const took = Math.round(msSince(backupMs));
  await load.end();
  t.comment(
    `${Math.round(rate)} requests/s, ${before.length} documents before the backup, ` +
      `${meanwhile} during its ${took} ms`,
  );
  t.equal(written.code, 0, written.err);
  t.ok(meanwhile > 0, `${meanwhile} documents were stored while the backup ran`);

  const taken = await intaglio(environment(folder), 'backup', backup);
  t.equal(taken.code, 1);
  t.match(taken.err, /is not empty: name another folder/);

  const fresh = `${folder}/fresh`;
  mkdirSync(fresh);
  const restored = await intaglio(environment(fresh), 'restore', backup);
  t.equal(restored.code, 0, restored.err);
  t.match(
    restored.out,
    /^Restored the backup of .*Z: \d+ rows, \d+ files\.\nIt has no seal, .*\n$/,
  );
  const again = await intaglio(environment(fresh), 'restore', backup);
  t.equal(again.code, 1);
  t.match(again.err, /^intaglio: the database is in use .*restore into an empty one\n$/);

  const second = await serve(t, environment(fresh));
  const lost = await countLost(second.url, headers, before);
  t.equal(lost, 0, `of ${before.length} documents`);
  const [one] = before;
  t.ok(one !== undefined && (await names(second.url, headers, one)));
});

function msSince(startMs: number): number {
  return performance.now() - startMs;
}
