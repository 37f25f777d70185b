import type { Worker } from 'node:worker_threads';
import type { Answer, WorkerTask } from './messages.ts';
import { CELLS, DECIDED, elapsedMs, TASKS_MAX } from './messages.ts';
import { RunTime, threadTimes } from './run-time.ts';
import { mayLeave, type RendererView } from './schedule.ts';
import type { Task } from './task.ts';
import type { LoadedThread } from './threads.ts';

/** Weight of the last job in the expected duration of the next one. */
const PACE_WEIGHT = 0.2;
const JOB_NUMBER_MAX = 0x3fffffff;
/** When a job runs longer than this, those behind it are reclaimed and its heap is measured. */
const LONG_MS = 50;

/** One thread that renders and the jobs that it holds, seen from the main thread. */
export class Renderer implements RendererView<Task> {
  readonly worker: Worker;
  readonly madeAtMs = performance.now();
  /** The thread as piscina names it; null until it has loaded. */
  thread: LoadedThread | null = null;
  isEnded = false;
  readonly #loaded = Promise.withResolvers<LoadedThread>();
  readonly #cells: Int32Array;
  readonly #epoch: readonly [number, number];
  readonly #runTime = new RunTime(() => threadTimes(Atomics.load(this.#cells, CELLS.threadNumber)));
  /** Limit on the expected duration of all jobs it holds, in ms. */
  readonly prefetchMs: number;
  readonly heldMax = TASKS_MAX;
  /** Oldest first; only the first may have begun, unless an answer is on its way. */
  readonly #tasks: Task[] = [];
  /** Hashes of the drafts that its thread keeps compiled, as it last reported. */
  #drafts: readonly string[] = [];
  #lastNumber = 0;
  /** Expected duration of a job here, by the last ones, in ms. */
  paceMs: number;
  #isMeasured = false;

  constructor(
    worker: Worker,
    cells: Int32Array,
    epoch: readonly [number, number],
    prefetchMs: number,
  ) {
    this.worker = worker;
    this.#cells = cells;
    this.#epoch = epoch;
    this.prefetchMs = prefetchMs;
    this.paceMs = prefetchMs;
    // Nobody need await this promise: the exit event of the thread is handled, too.
    this.#loaded.promise.catch(() => undefined);
  }

  /** The cells of a new thread (messages.ts). */
  static cells(): Int32Array {
    return new Int32Array(new SharedArrayBuffer(CELLS.count * Int32Array.BYTES_PER_ELEMENT));
  }

  /** Rejects when the thread ends before it has loaded. */
  get whenLoaded(): Promise<LoadedThread> {
    return this.#loaded.promise;
  }

  get isIdle(): boolean {
    return this.#tasks.length === 0;
  }

  /** Number of jobs: the one under way and those that wait behind it. */
  get held(): number {
    return this.#tasks.length;
  }

  /** Whether its job has run so long that other renderers should take the next ones. */
  get isLong(): boolean {
    return (this.runningMs ?? 0) >= LONG_MS;
  }

  /** The oldest job it was given and has not answered. */
  get first(): Task | null {
    return this.#tasks[0] ?? null;
  }

  /**
   * How long its oldest job has run, in ms; null: it has not begun, or its answer is on its way and
   * the next one has begun.
   */
  get runningMs(): number | null {
    const [first, second] = this.#tasks;
    if (first === undefined || !this.#hasBegun(first)) return null;
    if (second !== undefined && this.#hasBegun(second)) return null;
    return (elapsedMs(this.#epoch) - Atomics.load(this.#cells, CELLS.startedAt)) | 0;
  }

  /** How long its oldest job has waited for the thread to begin it, in ms. */
  get waitingMs(): number {
    const [first] = this.#tasks;
    if (first === undefined || this.#hasBegun(first)) return 0;
    return performance.now() - first.postedAtMs;
  }

  /**
   * Whether its oldest job could have run for longer than it may, or has waited so long for the
   * thread to begin it.
   */
  isOver({ jobNumber, timeoutMs }: Task): boolean {
    return this.#runTime.isOver(jobNumber, this.runningMs ?? this.waitingMs, timeoutMs);
  }

  recordLoaded(thread: LoadedThread): void {
    this.thread = thread;
    this.#loaded.resolve(thread);
  }

  recordEnded(): void {
    this.isEnded = true;
    this.#loaded.reject(new Error('a renderer thread ended and had not loaded'));
  }

  /** Adds a job; returns the message for the thread. */
  add(task: Task): WorkerTask {
    const jobNumber = (this.#lastNumber % JOB_NUMBER_MAX) + 1;
    let cell: number = CELLS.tasks;
    while (this.#tasks.some((other) => other.cell === cell)) cell += 1;
    Atomics.store(this.#cells, cell, jobNumber);
    this.#lastNumber = jobNumber;
    task.recordPosted(jobNumber, cell);
    this.#tasks.push(task);
    return { jobNumber, cell, job: task.job };
  }

  /** Whether the renderer still holds the task under this number. */
  holds(task: Task, jobNumber: number): boolean {
    return task.jobNumber === jobNumber && this.#tasks.includes(task);
  }

  /** Whether the renderer holds a job of this caller. */
  holdsOf(key: string): boolean {
    return this.#tasks.some((task) => task.key === key);
  }

  /** Whether it holds a request of the team; rows of its runs leave the thread when one waits. */
  holdsOfTeam(team: string): boolean {
    return this.#tasks.some((task) => task.team === team && task.kind !== 'run');
  }

  /** Removes a job that the thread has answered or never got. */
  remove(task: Task): void {
    this.#tasks.splice(this.#tasks.indexOf(task), 1);
  }

  /** Records that the thread answered a job after running it for `ranMs`, and what it reported. */
  recordRun({ isOfDraft }: Task, { ranMs, drafts }: Answer): void {
    if (!isOfDraft) this.paceMs += (ranMs - this.paceMs) * PACE_WEIGHT;
    if (drafts !== undefined) this.#drafts = drafts;
  }

  /** Whether its thread need not compile the draft of this job. */
  hasCompiled({ job }: Task): boolean {
    return this.#drafts.includes(job.template.hash);
  }

  /** Takes back a prefetched job that has not begun: `task`, or else the youngest. Null: none. */
  reclaim(task = this.#tasks.at(-1)): Task | null {
    const at = task === undefined ? -1 : this.#tasks.indexOf(task);
    if (task === undefined || at < 1 || !task.canBeReclaimed) return null;
    const { jobNumber, cell } = task;
    if (Atomics.compareExchange(this.#cells, cell, jobNumber, DECIDED) !== jobNumber) return null;
    this.#tasks.splice(at, 1);
    return task;
  }

  /** Takes back the youngest prefetched job that another renderer may have. Null: none. */
  reclaimForAnother(): Task | null {
    const task = this.#tasks.findLast((one) => mayLeave(one, this));
    return task === undefined ? null : this.reclaim(task);
  }

  /** Takes back all prefetched jobs, the youngest first. */
  reclaimAll(): readonly Task[] {
    const tasks: Task[] = [];
    for (let task = this.reclaim(); task !== null; task = this.reclaim()) tasks.push(task);
    return tasks;
  }

  /** Bytes of its heap and its external memory; null: it has ended, or is being measured. */
  async heapBytes(): Promise<number | null> {
    if (this.#isMeasured) return null;
    this.#isMeasured = true;
    try {
      const heap = await this.worker.getHeapStatistics();
      return heap.used_heap_size + heap.external_memory;
    } catch (error) {
      // It may have ended before its exit event has come.
      const code = error instanceof Error && 'code' in error ? error.code : '';
      if (this.isEnded || code === 'ERR_WORKER_NOT_RUNNING') return null;
      throw error;
    } finally {
      this.#isMeasured = false;
    }
  }

  /**
   * Takes the jobs of an ended renderer: the one that was under way, if any, and the others. A
   * finished job whose answer was still on its way is among the others: piscina closes the port of
   * an ended thread unread, and rendering once more gives the same bytes.
   */
  takeLeftOver(): { begun: Task | null; others: readonly Task[] } {
    const tasks = this.#tasks.splice(0);
    const begun = tasks.findLast((task) => this.#hasBegun(task)) ?? null;
    return { begun, others: tasks.filter((task) => task !== begun) };
  }

  #hasBegun({ jobNumber, cell }: Task): boolean {
    return Atomics.load(this.#cells, cell) !== jobNumber;
  }
}
