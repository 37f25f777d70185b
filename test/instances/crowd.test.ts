import { randomBytes } from 'node:crypto';
import tap, { type Test } from 'tap';
import { Agent, request } from 'undici';

import { generate, isReady, startPair } from './pair.ts';

/**
 * A crowd of connections costs the crowd: neither callers without a key nor one caller with a
 * thousand readers stop the others, on a database with few connections.
 */

/** More than the queue for connections to the database holds. */
const CONNECTIONS = 1_300;
const LOOKS = 20;

const randomKey = (): string => `ik_${randomBytes(32).toString('base64url')}`;

const started = await startPair(tap, { one: { INTAGLIO_RATE_LIMIT_PER_MINUTE: '1000000' } });
if (started.pair === null) {
  await tap.test('a crowd', { skip: started.reason }, () => undefined);
} else {
  const { urls, addKey } = started.pair;
  const [url] = urls;
  const { apiKey } = await addKey();
  const made = (await (await generate(url, apiKey)).json()) as { documentId: string };
  const { documentId } = made;

  /** Reads a document's state again and again with the keys of the crowd, while `look` is called. */
  const beside = async (t: Test, keyOf: () => string, look: () => Promise<void>): Promise<void> => {
    const agent = new Agent({ connections: CONNECTIONS, pipelining: 1 });
    const over = new AbortController();
    const statuses = new Map<number, number>();
    const member = async (): Promise<void> => {
      while (!over.signal.aborted) {
        const { statusCode, body } = await request(`${url}/v1/documents/${documentId}`, {
          dispatcher: agent,
          headers: { 'x-api-key': keyOf() },
        });
        await body.dump();
        statuses.set(statusCode, (statuses.get(statusCode) ?? 0) + 1);
      }
    };
    const crowd = Array.from({ length: CONNECTIONS }, member);
    try {
      await look();
    } finally {
      over.abort();
      await Promise.all(crowd);
      await agent.close();
    }
    t.comment(`the crowd got ${JSON.stringify([...statuses])}`);
  };

  const lookAndMake = async (t: Test): Promise<void> => {
    const refused: number[] = [];
    for (let looks = 0; looks < LOOKS; looks += 1) {
      const state = await fetch(`${url}/v1/documents/${documentId}`, {
        headers: { 'x-api-key': apiKey },
      });
      await state.arrayBuffer();
      const made = await generate(url, apiKey);
      await made.arrayBuffer();
      for (const { status } of [state, made]) if (status >= 400) refused.push(status);
    }
    t.strictSame(refused, [], `of ${2 * LOOKS} calls`);
    t.ok(await isReady(url), 'ready');
  };

  await tap.test('1,300 connections with random keys', async (t) => {
    await beside(t, randomKey, () => lookAndMake(t));
  });

  await tap.test('1,300 connections of one key', async (t) => {
    const other = await addKey();
    await beside(
      t,
      () => other.apiKey,
      () => lookAndMake(t),
    );
  });
}
