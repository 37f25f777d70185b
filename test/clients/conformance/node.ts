import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';

import {
  DigestError,
  Intaglio,
  IntaglioError,
  NoAnswerError,
  ServiceError,
  type WrittenFile,
} from '../../../clients/node/src/index.ts';
import { API_KEY, PDF_SHA256 } from '../described-api.ts';
import type { Call, Mistake, Options } from './terms.ts';
import type { Done, Result, Task } from './judge.ts';

const REQUEST = { templateId: 'receipt', data: { customer: 'a secret' } };
const TASKS_AT_A_TIME = 8;

/** The calls of the table, made by the client for Node. */
export async function runNode(tasks: readonly Task[]): Promise<readonly Done[]> {
  const waiting = [...tasks];
  const done: Done[] = [];
  const work = async (): Promise<void> => {
    for (let task = waiting.shift(); task !== undefined; task = waiting.shift()) {
      done.push(await run(task));
    }
  };
  await Promise.all(Array.from({ length: TASKS_AT_A_TIME }, work));
  return done;
}

async function run(task: Task): Promise<Done> {
  const { name, folder, calls, isParallel, options } = task;
  const client = clientFor(task);
  const start = performance.now();
  const results: Result[] = [];
  const make = async (call: Call): Promise<Result> =>
    perform(client, call, task, signalOf(options)).catch(told);
  if (isParallel) results.push(...(await Promise.all(calls.map(make))));
  else for (const call of calls) results.push(await make(call));
  const left = readdirSync(folder).toSorted();
  const last = left.at(-1);
  const mode = last === undefined ? null : (statSync(join(folder, last)).mode & 0o777).toString(8);
  return { name, results, tookMs: performance.now() - start, left, mode };
}

function clientFor({ url, proxy, certificates, options }: Task): Intaglio {
  const { triesMax, silenceMs, retryMs, requestsMax, certificate } = options;
  const read = (name: string): Buffer => readFileSync(join(certificates ?? '', name));
  const own = { cert: 'client.pem', key: 'client.key' };
  const pair = certificate === 'own' ? { cert: read(own.cert), key: read(own.key) } : {};
  return new Intaglio({
    url,
    apiKey: API_KEY,
    triesMax,
    silenceMsMax: silenceMs,
    retryMsMax: retryMs,
    concurrencyMax: requestsMax,
    proxy: proxy?.url,
    noProxy: proxy?.direct,
    tls: certificates === null ? undefined : { ca: read('ca.pem'), ...pair },
  });
}

function signalOf({ cancelMs, limitMs }: Options): { signal?: AbortSignal } {
  if (limitMs !== undefined) return { signal: AbortSignal.timeout(limitMs) };
  if (cancelMs === undefined) return {};
  const controller = new AbortController();
  setTimeout(() => controller.abort(), cancelMs);
  return { signal: controller.signal };
}

const AROUND: unknown[] = [];
AROUND.push(AROUND);
// A program in JavaScript gets no help from types.
const NO_KEY = null as unknown as string;
const MISTAKES: Readonly<Record<Mistake, (client: Intaglio, path: string) => Promise<unknown>>> = {
  loneSurrogate: async (client) =>
    client.generate({ templateId: 'receipt', data: { customer: '\ud800' } }),
  circular: async (client) => client.generate({ templateId: 'receipt', data: { a: AROUND } }),
  nulPath: async (client, path) => client.downloadToFile('d', `${path}\0`),
  nulId: async (client) => client.document('d\0'),
  noId: async (client) => client.document(''),
  dotId: async (client) => client.document('..'),
  nullKey: async () => new Intaglio({ url: 'http://127.0.0.1:9', apiKey: NO_KEY }).document('d'),
  noReference: async (client) => client.verifyReference(''),
  oddDigest: async (client, path) => client.downloadToFile('d', path, { sha256: 'xyz' }),
};

function isMistake(call: Call): call is Mistake {
  return Object.hasOwn(MISTAKES, call);
}

async function perform(
  client: Intaglio,
  call: Call,
  { folder, rowFile }: Task,
  given: { signal?: AbortSignal },
): Promise<Result> {
  if (isMistake(call)) {
    await MISTAKES[call](client, join(folder, 'a.pdf'));
    return { error: null };
  }
  switch (call) {
    case 'generate':
      return { error: null, sha256: (await client.generate(REQUEST, given)).sha256 };
    case 'store':
      await client.store(REQUEST, given);
      return { error: null };
    case 'named':
      await client.store(REQUEST, { ...given, idempotencyKey: 'mine' });
      return { error: null };
    case 'document':
      await client.document('d', given);
      return { error: null };
    case 'byReference': {
      const { documents } = await client.verifyReference('RC-0005', given);
      return { error: null, count: documents.length };
    }
    case 'toFile':
      return written(await client.downloadToFile('d', join(folder, 'a.pdf'), given));
    case 'toGivenFile': {
      const options = { ...given, sha256: PDF_SHA256 };
      return written(await client.downloadToFile('d', join(folder, 'a.pdf'), options));
    }
    case 'toSureFile': {
      const options = { ...given, requireDigest: true };
      return written(await client.downloadToFile('d', join(folder, 'a.pdf'), options));
    }
    case 'missing':
      await client.downloadToFile('d', join(folder, 'none', 'a.pdf'), given);
      return { error: null };
    case 'manifestToFile': {
      const path = join(folder, 'manifest.ndjson');
      return { error: null, sha256: (await client.runs.manifestToFile('r', path, given)).sha256 };
    }
    case 'exceptions': {
      let count = 0;
      for await (const { fields } of client.runs.exceptions('r', given)) if (fields) count += 1;
      return { error: null, count };
    }
    case 'upload':
      return {
        error: null,
        ...(await client.runs.upload('r', rowFile, { format: 'csv', ...given })),
      };
    case 'watch': {
      let state = '';
      for await (const changed of client.runs.watch('r', given)) ({ state } = changed);
      return { error: null, state };
    }
    case 'manifest':
    case 'rows':
      for await (const row of client.runs.manifest('r', given)) void row;
      return { error: null };
  }
}

function written({ sha256, verified }: WrittenFile): Result {
  return { error: null, sha256, verified };
}

/** What an error tells; one that is not of the package keeps its name. */
function told(error: unknown): Result {
  if (!(error instanceof Error)) throw error;
  const { message } = error;
  const text = `${message}\n${inspect(error)}`;
  if (!(error instanceof IntaglioError)) return { error: error.name, text };
  const kind = error.name.replace(/Error$/, '');
  if (error instanceof NoAnswerError) return { error: kind, text, message, tries: error.tries };
  if (error instanceof DigestError) return { error: kind, text, message, sha256: error.actual };
  if (!(error instanceof ServiceError)) return { error: kind, text, message };
  const { status, code, requestId, fields, retryAfterMs } = error;
  return {
    error: kind,
    text,
    message,
    status,
    code,
    requestId,
    fields,
    ...(retryAfterMs !== null && { retryAfterMs }),
  };
}
