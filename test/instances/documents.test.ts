import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import tap from 'tap';

import { intaglio } from '../../lab/service/command-line.ts';
import { runTool } from '../options/service.ts';
import { temporaryFolder } from '../store/dialects.ts';
import { addDocument } from '../store/samples.ts';
import { generate, startPair, testSharedLimit, until } from './pair.ts';

/** Two instances over one MariaDB and one object store give the same responses. */

const HOUR_MS = 3_600_000;
/** Look-ups are kept for 3 s; the rest is for a machine on which a timer is late. */
const REVOKED_MS_MAX = 15_000;
const PDF = Buffer.from('%PDF-1.7 planted %%EOF');

interface Stored {
  readonly documentId: string;
  readonly url: string;
  readonly sha256: string;
  readonly expiresAt: string;
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const bytesOf = async (reply: Response): Promise<Buffer> => Buffer.from(await reply.arrayBuffer());

const started = await startPair(tap);
if (started.pair === null) {
  await tap.test('two instances', { skip: started.reason }, () => undefined);
} else {
  const { store, s3, urls, env, addKey } = started.pair;
  const [one, two] = urls;
  const bothWays = [
    [one, two],
    [two, one],
  ] as const;
  const { apiKey } = await addKey();
  const headers = { 'x-api-key': apiKey };
  const add = async (url: string, text: string): Promise<Stored> => {
    const reply = await generate(url, apiKey, { text });
    tap.equal(reply.status, 201);
    return (await reply.json()) as Stored;
  };

  const statusOf = async (url: string, id: string): Promise<number> => {
    const reply = await fetch(`${url}/v1/documents/${id}?download=1`, { headers });
    await reply.arrayBuffer();
    return reply.status;
  };

  await tap.test('one instance serves what the other stores', async (t) => {
    for (const [maker, server] of bothWays) {
      const stored = await add(maker, `made by ${maker}`);
      const reply = await fetch(`${server}/v1/documents/${stored.documentId}`, { headers });
      t.equal(reply.status, 200);
      const record = (await reply.json()) as Stored;
      t.match(record, {
        documentId: stored.documentId,
        templateId: 'note',
        version: 1,
        sha256: stored.sha256,
        expiresAt: stored.expiresAt,
      });
      const address = `${server}/v1/documents/${stored.documentId}?download=1`;
      t.equal(sha256(await bytesOf(await fetch(address, { headers }))), stored.sha256);
      // Behind a load balancer both have one address, so a link of one must work at the other.
      for (const link of [stored.url, record.url]) {
        for (const url of urls) {
          const { pathname, search } = new URL(link);
          const file = await bytesOf(await fetch(`${url}${pathname}${search}`));
          t.equal(sha256(file), stored.sha256);
        }
      }
      const verified = await fetch(`${server}/v1/verify`, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body: JSON.stringify({ sha256: stored.sha256 }),
      });
      t.match(await verified.json(), { issued: true, documentId: stored.documentId });
    }
  });

  await tap.test('one instance attaches what the other stores', async (t) => {
    const folder = await temporaryFolder(t);
    for (const [maker, merger] of bothWays) {
      const { documentId } = await add(maker, 'inside');
      const attach = [documentId];
      const reply = await generate(merger, apiKey, { mode: 'sync', text: 'outside', attach });
      t.equal(reply.status, 200);
      const path = join(folder, 'merged.pdf');
      await writeFile(path, await bytesOf(reply));
      const { out } = await runTool('pdftotext', '-layout', path, '-');
      t.match(out, /outside[^]*page 1 of 2[^]*inside[^]*page 2 of 2/);
    }
  });

  await tap.test('one Idempotency-Key, sent to both at once: one document', async (t) => {
    for (let round = 0; round < 5; round += 1) {
      const once = { 'idempotency-key': `race ${round}` };
      const calls = Array.from({ length: 12 }, async (_, index) => {
        const reply = await generate(index % 2 === 0 ? one : two, apiKey, { headers: once });
        t.equal(reply.status, 201);
        return ((await reply.json()) as Stored).documentId;
      });
      t.equal(new Set(await Promise.all(calls)).size, 1);
      const other = await generate(two, apiKey, { headers: once, text: 'another body' });
      t.match(await other.json(), { code: 'idempotency_conflict' });
    }
    const files = [...s3.objects.keys()].filter((name) => name.endsWith('.pdf'));
    t.equal(files.length, (await store.audit.list({ countMax: 1_000 })).filter(isStored).length);
  });

  await tap.test('both instances count against one rate limit', async (t) => {
    await testSharedLimit(t, started.pair);
  });

  await tap.test('both instances refuse a revoked key within 5 s', async (t) => {
    const doomed = await addKey();
    const { documentId } = await add(one, 'seen');
    const ask = async (url: string): Promise<number> => {
      const address = `${url}/v1/documents/${documentId}`;
      const reply = await fetch(address, { headers: { 'x-api-key': doomed.apiKey } });
      await reply.arrayBuffer();
      return reply.status;
    };
    t.strictSame(await Promise.all(urls.map(ask)), [200, 200]);
    t.equal(await store.keys.revoke(doomed.keyId), true);
    const revokedAt = performance.now();
    // A request that begins five seconds later is refused, even on a machine that stood still
    // meanwhile.
    for (const url of urls) {
      for (;;) {
        const askedMs = performance.now() - revokedAt;
        if ((await ask(url)) === 401) break;
        if (askedMs > REVOKED_MS_MAX) return t.fail(`served ${askedMs} ms after its end`);
      }
    }
    return t.pass('refused');
  });

  await tap.test('expired documents are 410 at both, and gone after both sweep', async (t) => {
    const living = s3.objects.size;
    const old = await Promise.all(
      Array.from({ length: 60 }, () => addDocument(store, PDF, Date.now() - 2 * HOUR_MS)),
    );
    const soon = await addDocument(store, PDF, Date.now() - HOUR_MS + 5_000);
    // Documents that are stored at the same moment share files.
    const all = s3.objects.size;
    t.ok(all >= living + 2, `${all - living} files of 61 documents`);
    for (const url of urls) {
      const status = await statusOf(url, soon.documentId);
      // On a machine that stands still, the response may come after its expiry.
      if (Date.now() < soon.expiresAtMs) t.equal(status, 200);
    }
    t.equal(s3.objects.size, all, 'nothing was swept yet');
    await until(() => Promise.resolve(Date.now() >= soon.expiresAtMs), 60_000);
    for (const url of urls)
      t.equal(await statusOf(url, soon.documentId), 410, 'exactly at its expiry');
    const swept = await Promise.all([0, 1].map(() => intaglio(env, 'sweep', '--json')));
    let expired = 0;
    for (const { code, out, err } of swept) {
      t.equal(code, 0, err);
      expired += (JSON.parse(out) as { expired: number }).expired;
    }
    t.equal(expired, 60, 'each once');
    t.equal(s3.objects.size, living, 'the files are gone, and no other');
    const kept = new Set((await store.audit.list({ countMax: 1_000 })).map((r) => r.documentId));
    for (const { documentId } of [soon, ...old]) t.ok(kept.has(documentId), 'its audit remains');
    for (const url of urls) t.equal(await statusOf(url, old[0]?.documentId ?? ''), 410);
  });
}

function isStored(record: { readonly outcome: string; readonly mode: string }): boolean {
  return record.outcome === 'succeeded' && record.mode === 'async';
}
