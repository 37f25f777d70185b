import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { type CreateRunRequest, Intaglio, type Run, type RunWithParts } from '#client';
import type { Service } from '../../lab/service/service.ts';
import { SHAPES } from '../../lab/shapes/index.ts';

/** The documents that a run makes. */
export interface RunContent {
  readonly templateId: string;
  readonly documentsPerPrint?: number;
  readonly options?: NonNullable<CreateRunRequest['options']>;
  readonly dataOf: (seed: number) => object;
}

export interface FinishedRun {
  /** Bytes of all its documents. */
  readonly bytes: number;
  /** From start to done. */
  readonly seconds: number;
}

const PART_ROWS = 5_000;
/** Characters of a part; Thai ones have three bytes, and a part may have 16 MB. */
const PART_LENGTH_MAX = 4 * 1024 * 1024;
const POLL_MS = 50;
/** A run whose counts do not change for so long is given up, so that a bench ends. */
const STILL_MS_MAX = 120_000;
const RESPONSE_BYTES_MAX = 16 * 1024 * 1024;

const RECEIPTS: RunContent = {
  templateId: String(SHAPES.A.template['templateId']),
  dataOf: (seed) => SHAPES.A.document(seed, { cold: false }).data,
};

/** Makes runs on a service of the bench; their documents are receipts by default. */
export class RunClient {
  readonly #service: Service;
  readonly #client: Intaglio;
  /** For requests that are timed: nothing is done beside them. */
  readonly #pool: Pool;

  constructor(service: Service, connections: number) {
    this.#service = service;
    const [apiKey] = service.keys;
    // A refusal fails the bench.
    this.#client = new Intaglio({ url: service.url, apiKey, triesMax: 1 });
    this.#pool = new Pool(service.url, { connections });
  }

  /** Creates a run and uploads all its rows; it is not started. */
  async make(documents: number, content: RunContent = RECEIPTS): Promise<string> {
    const runId = await this.create(documents, content);
    await this.upload(runId, documents, content);
    return runId;
  }

  async create(
    documents: number,
    { templateId, documentsPerPrint, options = {} }: RunContent = RECEIPTS,
  ): Promise<string> {
    const expected = { rows: documents };
    const prints = documentsPerPrint === undefined ? {} : { documentsPerPrint };
    const spec: CreateRunRequest = {
      templateId,
      ...prints,
      idField: 'benchRow',
      expected,
      options,
    };
    return (await this.#client.runs.create(spec)).runId;
  }

  /** Uploads the rows part by part; returns the time that the service took for them. */
  async upload(
    runId: string,
    documents: number,
    { dataOf }: RunContent = RECEIPTS,
  ): Promise<number> {
    let tookMs = 0;
    let part = 1;
    let lines: string[] = [];
    let length = 0;
    const send = async (): Promise<void> => {
      tookMs += await this.#sendPart(runId, part, lines.join(''));
      part += 1;
      lines = [];
      length = 0;
    };
    for (let index = 0; index < documents; index++) {
      const line = `${JSON.stringify({ ...dataOf(index), benchRow: `row-${index}` })}\n`;
      if (lines.length === PART_ROWS || length + line.length > PART_LENGTH_MAX) await send();
      lines.push(line);
      length += line.length;
    }
    if (lines.length > 0) await send();
    return tookMs;
  }

  /** Uploads a part; returns the time that the service took for it. */
  async #sendPart(runId: string, part: number, body: string): Promise<number> {
    const startMs = performance.now();
    const reply = await this.#pool.request({
      method: 'PUT',
      path: `/v1/runs/${runId}/parts/${part}`,
      headers: { 'x-api-key': this.#service.keys[0], 'content-type': 'application/x-ndjson' },
      body,
    });
    const text = await reply.body.text();
    if (reply.statusCode !== 201) throw new Error(`a part was answered ${text}`);
    return performance.now() - startMs;
  }

  /** Starts a run and waits until it is done; `watch` gets the documents stored at each poll. */
  async finish(runId: string, watch?: (stored: number) => void): Promise<FinishedRun> {
    const startMs = performance.now();
    let run: Run | RunWithParts = await this.#client.runs.start(runId);
    let counts = '';
    let changedMs = startMs;
    while (run.state === 'checking' || run.state === 'running') {
      watch?.(run.counts.stored);
      await pause(POLL_MS);
      run = await this.#client.runs.get(runId);
      const now = JSON.stringify([run.state, run.counts]);
      if (now !== counts) changedMs = performance.now();
      counts = now;
      if (performance.now() - changedMs > STILL_MS_MAX) {
        throw new Error(`the run stands still for ${STILL_MS_MAX / 1_000} s: ${counts}`);
      }
    }
    if (run.state !== 'done') throw new Error(`the run ended ${run.state}: ${JSON.stringify(run)}`);
    return { bytes: run.counts.bytes, seconds: (performance.now() - startMs) / 1000 };
  }

  /** Sends a generate request and reads its response; returns the status. */
  async generate(key: string, body: string): Promise<number> {
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    const reply = await this.#pool.request({
      method: 'POST',
      path: '/v1/generate',
      headers,
      body,
    });
    await reply.body.dump({ limit: RESPONSE_BYTES_MAX });
    return reply.statusCode;
  }

  /** The body of a resource that must exist. */
  async get(path: string) {
    const headers = { 'x-api-key': this.#service.keys[0] };
    const reply = await this.#pool.request({ method: 'GET', path, headers });
    if (reply.statusCode !== 200) throw new Error(`${path} answered ${reply.statusCode}`);
    return reply.body;
  }

  async close(): Promise<void> {
    await this.#client.close();
    await this.#pool.close();
  }
}
