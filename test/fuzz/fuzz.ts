import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { INPUT_BYTES_MAX } from './mutate.ts';

/** Inputs that failed once, or that show rare behaviour; one folder per target. */
export const CORPUS = join(import.meta.dirname, 'corpus');
/** Shared memory: start of the current run in ms (0: none), its length, then its input. */
export const INPUT_OFFSET = 16;

/** How long to fuzz, by time or by runs, whichever ends first; and the seed. */
export interface FuzzOptions {
  readonly ms: number;
  readonly runsMax: number;
  readonly seed: number;
  /**
   * A run with more CPU time than this counts as a hang, and so does one that takes ten times as
   * long.
   */
  readonly hangMs: number;
  /** Which inputs are mutated further: those that show new behaviour, or the costliest ones. */
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
  /** The lower CPU time of two runs of the slowest input. */
  readonly slowestMs: number;
  readonly slowest: { readonly input: Uint8Array; readonly behaviour: string };
  /** Growth of live memory since the first 500 runs; 0 for a shorter fuzzing. */
  readonly grownMb: number;
  /** Costliest first; empty unless costs were sought. */
  readonly costliest: readonly {
    readonly input: Uint8Array;
    readonly ms: number;
    readonly msPerKb: number;
  }[];
}

/** A run that threw or hung; the message names the file that keeps its input. */
export class FuzzFailure extends Error {}

/**
 * Fuzzes one target in a separate thread. Rejects with FuzzFailure when an input throws or takes
 * longer than `hangMs`; the input is then in the corpus.
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
  // CPU time, because a busy machine delays a run that does not hang.
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

/** CPU time of the whole process, which does nothing else during a run. */
function processCpuMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

function keep(target: string, shared: SharedArrayBuffer): string {
  const length = new Float64Array(shared, 0, 2)[1] ?? 0;
  return keepInput(target, new Uint8Array(shared, INPUT_OFFSET, length).slice());
}

/** Writes an input into the corpus; returns its path. */
export function keepInput(target: string, input: Uint8Array): string {
  const folder = join(CORPUS, target);
  mkdirSync(folder, { recursive: true });
  const name = createHash('sha256').update(input).digest('hex').slice(0, 16);
  writeFileSync(join(folder, name), input);
  return join('test/fuzz/corpus', target, name);
}
