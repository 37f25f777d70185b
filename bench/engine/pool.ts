import { parseArgs } from 'node:util';
import type { RenderJob } from '../../src/workers/job.ts';
import { createPool } from '../../src/workers/pool.ts';
import type { PoolFault } from '../../src/workers/pool.ts';
import { SHAPES } from '../shapes/index.ts';
import { SHAPE_NAMES } from '../shapes/sheet.ts';
import type { ShapeName } from '../shapes/sheet.ts';
import { renderJob, shareTemplate } from './job.ts';

/**
 * Documents per second through the pool, without HTTP: `node bench/engine/pool.ts --threads 2
 * --shape A --ms 3000` prints one line of JSON.
 */
const { values } = parseArgs({
  options: {
    threads: { type: 'string', default: '1' },
    shape: { type: 'string', default: 'A' },
    ms: { type: 'string', default: '3000' },
    rows: { type: 'string' },
  },
});
const threads = Number(values.threads);
const durationMs = Number(values.ms);
const name: ShapeName = SHAPE_NAMES.find((known) => known === values.shape) ?? 'A';
const shape = SHAPES[name];

/** Distinct bodies; each is copied before it is given away. */
const BODIES = name === 'B' ? 8 : 256;
const IN_FLIGHT_PER_THREAD = 4;

const template = shareTemplate(shape, 1);
const rows = values.rows === undefined ? {} : { rows: Number(values.rows) };
const jobs = Array.from({ length: BODIES }, (_, i) =>
  renderJob(shape, shape.document(i + 1, { cold: false, ...rows }), template, true),
);

const pool = createPool({
  module: new URL('../../src/workers/render.ts', import.meta.url),
  settings: { fontsDir: null },
  threads,
  spareThreads: 0,
  queueMax: 64,
  renderTimeoutMs: 60_000,
  checkTimeoutMs: 60_000,
  memoryMb: 512,
  onFault: ({ kind, error, stack }: PoolFault) => {
    process.stderr.write(`${kind} ${error}\n${stack.join('\n')}\n`);
  },
});

let next = 0;

async function renderOne(): Promise<void> {
  const job = jobs[next++ % jobs.length];
  if (job === undefined) throw new Error('there is a job for every index');
  const given: RenderJob = { ...job, body: job.body.slice() };
  const result = await pool.submit(given, 'bench').result;
  if (!result.ok) throw new Error(`${result.code}: ${result.message}`);
}

/** Keeps every thread busy for a while; gives the documents made. */
async function load(ms: number): Promise<number> {
  const endMs = performance.now() + ms;
  let made = 0;
  const lane = async (): Promise<void> => {
    while (performance.now() < endMs) {
      await renderOne();
      made++;
    }
  };
  await Promise.all(Array.from({ length: threads * IN_FLIGHT_PER_THREAD }, lane));
  return made;
}

await pool.ready();
// As long again: the hot functions are compiled late in a thread.
await load(durationMs);
const cpuBefore = process.cpuUsage();
const startMs = performance.now();
const documents = await load(durationMs);
const wallMs = performance.now() - startMs;
const used = process.cpuUsage(cpuBefore);
const line = {
  documentsPerSecond: (documents * 1000) / wallMs,
  cpuMsPerDocument: (used.user + used.system) / 1000 / documents,
  rssMb: process.resourceUsage().maxRSS / 1024,
};
process.stdout.write(`${JSON.stringify(line)}\n`);
await pool.close(1_000);
