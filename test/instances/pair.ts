import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Test } from 'tap';

import { openStore } from '../../src/store/open.ts';
import type { Scope, Store } from '../../src/store/store.ts';
import { environment, serve, type Served } from '../../lab/service/command-line.ts';
import { publish } from './bank.ts';
import { temporaryFolder } from '../store/dialects.ts';
import { type FakeS3, startFakeS3 } from '../../lab/servers/fake-s3.ts';
import { type MariaDb, startMariaDb } from '../../lab/servers/mariadb.ts';

/** Two processes of the service over one MariaDB and one object store. */
export interface Pair {
  readonly one: Served;
  readonly two: Served;
  /** Where requests go in turn. */
  readonly urls: readonly [string, string];
  readonly database: MariaDb;
  readonly s3: FakeS3;
  /** A third store on the same rows and files, with which a test plants and inspects them. */
  readonly store: Store;
  /** Settings of both instances, for commands. */
  readonly env: Readonly<Record<string, string>>;
  readonly addKey: (rateLimitPerMinute?: number) => Promise<{ keyId: string; apiKey: string }>;
}

const SCOPES: readonly Scope[] = ['generate', 'documents:read'];

/** Settings of one instance alone. */
interface OwnSettings {
  readonly one?: Readonly<Record<string, string>>;
  readonly two?: Readonly<Record<string, string>>;
}

/**
 * Starts both. Without a MariaDB it returns null and the reason, or throws if
 * INTAGLIO_FORBID_SKIPS=1.
 */
export async function startPair(
  t: Test,
  { one: ofOne = {}, two: ofTwo = {} }: OwnSettings = {},
): Promise<{ pair: Pair } | { pair: null; reason: string }> {
  const started = await startMariaDb();
  if (started.server === null) return { pair: null, reason: started.reason };
  const database = started.server;
  t.teardown(() => database.stop());
  const s3 = await startFakeS3();
  t.teardown(() => s3.stop());
  const databaseUrl = await database.freshUrl();
  const folder = join(await temporaryFolder(t), 'var');
  await mkdir(folder);
  const env = environment(folder, {
    INTAGLIO_DATABASE_URL: databaseUrl,
    INTAGLIO_FILES_URL: s3.url,
    INTAGLIO_LINK_SECRETS: 'a secret that both instances hold in common',
    // The test sweeps when it wants to.
    INTAGLIO_SWEEP_INTERVAL_SECONDS: '86400',
  });
  // Both find an empty database and migrate it at the same time.
  const [one, two] = await Promise.all([
    serve(t, { ...env, ...ofOne }),
    serve(t, { ...env, ...ofTwo }),
  ]);
  const store = await openStore({ databaseUrl, filesUrl: s3.url });
  t.teardown(() => store.close());
  await publish(store);
  const addKey: Pair['addKey'] = async (rateLimitPerMinute = 1_000_000) => {
    const name = 'test';
    const key = await store.keys.add({ teamId: 'bank', name, scopes: SCOPES, rateLimitPerMinute });
    if (!key.ok) throw new Error(key.message);
    const { record, apiKey } = key.value;
    return { keyId: record.keyId, apiKey };
  };
  return { pair: { one, two, urls: [one.url, two.url], database, s3, store, env, addKey } };
}

export interface Call {
  readonly mode?: 'sync' | 'async';
  readonly text?: string;
  readonly attach?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** POST /v1/generate of the template `note` (bank.ts). */
export async function generate(url: string, apiKey: string, call: Call = {}): Promise<Response> {
  const { mode = 'async', text = 'hello', attach, headers } = call;
  const options = attach === undefined ? {} : { attach };
  return fetch(`${url}/v1/generate`, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ templateId: 'note', mode, data: { text }, options }),
  });
}

/** Age that the text of /metrics may have. */
const METRICS_MS_MAX = 1_000;

/** Whether an instance has counted calls alone, because the database took too long to count them. */
async function hasCountedAlone(urls: readonly string[]): Promise<boolean> {
  await new Promise((resolve) => setTimeout(resolve, METRICS_MS_MAX));
  const texts = await Promise.all(urls.map(async (url) => (await fetch(`${url}/metrics`)).text()));
  return texts.some((text) => /^intaglio_rate_limit_local_total [1-9]/m.test(text));
}

/**
 * Both instances get calls of a new key, more than its limit: together they accept exactly the
 * limit. Where one counted alone, as on a busy machine, each accepts at most the limit.
 */
export async function testSharedLimit(t: Test, { urls, addKey }: Pair): Promise<void> {
  const limit = 10;
  const limited = await addKey(limit);
  const calls = await Promise.all(
    Array.from({ length: 3 * limit }, async (_, index) => {
      const url = index % 2 === 0 ? urls[0] : urls[1];
      const reply = await generate(url, limited.apiKey, { mode: 'sync' });
      await reply.arrayBuffer();
      return { status: reply.status, retryAfter: reply.headers.get('retry-after') };
    }),
  );
  const accepted = calls.filter(({ status }) => status === 200).length;
  const refused = calls.filter(({ status }) => status === 429);
  t.equal(accepted + refused.length, calls.length);
  for (const { retryAfter } of refused) t.match(retryAfter, /^(?:[1-5]?\d|60)$/, 'seconds to wait');
  if (accepted === limit || !(await hasCountedAlone(urls))) t.equal(accepted, limit);
  else t.ok(accepted > limit && accepted <= 2 * limit, `${accepted} accepted, counted alone`);
}

/** Whether /readyz answers 200. */
export async function isReady(url: string): Promise<boolean> {
  const reply = await fetch(`${url}/readyz`);
  await reply.arrayBuffer();
  return reply.status === 200;
}

/** Polls until `isSo` holds and returns how long that took, in ms. Rejects after `msMax`. */
export async function until(isSo: () => Promise<boolean>, msMax: number): Promise<number> {
  const startedAt = performance.now();
  while (!(await isSo())) {
    if (performance.now() - startedAt > msMax) throw new Error(`not so after ${msMax} ms`);
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  return performance.now() - startedAt;
}
