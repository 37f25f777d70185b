import { LRUCache } from 'lru-cache';
import { Charges } from './charges.ts';
import { LatestOthers } from '../../runtime/latest-others.ts';
import { FairQueue } from './queue.ts';
import {
  chooseJob,
  ENDED_MIN,
  type History,
  kindOf,
  LONG_MS,
  type Openings,
  type Queues,
  SCHEDULE,
  SLOW_MS,
  type TaskKind,
} from './schedule.ts';
import type { Task } from './task.ts';

export type { Openings } from './schedule.ts';

const RUN_WEIGHT = 0.3;
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

/**
 * Jobs that wait for a thread, and what the schedule (schedule.ts) must know of those that ran. The
 * team that has used the least renderer time lately is next, and in it the caller that has used the
 * least: a team with many keys has no more than one with one key. Rows of runs have a separate queue
 * and are not charged.
 */
export class Waiting implements Queues<Task>, History {
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
  othersTaken = 0;
  /** When the last usual job came or was taken. */
  usualAtMs = Number.NEGATIVE_INFINITY;
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

  /** Decides how `task` waits; decided again when it is put back or comes first. */
  judge(task: Task): void {
    task.kind = this.#kindOf(task, this.#ended.size === 0 ? 0 : this.#now());
    if (task.kind === 'usual') this.#recordUsual(task);
  }

  push(task: Task): void {
    if (SCHEDULE[task.kind].lane === 'runs') {
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
  next(open: Openings, nowMs = this.#now()): Task | undefined {
    for (;;) {
      const task = chooseJob(this, open, nowMs);
      const kind = task?.kind;
      // Other jobs of its pair may have run meanwhile; if that changed its kind, choose again.
      if (task !== undefined) task.kind = this.#kindOf(task, nowMs);
      if (task?.kind === kind) return task;
    }
  }

  oldest(kind: 'check' | 'preview'): Task | undefined {
    if (kind === 'check') {
      return this.#checks > 0 ? this.#queue.peek(isCheck, bySubmission) : undefined;
    }
    return this.#previews > 0 ? this.#queue.peek(isPreview, bySubmission) : undefined;
  }

  cheapest(mayRun: (task: Task) => boolean, open: Openings): Task | undefined {
    // Jobs of a pair wait one behind the other: what holds for one holds for the next.
    let kept: Task | undefined;
    const mayGo = (task: Task): boolean => {
      if (kept?.pair === task.pair && kept.kind === task.kind) return false;
      if (mayRun(task)) return true;
      kept = task;
      return false;
    };
    return this.#queue.peek(mayGo, (task) => this.#chargeOf(task, open));
  }

  cheapestSuspect(open: Openings): Task | undefined {
    if (this.#ended.size === 0) return undefined;
    return this.#queue.peek(isSuspect, (task) => this.#chargeOf(task, open));
  }

  /** Teams take turns, and in each team its runs. */
  nextRun(): Task | undefined {
    return this.#runs.peek(
      () => true,
      ({ team }) => this.#runTurns.peek(team) ?? 0,
    );
  }

  lastAtMs(kind: 'check' | 'preview'): number {
    return kind === 'check' ? this.#checkedAtMs : this.#previewedAtMs;
  }

  averageMs(pair: string): number | undefined {
    return this.#average.peek(pair);
  }

  otherUsualAtMs(key: string): number {
    return this.#usualKeys.otherAtMs(key);
  }

  otherShortAtMs(team: string): number {
    return this.#shortTeams.otherAtMs(team);
  }

  /** Removes `task` for a thread; its caller is charged the expected duration. */
  take(task: Task): void {
    this.#queueOf(task).take(task);
    if (SCHEDULE[task.kind].lane === 'runs') {
      this.#runsTaken += 1;
      this.#runTurns.set(task.team, this.#runsTaken);
      return;
    }
    this.#countApart(task, -1);
    this.othersTaken = task.kind === 'suspect' ? 0 : this.othersTaken + 1;
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
    if (!SCHEDULE[task.kind].isCharged) return;
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
    if (!SCHEDULE[task.kind].isCharged) return;
    this.#charge(task, ranMs - task.chargedMs);
    this.#charges.recordRun(task.key, ranMs);
    this.#recordChecked(task);
    const average = this.#average.get(task.pair) ?? ranMs;
    this.#average.set(task.pair, average + (ranMs - average) * RUN_WEIGHT);
  }

  /** Records that `task` ended its thread. */
  recordEnded(task: Task): void {
    if (!SCHEDULE[task.kind].isCharged) return;
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

  #chargeOf({ key, team }: Task, open: Openings): number {
    const capped = Number(open.isCapped(key)) + Number(open.isTeamCapped(team)) / 2;
    const shareMs = this.#teamCharges.of(team) + this.#charges.of(key) * OWN_WEIGHT;
    return shareMs + capped * CAPPED_MS;
  }

  #queueOf({ kind }: Task): FairQueue<Task> {
    return SCHEDULE[kind].lane === 'runs' ? this.#runs : this.#queue;
  }

  #countApart(task: Task, by: 1 | -1): void {
    if (task.isPreview) this.#previews += by;
    else if (task.isCheck) this.#checks += by;
  }

  #recordChecked(task: Task): void {
    if (task.isPlainCheck) this.#checkedAtMs = this.#now();
  }

  #recordUsual({ key, team, pair }: Task): void {
    const nowMs = this.#now();
    this.usualAtMs = nowMs;
    this.#usualKeys.record(key, nowMs);
    if ((this.#average.peek(pair) ?? 0) <= LONG_MS) this.#shortTeams.record(team, nowMs);
  }

  /** `nowMs` counts only when jobs have ended threads. */
  #kindOf(task: Task, nowMs: number): TaskKind {
    const averageMs = this.#average.peek(task.pair) ?? 0;
    const ended = this.#ended.size === 0 ? undefined : this.#ended.peek(task.pair);
    return kindOf(task, averageMs, ended, nowMs);
  }
}
