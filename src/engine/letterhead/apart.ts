import { Worker } from 'node:worker_threads';
import { LIMITS } from '../../limits.ts';
import { THREAD_FLAGS } from '../../runtime/thread-flags.ts';
import type { Cleaning } from './faults.ts';

/** What the thread sends: that it is loaded, with the CPU time that took, and then its result. */
export type CleanMessage =
  | { readonly kind: 'loaded'; readonly cpuMs: number }
  | { readonly kind: 'cleaned'; readonly cleaning: Cleaning };

/** Loading the reader takes 0.2 s on an idle machine. */
const LOAD_MS_MAX = 10_000;
/** How often the thread is asked for the CPU time that it has taken. */
const LOOK_MS = 100;
/** A thread that gets no CPU is given up after this: a machine this busy is not the file's fault. */
const STARVED_MS_MAX = 20_000;

/**
 * Cleans a foreign file in a separate thread that ends afterwards: its CPU time and memory are
 * bounded, and the 20 MB of pdf-lib are freed. Never rejects.
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
    let watch: NodeJS.Timeout | undefined;
    const end = (cleaning: Cleaning): void => {
      clearTimeout(timer);
      clearInterval(watch);
      resolve(cleaning);
      void worker.terminate();
    };
    let timer = setTimeout(() => end({ ok: false, fault: 'busy' }), LOAD_MS_MAX);
    worker.on('message', (message: CleanMessage) => {
      if (message.kind === 'cleaned') {
        end(message.cleaning);
        return;
      }
      isLoaded = true;
      clearTimeout(timer);
      timer = setTimeout(() => end({ ok: false, fault: 'busy' }), STARVED_MS_MAX);
      const cpuMsMax = message.cpuMs + LIMITS.pdfCleanMsMax;
      watch = setInterval(() => {
        void hasTaken(worker, cpuMsMax).then((isOver) => {
          if (isOver) end({ ok: false, fault: 'slow' });
          return undefined;
        });
      }, LOOK_MS);
    });
    // Out of memory, or a thread that the system refused.
    worker.on('error', () => end({ ok: false, fault: isLoaded ? 'large' : 'busy' }));
    worker.on('exit', () => end({ ok: false, fault: 'broken' }));
  });
}

/** Whether a thread has taken this much CPU time since its start; false for one that has ended. */
async function hasTaken(worker: Worker, cpuMsMax: number): Promise<boolean> {
  try {
    const { user, system } = await worker.cpuUsage();
    return (user + system) / 1_000 > cpuMsMax;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : '';
    if (code === 'ERR_WORKER_NOT_RUNNING') return false;
    throw error;
  }
}
