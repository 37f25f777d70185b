import { setTimeout as pause } from 'node:timers/promises';
import { processCpuMs } from '../../lab/process/cpu.ts';
import { percentile } from '../../lab/stats.ts';
import { startService, type Service } from '../../lab/service/service.ts';
import { SHAPES } from '../../lab/shapes/index.ts';
import type { NamedTable } from '../report/report.ts';
import { figure } from '../report/table.ts';
import { RunClient } from './run-client.ts';

/** Concurrent async generate requests: enough to keep all renderers busy. */
export const ASYNC_CALLERS = 32;
/** Connections of the run itself, and of the sync requests beside it. */
const MORE_CONNECTIONS = 2;
/** Async documents are slower, so a fifth as many suffice to measure their rate. */
export const ASYNC_SHARE = 5;
/** Documents after which every renderer has the template and its caches are warm. */
const WARM_DOCUMENTS = 500;
/** Pause between two sync requests beside the run. */
const SYNC_PAUSE_MS = 40;
/** First seeds, far apart: no document is drawn twice. */
const SEEDS = { warmUp: 0, before: 1_000_000, after: 2_000_000, sync: 3_000_000 } as const;

/** How fast receipts were made. */
export interface Rate {
  readonly documentsPerSecond: number;
  readonly cpuMsPerDocument: number;
}

interface RunRate extends Rate {
  /** From the first upload to the last document. */
  readonly endToEndPerSecond: number;
  readonly bytesPerDocument: number;
  /** Memory of the service after a tenth of the run, and the most during it. */
  readonly earlyRssMb: number;
  readonly rssMbMax: number;
  /** Latency of sync generate during the run. */
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** Measures receipts by async generate, then by a run, on one service. */
export async function measureRuns(documents: number): Promise<readonly NamedTable[]> {
  const service = await startService(['A'], { scopes: ['runs'] });
  const client = new RunClient(service, ASYNC_CALLERS + MORE_CONNECTIONS);
  try {
    const asyncDocuments = Math.ceil(documents / ASYNC_SHARE);
    const warmUp = Math.min(WARM_DOCUMENTS, asyncDocuments);
    await measureAsync(service, client, warmUp, SEEDS.warmUp);
    const before = await measureAsync(service, client, asyncDocuments, SEEDS.before);
    const run = await measureRun(service, client, documents);
    const after = await measureAsync(service, client, asyncDocuments, SEEDS.after);
    return [tableOf([before, after], run, documents)];
  } finally {
    await client.close();
    await service.stop();
  }
}

const HEAD = [
  'receipts',
  'documents/s',
  '× async',
  'CPU ms of the service',
  'MB at a tenth, at most',
  'sync beside it: p50, p99 ms',
] as const;

function tableOf(async: readonly [Rate, Rate], run: RunRate, documents: number): NamedTable {
  const [before, after] = async;
  const asyncPerSecond = (before.documentsPerSecond + after.documentsPerSecond) / 2;
  const rowOf = (what: string, { documentsPerSecond, cpuMsPerDocument }: Rate): string[] => [
    what,
    documentsPerSecond.toFixed(0),
    figure(documentsPerSecond / asyncPerSecond),
    figure(cpuMsPerDocument),
  ];
  const count = documents.toLocaleString('en');
  const memory = `${run.earlyRssMb}, ${run.rssMbMax}`;
  const beside = `${run.p50Ms.toFixed(1)}, ${run.p99Ms.toFixed(1)}`;
  const withUpload = { ...run, documentsPerSecond: run.endToEndPerSecond };
  return {
    name: 'runs',
    title: `A run of ${count} receipts, and async generate over HTTP before and after it`,
    head: [...HEAD],
    rows: [
      [...rowOf(`async, ${ASYNC_CALLERS} callers, before`, before), '–', '–'],
      [...rowOf('the same, after', after), '–', '–'],
      [...rowOf(`a run of ${count}, from start to done`, run), memory, beside],
      [...rowOf('the same, with its upload', withUpload), '–', '–'],
    ],
  };
}

/** Has receipts generated async by 32 callers, each with its own data from `firstSeed` on. */
export async function measureAsync(
  { keys, pid }: Service,
  client: RunClient,
  documents: number,
  firstSeed: number,
): Promise<Rate> {
  const bodies = Array.from({ length: documents }, (_, index) =>
    receiptBody(firstSeed + index, 'async'),
  );
  const cpuMs = processCpuMs(pid);
  const startMs = performance.now();
  const lane = async (): Promise<void> => {
    for (let body = bodies.pop(); body !== undefined; body = bodies.pop()) {
      const status = await client.generate(keys[0], body);
      if (status !== 201) throw new Error(`async generate answered ${status}`);
    }
  };
  await Promise.all(Array.from({ length: ASYNC_CALLERS }, lane));
  const seconds = (performance.now() - startMs) / 1000;
  return {
    documentsPerSecond: documents / seconds,
    cpuMsPerDocument: (processCpuMs(pid) - cpuMs) / documents,
  };
}

async function measureRun(
  service: Service,
  client: RunClient,
  documents: number,
): Promise<RunRate> {
  const { pid } = service;
  const runId = await client.create(documents);
  const cpuMs = processCpuMs(pid);
  const uploadMs = await client.upload(runId, documents);
  const runEnded = new AbortController();
  const sync = timeSyncRequests(service, client, runEnded.signal);
  let earlyRssMb = 0;
  let rssMbMax = 0;
  const { bytes, seconds } = await client.finish(runId, (stored) => {
    const rssMb = Math.round(service.rssMb());
    rssMbMax = Math.max(rssMbMax, rssMb);
    if (earlyRssMb === 0 && stored >= documents / 10) earlyRssMb = rssMb;
  });
  runEnded.abort();
  const latencies = (await sync).toSorted((one, other) => one - other);
  return {
    documentsPerSecond: documents / seconds,
    endToEndPerSecond: documents / (seconds + uploadMs / 1000),
    cpuMsPerDocument: (processCpuMs(pid) - cpuMs) / documents,
    bytesPerDocument: bytes / documents,
    earlyRssMb,
    rssMbMax,
    p50Ms: percentile(latencies, 0.5),
    p99Ms: percentile(latencies, 0.99),
  };
}

/** Sends sync requests one after the other until the signal; returns their latencies in ms. */
async function timeSyncRequests(
  { keys }: Service,
  client: RunClient,
  signal: AbortSignal,
): Promise<readonly number[]> {
  const latencies: number[] = [];
  for (let seed = SEEDS.sync; !signal.aborted; seed++) {
    const body = receiptBody(seed, 'sync');
    const startMs = performance.now();
    const status = await client.generate(keys[1], body);
    latencies.push(performance.now() - startMs);
    if (status !== 200) throw new Error(`sync generate answered ${status}`);
    await pause(SYNC_PAUSE_MS);
  }
  return latencies;
}

function receiptBody(seed: number, mode: 'sync' | 'async'): string {
  const { template, document } = SHAPES.A;
  const { data } = document(seed, { cold: false });
  return JSON.stringify({ templateId: template['templateId'], mode, data });
}
