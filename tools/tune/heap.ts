import { Worker } from 'node:worker_threads';

import type { Config } from '../../src/settings/config.ts';
import { asTemplate } from '../../src/commands/engine.ts';
import { CommandFailed } from '../../src/commands/console/failure.ts';
import { stretch } from './bodies.ts';
import type { TunedTemplate } from './workload.ts';

/** A task of heap-thread.ts. */
export interface HeapTask {
  readonly source: SharedArrayBuffer;
  readonly hash: string;
  readonly body: Uint8Array;
}

/** Interval at which the heap is looked at. */
const POLL_MS = 4;

/**
 * Measures the peak size, in bytes with garbage, of a renderer's heap and buffers. It renders the
 * first sample of each template and, if it has a table, that sample with as many rows as callers
 * may send.
 */
export async function peakHeapBytes(
  templates: readonly TunedTemplate[],
  { templateCacheMb, fontsDir, bodyBytesMax }: Config,
  durationMs: number,
  signal: AbortSignal,
): Promise<number> {
  const tasks = templates.flatMap((template) => tasksOf(template, bodyBytesMax));
  const worker = new Worker(new URL('./heap-thread.ts', import.meta.url), {
    workerData: { settings: { templateCacheMb, fontsDir }, tasks, durationMs },
    // The young generation is that of a pool's renderer; the old one has the default limit.
    resourceLimits: { maxYoungGenerationSizeMb: 12, maxOldGenerationSizeMb: 512 },
  });
  const ended = new Promise<number>((resolve, reject) => {
    worker.once('exit', resolve).once('error', reject);
  });
  const stop = (): void => void worker.terminate();
  signal.addEventListener('abort', stop, { once: true });
  let peak = 0;
  const updatePeak = async (): Promise<void> => {
    // The limit of a renderer counts its heap and its buffers.
    const { used_heap_size: used, external_memory: external } = await worker.getHeapStatistics();
    peak = Math.max(peak, used + external);
  };
  const timer = setInterval(() => {
    // This fails when the thread has ended meanwhile; then the last figure stays.
    updatePeak().catch(() => undefined);
  }, POLL_MS);
  try {
    const code = await ended;
    signal.throwIfAborted();
    if (code !== 0) throw new CommandFailed(`the renderer to measure ended with ${code}`);
    return peak;
  } finally {
    clearInterval(timer);
    signal.removeEventListener('abort', stop);
    await worker.terminate();
  }
}

function tasksOf({ source, samples }: TunedTemplate, bodyBytesMax: number): readonly HeapTask[] {
  const [first] = samples;
  if (first === undefined) return [];
  const { shared } = asTemplate(source);
  const long = stretch(first, bodyBytesMax);
  return [first, ...(long === null ? [] : [long])].map(({ data }) => ({
    source: shared.source,
    hash: shared.hash,
    body: new TextEncoder().encode(JSON.stringify(data)),
  }));
}
