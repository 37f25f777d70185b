import { createHash } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { oneOf } from './faults.ts';

/** What the service has acknowledged. */
export interface Made {
  readonly key: string;
  readonly documentId: string;
  readonly sha256: string;
}

export interface MadeRun {
  readonly runId: string;
  readonly rows: number;
}

/** All calls of a harness: what they were told, and what they should not have been told. */
export class Ledger {
  readonly documents: Made[] = [];
  readonly runs: MadeRun[] = [];
  /** Number of answers by call and status; 0: none. */
  readonly answers = new Map<string, number>();
  readonly violations: string[] = [];
  longestMs = 0;
  longestCall = '';
  isOver = false;

  note(call: string, status: number, tookMs: number): void {
    const name = `${call} ${status}`;
    this.answers.set(name, (this.answers.get(name) ?? 0) + 1);
    if (tookMs <= this.longestMs) return;
    this.longestMs = tookMs;
    this.longestCall = name;
  }

  violate(line: string): void {
    if (this.violations.length < VIOLATIONS_MAX) this.violations.push(line);
  }
}

const VIOLATIONS_MAX = 200;
const PAUSE_MS = 150;
const RETRY_MS_MAX = 800;
/** A call that takes longer than this breaks the promise of limits. */
const CALL_MS_MAX = 60_000;
const SYNC_SHARE = 0.3;
const READ_SHARE = 0.5;
export const RUN_ROWS = 300;
const ROWS_OF_A_PART = 100;
const POLL_MS = 500;
/** What a caller may be told while backends fail: try again. */
const RETRIABLE = new Set([0, 429, 503]);

interface Answer {
  /** 0: the connection ended without a whole answer. */
  readonly status: number;
  readonly body: Buffer;
}

/** Sends requests to one of several instances. */
export class Caller {
  readonly #ledger: Ledger;
  readonly #urls: readonly string[];
  readonly #headers: Readonly<Record<string, string>>;
  readonly #agent = new Agent({ connections: 64, headersTimeout: CALL_MS_MAX });

  constructor(ledger: Ledger, urls: readonly string[], apiKey: string) {
    this.#ledger = ledger;
    this.#urls = urls;
    this.#headers = { 'x-api-key': apiKey };
  }

  close(): Promise<void> {
    return this.#agent.destroy();
  }

  async call(
    name: string,
    path: string,
    options: {
      readonly method?: 'GET' | 'POST' | 'PUT';
      readonly body?: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly url?: string;
    } = {},
  ): Promise<Answer> {
    const { method = 'GET', body = null, headers = {}, url = oneOf(this.#urls) } = options;
    const startMs = performance.now();
    let answer: Answer;
    try {
      const got = await request(`${url}${path}`, {
        method,
        body,
        dispatcher: this.#agent,
        headers: { 'content-type': 'application/json', ...this.#headers, ...headers },
      });
      answer = { status: got.statusCode, body: Buffer.from(await got.body.arrayBuffer()) };
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      answer = { status: 0, body: Buffer.from(error.message) };
    }
    this.#ledger.note(name, answer.status, performance.now() - startMs);
    if (!isAllowed(answer.status)) {
      this.#ledger.violate(`${name}: ${answer.status} ${answer.body.toString().slice(0, 200)}`);
    }
    return answer;
  }

  /** Makes a document in mode async; null: refused. */
  async make(key: string, url?: string): Promise<Made | null> {
    const answer = await this.call('async', '/v1/generate', {
      method: 'POST',
      headers: { 'idempotency-key': key },
      body: JSON.stringify({ templateId: 'note', mode: 'async', data: { text: key } }),
      ...(url !== undefined && { url }),
    });
    if (answer.status !== 201) return null;
    const { documentId, sha256 } = JSON.parse(answer.body.toString()) as Made;
    return { key, documentId, sha256 };
  }

  /** Reads a document, which must be what was acknowledged. */
  async read({ documentId, sha256 }: Made): Promise<number> {
    const answer = await this.call('read', `/v1/documents/${documentId}?download=1`);
    if (answer.status !== 200) return answer.status;
    const found = createHash('sha256').update(answer.body).digest('hex');
    if (found !== sha256) this.#ledger.violate(`${documentId}: read with other bytes`);
    return answer.status;
  }

  /** Calls again until the answer is not one of those that ask for it. */
  async insist(
    name: string,
    path: string,
    options: Parameters<Caller['call']>[2],
  ): Promise<Answer> {
    for (;;) {
      const answer = await this.call(name, path, options);
      if (!RETRIABLE.has(answer.status)) return answer;
      await pause(Math.random() * RETRY_MS_MAX);
    }
  }
}

function isAllowed(status: number): boolean {
  return (status >= 200 && status < 300) || RETRIABLE.has(status);
}

/** Makes document after document, each until it is acknowledged, and reads earlier ones. */
export async function makeDocuments(caller: Caller, ledger: Ledger, name: number): Promise<void> {
  for (let count = 0; !ledger.isOver; count += 1) {
    for (;;) {
      const made = await caller.make(`${name}-${count}`);
      if (made !== null) {
        ledger.documents.push(made);
        break;
      }
      await pause(Math.random() * RETRY_MS_MAX);
    }
    if (Math.random() < SYNC_SHARE) {
      await caller.call('sync', '/v1/generate', {
        method: 'POST',
        body: JSON.stringify({ templateId: 'note', mode: 'sync', data: { text: `${count}` } }),
      });
    }
    if (Math.random() < READ_SHARE) await caller.read(oneOf(ledger.documents));
    await pause(Math.random() * 2 * PAUSE_MS);
  }
}

/** Makes run after run, each until it is done. */
export async function makeRuns(caller: Caller, ledger: Ledger): Promise<void> {
  for (let count = 0; !ledger.isOver; count += 1) {
    const made = await caller.insist('create run', '/v1/runs', {
      method: 'POST',
      headers: { 'idempotency-key': `run-${count}` },
      body: JSON.stringify({ templateId: 'note', idField: 'text' }),
    });
    if (made.status !== 201) return;
    const { runId } = JSON.parse(made.body.toString()) as { runId: string };
    for (let first = 0, part = 1; first < RUN_ROWS; first += ROWS_OF_A_PART, part += 1) {
      await caller.insist('put part', `/v1/runs/${runId}/parts/${part}`, {
        method: 'PUT',
        headers: { 'content-type': 'application/x-ndjson' },
        body: rowsOf(first),
      });
    }
    await caller.insist('start run', `/v1/runs/${runId}/start`, { method: 'POST', body: '{}' });
    if (!(await isDone(caller, ledger, runId))) return;
    ledger.runs.push({ runId, rows: RUN_ROWS });
  }
}

function rowsOf(first: number): string {
  return Array.from(
    { length: ROWS_OF_A_PART },
    (_, index) => `{"text":"row ${first + index}"}\n`,
  ).join('');
}

async function isDone(caller: Caller, ledger: Ledger, runId: string): Promise<boolean> {
  for (;;) {
    const answer = await caller.call('run', `/v1/runs/${runId}`);
    if (answer.status === 200) {
      const run = JSON.parse(answer.body.toString()) as { state: string; reasons: unknown };
      if (run.state === 'done') return true;
      if (run.state !== 'checking' && run.state !== 'running') {
        ledger.violate(`run ${runId} is ${run.state}: ${JSON.stringify(run.reasons)}`);
        return false;
      }
    }
    await pause(POLL_MS);
  }
}
