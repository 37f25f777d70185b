import { LRUCache } from 'lru-cache';

/** Half-life of a charge: what a caller used a minute ago no longer counts. */
const HALF_LIFE_MS = 5_000;
/** A caller away for longer than this starts at the least charge of those present. */
const ABSENT_MS = 1_000;
const CALLERS_MAX = 1_000;
/** Weight of the last job in the expected duration of the next one. */
const PACE_WEIGHT = 0.2;
/** Expected duration of a caller's first job. */
const PACE_MS = 1;

interface Account {
  /** As of `atMs`. */
  chargedMs: number;
  atMs: number;
  /** Expected duration of a job of this caller, by the last ones, in ms. */
  paceMs: number;
}

/** Renderer time that each caller has used lately, in ms. */
export class Charges {
  readonly #accounts = new LRUCache<string, Account>({ max: CALLERS_MAX });
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  of(caller: string): number {
    return faded(this.#accounts.peek(caller), this.#now());
  }

  /** Expected duration of the next job of `caller`, in ms. */
  paceMs(caller: string): number {
    return this.#accounts.peek(caller)?.paceMs ?? PACE_MS;
  }

  /** Charges `ms`; negative for time that was charged ahead but not used. */
  add(caller: string, ms: number): void {
    const account = this.#accountOf(caller);
    account.chargedMs = Math.max(0, account.chargedMs + ms);
  }

  recordRun(caller: string, ranMs: number): void {
    const account = this.#accountOf(caller);
    account.paceMs += (ranMs - account.paceMs) * PACE_WEIGHT;
  }

  /**
   * Called when a caller without waiting jobs submits one; `waiting` are the callers with waiting
   * jobs. Absence earns no credit: the caller's charge is raised to the lowest of the others.
   */
  enter(caller: string, waiting: Iterable<string>): void {
    const nowMs = this.#now();
    const own = this.#accounts.peek(caller);
    if (own !== undefined && nowMs - own.atMs <= ABSENT_MS) return;
    let leastMs = Number.POSITIVE_INFINITY;
    for (const other of waiting) leastMs = Math.min(leastMs, this.of(other));
    for (const other of this.#accounts.values()) {
      if (nowMs - other.atMs <= ABSENT_MS) leastMs = Math.min(leastMs, faded(other, nowMs));
    }
    const account = this.#accountOf(caller);
    if (leastMs !== Number.POSITIVE_INFINITY) {
      account.chargedMs = Math.max(account.chargedMs, leastMs);
    }
  }

  /** The account of `caller`, as of now. */
  #accountOf(caller: string): Account {
    const nowMs = this.#now();
    let account = this.#accounts.get(caller);
    if (account === undefined) {
      account = { chargedMs: 0, atMs: nowMs, paceMs: PACE_MS };
      this.#accounts.set(caller, account);
    }
    account.chargedMs = faded(account, nowMs);
    account.atMs = nowMs;
    return account;
  }
}

function faded(account: Account | undefined, nowMs: number): number {
  if (account === undefined) return 0;
  return account.chargedMs * 2 ** ((account.atMs - nowMs) / HALF_LIFE_MS);
}
