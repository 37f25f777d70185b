import { Worker } from 'node:worker_threads';
import { LIMITS } from '../../limits.ts';
import { THREAD_FLAGS } from '../../runtime/thread-flags.ts';
import type { Cleaning } from './faults.ts';

/** Loading the reader takes 0.2 s on an idle machine. */
const LOAD_MS_MAX = 10_000;

/**
 * Cleans a foreign file in a separate thread that ends afterwards: time and memory are bounded, and
 * the 20 MB of pdf-lib are freed. Never rejects.
 */
export function cleanApart(bytes: Uint8Array): Promise<Cleaning> {
  return new Promise((resolve) => {
    const worker = new Worker(new URL('./clean-thread.ts', import.meta.url), {
      workerData: bytes,
      execArgv: [...THREAD_FLAGS],
      resourceLimits: {
        maxOldGenerationSizeMb: LIMITS.pdfHeapMbMax,
        maxYoungGenerationSizeMb: 16,
        stackSizeMb: 4,
      },
      env: {},
      // pdf-lib warns on the console; its output could quote the foreign file, so it is discarded.
      stdout: true,
      stderr: true,
    });
    let isLoaded = false;
    const end = (cleaning: Cleaning): void => {
      clearTimeout(timer);
      resolve(cleaning);
      void worker.terminate();
    };
    let timer = setTimeout(() => end({ ok: false, fault: 'busy' }), LOAD_MS_MAX);
    worker.on('message', (message: 'loaded' | Cleaning) => {
      if (message !== 'loaded') return end(message);
      isLoaded = true;
      clearTimeout(timer);
      timer = setTimeout(() => end({ ok: false, fault: 'slow' }), LIMITS.pdfCleanMsMax);
      return undefined;
    });
    // Out of memory, or a thread that the system refused.
    worker.on('error', () => end({ ok: false, fault: isLoaded ? 'large' : 'busy' }));
    worker.on('exit', () => end({ ok: false, fault: 'broken' }));
  });
}
