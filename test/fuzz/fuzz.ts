import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { INPUT_BYTES_MAX } from './mutate.ts';

/** Inputs that once failed or that show something rare, one folder a target. */
export const CORPUS = join(import.meta.dirname, 'corpus');
/** Shared memory: start of the current run in ms (0: none), its length, then its input. */
export const INPUT_OFFSET = 16;

/** How long and from where; what ends first, time or runs. */
export interface FuzzOptions {
  readonly ms: number;
  readonly runsMax: number;
  readonly seed: number;
  /** A run that takes more CPU time counts as a hang; one that waits for ten times as long, too. */
  readonly hangMs: number;
  /** What is mutated further: inputs that behave in a new way, or those that cost most for their length. */
  readonly seek: 'behaviour' | 'cost';
}

export interface FuzzOrder extends FuzzOptions {
  readonly target: string;
  readonly shared: SharedArrayBuffer;
}

export interface FuzzReport {
  readonly name: string;
  readonly runs: number;
  readonly behaviours: number;
  /** The least CPU time of two runs of the slowest input, and what became of it. */
  readonly slowestMs: number;
  readonly slowest: { readonly input: Uint8Array; readonly behaviour: string };
  /** Live memory gained since the first 500 runs; 0 for a shorter time. */
  readonly grownMb: number;
  /** Costliest first; empty unless costs were sought. */
  readonly costliest: readonly {
    readonly input: Uint8Array;
    readonly ms: number;
    readonly msPerKb: number;
  }[];
}

/** A run that threw or did not end, with where its input was kept. */
export class FuzzFailure extends Error {}

/**
 * Fuzzes one target in a thread of its own for a time. Rejects with FuzzFailure when an input
 * throws, or takes longer than `hangMs`; the input is in the corpus then.
 */
export async function fuzz(target: string, options: FuzzOptions): Promise<FuzzReport> {
  const shared = new SharedArrayBuffer(INPUT_OFFSET + INPUT_BYTES_MAX);
  const status = new Float64Array(shared, 0, 2);
  const order: FuzzOrder = { ...options, target, shared };
  const worker = new Worker(new URL('loop.ts', import.meta.url), { workerData: order });
  const { promise, resolve, reject } = Promise.withResolvers<FuzzReport>();
  let isOver = false;
  const failWith = (problem: string): void => {
    if (isOver) return;
    isOver = true;
    reject(new FuzzFailure(`${target}: ${problem}; input kept as ${keep(target, shared)}`));
  };
  worker.on('message', resolve);
  worker.on('error', (error: Error) => failWith(error.stack ?? error.message));
  worker.on('exit', (code) => code !== 0 && failWith(`thread ended with ${code}`));
  // CPU time, because a process that others crowd out is not a run that hangs.
  let watched = { startedAt: 0, cpuMs: 0 };
  const watch = setInterval(() => {
    const startedAt = status[0] ?? 0;
    if (startedAt !== watched.startedAt) watched = { startedAt, cpuMs: processCpuMs() };
    if (startedAt === 0) return;
    const waitedMs = Date.now() - startedAt;
    if (processCpuMs() - watched.cpuMs > options.hangMs || waitedMs > options.hangMs * 10) {
      failWith(`ran over ${options.hangMs} ms`);
    }
  }, 100);
  try {
    return await promise;
  } finally {
    isOver = true;
    clearInterval(watch);
    await worker.terminate();
  }
}

/** CPU time of the whole process, in which nothing else works during a run. */
function processCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function keep(target: string, shared: SharedArrayBuffer): string {
  const length = new Float64Array(shared, 0, 2)[1] ?? 0;
  return keepInput(target, new Uint8Array(shared, INPUT_OFFSET, length).slice());
}

/** Writes an input into the corpus; gives its path. */
export function keepInput(target: string, input: Uint8Array): string {
  const folder = join(CORPUS, target);
  mkdirSync(folder, { recursive: true });
  const name = createHash('sha256').update(input).digest('hex').slice(0, 16);
  writeFileSync(join(folder, name), input);
  return join('test/fuzz/corpus', target, name);
}
