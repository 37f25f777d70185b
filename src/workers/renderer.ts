import { Worker } from 'node:worker_threads';
import { THREAD_FLAGS } from '../thread-flags.ts';
import type { SharedTemplate } from './job.ts';
import type { Task } from './task.ts';
import type {
  WorkerFault,
  WorkerMessage,
  WorkerResult,
  WorkerSetup,
  WorkerTask,
} from './thread.ts';
import { CELLS, DECIDED, elapsedMs, TASKS_MAX } from './thread.ts';

export interface RendererEvents {
  loaded(renderer: Renderer): void;
  answered(renderer: Renderer, task: Task, result: WorkerResult): void;
  fault(fault: WorkerFault): void;
  /** It ended without being told to. */
  died(renderer: Renderer, error: unknown): void;
}

export interface RendererSettings {
  readonly setup: Omit<WorkerSetup, 'cells'>;
  /** Where V8 ends the thread by itself. */
  readonly heapMbMax: number;
  /** What its jobs in hand may take together, with the one under way, in ms. */
  readonly inHandMs: number;
}

/** Of a job whose time is not known yet, one is in hand. */
const IN_HAND_MIN = 1;
/** The last job's part of what is taken for the time of the next. */
const PACE_WEIGHT = 0.2;
const TURN_MAX = 0x3fffffff;
/** A job that runs longer than this keeps none behind it, and its heap is measured. */
const LONG_MS = 50;

/**
 * Three semi-spaces of 8 MB. More would save little; and V8 ends the whole process instead of the
 * thread when one scavenge moves more than 16 MB into an old generation that is full.
 */
const YOUNG_GENERATION_MB = 24;

/** One thread that renders, seen from the main thread. */
export class Renderer {
  readonly #worker: Worker;
  readonly #cells = new Int32Array(
    new SharedArrayBuffer(CELLS.count * Int32Array.BYTES_PER_ELEMENT),
  );
  readonly #epoch: readonly [number, number];
  readonly #events: RendererEvents;
  readonly #inHandMs: number;
  /** Oldest first; only the first may have begun. */
  readonly #tasks: Task[] = [];
  /** What else was asked for, in order. */
  readonly #asked: { resolve: () => void; reject: (error: Error) => void }[] = [];
  #lastTurn = 0;
  #answeredAtMs = 0;
  /** What a job takes, in ms, by the last ones. */
  #paceMs: number;
  #error: unknown = null;
  #loadedAtMs = Number.POSITIVE_INFINITY;
  #isEnded = false;
  #isMeasured = false;

  constructor({ setup, heapMbMax, inHandMs }: RendererSettings, events: RendererEvents) {
    this.#epoch = setup.epoch;
    this.#events = events;
    this.#inHandMs = inHandMs;
    this.#paceMs = inHandMs;
    const workerData: WorkerSetup = { ...setup, cells: this.#cells };
    this.#worker = new Worker(new URL('./entry.ts', import.meta.url), {
      workerData,
      execArgv: THREAD_FLAGS,
      resourceLimits: {
        maxOldGenerationSizeMb: heapMbMax,
        maxYoungGenerationSizeMb: YOUNG_GENERATION_MB,
      },
    });
    this.#worker.on('message', (message: WorkerMessage) => this.#receive(message));
    this.#worker.on('error', (error: unknown) => {
      this.#error = error;
    });
    this.#worker.on('exit', () => this.#exited());
  }

  get isLoaded(): boolean {
    return this.#loadedAtMs !== Number.POSITIVE_INFINITY;
  }

  get isIdle(): boolean {
    return this.#tasks.length === 0;
  }

  /** Jobs that wait in it behind the one under way. */
  get inHand(): number {
    return Math.max(0, this.#tasks.length - 1);
  }

  /** Its job runs for so long that the next ones are better kept for other threads. */
  get isLong(): boolean {
    return (this.runningMs ?? 0) >= LONG_MS;
  }

  /** It is at work and can be given a job to keep in hand. */
  get hasRoom(): boolean {
    const { first } = this;
    if (!this.isLoaded || first === null || first.isSuspect || this.isLong) return false;
    if (this.inHand < IN_HAND_MIN) return true;
    return this.#tasks.length < TASKS_MAX && this.#tasks.length * this.#paceMs <= this.#inHandMs;
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

  /** How long its oldest job has waited, since it loaded, for the thread to begin it, in ms. */
  get waitingMs(): number {
    const [first] = this.#tasks;
    if (first === undefined || this.#hasBegun(first)) return 0;
    return performance.now() - Math.max(first.postedAtMs, this.#loadedAtMs);
  }

  /** Throws DataCloneError, and then has not taken the job. */
  give(task: Task): void {
    const turn = (this.#lastTurn % TURN_MAX) + 1;
    const cell = this.#freeCell();
    const message: WorkerTask = { turn, cell, job: task.job };
    Atomics.store(this.#cells, cell, turn);
    this.#worker.postMessage(message, task.moved);
    this.#lastTurn = turn;
    task.notePosted(turn, cell);
    this.#tasks.push(task);
  }

  /** Takes a job in hand back, the youngest unless another is named, if it has not begun. */
  takeBack(task = this.#tasks.at(-1)): Task | null {
    const at = task === undefined ? -1 : this.#tasks.indexOf(task);
    if (task === undefined || at < 1 || !task.canBeTakenBack) return null;
    const { turn, cell } = task;
    if (Atomics.compareExchange(this.#cells, cell, turn, DECIDED) !== turn) return null;
    this.#tasks.splice(at, 1);
    return task;
  }

  warm(template: SharedTemplate): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#asked.push({ resolve, reject });
      const message: WorkerTask = { turn: null, cell: 0, job: { kind: 'warm', template } };
      this.#worker.postMessage(message);
    });
  }

  /** Bytes of its heap and of what hangs on it; null: it has ended, or is being measured. */
  async heapBytes(): Promise<number | null> {
    if (this.#isMeasured) return null;
    this.#isMeasured = true;
    try {
      const heap = await this.#worker.getHeapStatistics();
      return heap.used_heap_size + heap.external_memory;
    } catch (error) {
      // It may have ended without its event having come yet.
      const code = error instanceof Error && 'code' in error ? error.code : '';
      if (this.#isEnded || code === 'ERR_WORKER_NOT_RUNNING') return null;
      throw error;
    } finally {
      this.#isMeasured = false;
    }
  }

  /** Ends the thread, whatever it does; its jobs are then left over. */
  async end(): Promise<void> {
    this.#isEnded = true;
    this.#refuseAsked();
    await this.#worker.terminate();
  }

  /** After its end, once: the job that it had begun, if any, and those that it had not. */
  takeLeftOver(): { begun: Task | null; others: readonly Task[] } {
    const tasks = this.#tasks.splice(0);
    const [first] = tasks;
    if (first === undefined || !this.#hasBegun(first)) return { begun: null, others: tasks };
    return { begun: first, others: tasks.slice(1) };
  }

  #hasBegun({ turn, cell }: Task): boolean {
    return Atomics.load(this.#cells, cell) !== turn;
  }

  #freeCell(): number {
    let cell: number = CELLS.tasks;
    while (this.#tasks.some((task) => task.cell === cell)) cell += 1;
    return cell;
  }

  /** An answer came: what its job took, from when the one before it was answered. */
  #notePace(task: Task): void {
    const nowMs = performance.now();
    const tookMs = nowMs - Math.max(task.postedAtMs, this.#answeredAtMs);
    this.#paceMs += (tookMs - this.#paceMs) * PACE_WEIGHT;
    this.#answeredAtMs = nowMs;
  }

  #receive(message: WorkerMessage): void {
    if (this.#isEnded) return;
    switch (message.kind) {
      case 'loaded':
        this.#loadedAtMs = performance.now();
        this.#events.loaded(this);
        return;
      case 'fault':
        this.#events.fault(message);
        return;
      case 'answer': {
        if (message.turn === null) {
          this.#asked.shift()?.resolve();
          return;
        }
        const task = this.#tasks.shift();
        if (task?.turn !== message.turn) throw new Error('a thread answers its jobs in order');
        this.#notePace(task);
        this.#events.answered(this, task, message.result);
      }
    }
  }

  #exited(): void {
    this.#refuseAsked();
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#events.died(this, this.#error);
  }

  #refuseAsked(): void {
    for (const { reject } of this.#asked.splice(0)) reject(new Error('the renderer thread ended'));
  }
}
