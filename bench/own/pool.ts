import type { EngineSettings } from '#engine';
import { entryAt } from '../../src/errors.ts';
import { releaseBuffer } from '../../src/runtime/memory/release-buffer.ts';
import { createPool } from '../../src/workers/pool/pool.ts';
import { jobsOf } from './jobs.ts';

/**
 * Documents of one template through a pool of renderers, in a separate process: `bench --template`
 * starts it with a channel and `PoolArguments`. It sends `ready` when it is warm, answers each message
 * with a `PoolRound`, and ends with the channel.
 */
export interface PoolArguments {
  readonly folder: string;
  readonly settings: Partial<EngineSettings>;
  readonly threads: number;
  /** CPU time that the warm-up takes before the first round. */
  readonly warmUpMs: number;
  /** Length of a round. */
  readonly ms: number;
}

export interface PoolRound {
  readonly documentsPerSecond: number;
  readonly cpuMs: number;
  readonly rssMb: number;
}

/** Jobs under way for each thread, so that none waits for the main thread. */
const LANES_PER_THREAD = 4;
const MEMORY_MB = 512;

// The bench passes these arguments.
const given = JSON.parse(process.argv[2] ?? '') as PoolArguments;
const { folder, settings, threads, warmUpMs, ms } = given;
const jobs = jobsOf(folder);
const pool = createPool({
  module: new URL('../../src/workers/render.ts', import.meta.url),
  settings,
  threads,
  spareThreads: 0,
  queueMax: 4 * LANES_PER_THREAD * threads,
  renderTimeoutMs: 60_000,
  checkTimeoutMs: 60_000,
  draftTimeoutMs: 10_000,
  memoryMb: MEMORY_MB,
  onFault: ({ kind, error }) => void process.stderr.write(`${kind} ${error}\n`),
});
let next = 0;

async function draw(): Promise<void> {
  const job = entryAt(jobs, next++ % jobs.length);
  const result = await pool.submit({ ...job, body: job.body.slice() }, 'bench').result;
  if (!result.ok) throw new Error(`${result.code}: ${result.message}`);
  releaseBuffer(result.value.pdf);
}

/** Keeps every thread busy for a while. */
async function run(): Promise<PoolRound> {
  const before = process.cpuUsage();
  const startMs = performance.now();
  let documents = 0;
  const lane = async (): Promise<void> => {
    while (performance.now() < startMs + ms) {
      await draw();
      documents++;
    }
  };
  await Promise.all(Array.from({ length: threads * LANES_PER_THREAD }, lane));
  const wallMs = performance.now() - startMs;
  const { user, system } = process.cpuUsage(before);
  return {
    documentsPerSecond: (documents * 1000) / wallMs,
    cpuMs: (user + system) / 1000 / documents,
    rssMb: process.resourceUsage().maxRSS / 1024,
  };
}

process.on('disconnect', () => void pool.close(1_000).then(() => process.exit(0)));
await pool.ready();
// V8 optimizes hot functions late. CPU time counts: a busy machine must not make the warm-up shorter.
const WARM_UP_MAX_MS = 60_000;
const isWarm = (): boolean => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000 > warmUpMs || performance.now() > WARM_UP_MAX_MS;
};
do await run();
while (!isWarm());
process.on('message', () => void run().then((round) => process.send?.(round)));
process.send?.('ready');
