import { fail, type Outcome } from '../../errors.ts';
import { errorCode } from '../../runtime/error-code.ts';
import { within } from '../../runtime/within.ts';
import type {
  CheckJob,
  CheckResult,
  RenderJob,
  RenderResult,
  RowsJob,
  RowsResult,
  SharedTemplate,
} from '#engine';
import { describe, type PoolFault } from './pool-fault.ts';
import type { WorkerTask } from './messages.ts';
import { unpackAnswer, type PackedAnswer } from './packed.ts';
import { RecentTemplates } from './recent-templates.ts';
import { Renderer } from './renderer.ts';
import { decide, SCHEDULE } from './schedule.ts';
import type { AnyJob, AnyResult, Ticket } from './task.ts';
import { Task } from './task.ts';
import type { LoadedThread } from './threads.ts';
import { Threads } from './threads.ts';
import type { Pool, PoolOptions, PoolStats, Sharer } from './types.ts';
import { Waiting } from './waiting.ts';

export type { PoolFault } from './pool-fault.ts';
export type { Pool, PoolOptions, Sharer } from './types.ts';

/*
 * Piscina (threads.ts) makes threads, carries messages and fails the jobs of a thread that dies.
 * The schedule (schedule.ts) decides which job runs where, and the pool for how long, because piscina
 * knows only how many tasks a thread holds:
 *
 * - It cannot tell a running task from one that waits in the thread. A time limit would count from
 *   the posting, and an abort would end the thread even if another job runs there. Hence the cells
 *   of messages.ts, in which a thread says what it has begun. With one task per thread no cells
 *   would be needed, but threads would be idle for a fifth of the time.
 * - Its queue is first in, first out: hence Waiting and the schedule.
 * - Its resource limits end the process when a scavenge moves more than 16 MB into a full heap:
 *   hence #watchHeap.
 * - It stops replacing threads after one that cannot load: hence #reviveLater.
 */

/** A thread that has not loaded by then hangs; on a busy machine, loading takes a minute. */
const BOOT_MS_MAX = 180_000;
/** Least time between two attempts to replace threads that cannot start. */
const REVIVE_MS = 1_000;
/** How often time limits are checked. */
const WATCH_MS = 20;
/** V8's own limit is this much higher than `memoryMb`: it is the last resort (see above). */
const HEAP_SLACK_MB = 256;
const MB = 1024 * 1024;
const PREFETCH_MS = 8;
/** A prefetched job whose thread ended this many times is not given to another. */
const LOSSES_MAX = 3;
const ENDED = 'The renderer ended while it rendered this document.';
const OUT_OF_MEMORY = 'The render needed more memory than a renderer may use.';

class ThreadPool implements Pool {
  readonly #options: PoolOptions;
  readonly #epoch = process.hrtime();
  readonly #laidOut = new Uint32Array(new SharedArrayBuffer(Uint32Array.BYTES_PER_ELEMENT));
  readonly #yields = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  readonly #queue = new Waiting();
  readonly #threads: Threads;
  readonly #renderers: Renderer[] = [];
  /** Renderers that have loaded, in the order of `#renderers`: the youngest idles as a spare. */
  readonly #loaded: Renderer[] = [];
  readonly #recent = new RecentTemplates();
  #watch: NodeJS.Timeout | null = null;
  #revive: NodeJS.Timeout | null = null;
  #closed = false;
  #whenIdle: (() => void) | null = null;
  #completed = 0;
  #refused = 0;
  #timeouts = 0;
  #deaths = 0;
  /** Threads in a row that did not load. */
  #bootFailures = 0;

  constructor(options: PoolOptions) {
    this.#options = options;
    const { module, settings, memoryMb, onFault } = options;
    const shared = { epoch: this.#epoch, laidOut: this.#laidOut, yields: this.#yields };
    const setup = { module: module.href, settings, ...shared };
    this.#threads = new Threads(
      {
        setup: { ...setup, cells: Renderer.cells(), recent: [], isSpare: false },
        threads: this.#wanted,
        heapMbMax: memoryMb + HEAP_SLACK_MB,
      },
      {
        loaded: (thread) => this.#recordLoaded(thread),
        fault: ({ fault, stack }) => onFault({ kind: 'exception', error: fault, stack }),
      },
    );
    for (let made = 0; made < this.#wanted; made++) this.#addRenderer([]);
  }

  get #wanted(): number {
    return this.#options.threads + this.#options.spareThreads;
  }

  /** Number of jobs that threads hold. */
  get #running(): number {
    return this.#renderers.reduce((sum, { held }) => sum + held, 0);
  }

  get #isLoading(): boolean {
    return this.#loaded.length < this.#renderers.length;
  }

  submit(job: RenderJob, key: string, team = key): Ticket<RenderResult> {
    // A render job comes back as a RenderResult, or as a failure of the pool.
    return this.#enqueue(job, { key, team }, this.#options.renderTimeoutMs) as Ticket<RenderResult>;
  }

  check(job: CheckJob, key: string, team = key): Ticket<Outcome<CheckResult>> {
    const { checkTimeoutMs, draftTimeoutMs, renderTimeoutMs } = this.#options;
    const previewMs = job.previewOf === undefined ? 0 : renderTimeoutMs;
    const timeoutMs = job.renderSamples ? checkTimeoutMs : draftTimeoutMs + previewMs;
    // The renderer wraps a CheckResult in an Outcome.
    return this.#enqueue(job, { key, team }, timeoutMs) as Ticket<Outcome<CheckResult>>;
  }

  rows<J extends RowsJob>(job: J, key: string, team = key): Ticket<Outcome<RowsResult<J>>> {
    // The renderer answers each kind of job with its own result.
    const ticket = this.#enqueue(job, { key, team }, this.#options.renderTimeoutMs);
    return ticket as Ticket<Outcome<RowsResult<J>>>;
  }

  async ready(): Promise<void> {
    if (this.#closed) throw new Error('the pool was closed');
    if (this.#renderers.length < this.#wanted) throw new Error('a renderer could not be started');
    await Promise.all(this.#renderers.map(({ whenLoaded }) => whenLoaded));
  }

  async warm(template: SharedTemplate): Promise<void> {
    const task: WorkerTask = { jobNumber: null, cell: 0, job: { kind: 'warm', template } };
    const run = (thread: LoadedThread): Promise<unknown> => this.#threads.run(thread, task);
    await Promise.all(
      this.#renderers.map(({ thread, whenLoaded }) =>
        thread === null ? whenLoaded.then(run) : run(thread),
      ),
    );
  }

  stats(): PoolStats {
    return {
      threads: this.#loaded.length,
      running: this.#running,
      queued: this.#queue.size,
      completed: this.#completed,
      laidOut: Atomics.load(this.#laidOut, 0),
      refused: this.#refused,
      timeouts: this.#timeouts,
      deaths: this.#deaths,
    };
  }

  async close(graceMs: number): Promise<void> {
    this.#closed = true;
    if (this.#revive !== null) clearTimeout(this.#revive);
    this.#refuseWaiting();
    for (const renderer of this.#renderers) {
      for (const task of renderer.reclaimAll()) task.settle(fail('overloaded'));
    }
    if (this.#running > 0) await this.#idle(graceMs);
    if (this.#watch !== null) clearInterval(this.#watch);
    this.#loaded.length = 0;
    const renderers = this.#renderers.splice(0);
    for (const renderer of renderers) renderer.recordEnded();
    await this.#threads.destroy();
    for (const renderer of renderers) {
      const { begun, others } = renderer.takeLeftOver();
      for (const task of begun === null ? others : [begun, ...others]) {
        task.settle(fail('overloaded'));
      }
    }
  }

  #refuseWaiting(): void {
    for (const task of this.#queue.drain()) task.settle(fail('overloaded'));
  }

  #drop(task: Task): void {
    const isHeld = !this.#queue.remove(task);
    if (isHeld && !this.#renderers.some((renderer) => renderer.reclaim(task) !== null)) return;
    this.#queue.refund(task);
    task.settle(fail('overloaded'));
  }

  #enqueue(job: AnyJob, sharer: Sharer, timeoutMs: number): Task {
    const task = new Task(job, sharer, timeoutMs, (dropped) => this.#drop(dropped));
    if (this.#closed) {
      task.settle(fail('overloaded'));
      return task;
    }
    this.#queue.judge(task);
    this.#queue.push(task);
    this.#dispatch();
    // One more job may wait for each thread that is loading, because it will soon take one.
    const { queueMax, threads } = this.#options;
    const loading = Math.min(this.#renderers.length - this.#loaded.length, threads);
    const isFull = this.#queue.size > queueMax + loading;
    if (isFull && SCHEDULE[task.kind].lane === 'requests') this.#makeRoom(task);
    return task;
  }

  /** The queue is full: refuses `task` or one that it displaces. */
  #makeRoom(task: Task): void {
    this.#refused += 1;
    this.#queue.remove(task);
    const displaced = this.#queue.displaceFor(task);
    if (displaced !== undefined) this.#queue.push(task);
    (displaced ?? task).settle(fail('overloaded'));
  }

  /** Carries out what the schedule decides, until there is nothing to do now. */
  #dispatch(): void {
    if (this.#closed) {
      Atomics.store(this.#yields, 0, 0);
      return;
    }
    const state = {
      renderers: this.#loaded,
      threads: this.#options.threads,
      isLoading: this.#isLoading,
      waiting: this.#queue,
      mayMove: true,
    };
    const nowMs = performance.now();
    let step = decide(state, nowMs);
    for (; step.kind !== 'rest'; step = decide(state, nowMs)) {
      if (step.kind === 'move') state.mayMove = this.#move(step.from, step.to);
      else {
        this.#queue.take(step.job);
        this.#give(step.renderer, step.job);
      }
    }
    Atomics.store(this.#yields, 0, step.isWanted ? 1 : 0);
  }

  /** Gives an idle renderer a job that another has prefetched. Returns false when all have begun. */
  #move(from: readonly Renderer[], to: Renderer): boolean {
    for (const renderer of from) {
      const task = renderer.reclaimForAnother();
      if (task === null) continue;
      this.#give(to, task);
      return true;
    }
    return false;
  }

  #give(renderer: Renderer, task: Task): void {
    if (renderer.thread === null) throw new Error('a thread that loads takes no jobs');
    const message = renderer.add(task);
    this.#startWatch();
    const answer = this.#threads.run(renderer.thread, message, task.moved);
    void this.#follow(renderer, task, message.jobNumber ?? 0, answer);
  }

  async #follow(
    renderer: Renderer,
    task: Task,
    jobNumber: number,
    answer: Promise<PackedAnswer>,
  ): Promise<void> {
    try {
      const given = unpackAnswer(await answer);
      // If it was reclaimed or its thread was ended, it is answered elsewhere.
      if (given === 'skipped' || !renderer.holds(task, jobNumber)) return;
      renderer.remove(task);
      renderer.recordRun(task, given);
      this.#queue.recordRun(task, given.ranMs);
      task.ran = true;
      this.#finish(task, given.result);
      if (!task.isOfDraft) this.#recent.add(task.job.template);
    } catch (error) {
      // #replace has taken the jobs of an ended thread. Any other job could not be copied.
      if (!renderer.holds(task, jobNumber)) return;
      renderer.remove(task);
      this.#options.onFault(describe('exception', error));
      this.#finish(task, fail('internal_error'));
    }
    this.#dispatch();
  }

  #finish(task: Task, result: AnyResult): void {
    this.#completed += 1;
    task.settle(result);
    if (this.#running === 0) this.#whenIdle?.();
  }

  #startWatch(): void {
    this.#watch ??= setInterval(() => this.#checkTimes(), WATCH_MS);
  }

  /** Ends threads that run or load too long, and starts jobs that have waited long enough. */
  #checkTimes(): void {
    const nowMs = performance.now();
    for (const renderer of this.#renderers.slice()) {
      const isLoading = renderer.thread === null;
      if (isLoading && nowMs - renderer.madeAtMs >= BOOT_MS_MAX) {
        this.#end(renderer, 'timeout', 'boot', ENDED);
      }
      const task = renderer.first;
      if (task !== null) this.#checkTime(renderer, task);
    }
    if (!this.#queue.isEmpty) this.#dispatch();
    if (this.#running > 0 || this.#isLoading || !this.#queue.isEmpty) return;
    if (this.#watch !== null) clearInterval(this.#watch);
    this.#watch = null;
  }

  #checkTime(renderer: Renderer, task: Task): void {
    const { runningMs } = renderer;
    if (runningMs !== null) this.#queue.recordRunning(task, runningMs);
    const isLate = renderer.isOver(task);
    // Late at two checks: after a pause of the main thread, the answer may already have arrived.
    if (isLate && task.isLate) {
      this.#timeouts += 1;
      const took = `The render took longer than ${task.timeoutMs} ms.`;
      this.#end(renderer, 'timeout', 'render', took);
    } else if (renderer.isLong) this.#watchLong(renderer, task);
    task.isLate = isLate;
  }

  #watchLong(renderer: Renderer, task: Task): void {
    for (const one of renderer.reclaimAll()) this.#putBack(one);
    void this.#watchHeap(renderer, task);
  }

  async #watchHeap(renderer: Renderer, task: Task): Promise<void> {
    const bytes = await renderer.heapBytes();
    // It may have answered or ended meanwhile.
    if (bytes === null || renderer.first !== task || renderer.runningMs === null) return;
    if (!task.isTooLarge(bytes, this.#options.memoryMb * MB, (HEAP_SLACK_MB / 2) * MB)) return;
    this.#deaths += 1;
    this.#end(renderer, 'thread_died', 'ERR_WORKER_OUT_OF_MEMORY', OUT_OF_MEMORY);
  }

  /** Ends a renderer and replaces it at once, even if native code holds its thread for seconds. */
  #end(renderer: Renderer, kind: PoolFault['kind'], error: string, message: string): void {
    this.#options.onFault({ kind, error, stack: [] });
    renderer.recordEnded();
    void renderer.worker.terminate();
    this.#replace(renderer, message);
  }

  #recordDeath(renderer: Renderer, error: unknown): void {
    if (renderer.isEnded) return;
    renderer.recordEnded();
    const hadLoaded = renderer.thread !== null;
    if (hadLoaded) this.#deaths += 1;
    this.#options.onFault(describe(hadLoaded ? 'thread_died' : 'boot_failed', error));
    const isFull = errorCode(error) === 'ERR_WORKER_OUT_OF_MEMORY';
    this.#replace(renderer, isFull ? OUT_OF_MEMORY : ENDED);
  }

  /** Fails the job that an ended renderer had begun, puts back its others, and adds a renderer. */
  #replace(renderer: Renderer, message: string): void {
    for (const list of [this.#renderers, this.#loaded]) {
      if (list.includes(renderer)) list.splice(list.indexOf(renderer), 1);
    }
    const { begun, others } = renderer.takeLeftOver();
    // A new thread must not first load the template that ended this one.
    if (begun !== null) {
      this.#queue.recordEnded(begun);
      this.#recent.forget(begun.job.template.hash);
      this.#finish(begun, fail('render_failed', message));
    }
    for (const task of others.toReversed()) {
      task.losses += 1;
      if (!task.canBeReclaimed || task.losses >= LOSSES_MAX) {
        this.#finish(task, fail('internal_error'));
        continue;
      }
      this.#putBack(task);
    }
    // A thread that could not load is replaced later, because the next might fail, too.
    if (renderer.thread === null) this.#reviveLater();
    else this.#addRenderer(this.#recent.list);
    this.#dispatch();
  }

  #putBack(task: Task): void {
    if (this.#closed) task.settle(fail('overloaded'));
    else this.#queue.putBack(task);
  }

  #addRenderer(recent: readonly SharedTemplate[]): void {
    if (this.#closed) return;
    const { prefetchMs = PREFETCH_MS, onFault } = this.#options;
    const cells = Renderer.cells();
    try {
      const isSpare = this.#renderers.length >= this.#options.threads;
      const worker = this.#threads.add({ cells, recent, isSpare });
      const renderer = new Renderer(worker, cells, this.#epoch, prefetchMs);
      worker.on('error', (error: unknown) => this.#recordDeath(renderer, error));
      worker.on('exit', () => this.#recordDeath(renderer, null));
      this.#renderers.push(renderer);
      this.#startWatch();
    } catch (error) {
      // The system refused a thread.
      onFault(describe('boot_failed', error));
      this.#reviveLater();
    }
  }

  #recordLoaded(thread: LoadedThread): void {
    const renderer = this.#renderers.find(({ worker }) => worker.threadId === thread.id);
    // A thread that took too long to load was given up.
    if (renderer === undefined) return;
    renderer.recordLoaded(thread);
    this.#loaded.push(renderer);
    // A spare loads faster, because it draws no document first.
    this.#loaded.sort((one, other) => this.#placeOf(one) - this.#placeOf(other));
    this.#bootFailures = 0;
    this.#dispatch();
  }

  #placeOf(renderer: Renderer): number {
    return this.#renderers.indexOf(renderer);
  }

  #reviveLater(): void {
    this.#bootFailures += 1;
    // All threads failed, some twice: jobs are refused rather than kept waiting for them.
    if (this.#renderers.length === 0 && this.#bootFailures > this.#wanted) this.#refuseWaiting();
    if (this.#closed || this.#revive !== null) return;
    this.#revive = setTimeout(() => {
      this.#revive = null;
      const missing = this.#wanted - this.#renderers.length;
      // Without recent templates: one of them may have kept the last thread from loading.
      for (let made = 0; made < missing; made++) this.#addRenderer([]);
      this.#dispatch();
    }, REVIVE_MS);
  }

  async #idle(graceMs: number): Promise<void> {
    const idle = new Promise<void>((resolve) => {
      this.#whenIdle = resolve;
    });
    await within(idle, graceMs, () => undefined);
  }
}

/** Starts the threads; `ready` resolves when they have loaded. */
export function createPool(options: PoolOptions): Pool {
  return new ThreadPool(options);
}
