import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { Agent, request } from 'undici';

/** What a team does to the service while another team's calls are measured. */
export interface Company {
  /** Ends it and tells what it was answered. */
  leave(): Promise<string>;
}

type Headers = Readonly<Record<string, string>>;

/** Some forty pages. Encoded once: encoding it for each call would take the CPU that is measured. */
const SLOW_BODY = Buffer.from(
  JSON.stringify({
    templateId: 'note',
    mode: 'sync',
    data: { text: 'A line of a long letter that goes on and on. '.repeat(3_000) },
  }),
);
const RUN_ROWS = 2_000;
const HEADER_BYTES = 8 * 1_024 * 1_024;
const HEADER_PARTS = 5;
const LONG_HEADER = Buffer.from('column,'.repeat(HEADER_BYTES / 7));
/** What `Retry-After` asks for at least. */
const RETRY_MS = 1_000;
/** A stranger does not wait. */
const AGAIN_MS = 50;

/** Calls in loops until it leaves; refusals are counted and repeated after a moment. */
class Crowd implements Company {
  readonly #agent: Agent;
  readonly #url: string;
  readonly #statuses = new Map<number, number>();
  readonly #loops: Promise<void>[] = [];
  readonly #retryMs: number;
  #isOver = false;

  constructor(url: string, connections: number, retryMs = RETRY_MS) {
    this.#url = url;
    this.#retryMs = retryMs;
    this.#agent = new Agent({ connections, pipelining: 1, headersTimeout: 0, bodyTimeout: 0 });
  }

  loop(call: () => Promise<number>): void {
    const run = async (): Promise<void> => {
      while (!this.#isOver) {
        const status = await call().catch(() => 0);
        this.#statuses.set(status, (this.#statuses.get(status) ?? 0) + 1);
        if (status === 0 || status >= 400) await pause(this.#retryMs);
      }
    };
    this.#loops.push(run());
  }

  async send(
    method: 'GET' | 'POST' | 'PUT',
    path: string,
    headers: Headers,
    body?: string | Buffer,
  ) {
    const answer = await request(`${this.#url}${path}`, {
      method,
      dispatcher: this.#agent,
      headers: { 'content-type': 'application/json', ...headers },
      body: body ?? null,
    });
    return { status: answer.statusCode, text: await answer.body.text() };
  }

  async leave(): Promise<string> {
    this.#isOver = true;
    await this.#agent.destroy();
    await Promise.all(this.#loops);
    return [...this.#statuses].map(([status, times]) => `${times} × ${status}`).join(', ');
  }
}

/** The other team as it should be felt at most: one key, one connection, one run. */
async function arriveAlone(url: string, keys: readonly string[]): Promise<Company> {
  const crowd = new Crowd(url, 4);
  const headers = { 'x-api-key': keys[0] ?? '' };
  crowd.loop(() => slowDocument(crowd, headers));
  crowd.loop(() => renderRun(crowd, headers, RUN_ROWS));
  return crowd;
}

interface Force {
  readonly connections: number;
  readonly runs: number;
  readonly parts: ReadonlySet<string>;
}

/** The same team with all its keys: slow documents on many connections, many runs, long headers. */
async function arriveInForce(
  url: string,
  keys: readonly string[],
  { connections, runs, parts }: Force,
): Promise<Company> {
  const crowd = new Crowd(url, connections + 2 * keys.length);
  const headersOf = (index: number): Headers => ({ 'x-api-key': keys[index % keys.length] ?? '' });
  await Promise.all(
    keys.map(async (_, index) => {
      const each = parts.has('runs') ? Math.ceil(runs / keys.length) : 0;
      for (let count = 0; count < each; count += 1) await startRun(crowd, headersOf(index), 5);
    }),
  );
  for (let count = 0; parts.has('documents') && count < connections; count += 1) {
    crowd.loop(() => slowDocument(crowd, headersOf(count)));
  }
  for (let index = 0; parts.has('runs') && index < keys.length; index += 1) {
    crowd.loop(() => renderRun(crowd, headersOf(index), RUN_ROWS));
  }
  if (parts.has('headers')) crowd.loop(() => sendHeaders(crowd, headersOf(0)));
  return crowd;
}

/** The team with one key again, and threads beside the service that only take CPU. */
async function arriveBusy(url: string, keys: readonly string[], burners: number): Promise<Company> {
  const company = await arriveAlone(url, keys);
  const spin = 'for (;;) Math.sqrt(2)';
  const threads = Array.from({ length: burners }, () => new Worker(spin, { eval: true }));
  return {
    async leave() {
      await Promise.all(threads.map((thread) => thread.terminate()));
      return company.leave();
    },
  };
}

/** Connections that each ask with a new key that nobody has. */
async function arriveUnknown(url: string, connections: number): Promise<Company> {
  const crowd = new Crowd(url, connections, AGAIN_MS);
  for (let count = 0; count < connections; count += 1) {
    crowd.loop(async () => {
      const key = `ik_${randomBytes(32).toString('base64url')}`;
      return (await crowd.send('GET', '/v1/documents', { 'x-api-key': key })).status;
    });
  }
  return crowd;
}

/** Who arrives, and with what. */
export interface Arrival {
  readonly who: 'nobody' | 'one' | 'busy' | 'all' | 'strangers';
  readonly url: string;
  readonly keys: readonly string[];
  readonly force: Force;
  readonly strangers: number;
  /** Threads that only take CPU. */
  readonly burners: number;
}

function arrive({ who, url, keys, force, strangers, burners }: Arrival): Promise<Company> {
  switch (who) {
    case 'nobody':
      return Promise.resolve({ leave: () => Promise.resolve('') });
    case 'one':
      return arriveAlone(url, keys);
    case 'busy':
      return arriveBusy(url, keys, burners);
    case 'all':
      return arriveInForce(url, keys, force);
    case 'strangers':
      return arriveUnknown(url, strangers);
  }
}

/** Starts the company in a separate thread, so that the measured calls do not wait for its work. */
export async function startCompany(arrival: Arrival): Promise<Company> {
  const thread = new Worker(new URL(import.meta.url), { workerData: arrival });
  await once(thread, 'message');
  return {
    async leave() {
      thread.postMessage('leave');
      const [answers] = (await once(thread, 'message')) as [string];
      await thread.terminate();
      return answers;
    },
  };
}

if (!isMainThread && parentPort !== null) {
  const port = parentPort;
  const company = await arrive(workerData as Arrival);
  port.postMessage('there');
  await once(port, 'message');
  port.postMessage(await company.leave());
}

async function slowDocument(crowd: Crowd, headers: Headers): Promise<number> {
  return (await crowd.send('POST', '/v1/generate', headers, SLOW_BODY)).status;
}

async function makeRun(crowd: Crowd, headers: Headers): Promise<string> {
  const body = JSON.stringify({ templateId: 'note', idField: 'text' });
  const { text } = await crowd.send('POST', '/v1/runs', headers, body);
  return (JSON.parse(text) as { runId?: string }).runId ?? '';
}

async function startRun(crowd: Crowd, headers: Headers, rows: number): Promise<string> {
  const runId = await makeRun(crowd, headers);
  if (runId === '') return '';
  const lines = Array.from({ length: rows }, (_, row) => `{"text":"row ${row}"}\n`).join('');
  const type = { ...headers, 'content-type': 'application/x-ndjson' };
  await crowd.send('PUT', `/v1/runs/${runId}/parts/1`, type, lines);
  await crowd.send('POST', `/v1/runs/${runId}/start`, headers, '{}');
  return runId;
}

/** Makes a run and waits for its end. */
async function renderRun(crowd: Crowd, headers: Headers, rows: number): Promise<number> {
  const runId = await startRun(crowd, headers, rows);
  for (;;) {
    const { status, text } = await crowd.send('GET', `/v1/runs/${runId}`, headers);
    if (status !== 200) return status;
    const { state } = JSON.parse(text) as { state: string };
    if (state !== 'checking' && state !== 'running') return status;
    await pause(500);
  }
}

/** Parts of CSV that are one header without end. */
async function sendHeaders(crowd: Crowd, headers: Headers): Promise<number> {
  const runId = await makeRun(crowd, headers);
  const type = { ...headers, 'content-type': 'text/csv' };
  let status = 0;
  for (let part = 1; part <= HEADER_PARTS; part += 1) {
    ({ status } = await crowd.send('PUT', `/v1/runs/${runId}/parts/${part}`, type, LONG_HEADER));
  }
  return status;
}
