import { FairQueue } from './queue.ts';
import type { Task } from './task.ts';

/** Threads that a caller's documents of one template have to end within `MEMORY_MS`. */
const ENDED_MIN = 3;
const MEMORY_MS = 60_000;
/** Jobs of others that come between two suspects: with one thread, all wait for each. */
const USUAL_IN_TURN = 16;
/** Pairs of caller and template remembered; the oldest are forgotten first. */
const PAIRS_MAX = 1_000;

/** Which caller's documents of which template ended threads, and when. */
class EndedThreads {
  readonly #times = new Map<string, readonly number[]>();

  note(task: Task): void {
    const pair = pairOf(task);
    const times = [...(this.#times.get(pair) ?? []), performance.now()];
    this.#times.delete(pair);
    this.#times.set(pair, times.slice(-ENDED_MIN));
    if (this.#times.size <= PAIRS_MAX) return;
    for (const oldest of this.#times.keys()) {
      this.#times.delete(oldest);
      return;
    }
  }

  /** The next one is likely to end its thread, too. */
  expects(task: Task): boolean {
    if (this.#times.size === 0) return false;
    const times = this.#times.get(pairOf(task));
    if (times === undefined || times.length < ENDED_MIN) return false;
    return performance.now() - (times[0] ?? 0) < MEMORY_MS;
  }
}

function pairOf({ key, job }: Task): string {
  return `${job.template.hash} ${key}`;
}

/**
 * Jobs that wait for a thread. A thread that was ended takes what it had learned with it, and its
 * successor is slow at first: who ends one after the other would make all of them slow. So jobs of
 * a caller and template that did are suspect: they wait apart, and the pool runs one at a time.
 */
export class Waiting {
  readonly #usual = new FairQueue<Task>();
  readonly #suspect = new FairQueue<Task>();
  readonly #ended = new EndedThreads();
  /** Taken since the last suspect. */
  #usualInTurn = 0;

  get size(): number {
    return this.#usual.size + this.#suspect.size;
  }

  /** Its thread was ended because of it. */
  noteEnded(task: Task): void {
    this.#ended.note(task);
  }

  /** Whether `task` is suspect is decided here, and again when it is put back or comes first. */
  judge(task: Task): void {
    task.isSuspect = this.#ended.expects(task);
  }

  /** Nothing that waits comes before it. `suspects`: one of them may run. */
  isNext(task: Task, suspects: boolean): boolean {
    return task.isSuspect ? suspects && this.size === 0 : this.#usual.size === 0;
  }

  push(task: Task): void {
    this.#queueOf(task).push(task.key, task);
  }

  putBack(task: Task): void {
    this.judge(task);
    this.#queueOf(task).putBack(task.key, task);
  }

  /** False when it does not wait any more. */
  remove(task: Task): boolean {
    return this.#queueOf(task).remove(task.key, task);
  }

  /** What gives way to `task` in a full pool: suspects first, and to a suspect only suspects. */
  displaceFor(task: Task): Task | undefined {
    const displaced = this.#suspect.displace(task.key);
    return task.isSuspect ? displaced : (displaced ?? this.#usual.displace(task.key));
  }

  /** What `take` would give. `suspects`: one of them may run; they and the others take turns. */
  peek(suspects: boolean): Task | undefined {
    this.#judgeFirst();
    const usual = this.#usual.peek();
    const suspect = suspects ? this.#suspect.peek() : undefined;
    if (usual === undefined || suspect === undefined) return usual ?? suspect;
    return this.#usualInTurn < USUAL_IN_TURN ? usual : suspect;
  }

  /** The next in turn. */
  take(suspects: boolean): Task | undefined {
    const task = this.peek(suspects);
    if (task === undefined) return undefined;
    this.#usualInTurn = task.isSuspect ? 0 : this.#usualInTurn + 1;
    return this.#queueOf(task).take();
  }

  /** Takes all. */
  drain(): Task[] {
    const tasks: Task[] = [];
    for (let task = this.take(true); task !== undefined; task = this.take(true)) tasks.push(task);
    return tasks;
  }

  /** What became suspect while it waited goes to the others of its kind. */
  #judgeFirst(): void {
    for (let first = this.#usual.peek(); first !== undefined; first = this.#usual.peek()) {
      this.judge(first);
      if (!first.isSuspect) return;
      this.#usual.take();
      this.#suspect.push(first.key, first);
    }
  }

  #queueOf(task: Task): FairQueue<Task> {
    return task.isSuspect ? this.#suspect : this.#usual;
  }
}
