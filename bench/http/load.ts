import { Pool } from 'undici';
import { childrenCpuMs, processCpuMs } from '../harness/cpu.ts';
import { percentile } from '../harness/stats.ts';
import { SHAPES } from '../shapes/index.ts';
import type { ShapeName } from '../shapes/sheet.ts';

/**
 * The load generator, a process of its own: takes a Load as its argument and prints a LoadResult.
 * Closed loop: so many callers, each waiting for its answer. Open loop: so many requests a second
 * whether or not the earlier ones are answered.
 */
export interface Load {
  readonly url: string;
  readonly key: string;
  /** What is sent, by weight. */
  readonly mix: readonly Ingredient[];
  /** Closed loop: callers. */
  readonly callers: number;
  /** Open loop: requests a second; null: closed loop. */
  readonly perSecond: number | null;
  /** Process of the service: its CPU is read when the measured part begins and when it ends. */
  readonly pid: number;
  readonly warmUpMs: number;
  readonly durationMs: number;
}

export interface Ingredient {
  readonly weight: number;
  readonly shape: ShapeName;
  readonly rows: number | null;
  readonly mode: 'sync' | 'async';
  readonly options: Readonly<Record<string, unknown>> | null;
}

export interface LoadResult {
  readonly durationMs: number;
  readonly sent: number;
  readonly delivered: number;
  readonly bytes: number;
  /** CPU of the service during the measured part. */
  readonly serviceCpuMs: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  readonly refusalP50Ms: number | null;
  readonly statuses: Readonly<Record<string, number>>;
}

/** Distinct bodies an ingredient has; they repeat after that. */
const BODIES = 256;
const BODIES_LARGE = 16;
/** Requests that may be open at a time in an open loop: beyond it the generator is the limit. */
const OPEN_MAX = 5_000;
const PATH = '/v1/generate';

function bodiesOf({ shape, rows, mode, options }: Ingredient): Buffer[] {
  const count = shape === 'B' ? BODIES_LARGE : BODIES;
  const { template, document } = SHAPES[shape];
  const length = rows === null ? {} : { rows };
  return Array.from({ length: count }, (_, i) =>
    Buffer.from(
      JSON.stringify({
        templateId: template['templateId'],
        mode,
        data: document(i + 1, { cold: false, ...length }).data,
        ...(options === null ? {} : { options }),
      }),
    ),
  );
}

/** Bodies in the proportion of the weights, well mixed and always in the same order. */
function mixBodies(mix: readonly Ingredient[]): readonly Buffer[] {
  const total = mix.reduce((sum, { weight }) => sum + weight, 0);
  const lists = mix.map((ingredient) => ({ ...ingredient, bodies: bodiesOf(ingredient), due: 0 }));
  const mixed: Buffer[] = [];
  for (let i = 0; i < BODIES; i++) {
    for (const list of lists) list.due += list.weight / total;
    const next = lists.reduce((most, list) => (list.due > most.due ? list : most));
    next.due -= 1;
    const body = next.bodies[i % next.bodies.length];
    if (body !== undefined) mixed.push(body);
  }
  return mixed;
}

/** Counts answers and times; only those that begin after the warm-up count. */
class Meter {
  readonly statuses = new Map<string, number>();
  readonly deliveredMs: number[] = [];
  readonly refusedMs: number[] = [];
  bytes = 0;
  sent = 0;

  /** A request that was due and could not be sent: the generator was at its own limit. */
  addUnsent(): void {
    this.statuses.set('unsent', (this.statuses.get('unsent') ?? 0) + 1);
  }

  add(status: number | 'error', ms: number, bytes: number): void {
    const name = String(status);
    this.statuses.set(name, (this.statuses.get(name) ?? 0) + 1);
    if (status === 200 || status === 201) {
      this.deliveredMs.push(ms);
      this.bytes += bytes;
    } else if (status === 429 || status === 503) {
      this.refusedMs.push(ms);
    }
  }

  result(durationMs: number, serviceCpuMs: number): LoadResult {
    const times = Float64Array.from(this.deliveredMs).toSorted();
    const refused = Float64Array.from(this.refusedMs).toSorted();
    return {
      durationMs,
      sent: this.sent,
      delivered: times.length,
      bytes: this.bytes,
      serviceCpuMs,
      p50Ms: percentile(times, 0.5),
      p95Ms: percentile(times, 0.95),
      p99Ms: percentile(times, 0.99),
      refusalP50Ms: refused.length === 0 ? null : percentile(refused, 0.5),
      statuses: Object.fromEntries(this.statuses),
    };
  }
}

/** Sends one request and reads its answer to the end; never rejects. */
function send(pool: Pool, key: string, body: Buffer, meter: Meter, counts: boolean): Promise<void> {
  return new Promise((resolve) => {
    const startMs = performance.now();
    let status: number | 'error' = 'error';
    let bytes = 0;
    const settle = (): void => {
      if (counts) meter.add(status, performance.now() - startMs, bytes);
      resolve();
    };
    if (counts) meter.sent++;
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    pool.dispatch(
      { path: PATH, method: 'POST', headers, body },
      {
        // undici calls it without asking whether it is there.
        onRequestStart: () => undefined,
        onResponseStart(_controller, statusCode) {
          status = statusCode;
        },
        onResponseData(_controller, chunk) {
          bytes += chunk.length;
        },
        onResponseEnd: settle,
        onResponseError() {
          status = 'error';
          settle();
        },
      },
    );
  });
}

type SendNext = (counts: boolean) => Promise<void>;

function readServiceCpuMs(pid: number): number {
  return processCpuMs(pid) + childrenCpuMs(pid);
}

async function closedLoop(load: Load, sendNext: SendNext): Promise<number> {
  const beginMs = performance.now() + load.warmUpMs;
  const endMs = beginMs + load.durationMs;
  const caller = async (): Promise<void> => {
    // On a machine too slow for the time given, each caller still counts one request.
    let counted = 0;
    for (let now = performance.now(); now < endMs || counted === 0; now = performance.now()) {
      const counts = now >= beginMs;
      await sendNext(counts);
      if (counts) counted++;
    }
  };
  await Promise.all(Array.from({ length: load.callers }, caller));
  return performance.now() - beginMs;
}

/** Due requests are sent every millisecond; one that is late goes at once, none is left out. */
async function openLoop(
  load: Load,
  perSecond: number,
  sendNext: SendNext,
  meter: Meter,
): Promise<number> {
  const startMs = performance.now();
  const beginMs = startMs + load.warmUpMs;
  const endMs = beginMs + load.durationMs;
  const open = new Set<Promise<void>>();
  let sent = 0;
  for (let now = startMs; now < endMs; now = performance.now()) {
    const due = ((now - startMs) * perSecond) / 1000;
    while (sent < due) {
      sent++;
      if (open.size >= OPEN_MAX) {
        meter.addUnsent();
        continue;
      }
      const request = sendNext(now >= beginMs);
      open.add(request);
      void request.then(() => open.delete(request));
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await Promise.all(open);
  return endMs - beginMs;
}

async function run(load: Load): Promise<LoadResult> {
  const bodies = mixBodies(load.mix);
  const connections = load.perSecond === null ? load.callers : 256;
  const pool = new Pool(load.url, {
    connections,
    pipelining: 1,
    headersTimeout: 60_000,
    bodyTimeout: 60_000,
  });
  const meter = new Meter();
  let cpuAtBeginMs = 0;
  const begin = setTimeout(() => {
    cpuAtBeginMs = readServiceCpuMs(load.pid);
  }, load.warmUpMs);
  let next = 0;
  const sendNext = (counts: boolean): Promise<void> => {
    const body = bodies[next++ % bodies.length];
    if (body === undefined) throw new Error('there is a body for every index');
    return send(pool, load.key, body, meter, counts);
  };
  const durationMs =
    load.perSecond === null
      ? await closedLoop(load, sendNext)
      : await openLoop(load, load.perSecond, sendNext, meter);
  clearTimeout(begin);
  await pool.close();
  return meter.result(durationMs, readServiceCpuMs(load.pid) - cpuAtBeginMs);
}

if (import.meta.main) {
  // The bench passes a Load.
  const load = JSON.parse(process.argv[2] ?? '') as Load;
  process.stdout.write(`${JSON.stringify(await run(load))}\n`);
}
