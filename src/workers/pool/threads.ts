import { fileURLToPath } from 'node:url';
import type { Worker } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { THREAD_FLAGS } from '../../runtime/thread-flags.ts';
import type { WorkerFault, WorkerSetup, WorkerTask } from './messages.ts';
import { packTask, type PackedAnswer, type PackedTask } from './packed.ts';
import { TASKS_MAX } from './messages.ts';

type Options = NonNullable<ConstructorParameters<typeof Piscina>[0]>;
/** A loaded thread as piscina's load balancer names it. */
export type LoadedThread = NonNullable<ReturnType<NonNullable<Options['loadBalancer']>>>;

/**
 * Three semi-spaces of 4 MB. More would save nothing; and V8 ends the whole process instead of the
 * thread when one scavenge moves more than 16 MB into an old generation that is full.
 */
const YOUNG_GENERATION_MB = 12;
/** Room, per thread, for ended threads: they count until native code in them has returned. */
const ENDING_PER_THREAD = 2;
/** One more than the jobs of a thread, for a warm-up. */
const CONCURRENT_TASKS = TASKS_MAX + 1;

/** What each thread gets for itself. */
type OwnSetup = Pick<WorkerSetup, 'cells' | 'recent' | 'isSpare'>;

/** Piscina's queue holds nothing: the pool's own queue stands in front of it. */
const NO_QUEUE: NonNullable<Options['taskQueue']> = {
  size: 0,
  shift: () => null,
  remove: () => undefined,
  push: () => undefined,
};

/**
 * The piscina instance of the pool. It makes the threads, carries jobs and answers between them,
 * and fails the jobs of a thread that ended. The pool makes two decisions in its place:
 *
 * - When to start a thread. Piscina would start one inside the exit event of another one, where a
 *   system that refuses a thread (EAGAIN) raises an uncaught exception, and it stops for good after
 *   one that fails to load.
 * - Which thread gets a task: the load balancer returns the one that the pool has chosen.
 */
export class Threads {
  readonly #piscina: Piscina<PackedTask | null, PackedAnswer>;
  readonly #setup: { -readonly [K in keyof WorkerSetup]: WorkerSetup[K] };
  readonly #known = new WeakSet<Worker>();
  /** The thread that gets the next task; null: piscina is to make a new one. */
  #target: LoadedThread | null = null;

  constructor(
    { setup, threads, heapMbMax }: { setup: WorkerSetup; threads: number; heapMbMax: number },
    on: { loaded: (thread: LoadedThread) => void; fault: (fault: WorkerFault) => void },
  ) {
    this.#setup = { ...setup };
    this.#piscina = new Piscina({
      // A path, because piscina would parse a URL again for each task.
      filename: fileURLToPath(new URL('entry.ts', import.meta.url)),
      minThreads: 0,
      maxThreads: threads * (1 + ENDING_PER_THREAD),
      idleTimeout: Infinity,
      concurrentTasksPerWorker: CONCURRENT_TASKS,
      taskQueue: NO_QUEUE,
      maxQueue: 1,
      loadBalancer: (_task) => this.#target,
      atomics: 'sync',
      recordTiming: false,
      workerHistogram: false,
      niceIncrement: 0,
      execArgv: [...THREAD_FLAGS],
      resourceLimits: {
        maxOldGenerationSizeMb: heapMbMax,
        maxYoungGenerationSizeMb: YOUNG_GENERATION_MB,
      },
      workerData: this.#setup,
    });
    this.#piscina.on('workerCreate', (thread) => {
      keepInterface(thread);
      on.loaded(thread);
    });
    this.#piscina.on('message', on.fault);
    // An error of a thread without jobs: pool.ts listens to the thread itself.
    this.#piscina.on('error', () => undefined);
  }

  /**
   * Starts one thread. A task that no thread takes makes piscina add one; the queue drops the task.
   * Throws when the system refuses a thread.
   */
  add({ cells, recent, isSpare }: OwnSetup): Worker {
    // piscina passes this object to each thread that it makes.
    this.#setup.cells = cells;
    this.#setup.recent = recent;
    this.#setup.isSpare = isSpare;
    this.#target = null;
    void this.#piscina.run(null);
    const worker = this.#piscina.threads.find((one) => !this.#known.has(one));
    if (worker === undefined) throw new Error('too many ended threads have not stopped yet');
    this.#known.add(worker);
    return worker;
  }

  /** Rejects when the task cannot be copied (DataCloneError) and when the thread ends. */
  run(thread: LoadedThread, task: WorkerTask, moved: ArrayBuffer[] = []): Promise<PackedAnswer> {
    this.#target = thread;
    return this.#piscina.run(packTask(task), { transferList: moved });
  }

  /** Ends all threads. */
  async destroy(): Promise<void> {
    await this.#piscina.destroy();
  }
}

/**
 * For each task piscina makes an object with getters for each thread, to show it to the load
 * balancer. V8 makes a separate hidden class for every such object in the old generation: 4 MB of
 * them make it mark the whole heap, under load five times a second. The getters read the current
 * state of the thread, so the first object will do for all tasks.
 */
function keepInterface(thread: LoadedThread): void {
  for (const symbol of Object.getOwnPropertySymbols(thread)) {
    const owner: unknown = Object.getOwnPropertyDescriptor(thread, symbol)?.value;
    const isOwner = typeof owner === 'object' && owner !== null && 'interface' in owner;
    if (isOwner) Object.defineProperty(owner, 'interface', { value: thread });
  }
}
