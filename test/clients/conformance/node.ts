import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';

import {
  DigestError,
  Intaglio,
  IntaglioError,
  NoAnswerError,
  ServiceError,
} from '../../../clients/node/src/index.ts';
import { API_KEY } from '../described-api.ts';
import type { Call, Options } from './cases.ts';
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

async function run({ name, url, folder, calls, isParallel, options }: Task): Promise<Done> {
  const { triesMax, silenceMs, retryMs, requestsMax } = options;
  const client = new Intaglio({
    url,
    apiKey: API_KEY,
    ...(triesMax !== undefined && { triesMax }),
    ...(silenceMs !== undefined && { silenceMsMax: silenceMs }),
    ...(retryMs !== undefined && { retryMsMax: retryMs }),
    ...(requestsMax !== undefined && { concurrencyMax: requestsMax }),
  });
  const start = performance.now();
  const results: Result[] = [];
  const make = async (call: Call): Promise<Result> =>
    perform(client, call, folder, signalOf(options)).catch(told);
  if (isParallel) results.push(...(await Promise.all(calls.map(make))));
  else for (const call of calls) results.push(await make(call));
  const left = readdirSync(folder).toSorted();
  const last = left.at(-1);
  const mode = last === undefined ? null : (statSync(join(folder, last)).mode & 0o777).toString(8);
  return { name, results, tookMs: performance.now() - start, left, mode };
}

function signalOf({ cancelMs, limitMs }: Options): { signal?: AbortSignal } {
  if (limitMs !== undefined) return { signal: AbortSignal.timeout(limitMs) };
  if (cancelMs === undefined) return {};
  const controller = new AbortController();
  setTimeout(() => controller.abort(), cancelMs);
  return { signal: controller.signal };
}

async function perform(
  client: Intaglio,
  call: Call,
  folder: string,
  given: { signal?: AbortSignal },
): Promise<Result> {
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
    case 'toFile': {
      const { sha256 } = await client.downloadToFile('d', join(folder, 'a.pdf'), given);
      return { error: null, sha256 };
    }
    case 'missing':
      await client.downloadToFile('d', join(folder, 'none', 'a.pdf'), given);
      return { error: null };
    case 'manifest':
    case 'rows':
      for await (const row of client.runs.manifest('r', given)) void row;
      return { error: null };
  }
}

/** What an error tells; one that is not of the package keeps its name. */
function told(error: unknown): Result {
  if (!(error instanceof Error)) throw error;
  const text = `${error.message}\n${inspect(error)}`;
  if (!(error instanceof IntaglioError)) return { error: error.name, text };
  const kind = error.name.replace(/Error$/, '');
  if (error instanceof NoAnswerError) return { error: kind, text, tries: error.tries };
  if (error instanceof DigestError) return { error: kind, text, sha256: error.actual };
  if (!(error instanceof ServiceError)) return { error: kind, text };
  const { status, code, requestId, fields, retryAfterMs } = error;
  return {
    error: kind,
    text,
    status,
    code,
    requestId,
    fields,
    ...(retryAfterMs !== null && { retryAfterMs }),
  };
}
