import { Piscina } from 'piscina';
import type { Outcome } from '../errors.ts';
import { fail } from '../errors.ts';
import type { CheckJob, CheckResult, RenderJob, RenderResult, SharedTemplate } from './job.ts';
import { FairQueue } from './queue.ts';
import type { AnyJob, AnyResult, Ticket } from './task.ts';
import { EXPIRED, Task } from './task.ts';
import type { WorkerFault, WorkerSetup, WorkerTask } from './thread.ts';
import { elapsedMs } from './thread.ts';

export type { Ticket } from './task.ts';

export interface PoolOptions {
  /** URL of the module whose default export renders in a thread. */
  readonly module: URL;
  /** Reaches that module as `workerData.settings`. Plain data. */
  readonly settings: unknown;
  /** Jobs that run at the same time. */
  readonly threads: number;
  /** Threads kept loaded beside them: one takes over at once when another has to be ended. */
  readonly spareThreads: number;
  /** Jobs that may wait. */
  readonly queueMax: number;
  /** Longest render, from its start. */
  readonly renderTimeoutMs: number;
  /** Longest check of a template with all its samples, from its start. */
  readonly checkTimeoutMs: number;
  /** Heap of one thread. */
  readonly memoryMb: number;
  /** A thread died or a renderer threw: for the log. */
  readonly onFault: (fault: PoolFault) => void;
}

export interface PoolFault {
  readonly kind: 'timeout' | 'thread_died' | 'boot_failed' | 'exception';
  /** Type or code of the error and where it came from; never a message, which could quote data. */
  readonly error: string;
  readonly stack: readonly string[];
}

export interface PoolStats {
  readonly threads: number;
  readonly running: number;
  readonly queued: number;
  readonly completed: number;
  /** Documents whose data was accepted: their layout began. Wraps at 2^32. */
  readonly laidOut: number;
  /** Refused because the queue was full. */
  readonly refused: number;
  /** Threads ended over the time limit. */
  readonly timeouts: number;
  /** Threads that died by themselves: out of memory, a crash. */
  readonly deaths: number;
}

/**
 * Threads that render. Full, the answer is `overloaded`; over its time, or with its thread dead, it
 * is `render_failed`, the thread is replaced and no other job notices. Buffers of a job belong to
 * the pool from `submit` on, those of its result to the caller.
 */
export interface Pool {
  /** Waits its turn among the jobs of `key`; keys take turns. */
  submit(job: RenderJob, key: string): Ticket<RenderResult>;
  check(job: CheckJob, key: string): Ticket<Outcome<CheckResult>>;
  /** Loads a template in every thread that is idle. */
  warm(template: SharedTemplate): Promise<void>;
  /** Resolves when every thread has loaded; rejects when one cannot. */
  ready(): Promise<void>;
  stats(): PoolStats;
  /** Ends the threads. What waits is refused; what runs gets `graceMs` to finish. */
  close(graceMs: number): Promise<void>;
}

/** Three semi-spaces of 32 MB: what a long statement makes dies there. */
const YOUNG_GENERATION_MB = 96;

/** A thread that has not begun a job after this is taken for dead. */
const BOOT_MS_MAX = 60_000;
const WARM_MS_MAX = 60_000;
/** Templates a new thread loads first. */
const RECENT_MAX = 16;
/** Least time between two attempts to replace threads that cannot start. */
const REVIVE_MS = 1_000;

class ThreadPool implements Pool {
  readonly #options: PoolOptions;
  readonly #setup: WorkerSetup;
  readonly #queue = new FairQueue<Task>();
  readonly #running = new Set<Task>();
  readonly #freeSlots: number[];
  /** Templates that rendered lately, oldest first; a new thread loads them before it takes a job. */
  readonly #recent = new Map<string, SharedTemplate>();
  #piscina: Piscina<WorkerTask, unknown>;
  #timer: NodeJS.Timeout | null = null;
  #timerAtMs = Number.POSITIVE_INFINITY;
  #revive: NodeJS.Timeout | null = null;
  #closed = false;
  #whenIdle: (() => void) | null = null;
  #completed = 0;
  #refused = 0;
  #timeouts = 0;
  #deaths = 0;

  constructor(options: PoolOptions) {
    this.#options = options;
    const { threads } = options;
    this.#freeSlots = Array.from({ length: threads }, (_, index) => threads - 1 - index);
    const recent = this.#recent;
    this.#setup = {
      // Read each time a thread is made.
      get recent() {
        return [...recent.values()];
      },
      module: options.module.href,
      settings: options.settings,
      starts: new Int32Array(new SharedArrayBuffer(threads * Int32Array.BYTES_PER_ELEMENT)),
      epoch: process.hrtime(),
      laidOut: new Uint32Array(new SharedArrayBuffer(Uint32Array.BYTES_PER_ELEMENT)),
    };
    this.#piscina = this.#createPiscina();
  }

  submit(job: RenderJob, key: string): Ticket<RenderResult> {
    // A render job comes back as a RenderResult, or as a failure of the pool.
    return this.#enqueue(job, key, this.#options.renderTimeoutMs) as Ticket<RenderResult>;
  }

  check(job: CheckJob, key: string): Ticket<Outcome<CheckResult>> {
    // #accept wraps a CheckResult.
    return this.#enqueue(job, key, this.#options.checkTimeoutMs) as Ticket<Outcome<CheckResult>>;
  }

  async ready(): Promise<void> {
    await this.#onEveryThread(null);
  }

  async warm(template: SharedTemplate): Promise<void> {
    await this.#onEveryThread({ kind: 'warm', template });
  }

  stats(): PoolStats {
    return {
      threads: this.#piscina.threads.length,
      running: this.#running.size,
      queued: this.#queue.size,
      completed: this.#completed,
      laidOut: Atomics.load(this.#setup.laidOut, 0),
      refused: this.#refused,
      timeouts: this.#timeouts,
      deaths: this.#deaths,
    };
  }

  async close(graceMs: number): Promise<void> {
    this.#closed = true;
    if (this.#revive !== null) clearTimeout(this.#revive);
    for (let task = this.#queue.take(); task !== undefined; task = this.#queue.take()) {
      task.settle(fail('overloaded'));
    }
    if (this.#running.size > 0) await this.#idle(graceMs);
    if (this.#timer !== null) clearTimeout(this.#timer);
    for (const task of this.#running) task.settle(fail('overloaded'));
    await this.#piscina.destroy();
  }

  #dropWaiting(task: Task): void {
    if (this.#queue.remove(task.key, task)) task.settle(fail('overloaded'));
  }

  #enqueue(job: AnyJob, key: string, timeoutMs: number): Task {
    const task = new Task(job, key, timeoutMs, (dropped) => this.#dropWaiting(dropped));
    if (this.#closed) {
      task.settle(fail('overloaded'));
      return task;
    }
    if (this.#freeSlots.length === 0 && this.#queue.size >= this.#options.queueMax) {
      this.#refused += 1;
      const displaced = this.#queue.displace(key);
      if (displaced === undefined) {
        task.settle(fail('overloaded'));
        return task;
      }
      displaced.settle(fail('overloaded'));
    }
    this.#queue.push(key, task);
    this.#dispatch();
    return task;
  }

  #dispatch(): void {
    while (this.#freeSlots.length > 0) {
      const task = this.#queue.take();
      if (task === undefined) return;
      const slot = this.#freeSlots.pop();
      if (slot === undefined) return;
      void this.#run(task, slot);
    }
  }

  async #run(task: Task, slot: number): Promise<void> {
    const job = task.start(slot);
    Atomics.store(this.#setup.starts, slot, 0);
    this.#running.add(task);
    this.#arm(task.postedAtMs + task.timeoutMs);
    try {
      const result = await this.#piscina.run(
        { slot, job },
        { transferList: buffersOf(job), signal: task },
      );
      task.settle(accept(job, result));
      this.#remember(job.template);
    } catch (error) {
      // Whatever ended its thread is not given to the next one before its time.
      this.#recent.delete(job.template.hash);
      // After #expire the answer is given already, and this one is ignored.
      task.settle(this.#blame(task, error));
    }
    this.#completed += 1;
    this.#running.delete(task);
    this.#freeSlots.push(slot);
    this.#dispatch();
    if (this.#running.size === 0) this.#whenIdle?.();
  }

  #remember(template: SharedTemplate): void {
    this.#recent.delete(template.hash);
    this.#recent.set(template.hash, template);
    if (this.#recent.size <= RECENT_MAX) return;
    for (const oldest of this.#recent.keys()) {
      this.#recent.delete(oldest);
      return;
    }
  }

  #blame(task: Task, error: unknown): AnyResult {
    if (task.slot === EXPIRED || this.#closed) return fail('render_failed');
    if (error instanceof Error && error.name === 'DataCloneError') {
      this.#options.onFault(describe('exception', error));
      return fail('internal_error');
    }
    this.#deaths += 1;
    this.#options.onFault(describe('thread_died', error));
    this.#reviveIfNeeded();
    const outOfMemory = codeOf(error) === 'ERR_WORKER_OUT_OF_MEMORY';
    return fail(
      'render_failed',
      outOfMemory
        ? 'The render needed more memory than a renderer may use.'
        : 'The renderer ended while it rendered this document.',
    );
  }

  /** One timer for all: set for the first moment a time limit can have passed. */
  #arm(atMs: number): void {
    if (atMs >= this.#timerAtMs) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timerAtMs = atMs;
    const delayMs = Math.max(1, Math.ceil(atMs - performance.now()));
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#timerAtMs = Number.POSITIVE_INFINITY;
      this.#checkLimits();
    }, delayMs);
    this.#timer.unref();
  }

  #checkLimits(): void {
    const nowMs = performance.now();
    const clock = elapsedMs(this.#setup.epoch);
    let nextMs = Number.POSITIVE_INFINITY;
    for (const task of this.#running) {
      if (task.slot === EXPIRED) continue;
      const startedAt = Atomics.load(this.#setup.starts, task.slot);
      const started = startedAt !== 0;
      const leftMs = started
        ? task.timeoutMs - ((clock - startedAt) | 0)
        : Math.min(task.timeoutMs, task.postedAtMs + BOOT_MS_MAX - nowMs);
      if (leftMs > 0) nextMs = Math.min(nextMs, nowMs + leftMs);
      else this.#expire(task, started);
    }
    if (nextMs < Number.POSITIVE_INFINITY) this.#arm(nextMs);
  }

  #expire(task: Task, started: boolean): void {
    this.#timeouts += 1;
    task.settle(
      started
        ? fail('render_failed', `The render took longer than ${task.timeoutMs} ms.`)
        : fail('internal_error'),
    );
    task.slot = EXPIRED;
    this.#options.onFault({ kind: 'timeout', error: started ? 'render' : 'boot', stack: [] });
    task.endThread();
    this.#reviveIfNeeded();
  }

  async #onEveryThread(job: { kind: 'warm'; template: SharedTemplate } | null): Promise<void> {
    const runs: Promise<unknown>[] = [];
    const { threads, spareThreads } = this.#options;
    for (let index = 0; index < threads + spareThreads; index += 1) {
      const signal = AbortSignal.timeout(WARM_MS_MAX);
      runs.push(this.#piscina.run({ slot: -1, job }, { signal }));
    }
    await Promise.all(runs);
  }

  async #idle(graceMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#whenIdle = resolve;
      timer = setTimeout(resolve, graceMs);
    });
    clearTimeout(timer);
  }

  #createPiscina(): Piscina<WorkerTask, unknown> {
    const { threads, spareThreads, memoryMb } = this.#options;
    const piscina = new Piscina<WorkerTask, unknown>({
      filename: new URL('./entry.ts', import.meta.url).href,
      minThreads: threads + spareThreads,
      maxThreads: threads + spareThreads,
      concurrentTasksPerWorker: 1,
      // The fair queue stands before piscina's; what waits there only waits for a new thread.
      maxQueue: 2 * (threads + spareThreads),
      idleTimeout: Number.POSITIVE_INFINITY,
      recordTiming: false,
      resourceLimits: {
        maxOldGenerationSizeMb: memoryMb,
        maxYoungGenerationSizeMb: YOUNG_GENERATION_MB,
      },
      workerData: this.#setup,
    });
    piscina.on('message', (message: WorkerFault) => {
      this.#options.onFault({ kind: 'exception', error: message.fault, stack: message.stack });
    });
    piscina.on('error', (error: unknown) => {
      this.#options.onFault(describe('boot_failed', error));
      this.#reviveIfNeeded();
    });
    return piscina;
  }

  /** piscina gives up on threads after one that died while it loaded; a new set starts over. */
  #reviveIfNeeded(): void {
    const wanted = this.#options.threads + this.#options.spareThreads;
    if (this.#closed || this.#revive !== null || this.#piscina.threads.length >= wanted) return;
    this.#revive = setTimeout(() => {
      this.#revive = null;
      if (this.#closed || this.#piscina.threads.length >= wanted) return;
      const old = this.#piscina;
      this.#piscina = this.#createPiscina();
      void old.close();
    }, REVIVE_MS);
    this.#revive.unref();
  }
}

/** Starts the threads; `ready` tells when they can work. */
export function createPool(options: PoolOptions): Pool {
  return new ThreadPool(options);
}

function buffersOf(job: AnyJob): ArrayBuffer[] {
  if (job.kind === 'check') return [];
  // The gateway reads bodies and attachments into buffers of their own: never shared ones.
  const buffers = job.attachments.map((attachment) => attachment.buffer as ArrayBuffer);
  buffers.push(job.body.buffer as ArrayBuffer);
  return buffers;
}

function accept(job: AnyJob, result: unknown): AnyResult {
  // entry.ts answers a render job with a RenderResult, a check job with a CheckResult or a Failure.
  const answer = result as Outcome<unknown> | CheckResult;
  return job.kind === 'check' && !('ok' in answer)
    ? { ok: true, value: answer }
    : (answer as Outcome<unknown>);
}

function codeOf(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}

function describe(kind: PoolFault['kind'], error: unknown): PoolFault {
  if (!(error instanceof Error)) return { kind, error: typeof error, stack: [] };
  const stack = (error.stack ?? '').split('\n').filter((line) => line.startsWith('    at '));
  return { kind, error: codeOf(error) || error.name, stack: stack.slice(0, 20) };
}
