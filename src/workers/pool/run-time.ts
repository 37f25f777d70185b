import { readFileSync, readlinkSync } from 'node:fs';

/**
 * How long a job could have run. The clock alone does not tell: a process that was stopped, moved to
 * another machine or swapped out stands still while its clock goes on, and a thread that other
 * programs keep from the CPU cannot run either. Both say nothing about the document, so neither is
 * charged to the time limit of its job.
 *
 * - Between two checks, at most `GAP_MS_MAX` is charged: a check that comes later was delayed itself.
 * - On Linux, time in which the thread waited for a CPU is not charged, up to `STARVED_TIMES_MAX`
 *   limits, so that an endless job ends on the busiest machine.
 * - CPU time of the thread is always charged, so delayed checks do not prolong an endless job.
 */

/** Longest time between two checks that is charged without CPU time of the thread. */
const GAP_MS_MAX = 100;
const STARVED_TIMES_MAX = 3;
/** The times of a thread are first read when its job has run this long: most jobs are shorter. */
const READ_AFTER_MS = 50;
const NS_PER_MS = 1e6;

/** What the system counts for a thread. */
export interface ThreadTimes {
  /** CPU time. */
  readonly ranMs: number;
  /** Time in which it could have run and others had the CPU. */
  readonly waitedMs: number;
}

const UNKNOWN: ThreadTimes = { ranMs: 0, waitedMs: 0 };

export class RunTime {
  readonly #read: () => ThreadTimes;
  #jobNumber = 0;
  #elapsedMs = 0;
  /** Time since the job began in which the checks did not come. */
  #stoodStillMs = 0;
  #atFirst: ThreadTimes | null = null;

  /** `read` returns the times of the thread that runs the jobs. */
  constructor(read: () => ThreadTimes) {
    this.#read = read;
  }

  /**
   * Whether the job could have run for `limitMs`. It began `elapsedMs` ago, or waits for the thread
   * since then. To be called at each check, about every 20 ms.
   */
  isOver(jobNumber: number, elapsedMs: number, limitMs: number): boolean {
    if (jobNumber !== this.#jobNumber || elapsedMs < this.#elapsedMs) {
      this.#jobNumber = jobNumber;
      this.#elapsedMs = 0;
      this.#stoodStillMs = 0;
      this.#atFirst = null;
    }
    this.#stoodStillMs += Math.max(0, elapsedMs - this.#elapsedMs - GAP_MS_MAX);
    this.#elapsedMs = elapsedMs;
    if (elapsedMs >= READ_AFTER_MS) this.#atFirst ??= this.#read();
    if (elapsedMs < limitMs) return false;
    const { ranMs, waitedMs } = this.#read();
    const { ranMs: ranFirstMs, waitedMs: waitedFirstMs } = this.#atFirst ?? UNKNOWN;
    const starvedMs = Math.min(waitedMs - waitedFirstMs, STARVED_TIMES_MAX * limitMs);
    const couldRunMs = elapsedMs - this.#stoodStillMs - starvedMs;
    return Math.max(couldRunMs, ranMs - ranFirstMs) >= limitMs;
  }
}

/** Number of the calling thread in the system; 0: unknown, as outside Linux. */
export function systemThreadId(): number {
  try {
    return Number(readlinkSync('/proc/thread-self').split('/').at(-1));
  } catch (error) {
    if (error instanceof Error && 'code' in error) return 0;
    throw error;
  }
}

/**
 * Times of a thread of this process, by proc_pid_schedstat(5). Zeros when it has ended, has no number
 * yet, or runs on a system that does not count them.
 */
export function threadTimes(threadNumber: number): ThreadTimes {
  if (threadNumber === 0) return UNKNOWN;
  try {
    const text = readFileSync(`/proc/self/task/${threadNumber}/schedstat`, 'latin1');
    const [ranNs = 0, waitedNs = 0] = text.split(' ').map(Number);
    return { ranMs: ranNs / NS_PER_MS, waitedMs: waitedNs / NS_PER_MS };
  } catch (error) {
    if (error instanceof Error && 'code' in error) return UNKNOWN;
    throw error;
  }
}
