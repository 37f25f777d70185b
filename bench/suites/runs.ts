import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { processCpuMs } from '../harness/cpu.ts';
import { startService, type Service } from '../http/service.ts';
import { SHAPES } from '../shapes/index.ts';

/** Concurrent async generate requests: enough to keep all renderers busy. */
const CONNECTIONS = 32;
/** Async documents are slower, so a fifth as many suffice to measure their rate. */
const ASYNC_SHARE = 5;
const PART_ROWS = 5_000;
const POLL_MS = 100;
/** Interactive requests beside the run, one after the other. */
const INTERACTIVE_PAUSE_MS = 40;

interface Rate {
  readonly documentsPerSecond: number;
  readonly cpuMsPerDocument: number;
}

interface RunRate extends Rate {
  /** From the first upload to the last document. */
  readonly endToEndPerSecond: number;
  readonly bytesPerDocument: number;
  /** Memory of the service in MB after a tenth of the run, and its maximum. */
  readonly rssMb: readonly [number, number];
  /** Latency of sync generate during the run. */
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Measures shape A by async generate, then by a run, on one service; returns lines to print. */
export async function measureRuns(documents: number): Promise<readonly string[]> {
  const service = await startService(['A'], { scopes: ['runs'] });
  const client = new Pool(service.url, { connections: CONNECTIONS + 2 });
  try {
    const asyncDocuments = Math.ceil(documents / ASYNC_SHARE);
    // Every renderer has the template, and its caches are warm.
    await measureAsync(service, client, Math.min(500, asyncDocuments), 0);
    const before = await measureAsync(service, client, asyncDocuments, 1_000_000);
    const run = await measureRun(service, client, documents);
    const after = await measureAsync(service, client, asyncDocuments, 2_000_000);
    const usual = (before.documentsPerSecond + after.documentsPerSecond) / 2;
    return [
      `async generate over HTTP, ${asyncDocuments} receipts before and after the run: ` +
        `${before.documentsPerSecond.toFixed(0)} and ${after.documentsPerSecond.toFixed(0)} /s, ` +
        `${before.cpuMsPerDocument.toFixed(2)} ms CPU of the service a document`,
      `run of ${documents} receipts: ${run.documentsPerSecond.toFixed(0)} /s from start to done, ` +
        `${run.endToEndPerSecond.toFixed(0)} /s with the upload, ` +
        `${run.cpuMsPerDocument.toFixed(2)} ms CPU a document, ` +
        `${run.bytesPerDocument.toFixed(0)} bytes a document`,
      `run over async: × ${(run.documentsPerSecond / usual).toFixed(2)}; memory ` +
        `${run.rssMb[0]} MB at a tenth, at most ${run.rssMb[1]} MB; sync generate beside it: ` +
        `p50 ${run.p50Ms.toFixed(1)} ms, p99 ${run.p99Ms.toFixed(1)} ms`,
    ];
  } finally {
    await client.close();
    await service.stop();
  }
}

function bodyOf(seed: number, mode: 'sync' | 'async'): string {
  const { data } = SHAPES.A.document(seed, { cold: false });
  return JSON.stringify({ templateId: SHAPES.A.template['templateId'], mode, data });
}

async function generate(client: Pool, key: string, body: string): Promise<number> {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const reply = await client.request({ method: 'POST', path: '/v1/generate', headers, body });
  await reply.body.dump({ limit: 16 * 1024 * 1024 });
  return reply.statusCode;
}

async function measureAsync(
  { keys, pid }: Service,
  client: Pool,
  documents: number,
  firstSeed: number,
): Promise<Rate> {
  const bodies = Array.from({ length: documents }, (_, index) =>
    bodyOf(firstSeed + index, 'async'),
  );
  const cpuMs = processCpuMs(pid);
  const startMs = performance.now();
  const lane = async (): Promise<void> => {
    for (let body = bodies.pop(); body !== undefined; body = bodies.pop()) {
      const status = await generate(client, keys[0], body);
      if (status !== 201) throw new Error(`async generate answered ${status}`);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, lane));
  const seconds = (performance.now() - startMs) / 1000;
  return {
    documentsPerSecond: documents / seconds,
    cpuMsPerDocument: (processCpuMs(pid) - cpuMs) / documents,
  };
}

/** The parts of a run's description that are read here. */
export interface Told {
  readonly runId: string;
  readonly state: string;
  readonly reasons: readonly object[];
  readonly counts: { readonly stored: number; readonly bytes: number };
}

/** Calls a route that describes a run. */
export async function describeRun(
  { keys }: Service,
  client: Pool,
  method: 'GET' | 'POST',
  path: string,
  body: object = {},
): Promise<Told> {
  const headers = { 'x-api-key': keys[0], 'content-type': 'application/json' };
  const sent = method === 'GET' ? null : JSON.stringify(body);
  const reply = await client.request({ method, path, headers, body: sent });
  // As /openapi.json describes it.
  return (await reply.body.json()) as Told;
}

/** The documents that a run of the bench makes; receipts by default. */
interface RunOf {
  readonly templateId: string;
  readonly documentsPerPrint?: number;
  readonly dataOf: (seed: number) => object;
}

const RECEIPTS: RunOf = {
  templateId: String(SHAPES.A.template['templateId']),
  dataOf: (seed) => SHAPES.A.document(seed, { cold: false }).data,
};

async function createRun(
  service: Service,
  client: Pool,
  documents: number,
  { templateId, documentsPerPrint }: RunOf = RECEIPTS,
): Promise<string> {
  const expected = { rows: documents };
  const spec = { templateId, documentsPerPrint, idField: 'benchRow', expected };
  return (await describeRun(service, client, 'POST', '/v1/runs', spec)).runId;
}

/** A run with all its rows, not started. */
export async function makeRun(
  service: Service,
  client: Pool,
  documents: number,
  of: RunOf = RECEIPTS,
): Promise<string> {
  const runId = await createRun(service, client, documents, of);
  await upload(service, client, runId, documents, of);
  return runId;
}

async function measureRun(service: Service, client: Pool, documents: number): Promise<RunRate> {
  const { pid } = service;
  const call = (method: 'GET' | 'POST', path: string): Promise<Told> =>
    describeRun(service, client, method, path);
  const runId = await createRun(service, client, documents);
  const cpuMs = processCpuMs(pid);
  const uploadMs = await upload(service, client, runId, documents);
  const startMs = performance.now();
  await call('POST', `/v1/runs/${runId}/start`);
  const beside = { isOver: false, latencies: [] as number[] };
  const interactive = besides(service, client, beside);
  let early = 0;
  let most = 0;
  let run = await call('GET', `/v1/runs/${runId}`);
  while (run.state === 'checking' || run.state === 'running') {
    const rssMb = service.rssMb();
    most = Math.max(most, rssMb);
    if (early === 0 && run.counts.stored >= documents / 10) early = rssMb;
    await pause(POLL_MS);
    run = await call('GET', `/v1/runs/${runId}`);
  }
  const seconds = (performance.now() - startMs) / 1000;
  beside.isOver = true;
  await interactive;
  if (run.state !== 'done') throw new Error(`the run ended ${run.state}: ${JSON.stringify(run)}`);
  const sorted = beside.latencies.toSorted((one, other) => one - other);
  const quantile = (share: number): number => sorted[Math.floor(share * sorted.length)] ?? 0;
  return {
    documentsPerSecond: documents / seconds,
    endToEndPerSecond: documents / (seconds + uploadMs / 1000),
    cpuMsPerDocument: (processCpuMs(pid) - cpuMs) / documents,
    bytesPerDocument: run.counts.bytes / documents,
    rssMb: [Math.round(early), Math.round(most)],
    p50Ms: quantile(0.5),
    p99Ms: quantile(0.99),
  };
}

/** Returns how long the service took for the parts; making the rows is not counted. */
async function upload(
  { keys }: Service,
  client: Pool,
  runId: string,
  documents: number,
  { dataOf }: RunOf = RECEIPTS,
): Promise<number> {
  let tookMs = 0;
  for (let first = 0, part = 1; first < documents; first += PART_ROWS, part += 1) {
    const lines: string[] = [];
    for (let index = first; index < Math.min(documents, first + PART_ROWS); index++) {
      lines.push(`${JSON.stringify({ ...dataOf(index), benchRow: `row-${index}` })}\n`);
    }
    const startMs = performance.now();
    const reply = await client.request({
      method: 'PUT',
      path: `/v1/runs/${runId}/parts/${part}`,
      headers: { 'x-api-key': keys[0], 'content-type': 'application/x-ndjson' },
      body: lines.join(''),
    });
    const text = await reply.body.text();
    if (reply.statusCode !== 201) throw new Error(`a part was answered ${text}`);
    tookMs += performance.now() - startMs;
  }
  return tookMs;
}

async function besides(
  { keys }: Service,
  client: Pool,
  beside: { isOver: boolean; latencies: number[] },
): Promise<void> {
  for (let seed = 3_000_000; !beside.isOver; seed++) {
    const body = bodyOf(seed, 'sync');
    const startMs = performance.now();
    const status = await generate(client, keys[1], body);
    beside.latencies.push(performance.now() - startMs);
    if (status !== 200) throw new Error(`sync generate answered ${status}`);
    await pause(INTERACTIVE_PAUSE_MS);
  }
}
