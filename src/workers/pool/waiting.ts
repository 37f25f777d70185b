import { LRUCache } from 'lru-cache';
import { Charges } from './charges.ts';
import { LatestOthers } from '../../runtime/latest-others.ts';
import { FairQueue } from './queue.ts';
import type { Task, TaskKind } from './task.ts';

/** A pair is suspect when its jobs have ended this many threads within `ENDED_MS`. */
const ENDED_MIN = 3;
const ENDED_MS = 60_000;
/** Least number of other jobs between two suspects: with one thread, all others wait for each. */
const OTHERS_MIN = 16;
/** A pair whose jobs take longer than this on average is slow; one cold start does not count. */
const SLOW_MS = 250;
/** A pair whose jobs take longer than this on average leaves a renderer to other teams. */
const LONG_MS = 30;
const RUN_WEIGHT = 0.3;
/** A renderer stays free for short jobs for this long after the last one, as more may follow. */
const USUAL_MS = 5_000;
/** A check that has waited this long, and since the last check ended, comes before all others. */
const CHECK_WAIT_MS = 2_000;
/** A preview that has waited this long comes before all others, if none did in the time below. */
const PREVIEW_WAIT_MS = 250;
const PREVIEW_EVERY_MS = 100;
/** Pairs remembered; the oldest are forgotten first. */
const PAIRS_MAX = 1_000;
/** Added to the rank of a caller that holds its share of the renderers: all others come first. */
const CAPPED_MS = 1e12;
/** Weight of a caller's own charge beside that of its team: it decides only within the team. */
const OWN_WEIGHT = 1e-3;

const isCheck = ({ kind }: Task): boolean => kind === 'check';
const isPreview = ({ kind }: Task): boolean => kind === 'preview';
const isSuspect = ({ kind }: Task): boolean => kind === 'suspect';
const isUnsuspected = ({ kind }: Task): boolean => kind !== 'suspect';
const bySubmission = ({ submittedAtMs }: Task): number => submittedAtMs;

/** Kinds of jobs that may run now beside usual ones. */
export interface Openings {
  readonly slow: boolean;
  readonly suspects: boolean;
  /**
   * `due`: only a check that has waited long enough; `free`: also others, if nothing else can run.
   */
  readonly checks: 'none' | 'due' | 'free';
  /** Whether the caller holds its share of the renderers, so that others come first. */
  readonly isCapped: (key: string) => boolean;
  readonly isTeamCapped: (team: string) => boolean;
}

/**
 * Jobs that wait for a thread. The team that has used the least renderer time lately is next, and in
 * it the caller that has used the least: a team with many keys has no more than one with one key.
 *
 * - slow: the jobs of this caller and template take long. They leave a renderer to other jobs.
 * - suspect: jobs of this caller and template ended several threads. A new thread is slow at first,
 *   so more of them would slow everybody down: they run one at a time, and others come between.
 * - check: a template is checked with its samples, which may take seconds: one at a time.
 * - preview: a draft that is shown while it is edited, also by the save that brings its preview. It
 *   runs when no other request can, and a few run every second in any case.
 * - run: rows of a run. They run when requests leave room: they have a separate queue and are not
 *   charged.
 */
export class Waiting {
  readonly #now: () => number;
  readonly #queue = new FairQueue<Task>();
  readonly #runs = new FairQueue<Task>();
  readonly #charges: Charges;
  readonly #teamCharges: Charges;
  /** When each team had the last of its runs' jobs taken, as a running number. */
  readonly #runTurns = new LRUCache<string, number>({ max: PAIRS_MAX });
  #runsTaken = 0;
  /** When the last jobs of a pair ended their threads. */
  readonly #ended = new LRUCache<string, readonly number[]>({ max: PAIRS_MAX });
  /** Mean duration of the jobs of a pair, in ms. */
  readonly #average = new LRUCache<string, number>({ max: PAIRS_MAX });
  /** Number of waiting checks, suspect ones included; at 0 the queue is not searched for them. */
  #checks = 0;
  #previews = 0;
  /** Jobs taken since the last suspect. */
  #othersTaken = 0;
  #usualAtMs = Number.NEGATIVE_INFINITY;
  /** The callers of usual jobs. */
  readonly #usualKeys = new LatestOthers();
  /** The teams of usual jobs that are not known to be long. */
  readonly #shortTeams = new LatestOthers();
  #checkedAtMs = Number.NEGATIVE_INFINITY;
  #previewedAtMs = Number.NEGATIVE_INFINITY;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#charges = new Charges(now);
    this.#teamCharges = new Charges(now);
  }

  /** Jobs of requests; those of runs do not count. */
  get size(): number {
    return this.#queue.size;
  }

  get isEmpty(): boolean {
    return this.#queue.size + this.#runs.size === 0;
  }

  get hadUsualLately(): boolean {
    return this.#now() - this.#usualAtMs < USUAL_MS;
  }

  /** Decides how `task` waits; decided again when it is put back or comes first. */
  judge(task: Task): void {
    task.kind = this.#kindOf(task);
    if (task.kind === 'usual') this.#recordUsual(task);
  }

  push(task: Task): void {
    if (task.kind === 'run') {
      this.#runs.push(task);
      return;
    }
    if (!this.#queue.has(task.key)) this.#charges.enter(task.key, this.#queue.keys());
    if (!this.#queue.hasTeam(task.team)) {
      this.#teamCharges.enter(task.team, this.#queue.teams());
    }
    this.#queue.push(task);
    this.#countApart(task, 1);
  }

  /** Puts back a job that a thread did not run, and refunds its charge. */
  putBack(task: Task): void {
    this.refund(task);
    this.judge(task);
    this.#queueOf(task).putBack(task);
    this.#countApart(task, 1);
  }

  /** Returns false when the task no longer waits. */
  remove(task: Task): boolean {
    const isRemoved = this.#queueOf(task).remove(task);
    if (isRemoved) this.#countApart(task, -1);
    return isRemoved;
  }

  /** Makes room for `task`: removes a suspect, or else another job unless `task` is a suspect. */
  displaceFor(task: Task): Task | undefined {
    let displaced = this.#queue.displace(task, isSuspect);
    if (task.kind !== 'suspect') displaced ??= this.#queue.displace(task, isUnsuspected);
    if (displaced !== undefined) this.#countApart(displaced, -1);
    return displaced;
  }

  /** The next job that may run; it stays in the queue until `take`. */
  next(open: Openings): Task | undefined {
    for (;;) {
      const task = this.#choose(open) ?? this.#chooseRun();
      const kind = task?.kind;
      // Other jobs of its pair may have run meanwhile; if that changed its kind, choose again.
      if (task !== undefined) task.kind = this.#kindOf(task);
      if (task?.kind === kind) return task;
    }
  }

  /** Removes `task` for a thread; its caller is charged the expected duration. */
  take(task: Task): void {
    this.#queueOf(task).take(task);
    if (task.kind === 'run') {
      this.#runsTaken += 1;
      this.#runTurns.set(task.team, this.#runsTaken);
      return;
    }
    this.#countApart(task, -1);
    this.#othersTaken = task.kind === 'suspect' ? 0 : this.#othersTaken + 1;
    if (task.kind === 'usual') this.#recordUsual(task);
    if (task.kind === 'preview') this.#previewedAtMs = this.#now();
    task.chargedMs = this.#charges.paceMs(task.key);
    this.#charge(task, task.chargedMs);
  }

  refund(task: Task): void {
    this.#charge(task, -task.chargedMs);
    task.chargedMs = 0;
  }

  #charge({ key, team }: Task, ms: number): void {
    this.#charges.add(key, ms);
    this.#teamCharges.add(team, ms);
  }

  /** Records that `task` has run for `runningMs` and still runs. */
  recordRunning(task: Task, runningMs: number): void {
    if (task.kind === 'run') return;
    if (runningMs > task.chargedMs) {
      this.#charge(task, runningMs - task.chargedMs);
      task.chargedMs = runningMs;
    }
    if (runningMs <= SLOW_MS) return;
    const average = this.#average.peek(task.pair);
    const atLeast = average === undefined ? runningMs : runningMs * RUN_WEIGHT;
    this.#average.set(task.pair, Math.max(average ?? 0, atLeast));
    if (task.kind === 'usual') task.kind = 'slow';
  }

  recordRun(task: Task, ranMs: number): void {
    if (task.kind === 'run') return;
    this.#charge(task, ranMs - task.chargedMs);
    this.#charges.recordRun(task.key, ranMs);
    this.#recordChecked(task);
    const average = this.#average.get(task.pair) ?? ranMs;
    this.#average.set(task.pair, average + (ranMs - average) * RUN_WEIGHT);
  }

  /** Records that `task` ended its thread. */
  recordEnded(task: Task): void {
    if (task.kind === 'run') return;
    const times = [...(this.#ended.get(task.pair) ?? []), this.#now()];
    this.#ended.set(task.pair, times.slice(-ENDED_MIN));
    this.#recordChecked(task);
  }

  /** Removes all jobs. */
  drain(): Task[] {
    const tasks: Task[] = [];
    while (!this.isEmpty) {
      const task =
        this.#queue.peek(() => true, bySubmission) ?? this.#runs.peek(() => true, bySubmission);
      if (task !== undefined && this.remove(task)) tasks.push(task);
    }
    return tasks;
  }

  #choose(open: Openings): Task | undefined {
    const mayCheck = open.checks !== 'none' && this.#checks > 0;
    const check = mayCheck ? this.#queue.peek(isCheck, bySubmission) : undefined;
    if (check !== undefined && this.#isDue(check)) return check;
    const mayPreview = open.slow && this.#previews > 0;
    const preview = mayPreview ? this.#queue.peek(isPreview, bySubmission) : undefined;
    if (preview !== undefined && this.#isPreviewDue(preview)) return preview;
    const charge = ({ key, team }: Task): number => {
      const capped = Number(open.isCapped(key)) + Number(open.isTeamCapped(team)) / 2;
      const shareMs = this.#teamCharges.of(team) + this.#charges.of(key) * OWN_WEIGHT;
      return shareMs + capped * CAPPED_MS;
    };
    // Jobs of a pair wait one behind the other: what holds for one holds for the next.
    let kept: Task | undefined;
    const mayRun = (task: Task): boolean => {
      if (kept?.pair === task.pair && kept.kind === task.kind) return false;
      if (this.#mayRun(task, open)) return true;
      kept = task;
      return false;
    };
    const other = this.#queue.peek(mayRun, charge);
    const maySuspect = open.suspects && this.#ended.size > 0;
    const suspect = maySuspect ? this.#queue.peek(isSuspect, charge) : undefined;
    if (suspect !== undefined && (other === undefined || this.#othersTaken >= OTHERS_MIN)) {
      return suspect;
    }
    return other ?? (open.checks === 'free' ? check : undefined) ?? preview;
  }

  #mayRun(task: Task, open: Openings): boolean {
    switch (task.kind) {
      case 'usual':
        return !this.#leavesRenderer(task, open);
      case 'slow':
        if (this.#isOverShare(task, open)) return false;
        return open.slow || !this.#hadOthersLately(task.key);
      case 'check':
      case 'preview':
      case 'suspect':
      case 'run':
        return false;
    }
  }

  /**
   * Whether a usual job leaves a renderer to short jobs of others, even if none waits at this moment.
   * A pair may turn out slow until its first job has ended or run for long, so its caller gets no
   * more than its share of the renderers until then. Long jobs of a team that hold all renderers
   * would delay each short one of another team by half of their length.
   */
  #leavesRenderer({ key, team, pair }: Task, open: Openings): boolean {
    const averageMs = this.#average.peek(pair);
    if (averageMs === undefined && open.isCapped(key) && this.#hadOthersLately(key)) return true;
    const isShort = averageMs !== undefined && averageMs <= LONG_MS;
    return !isShort && this.#isOverShare({ team }, open);
  }

  /** Whether a long job of the team would take the renderer that it leaves to other teams. */
  #isOverShare({ team }: Pick<Task, 'team'>, open: Openings): boolean {
    return open.isTeamCapped(team) && this.#hadOtherTeamsLately(team);
  }

  /** Teams take turns, and in each team its runs. */
  #chooseRun(): Task | undefined {
    return this.#runs.peek(
      () => true,
      ({ team }) => this.#runTurns.peek(team) ?? 0,
    );
  }

  #queueOf({ kind }: Task): FairQueue<Task> {
    return kind === 'run' ? this.#runs : this.#queue;
  }

  #countApart(task: Task, by: 1 | -1): void {
    if (task.isPreview) this.#previews += by;
    else if (task.job.kind === 'check') this.#checks += by;
  }

  #recordChecked(task: Task): void {
    if (task.job.kind === 'check' && !task.isPreview) this.#checkedAtMs = this.#now();
  }

  #recordUsual({ key, team, pair }: Task): void {
    const nowMs = this.#now();
    this.#usualAtMs = nowMs;
    this.#usualKeys.record(key, nowMs);
    if ((this.#average.peek(pair) ?? 0) <= LONG_MS) this.#shortTeams.record(team, nowMs);
  }

  /** Whether other callers had usual jobs lately: a renderer is kept free only for these. */
  #hadOthersLately(key: string): boolean {
    return this.#now() - this.#usualKeys.otherAtMs(key) < USUAL_MS;
  }

  /** Whether other teams had short jobs lately. */
  #hadOtherTeamsLately(team: string): boolean {
    return this.#now() - this.#shortTeams.otherAtMs(team) < USUAL_MS;
  }

  #isDue({ submittedAtMs }: Task): boolean {
    return this.#now() - Math.max(submittedAtMs, this.#checkedAtMs) >= CHECK_WAIT_MS;
  }

  #isPreviewDue({ submittedAtMs }: Task): boolean {
    const nowMs = this.#now();
    const hasWaited = nowMs - submittedAtMs >= PREVIEW_WAIT_MS;
    return hasWaited && nowMs - this.#previewedAtMs >= PREVIEW_EVERY_MS;
  }

  #kindOf(task: Task): TaskKind {
    if (task.job.kind.endsWith('_rows')) return 'run';
    const times = this.#ended.size === 0 ? undefined : this.#ended.peek(task.pair);
    if (times?.length === ENDED_MIN && this.#now() - (times[0] ?? 0) < ENDED_MS) return 'suspect';
    if (task.isPreview) return 'preview';
    if (task.job.kind === 'check') return 'check';
    return (this.#average.peek(task.pair) ?? 0) > SLOW_MS ? 'slow' : 'usual';
  }
}
