import tap from 'tap';

import { generate, isReady, startPair, until } from './pair.ts';

/**
 * Without the database or the object store, requests are refused at once, /readyz reports that, and
 * the service recovers by itself.
 */

/** Limit for refusals that wait for nothing; the best try counts, because the machine is shared. */
const AT_ONCE_MS = 1_000;
const TRIES_MAX = 30;
const BACK_MS_MAX = 180_000;

const started = await startPair(tap);
if (started.pair === null) {
  await tap.test('outages', { skip: started.reason }, () => undefined);
} else {
  const { database, s3, urls, one, two, addKey } = started.pair;
  const { apiKey } = await addKey();
  const refusedAtOnce = async (url: string, what: string): Promise<void> => {
    let bestMs = Number.POSITIVE_INFINITY;
    for (let tries = 0; tries < TRIES_MAX && bestMs >= AT_ONCE_MS; tries += 1) {
      const startedAt = performance.now();
      const replies = await Promise.all(Array.from({ length: 20 }, () => generate(url, apiKey)));
      bestMs = Math.min(bestMs, performance.now() - startedAt);
      for (const reply of replies) {
        tap.equal(reply.status, 503, what);
        tap.match(await reply.json(), { code: 'storage_unavailable', requestId: String });
        tap.match(reply.headers.get('retry-after'), /^\d+$/);
      }
    }
    tap.ok(bestMs < AT_ONCE_MS, `${what}: 20 refusals took ${Math.round(bestMs)} ms at best`);
  };
  const serves = async (url: string): Promise<boolean> => {
    const reply = await generate(url, apiKey);
    await reply.arrayBuffer();
    return reply.status === 201;
  };
  const goesAndComesBack = async (
    what: string,
    away: () => Promise<void>,
    back: () => Promise<void>,
  ): Promise<void> => {
    for (const url of urls) {
      tap.ok(await isReady(url), 'ready before');
      tap.ok(await serves(url));
    }
    await away();
    for (const url of urls) await until(async () => !(await isReady(url)), BACK_MS_MAX);
    for (const url of urls) await refusedAtOnce(url, what);
    const health = await fetch(`${urls[0]}/healthz`);
    tap.equal(health.status, 200, 'alive: a restart would not help');
    await back();
    for (const url of urls) {
      await until(() => isReady(url), BACK_MS_MAX);
      await until(() => serves(url), BACK_MS_MAX);
    }
  };

  await tap.test('the database is killed and started again', async () => {
    await goesAndComesBack(
      'database gone',
      () => database.kill(),
      () => database.restart(),
    );
  });

  await tap.test('the object store is gone and comes back', async () => {
    await goesAndComesBack(
      'object store gone',
      async () => {
        s3.fault = 'refuse';
        s3.faults = Number.POSITIVE_INFINITY;
      },
      async () => {
        s3.fault = 'none';
      },
    );
  });

  await tap.test('the log of each names what was away, and contains no values', async (t) => {
    for (const { lines } of [one, two]) {
      const text = lines.map((line) => JSON.stringify(line)).join('\n');
      t.match(text, /database/);
      t.match(text, /object stor|files|S3/i);
      t.notMatch(text, apiKey);
    }
  });
}
