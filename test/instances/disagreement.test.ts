import tap, { type Test } from 'tap';

import { nodeOptions } from '../../lab/service/command-line.ts';
import { addDocument } from '../store/samples.ts';
import { generate, startPair, testSharedLimit, type Pair } from './pair.ts';

/** Two instances that disagree about the time, or about the secret that signs links. */

const HOUR_MS = 3_600_000;
const SKEW_MS = 2 * HOUR_MS;
const PDF = Buffer.from('%PDF-1.7 planted %%EOF');

/** Sets the wall clock of a process and of its threads forward. */
const AHEAD = `const now = Date.now; Date.now = () => now() + ${SKEW_MS};`;
const NODE_OPTIONS = nodeOptions(`--import "data:text/javascript,${encodeURIComponent(AHEAD)}"`);

interface Stored {
  readonly documentId: string;
  readonly url: string;
}

async function pairWith(t: Test, ofTwo: Readonly<Record<string, string>>): Promise<Pair | null> {
  const started = await startPair(t, { two: ofTwo });
  if (started.pair === null) t.plan(0, started.reason);
  return started.pair;
}

async function statusOf(url: string, headers: Readonly<Record<string, string>> = {}) {
  const reply = await fetch(url, { headers });
  await reply.arrayBuffer();
  return reply.status;
}

function file(server: string, documentId: string): string {
  return `${server}/v1/documents/${documentId}?download=1`;
}

/** A document made by one instance, and its link at either instance. */
async function add(maker: string, apiKey: string) {
  const reply = await generate(maker, apiKey, { text: 'a' });
  const { documentId, url } = (await reply.json()) as Stored;
  const { pathname, search } = new URL(url);
  return { documentId, linkAt: (server: string) => server + pathname + search };
}

await tap.test('clocks two hours apart', async (t) => {
  const pair = await pairWith(t, { NODE_OPTIONS });
  if (pair === null) return;
  const { urls, store, addKey } = pair;
  const [one, ahead] = urls;
  const { apiKey } = await addKey();
  const headers = { 'x-api-key': apiKey };

  const first = await add(one, apiKey);
  const second = await add(ahead, apiKey);
  for (const { documentId } of [first, second]) {
    for (const url of urls) t.equal(await statusOf(file(url, documentId), headers), 200);
  }

  t.equal(await statusOf(first.linkAt(one)), 200);
  t.equal(await statusOf(second.linkAt(ahead)), 200);
  t.equal(await statusOf(second.linkAt(one)), 404, 'no link of this clock names such an expiry');
  t.equal(await statusOf(first.linkAt(ahead)), 410, 'the link has expired on the faster clock');

  const soon = await addDocument(store, PDF, Date.now());
  t.equal(await statusOf(file(one, soon.documentId), headers), 200, 'one hour to live');
  t.equal(await statusOf(file(ahead, soon.documentId), headers), 410, 'expired on that clock');
  t.equal(await statusOf(file(one, soon.documentId), headers), 410, 'and then on both');

  await testSharedLimit(t, pair);
});

await tap.test('an instance with another link secret', async (t) => {
  const pair = await pairWith(t, {
    INTAGLIO_LINK_SECRETS: 'a secret that the other instance does not hold',
  });
  if (pair === null) return;
  const { urls, addKey } = pair;
  const [one, other] = urls;
  const { apiKey } = await addKey();
  const headers = { 'x-api-key': apiKey };
  for (const [maker, server] of [
    [one, other],
    [other, one],
  ] as const) {
    const { documentId, linkAt } = await add(maker, apiKey);
    t.equal(await statusOf(linkAt(maker)), 200, 'its links work');
    t.equal(await statusOf(linkAt(server)), 404, 'and are unknown to the other');
    // Nothing else depends on the secret.
    for (const url of urls) {
      t.equal(await statusOf(file(url, documentId), headers), 200);
      t.equal(await statusOf(`${url}/readyz`), 200);
    }
  }
});
