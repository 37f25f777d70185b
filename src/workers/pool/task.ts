import type { Outcome } from '../../errors.ts';
import type { CheckJob, RenderJob, RowsJob } from '#engine';
import type { TaskKind } from './schedule.ts';
import type { Sharer } from './types.ts';

/** A submitted job. */
export interface Ticket<T> {
  /** Never rejects. */
  readonly result: Promise<T>;
  /** ms from submission to start; 0 until it has started. */
  readonly queuedMs: number;
  /** The result comes from a renderer: the pool did not refuse the job. */
  readonly ran: boolean;
  /** Called when the client disconnects: drops the job unless it has begun. */
  cancel(): void;
}

export type AnyJob = RenderJob | CheckJob | RowsJob;
export type AnyResult = Outcome<unknown>;

/** Bodies up to this size are copied to a thread, so that their job can still be reclaimed. */
const COPY_BYTES_MAX = 65_536;

/** A submitted job and its state in the pool. */
export class Task implements Ticket<AnyResult> {
  readonly result: Promise<AnyResult>;
  readonly job: AnyJob;
  readonly key: string;
  /** The caller's team; renderers are shared by team first, then by caller. */
  readonly team: string;
  readonly timeoutMs: number;
  /** Buffers that are transferred to the thread with the job, which is possible only once. */
  readonly moved: ArrayBuffer[];
  /** Caller and template: such jobs behave alike. All checks of a caller count as one template. */
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
  /** Whether it was over its time limit at the last check. */
  isLate = false;
  /** Heap of its thread when it was first measured during this job; 0: it was not. */
  #heapBytesAtFirst = 0;
  /** Number of threads that ended before they began it. */
  losses = 0;
  readonly #drop: (task: Task) => void;
  #resolve: (result: AnyResult) => void = () => undefined;

  constructor(job: AnyJob, { key, team }: Sharer, timeoutMs: number, drop: (task: Task) => void) {
    this.job = job;
    this.key = key;
    this.team = team;
    this.timeoutMs = timeoutMs;
    this.pair = `${job.kind === 'check' ? 'check' : job.template.hash} ${key}`;
    this.moved = buffersOf(job);
    this.#drop = drop;
    this.result = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  /**
   * Whether a thread whose heap has `bytes` during this job is to be ended for it. What earlier jobs
   * left there and V8 has not collected yet is not the job's fault: above the limit, it may take half
   * the limit on top of that. `slackBytes`: how far above the limit the heap may ever be.
   */
  isTooLarge(bytes: number, limitBytes: number, slackBytes: number): boolean {
    if (this.#heapBytesAtFirst === 0) this.#heapBytesAtFirst = bytes;
    const allowed = Math.min(this.#heapBytesAtFirst + limitBytes / 2, limitBytes + slackBytes);
    return bytes > Math.max(limitBytes, allowed);
  }

  /** Whether it is about a draft: a check, or a preview. */
  get isOfDraft(): boolean {
    const { job } = this;
    return job.kind === 'check' || this.isPreview;
  }

  /** Whether somebody who edits a draft waits to see it: a preview, or a save that brings one. */
  get isPreview(): boolean {
    const { job } = this;
    if (job.kind === 'check') return job.previewOf !== undefined && !job.renderSamples;
    return job.kind === 'render' && job.isPreview;
  }

  get isCheck(): boolean {
    return this.job.kind === 'check';
  }

  /** Whether it checks a template and brings no preview. */
  get isPlainCheck(): boolean {
    return this.isCheck && !this.isPreview;
  }

  /** Whether it has rows of a run. */
  get isRows(): boolean {
    return this.job.kind.endsWith('_rows');
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
    this.#heapBytesAtFirst = 0;
    this.postedAtMs = performance.now();
    this.queuedMs = this.postedAtMs - this.submittedAtMs;
  }
}

function buffersOf(job: AnyJob): ArrayBuffer[] {
  if (job.kind === 'check') return [];
  // The engine of a run keeps its rows, and submits again those that were lost with a thread.
  if (job.kind !== 'render') return [job.rows.buffer as ArrayBuffer];
  const { body, attachments } = job;
  if (attachments.length === 0 && body.buffer.byteLength <= COPY_BYTES_MAX) return [];
  // The gateway reads each body and attachment into a separate buffer, which is never shared.
  return [...attachments, body].map(({ buffer }) => buffer as ArrayBuffer);
}
