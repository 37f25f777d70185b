import type { Outcome } from '../errors.ts';
import { fail } from '../errors.ts';
import { codeOf, describe } from './fault.ts';
import type { CheckJob, CheckResult, RenderJob, RenderResult, SharedTemplate } from './job.ts';
import type { Pool, PoolOptions, PoolStats } from './pool-types.ts';
import { Renderer } from './renderer.ts';
import type { AnyJob, AnyResult, Ticket } from './task.ts';
import { accept, Task } from './task.ts';
import type { WorkerResult } from './thread.ts';
import { Waiting } from './waiting.ts';

export type { PoolFault } from './fault.ts';
export type { Pool, PoolOptions } from './pool-types.ts';

/** A thread that has not loaded after this is taken for dead. */
const BOOT_MS_MAX = 60_000;
/** Templates a new thread loads first. */
const RECENT_MAX = 16;
/** Least time between two attempts to replace threads that cannot start. */
const REVIVE_MS = 1_000;
/** How often time limits are looked after. */
const WATCH_MS = 20;
/**
 * V8's own limit lies so far above `memoryMb`: it is the last resort, because an allocation of more
 * than 16 MB over it ends the process, not the thread.
 */
const HEAP_SLACK_MB = 256;
const IN_HAND_MS = 8;
/** Threads that may end under a job before it began: then it is not given to another. */
const LOSSES_MAX = 3;

class ThreadPool implements Pool {
  readonly #options: PoolOptions;
  readonly #epoch = process.hrtime();
  readonly #laidOut = new Uint32Array(new SharedArrayBuffer(Uint32Array.BYTES_PER_ELEMENT));
  readonly #queue = new Waiting();
  /** In the order they were made: the last ones idle, as spares. */
  readonly #renderers: Renderer[] = [];
  /** When each thread that has not loaded was made. */
  readonly #loading = new Map<Renderer, number>();
  /** Templates that rendered lately, oldest first; a new thread loads them before it takes a job. */
  readonly #recent = new Map<string, SharedTemplate>();
  readonly #whenReady: { resolve: () => void; reject: (error: unknown) => void }[] = [];
  #watch: NodeJS.Timeout | null = null;
  #revive: NodeJS.Timeout | null = null;
  #closed = false;
  #whenIdle: (() => void) | null = null;
  #running = 0;
  #completed = 0;
  #refused = 0;
  #timeouts = 0;
  #deaths = 0;
  /** Threads in a row that did not load. */
  #bootFailures = 0;

  constructor(options: PoolOptions) {
    this.#options = options;
    for (let made = 0; made < this.#wanted; made++) this.#addRenderer([]);
  }

  get #isReady(): boolean {
    return this.#loading.size === 0 && this.#renderers.length === this.#wanted;
  }

  get #wanted(): number {
    return this.#options.threads + this.#options.spareThreads;
  }

  submit(job: RenderJob, key: string): Ticket<RenderResult> {
    // A render job comes back as a RenderResult, or as a failure of the pool.
    return this.#enqueue(job, key, this.#options.renderTimeoutMs) as Ticket<RenderResult>;
  }

  check(job: CheckJob, key: string): Ticket<Outcome<CheckResult>> {
    // #accept wraps a CheckResult.
    return this.#enqueue(job, key, this.#options.checkTimeoutMs) as Ticket<Outcome<CheckResult>>;
  }

  ready(): Promise<void> {
    if (this.#closed) return Promise.reject(new Error('the pool was closed'));
    if (this.#isReady) return Promise.resolve();
    return new Promise((resolve, reject) => this.#whenReady.push({ resolve, reject }));
  }

  async warm(template: SharedTemplate): Promise<void> {
    await Promise.all(this.#renderers.map((renderer) => renderer.warm(template)));
  }

  stats(): PoolStats {
    return {
      threads: this.#renderers.length - this.#loading.size,
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
      for (const task of this.#takeAllBack(renderer)) task.settle(fail('overloaded'));
    }
    if (this.#running > 0) await this.#idle(graceMs);
    if (this.#watch !== null) clearInterval(this.#watch);
    const renderers = this.#renderers.splice(0);
    await Promise.all(renderers.map((renderer) => renderer.end()));
    for (const renderer of renderers) {
      const { begun, others } = renderer.takeLeftOver();
      begun?.settle(fail('overloaded'));
      for (const task of others) task.settle(fail('overloaded'));
    }
    this.#refuseReady(new Error('the pool was closed'));
  }

  #refuseWaiting(): void {
    for (const task of this.#queue.drain()) task.settle(fail('overloaded'));
  }

  #dropWaiting(task: Task): void {
    const isInHand = (renderer: Renderer): boolean => this.#takeBack(renderer, task) !== null;
    if (!this.#queue.remove(task) && !this.#renderers.some(isInHand)) return;
    task.settle(fail('overloaded'));
  }

  #enqueue(job: AnyJob, key: string, timeoutMs: number): Task {
    const task = new Task(job, key, timeoutMs, (dropped) => this.#dropWaiting(dropped));
    if (this.#closed) {
      task.settle(fail('overloaded'));
      return task;
    }
    this.#queue.judge(task);
    const isNext = this.#queue.isNext(task, this.#takesSuspect);
    const renderer = isNext ? this.#rendererFor(task) : null;
    if (renderer !== null) {
      this.#give(renderer, task);
      return task;
    }
    if (this.#queue.size >= this.#options.queueMax) {
      this.#refused += 1;
      const displaced = this.#queue.displaceFor(task);
      if (displaced === undefined) {
        task.settle(fail('overloaded'));
        return task;
      }
      displaced.settle(fail('overloaded'));
    }
    this.#queue.push(task);
    return task;
  }

  #dispatch(): void {
    if (this.#closed) return;
    for (;;) {
      const suspects = this.#takesSuspect;
      const task = this.#queue.peek(suspects);
      if (task === undefined) break;
      const renderer = this.#rendererFor(task);
      if (renderer === null) return;
      this.#queue.take(suspects);
      this.#give(renderer, task);
    }
    this.#balance();
  }

  /** One suspect at a time, and none while a thread loads: the others do not wait for that. */
  get #takesSuspect(): boolean {
    if (this.#loading.size > 0) return false;
    return !this.#renderers.some((renderer) => renderer.first?.isSuspect === true);
  }

  /**
   * An idle thread; where all are busy, one that can keep the job in hand. One that still loads only
   * where there is no other: a job would wait there while others come free.
   */
  #rendererFor(task: Task): Renderer | null {
    // A suspect gets the youngest, which has the least to lose.
    const idle = this.#renderers.filter((renderer) => renderer.isIdle);
    if (this.#renderers.length - idle.length < this.#options.threads) {
      const loaded = task.isSuspect
        ? idle.findLast((renderer) => renderer.isLoaded)
        : idle.find((renderer) => renderer.isLoaded);
      if (loaded !== undefined) return loaded;
      if (this.#loading.size === this.#renderers.length) return idle[0] ?? null;
    }
    if (!task.canBeTakenBack || task.isSuspect) return null;
    return this.#renderers.filter((one) => one.hasRoom).toSorted(byInHand)[0] ?? null;
  }

  /** Nothing waits: a thread without a job takes one that another keeps in hand. */
  #balance(): void {
    for (;;) {
      const busy = this.#renderers.filter((renderer) => !renderer.isIdle);
      if (busy.length === 0 || busy.length >= this.#options.threads) return;
      const idle = this.#renderers.find((renderer) => renderer.isIdle && renderer.isLoaded);
      if (idle === undefined) return;
      let task: Task | null = null;
      for (const renderer of busy.toSorted(byInHand).toReversed()) {
        task ??= this.#takeBack(renderer);
      }
      if (task === null) return;
      this.#give(idle, task);
    }
  }

  #give(renderer: Renderer, task: Task): void {
    try {
      renderer.give(task);
    } catch (error) {
      // A job that cannot be copied.
      this.#options.onFault(describe('exception', error));
      task.settle(fail('internal_error'));
      return;
    }
    this.#running += 1;
    this.#watch ??= setInterval(() => this.#look(), WATCH_MS).unref();
  }

  #takeBack(renderer: Renderer, task?: Task): Task | null {
    const taken = renderer.takeBack(task);
    if (taken !== null) this.#leave();
    return taken;
  }

  /** All that a thread keeps in hand, the youngest first. */
  #takeAllBack(renderer: Renderer): readonly Task[] {
    const tasks: Task[] = [];
    for (let task = this.#takeBack(renderer); task !== null; task = this.#takeBack(renderer)) {
      tasks.push(task);
    }
    return tasks;
  }

  /** A job is in no thread any more. */
  #leave(): void {
    this.#running -= 1;
    if (this.#running === 0) this.#whenIdle?.();
  }

  #finish(task: Task, result: AnyResult): void {
    this.#leave();
    this.#completed += 1;
    task.settle(result);
  }

  #answered(task: Task, result: WorkerResult): void {
    task.ran = true;
    this.#finish(task, accept(task.job, result));
    this.#remember(task.job.template);
    this.#dispatch();
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

  /** Looks after jobs that run long and threads that load long. */
  #look(): void {
    const nowMs = performance.now();
    for (const renderer of this.#renderers.slice()) {
      const since = this.#loading.get(renderer);
      if (since !== undefined && nowMs - since >= BOOT_MS_MAX) this.#giveUp(renderer);
      const task = renderer.first;
      if (task !== null) this.#lookAt(renderer, task);
    }
    if (this.#running > 0 || this.#loading.size > 0) return;
    if (this.#watch !== null) clearInterval(this.#watch);
    this.#watch = null;
  }

  #lookAt(renderer: Renderer, task: Task): void {
    const isLate = (renderer.runningMs ?? renderer.waitingMs) >= task.timeoutMs;
    // Late twice: if this thread or the whole machine stood still, an answer may be here already.
    if (isLate && task.isLate) this.#expire(renderer, task);
    else if (renderer.isLong) this.#watchLong(renderer, task);
    task.isLate = isLate;
  }

  #watchLong(renderer: Renderer, task: Task): void {
    const waiting = this.#takeAllBack(renderer);
    for (const one of waiting) this.#putBack(one);
    if (waiting.length > 0) this.#dispatch();
    void this.#watchHeap(renderer, task);
  }

  async #watchHeap(renderer: Renderer, task: Task): Promise<void> {
    const bytes = await renderer.heapBytes();
    if (bytes === null || bytes <= this.#options.memoryMb * 1024 * 1024) return;
    // It may have answered or ended meanwhile.
    if (renderer.first !== task || renderer.runningMs === null) return;
    this.#deaths += 1;
    this.#options.onFault({ kind: 'thread_died', error: 'ERR_WORKER_OUT_OF_MEMORY', stack: [] });
    this.#end(renderer, fail('render_failed', OUT_OF_MEMORY));
  }

  #expire(renderer: Renderer, task: Task): void {
    this.#timeouts += 1;
    this.#options.onFault({ kind: 'timeout', error: 'render', stack: [] });
    const took = `The render took longer than ${task.timeoutMs} ms.`;
    this.#end(renderer, fail('render_failed', took));
  }

  #giveUp(renderer: Renderer): void {
    this.#options.onFault({ kind: 'timeout', error: 'boot', stack: [] });
    this.#refuseReady(new Error('a renderer has not loaded in time'));
    this.#end(renderer, fail('internal_error'));
  }

  /** Its place is free at once, even when native code holds the thread for seconds. */
  #end(renderer: Renderer, answer: AnyResult): void {
    void renderer.end();
    this.#replace(renderer, answer);
  }

  #died(renderer: Renderer, error: unknown): void {
    if (!renderer.isLoaded) {
      this.#options.onFault(describe('boot_failed', error));
      this.#refuseReady(error ?? new Error('ended'));
    } else {
      this.#deaths += 1;
      this.#options.onFault(describe('thread_died', error));
    }
    const outOfMemory = codeOf(error) === 'ERR_WORKER_OUT_OF_MEMORY';
    const message = outOfMemory
      ? OUT_OF_MEMORY
      : 'The renderer ended while it rendered this document.';
    this.#replace(renderer, fail('render_failed', message));
  }

  /** Answers the job that a thread had begun, gives its others to the rest, and makes a new one. */
  #replace(renderer: Renderer, answer: AnyResult): void {
    this.#renderers.splice(this.#renderers.indexOf(renderer), 1);
    this.#loading.delete(renderer);
    const { begun, others } = renderer.takeLeftOver();
    // Whatever ended its thread is not given to the next one before its time.
    if (begun !== null) {
      this.#queue.noteEnded(begun);
      this.#recent.delete(begun.job.template.hash);
      this.#finish(begun, answer);
    }
    for (const task of others.toReversed()) {
      task.losses += 1;
      if (!task.canBeTakenBack || task.losses >= LOSSES_MAX) {
        this.#finish(task, fail('internal_error'));
        continue;
      }
      this.#leave();
      this.#putBack(task);
    }
    // One that could not even load is not replaced at once: the next might not, either.
    if (renderer.isLoaded) this.#addRenderer([...this.#recent.values()]);
    else this.#reviveLater();
    this.#dispatch();
  }

  #putBack(task: Task): void {
    if (this.#closed) task.settle(fail('overloaded'));
    else this.#queue.putBack(task);
  }

  #addRenderer(recent: readonly SharedTemplate[]): void {
    if (this.#closed) return;
    let renderer: Renderer;
    try {
      renderer = this.#makeRenderer(recent);
    } catch (error) {
      // The system gives no thread.
      this.#options.onFault(describe('boot_failed', error));
      this.#refuseReady(error);
      this.#reviveLater();
      return;
    }
    this.#renderers.push(renderer);
    this.#loading.set(renderer, performance.now());
    this.#watch ??= setInterval(() => this.#look(), WATCH_MS).unref();
  }

  #makeRenderer(recent: readonly SharedTemplate[]): Renderer {
    const { module, settings, memoryMb, inHandMs = IN_HAND_MS, onFault } = this.#options;
    const epoch = this.#epoch;
    const setup = { recent, module: module.href, settings, epoch, laidOut: this.#laidOut };
    return new Renderer(
      { setup, heapMbMax: memoryMb + HEAP_SLACK_MB, inHandMs },
      {
        loaded: (loaded) => this.#noteLoaded(loaded),
        answered: (_renderer, task, result) => this.#answered(task, result),
        fault: ({ fault, stack }) => onFault({ kind: 'exception', error: fault, stack }),
        died: (dead, error) => this.#died(dead, error),
      },
    );
  }

  #noteLoaded(renderer: Renderer): void {
    this.#loading.delete(renderer);
    this.#bootFailures = 0;
    if (this.#isReady) {
      for (const { resolve } of this.#whenReady.splice(0)) resolve();
    }
    this.#dispatch();
  }

  #refuseReady(error: unknown): void {
    for (const { reject } of this.#whenReady.splice(0)) reject(error);
  }

  #reviveLater(): void {
    this.#bootFailures += 1;
    // All of them, and more than once: nobody is kept waiting for threads that may never come.
    if (this.#renderers.length === 0 && this.#bootFailures > this.#wanted) this.#refuseWaiting();
    if (this.#closed || this.#revive !== null) return;
    // Not unreferenced: without a thread, nothing else keeps a command alive whose job waits.
    this.#revive = setTimeout(() => {
      this.#revive = null;
      const missing = this.#wanted - this.#renderers.length;
      // Without what was in use: it may be what kept the last one from loading.
      for (let made = 0; made < missing; made++) this.#addRenderer([]);
      this.#dispatch();
    }, REVIVE_MS);
  }

  async #idle(graceMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#whenIdle = resolve;
      timer = setTimeout(resolve, graceMs);
    });
    clearTimeout(timer);
  }
}

const OUT_OF_MEMORY = 'The render needed more memory than a renderer may use.';

const byInHand = (one: Renderer, other: Renderer): number => one.inHand - other.inHand;

/** Starts the threads; `ready` tells when they can work. */
export function createPool(options: PoolOptions): Pool {
  return new ThreadPool(options);
}
