import type { Outcome } from '../errors.ts';
import type { CheckJob, CheckResult, RenderJob } from './job.ts';
import type { WorkerResult } from './thread.ts';

/** A submitted job. */
export interface Ticket<T> {
  /** Never rejects. */
  readonly result: Promise<T>;
  /** ms from submission to start; 0 until it has started. */
  readonly queuedMs: number;
  /** The result is a renderer's own: the pool did not turn the job away. */
  readonly ran: boolean;
  /** The caller went away: a job that has not begun is dropped; a running one runs on. */
  cancel(): void;
}

export type AnyJob = RenderJob | CheckJob;
export type AnyResult = Outcome<unknown>;

/** Bodies up to this size are copied to a thread, so that their job can still be taken back. */
const COPY_BYTES_MAX = 65_536;
const NOTHING_MOVED: readonly ArrayBuffer[] = [];

/** A job on its way. */
export class Task implements Ticket<AnyResult> {
  readonly result: Promise<AnyResult>;
  readonly job: AnyJob;
  readonly key: string;
  readonly timeoutMs: number;
  /** Memory that is moved to the thread with the job: it can be given away only once. */
  readonly moved: readonly ArrayBuffer[];
  queuedMs = 0;
  ran = false;
  /** Its number among the jobs of its thread, and where the two threads decide whose it is. */
  turn = 0;
  cell = 0;
  postedAtMs = 0;
  /** It was over its time when the pool last looked. */
  isLate = false;
  /** Others like it ended their threads (waiting.ts). */
  isSuspect = false;
  /** Threads that ended before they began it. */
  losses = 0;
  readonly #submittedAtMs = performance.now();
  readonly #drop: (task: Task) => void;
  #resolve: (result: AnyResult) => void = () => undefined;

  constructor(job: AnyJob, key: string, timeoutMs: number, drop: (task: Task) => void) {
    this.job = job;
    this.key = key;
    this.timeoutMs = timeoutMs;
    this.moved = buffersOf(job);
    this.#drop = drop;
    this.result = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  get canBeTakenBack(): boolean {
    return this.moved.length === 0;
  }

  cancel(): void {
    this.#drop(this);
  }

  settle(result: AnyResult): void {
    this.#resolve(result);
  }

  notePosted(turn: number, cell: number): void {
    this.turn = turn;
    this.cell = cell;
    this.postedAtMs = performance.now();
    this.queuedMs = this.postedAtMs - this.#submittedAtMs;
  }
}

function buffersOf(job: AnyJob): readonly ArrayBuffer[] {
  if (job.kind === 'check') return NOTHING_MOVED;
  const { body, attachments } = job;
  if (attachments.length === 0 && body.buffer.byteLength <= COPY_BYTES_MAX) return NOTHING_MOVED;
  // The gateway reads bodies and attachments into buffers of their own: never shared ones.
  const buffers = attachments.map((attachment) => attachment.buffer as ArrayBuffer);
  buffers.push(body.buffer as ArrayBuffer);
  return buffers;
}

/** What the caller of `job` gets for a renderer's answer. */
export function accept(job: AnyJob, result: WorkerResult): AnyResult {
  // entry.ts answers a render job with a RenderResult, a check job with a CheckResult or a Failure.
  const answer = result as Outcome<unknown> | CheckResult;
  return job.kind === 'check' && !('ok' in answer)
    ? { ok: true, value: answer }
    : (answer as Outcome<unknown>);
}
