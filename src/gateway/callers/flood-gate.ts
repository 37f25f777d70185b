import type { Pool } from '../../workers/pool/pool.ts';

/** Number of refusals of a caller, or of a team, in a window that count as a flood. */
const FLOOD_REFUSALS_MIN = 32;
const WINDOW_MS = 100;
/** The callers of a team may each have few refusals, and pause for a second after each. */
const TEAM_WINDOW_MS = 1_000;
/** A flood that lasts for this many windows is not caused by a stall of the machine. */
const LASTING_WINDOWS = 3;
/**
 * Jobs per thread that a flooding caller may have in the pool: enough to keep the renderers busy.
 * Further jobs would only wait, and delay the refusals behind them on the same connection.
 */
const FLOOD_JOBS = 16;

/** A caller and its team, as the gate counts them. */
interface Caller {
  readonly id: string;
  readonly teamId: string;
}

interface UnderWay {
  readonly teamId: string;
  readonly jobs: number;
}

/** Counts refusals in windows of time; too many in one are a flood, also during the next one. */
class Floods {
  readonly #windowMs: number;
  readonly #refusals = new Map<string, number>();
  /** Callers that were flooding in the previous window, and for how many windows in a row. */
  #flooding = new Map<string, number>();
  #windowEndsAtMs = 0;

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  count(name: string, nowMs: number): void {
    this.#rotateWindow(nowMs);
    this.#refusals.set(name, (this.#refusals.get(name) ?? 0) + 1);
  }

  has(name: string, nowMs: number): boolean {
    this.#rotateWindow(nowMs);
    if (this.#flooding.has(name)) return true;
    return (this.#refusals.get(name) ?? 0) >= FLOOD_REFUSALS_MIN;
  }

  lasts(name: string): boolean {
    return (this.#flooding.get(name) ?? 0) >= LASTING_WINDOWS;
  }

  /** Starts a new window when the current one is over; floods of that one count as ongoing. */
  #rotateWindow(nowMs: number): void {
    if (nowMs < this.#windowEndsAtMs) return;
    const before = this.#flooding;
    this.#flooding = new Map();
    if (nowMs < this.#windowEndsAtMs + this.#windowMs) {
      for (const [name, count] of this.#refusals) {
        if (count < FLOOD_REFUSALS_MIN) continue;
        this.#flooding.set(name, (before.get(name) ?? 0) + 1);
      }
    }
    this.#refusals.clear();
    this.#windowEndsAtMs = nowMs + this.#windowMs;
  }
}

/**
 * Refuses the requests of a flood before their bodies are read. A refusal after parsing the body
 * and looking up the template costs twice as much; at ten times the peak load, the service would do
 * little else. Occasional callers are never refused here: their requests reach the fair queue,
 * which makes room for them.
 */
export class FloodGate {
  readonly #pool: Pick<Pool, 'stats'>;
  /** Jobs of each caller in the pool. */
  readonly #underWay = new Map<string, UnderWay>();
  /** Jobs of each team in the pool. */
  readonly #ofTeams = new Map<string, number>();
  /** The longest queue at which the pool refused a job, which soon is the queue's limit. */
  #queueMax = 0;
  readonly #callers = new Floods(WINDOW_MS);
  readonly #teams = new Floods(TEAM_WINDOW_MS);

  constructor(pool: Pick<Pool, 'stats'>) {
    this.#pool = pool;
  }

  /** Call this when a job of `caller` enters the pool, and `leave` when it has ended. */
  enter(caller: Caller): void {
    this.#add(caller, 1);
  }

  leave(caller: Caller): void {
    this.#add(caller, -1);
  }

  #add({ id, teamId }: Caller, by: 1 | -1): void {
    const jobs = this.#jobsOf(id) + by;
    if (jobs > 0) this.#underWay.set(id, { teamId, jobs });
    else this.#underWay.delete(id);
    const ofTeam = (this.#ofTeams.get(teamId) ?? 0) + by;
    if (ofTeam > 0) this.#ofTeams.set(teamId, ofTeam);
    else this.#ofTeams.delete(teamId);
  }

  #jobsOf(caller: string): number {
    return this.#underWay.get(caller)?.jobs ?? 0;
  }

  /** Call this when the full pool refused a job of `caller`. */
  refused(caller: Caller, nowMs: number): void {
    this.#queueMax = Math.max(this.#queueMax, this.#pool.stats().queued);
    this.#count(caller, nowMs);
  }

  /**
   * Whether to refuse a request unread, because its flooding caller has its share of jobs, or because
   * its caller or team floods and the pool would refuse it anyway.
   */
  refuses(caller: Caller, nowMs: number): boolean {
    const floods = this.#callers.has(caller.id, nowMs);
    if (!floods && !this.#teams.has(caller.teamId, nowMs)) return false;
    const { queued, threads } = this.#pool.stats();
    if (queued === 0) return false;
    const lasts = floods && this.#callers.lasts(caller.id);
    const hasEnough = lasts && this.#jobsOf(caller.id) >= FLOOD_JOBS * threads;
    if (!hasEnough && (queued < this.#queueMax || !this.#isLongest(caller))) return false;
    this.#count(caller, nowMs);
    return true;
  }

  /**
   * True when no other team, and no caller of its own, has so many jobs that one of them would be
   * displaced (FairQueue.displace).
   */
  #isLongest({ id, teamId: team }: Caller): boolean {
    const own = this.#jobsOf(id);
    const ofTeam = this.#ofTeams.get(team) ?? 0;
    for (const [other, jobs] of this.#ofTeams) {
      if (other !== team && jobs >= ofTeam + 2) return false;
    }
    for (const { teamId, jobs } of this.#underWay.values()) {
      if (teamId === team && jobs >= own + 2) return false;
    }
    return true;
  }

  #count({ id, teamId }: Caller, nowMs: number): void {
    this.#callers.count(id, nowMs);
    this.#teams.count(teamId, nowMs);
  }
}
