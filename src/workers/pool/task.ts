import type { Outcome } from '../../errors.ts';
import type { CheckJob, RenderJob, RowsJob } from '../job.ts';

/** A submitted job. */
export interface Ticket<T> {
  /** Never rejects. */
  readonly result: Promise<T>;
  /** ms from submission to start; 0 until it has started. */
  readonly queuedMs: number;
  /** The result comes from a renderer: the pool did not refuse the job. */
  readonly ran: boolean;
  /** The client disconnected: a job that has not begun is dropped; a running one runs on. */
  cancel(): void;
}

export type AnyJob = RenderJob | CheckJob | RowsJob;
export type AnyResult = Outcome<unknown>;

/** How a job waits and runs (waiting.ts). */
export type TaskKind = 'usual' | 'slow' | 'check' | 'preview' | 'suspect' | 'run';

/** Bodies up to this size are copied to a thread, so that their job can still be reclaimed. */
const COPY_BYTES_MAX = 65_536;

/** A job on its way. */
export class Task implements Ticket<AnyResult> {
  readonly result: Promise<AnyResult>;
  readonly job: AnyJob;
  readonly key: string;
  readonly timeoutMs: number;
  /** Memory that is moved to the thread with the job: it can be given away only once. */
  readonly moved: ArrayBuffer[];
  /** Jobs of one pair are likely to behave alike. Drafts are: each has another template hash. */
  readonly pair: string;
  readonly submittedAtMs = performance.now();
  queuedMs = 0;
  ran = false;
  kind: TaskKind = 'usual';
  /** Its number and its cell in the thread that holds it; 0: no thread holds it. */
  jobNumber = 0;
  cell = 0;
  postedAtMs = 0;
  /** Renderer time that its caller has been charged for it. */
  chargedMs = 0;
  /** It was over its time limit at the last check. */
  isLate = false;
  /** Threads that ended before they began it. */
  losses = 0;
  readonly #drop: (task: Task) => void;
  #resolve: (result: AnyResult) => void = () => undefined;

  constructor(job: AnyJob, key: string, timeoutMs: number, drop: (task: Task) => void) {
    this.job = job;
    this.key = key;
    this.timeoutMs = timeoutMs;
    this.pair = `${job.kind === 'check' ? 'check' : job.template.hash} ${key}`;
    this.moved = buffersOf(job);
    this.#drop = drop;
    this.result = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  get canBeReclaimed(): boolean {
    return this.moved.length === 0;
  }

  cancel(): void {
    this.#drop(this);
  }

  settle(result: AnyResult): void {
    this.#resolve(result);
  }

  recordPosted(jobNumber: number, cell: number): void {
    this.jobNumber = jobNumber;
    this.cell = cell;
    this.postedAtMs = performance.now();
    this.queuedMs = this.postedAtMs - this.submittedAtMs;
  }
}

function buffersOf(job: AnyJob): ArrayBuffer[] {
  if (job.kind === 'check') return [];
  // A run's rows stay with its engine, which asks again for those that were lost with a thread.
  if (job.kind !== 'render') return [job.rows.buffer as ArrayBuffer];
  const { body, attachments } = job;
  if (attachments.length === 0 && body.buffer.byteLength <= COPY_BYTES_MAX) return [];
  // The gateway reads bodies and attachments into buffers of their own: never shared ones.
  return [...attachments, body].map(({ buffer }) => buffer as ArrayBuffer);
}
