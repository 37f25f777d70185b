import { LRUCache } from 'lru-cache';
import type { ActiveRun, RunWork } from '../store/runs/types.ts';

/** How long a list of the active runs is used before it is read again. */
const LIST_MS = 200;
/** A run that had nothing to do is passed over for this long. */
const IDLE_MS = 250;
/** A run whose step failed is passed over for this long, and the lanes serve the others. */
const FAILED_MS = 1_000;
const TURNS_MAX = 10_000;

/** Does a step of a run; returns whether there was one to do. */
type Advance = (runId: string) => Promise<boolean>;

/**
 * Whose turn it is: teams take turns, and in each team its runs. Only the ids of the runs are read,
 * and not for each step, so that thousands of tiny runs of one team neither hold up the run of
 * another one nor cost the square of their number.
 */
export class RunTurns {
  readonly #work: Pick<RunWork, 'activeIds'>;
  readonly #nowMs: () => number;
  /** Running numbers of the last turns, by team and by run. */
  readonly #teams = new LRUCache<string, number>({ max: TURNS_MAX });
  readonly #runs = new LRUCache<string, number>({ max: TURNS_MAX });
  readonly #idleUntilMs = new LRUCache<string, number>({ max: TURNS_MAX });
  #turns = 0;
  #list: readonly ActiveRun[] = [];
  #listedAtMs = Number.NEGATIVE_INFINITY;

  constructor(work: Pick<RunWork, 'activeIds'>, nowMs: () => number = () => performance.now()) {
    this.#work = work;
    this.#nowMs = nowMs;
  }

  /** A run was started, or has something to do again: the next list is read anew. */
  wake(): void {
    this.#listedAtMs = Number.NEGATIVE_INFINITY;
    this.#idleUntilMs.clear();
  }

  /**
   * Calls `advance` for one run after the other, in turn, until one of them had something to do.
   * Returns whether one had.
   */
  async next(advance: Advance): Promise<boolean> {
    const passed = new Set<string>();
    for (;;) {
      const run = this.#choose(await this.#active(), passed);
      if (run === null) return false;
      passed.add(run.runId);
      this.#turns += 1;
      this.#teams.set(run.teamId, this.#turns);
      this.#runs.set(run.runId, this.#turns);
      if (await this.#advance(run, advance)) return true;
      this.#idleUntilMs.set(run.runId, this.#nowMs() + IDLE_MS);
    }
  }

  async #advance({ runId }: ActiveRun, advance: Advance): Promise<boolean> {
    try {
      return await advance(runId);
    } catch (error) {
      this.#idleUntilMs.set(runId, this.#nowMs() + FAILED_MS);
      throw error;
    }
  }

  async #active(): Promise<readonly ActiveRun[]> {
    if (this.#nowMs() - this.#listedAtMs < LIST_MS) return this.#list;
    this.#listedAtMs = this.#nowMs();
    this.#list = await this.#work.activeIds();
    return this.#list;
  }

  /** The run whose team, and in it which itself, had its last turn longest ago. */
  #choose(list: readonly ActiveRun[], passed: ReadonlySet<string>): ActiveRun | null {
    const nowMs = this.#nowMs();
    let chosen: ActiveRun | null = null;
    let ofTeam = Number.POSITIVE_INFINITY;
    let ofRun = Number.POSITIVE_INFINITY;
    for (const run of list) {
      const team = this.#teams.peek(run.teamId) ?? 0;
      if (team > ofTeam || passed.has(run.runId)) continue;
      if ((this.#idleUntilMs.peek(run.runId) ?? 0) > nowMs) continue;
      const own = this.#runs.peek(run.runId) ?? 0;
      if (team === ofTeam && own >= ofRun) continue;
      [chosen, ofTeam, ofRun] = [run, team, own];
    }
    return chosen;
  }
}
