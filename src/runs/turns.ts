import { setTimeout as pause } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { ActiveRun, RunWork } from '../store/runs/types.ts';

/** How long a list of the active runs is used before it is read again. */
const LIST_MS = 200;
/** A run that had nothing to do is passed over for this long. */
const IDLE_MS = 250;
/** A run whose step failed is passed over for this long, and the lanes serve the others. */
const FAILED_MS = 1_000;
const TURNS_MAX = 10_000;
/**
 * Least time between the beginnings of two steps of a team while other teams ask for documents. A
 * step of a tiny run is a dozen statements and nothing else: without a pause, the steps of many such
 * runs fill the main thread and the database. A step that renders a chunk takes far longer.
 */
const STEP_MS = 10;
/** A team counts as asking for documents until this long after its last request for one. */
const OTHERS_MS = 1_000;

/** Does a step of a run; returns whether there was one to do. */
type Advance = (runId: string) => Promise<boolean>;

export interface RunTurnsOptions {
  /** When other teams than this one last asked for a document. */
  readonly othersAtMs?: (team: string) => number;
  readonly nowMs?: () => number;
  /** Waits for so many milliseconds. */
  readonly rest?: (ms: number) => Promise<unknown>;
}

/**
 * The run that is next. If `run` is null, `restMs` is the time until a team may begin a step; it is
 * null, too, when no run has anything to do.
 */
interface Choice {
  readonly run: ActiveRun | null;
  readonly restMs: number | null;
}

/**
 * Chooses the run for each step: teams take turns, and so do the runs of each team. It reads only the
 * ids of the runs, and keeps that list for a while, so that thousands of tiny runs of one team neither
 * hold up the run of another nor cost the square of their number. While other teams request
 * documents, a team begins a step every few milliseconds at most, however many runs it has.
 */
export class RunTurns {
  readonly #work: Pick<RunWork, 'activeIds'>;
  readonly #othersAtMs: (team: string) => number;
  readonly #nowMs: () => number;
  readonly #rest: (ms: number) => Promise<unknown>;
  /** When the last step of each team began. */
  readonly #begunAtMs = new LRUCache<string, number>({ max: TURNS_MAX });
  /** Running numbers of the last turns, by team and by run. */
  readonly #teams = new LRUCache<string, number>({ max: TURNS_MAX });
  readonly #runs = new LRUCache<string, number>({ max: TURNS_MAX });
  readonly #idleUntilMs = new LRUCache<string, number>({ max: TURNS_MAX });
  #turns = 0;
  /** Lanes that ask while it is read wait for it: the list before it may lack the run. */
  #list: Promise<readonly ActiveRun[]> = Promise.resolve([]);
  #listedAtMs = Number.NEGATIVE_INFINITY;

  constructor(work: Pick<RunWork, 'activeIds'>, options: RunTurnsOptions = {}) {
    const { othersAtMs = () => Number.NEGATIVE_INFINITY } = options;
    this.#work = work;
    this.#othersAtMs = othersAtMs;
    this.#nowMs = options.nowMs ?? (() => performance.now());
    this.#rest = options.rest ?? pause;
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
      const { run, restMs } = this.#choose(await this.#active(), passed);
      if (run === null && restMs === null) return false;
      if (run === null) {
        await this.#rest(restMs ?? 0);
        continue;
      }
      passed.add(run.runId);
      this.#begunAtMs.set(run.teamId, this.#nowMs());
      this.#turns += 1;
      this.#teams.set(run.teamId, this.#turns);
      this.#runs.set(run.runId, this.#turns);
      if (await this.#advance(run, advance)) {
        // The others may have found nothing to do only because this step was still under way.
        this.#idleUntilMs.delete(run.runId);
        return true;
      }
      this.#idleUntilMs.set(run.runId, this.#nowMs() + IDLE_MS);
    }
  }

  /** Waits until a step of the team may begin, for a step that something else has chosen. */
  async begin(team: string): Promise<void> {
    for (;;) {
      const restMs = this.#restMsOf(team, this.#nowMs());
      if (restMs === 0) break;
      await this.#rest(restMs);
    }
    this.#begunAtMs.set(team, this.#nowMs());
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
    if (this.#nowMs() - this.#listedAtMs >= LIST_MS) {
      this.#listedAtMs = this.#nowMs();
      this.#list = this.#work.activeIds();
    }
    const list = this.#list;
    try {
      return await list;
    } catch (error) {
      // The next call reads the list again.
      if (this.#list === list) this.#listedAtMs = Number.NEGATIVE_INFINITY;
      throw error;
    }
  }

  /** Chooses the team whose last turn was longest ago, and among its runs likewise. */
  #choose(list: readonly ActiveRun[], passed: ReadonlySet<string>): Choice {
    const nowMs = this.#nowMs();
    const rests = new Map<string, number>();
    let chosen: ActiveRun | null = null;
    let ofTeam = Number.POSITIVE_INFINITY;
    let ofRun = Number.POSITIVE_INFINITY;
    let restMs = Number.POSITIVE_INFINITY;
    for (const run of list) {
      const { teamId, runId } = run;
      const team = this.#teams.peek(teamId) ?? 0;
      if (team > ofTeam || passed.has(runId)) continue;
      if ((this.#idleUntilMs.peek(runId) ?? 0) > nowMs) continue;
      const teamRestMs = rests.get(teamId) ?? this.#restMsOf(teamId, nowMs);
      rests.set(teamId, teamRestMs);
      if (teamRestMs > 0) {
        restMs = Math.min(restMs, teamRestMs);
        continue;
      }
      const own = this.#runs.peek(runId) ?? 0;
      if (team === ofTeam && own >= ofRun) continue;
      [chosen, ofTeam, ofRun] = [run, team, own];
    }
    return { run: chosen, restMs: restMs === Number.POSITIVE_INFINITY ? null : restMs };
  }

  /** Time until the team may begin a step; 0: it may now. */
  #restMsOf(team: string, nowMs: number): number {
    if (nowMs - this.#othersAtMs(team) >= OTHERS_MS) return 0;
    const begunAtMs = this.#begunAtMs.peek(team) ?? Number.NEGATIVE_INFINITY;
    return Math.max(0, begunAtMs + STEP_MS - nowMs);
  }
}
