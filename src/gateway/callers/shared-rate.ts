import { setTimeout as pause } from 'node:timers/promises';
import type { PoolOptions } from 'mysql2/promise';
import { StorageUnavailable } from '../../store/store.ts';
import { remainingMs, WINDOW_MS } from './rate.ts';
import type { Ledger, Tally } from '../../store/rate/ledger.ts';
import { openLedger } from '../../store/rate/ledger.ts';
import type { RateLimiter, RateVerdict } from '../types.ts';

/** Up to this limit each call is counted in the table; above it, hundredths of the limit are. */
const SINGLE_CALLS_MAX = 6_000;
const SHARES = 100;
/** A batch that takes longer is late; from then on this instance counts by itself. */
const LATE_MS = 250;
/** Pause between two batches while they are late. */
const RETRY_MS = 250;
/** Limit of the callers in a batch. */
const BATCH_MAX = 500;
/** From this number of windows on, those that have ended are removed. */
const CALLERS_MAX = 50_000;

/** A rate limiter with separate connections to the database. */
export interface SharedRateLimiter extends RateLimiter {
  readonly localCalls: number;
  close(): Promise<void>;
}

/**
 * A rate limiter shared by all instances on a MySQL database. Rejects when the database cannot be
 * reached at the start.
 *
 * Calls that come during a transaction wait for the next one, which is for all callers: a slow
 * database makes batches larger, not queues longer. When a batch takes more than 250 ms, this
 * instance decides waiting and later calls by its own counts, until a batch is in time again; the
 * next batch adds these counts to the table. So with n instances a caller gets at most n times its
 * limit while the database is slow or down, and exactly its limit otherwise.
 *
 * For limits above 6,000 per minute, an instance draws a hundredth of the limit at a time and
 * spends it locally, so that not every call costs a commit. What it has not spent when the limit is
 * reached is lost to the other instances.
 *
 * `prepare` gets mysql2's pool before it connects.
 */
export async function openSharedRateLimiter(
  connection: PoolOptions,
  prepare: (pool: object) => void = () => undefined,
): Promise<SharedRateLimiter> {
  return new SharedCounter(await openLedger(connection, prepare), () => performance.now());
}

/** A caller's window, on this process's monotonic clock. */
interface Share {
  endsAtMs: number;
  /** Calls of all instances, as far as this one knows, including drawn ones. */
  calls: number;
  /** Calls drawn from the table and not yet spent. */
  drawn: number;
  /** Calls counted here and not yet added to the table. */
  unsettled: number;
}

/** Calls of one caller that wait for a batch. */
interface Waiting {
  perMinute: number;
  readonly decide: ((verdict: RateVerdict) => void)[];
}

/** Calls that a batch adds for a caller. */
interface Sent {
  readonly share: Share;
  /** Calls that wait for the batch, or were counted here before it. */
  readonly counted: number;
  /** `counted`, plus what is drawn in addition. */
  readonly calls: number;
  readonly waiting: Waiting | null;
}

export class SharedCounter implements SharedRateLimiter {
  localCalls = 0;
  readonly #ledger: Ledger;
  readonly #nowMs: () => number;
  readonly #shares = new Map<string, Share>();
  readonly #waiting = new Map<string, Waiting>();
  #isRunning = false;
  #isLate = false;
  #isClosed = false;

  /** `nowMs` is monotonic. */
  constructor(ledger: Ledger, nowMs: () => number) {
    this.#ledger = ledger;
    this.#nowMs = nowMs;
  }

  count(caller: string, perMinute: number): RateVerdict | Promise<RateVerdict> {
    const share = this.#shareOf(caller);
    if (share.drawn > 0) {
      share.drawn -= 1;
      return this.#verdict(share, perMinute, true);
    }
    // Calls are never returned to a window, so refusing a flood needs no database.
    if (share.calls >= perMinute) return this.#verdict(share, perMinute, false);
    if (this.#isLate || this.#isClosed) {
      const verdict = this.#decideAlone(share, perMinute);
      this.#begin();
      return verdict;
    }
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(caller) ?? { perMinute, decide: [] };
      waiting.perMinute = perMinute;
      waiting.decide.push(resolve);
      this.#waiting.set(caller, waiting);
      this.#begin();
    });
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#decideAllWaiting();
    await this.#ledger.close();
  }

  #verdict(share: Share, perMinute: number, allowed: boolean): RateVerdict {
    const remaining = Math.max(0, perMinute - share.calls + share.drawn);
    const retryAfterMs = Math.max(1, remainingMs(share.endsAtMs, this.#nowMs()));
    return { allowed, limit: perMinute, remaining, retryAfterMs };
  }

  #decideAlone(share: Share, perMinute: number): RateVerdict {
    this.localCalls += 1;
    share.calls += 1;
    share.unsettled += 1;
    return this.#verdict(share, perMinute, share.calls <= perMinute);
  }

  #shareOf(caller: string): Share {
    const nowMs = this.#nowMs();
    const known = this.#shares.get(caller);
    if (known !== undefined && known.endsAtMs > nowMs) return known;
    if (this.#shares.size >= CALLERS_MAX) this.#clear(nowMs);
    const share = { endsAtMs: nowMs + WINDOW_MS, calls: 0, drawn: 0, unsettled: 0 };
    this.#shares.set(caller, share);
    return share;
  }

  #clear(nowMs: number): void {
    for (const [caller, share] of this.#shares) {
      if (share.endsAtMs <= nowMs) this.#shares.delete(caller);
    }
  }

  #begin(): void {
    if (this.#isRunning || this.#isClosed) return;
    this.#isRunning = true;
    void this.#run();
  }

  /** Sends one batch after the other until no call waits. */
  async #run(): Promise<void> {
    // Calls of the same tick join the first batch.
    await Promise.resolve();
    for (let batch = this.#take(); batch.size > 0; batch = this.#take()) {
      await this.#settle(batch);
      // No call waits during this pause: while batches are late, calls are decided at once.
      if (this.#isLate) await pause(RETRY_MS, undefined, { ref: false });
    }
    this.#isRunning = false;
  }

  #take(): ReadonlyMap<string, Sent> {
    const batch = new Map<string, Sent>();
    if (this.#isClosed) return batch;
    this.#takeWaiting(batch);
    // Visiting all callers is slow, so it happens only after the database was late.
    if (this.#isLate) this.#takeUnsettled(batch);
    return batch;
  }

  /** Moves waiting calls to the batch, with what their callers draw in addition. */
  #takeWaiting(batch: Map<string, Sent>): void {
    for (const [caller, waiting] of this.#waiting) {
      if (batch.size >= BATCH_MAX) return;
      const share = this.#shareOf(caller);
      const asked = waiting.decide.length;
      const counted = asked + share.unsettled;
      const drawn = Math.max(0, callsPerDraw(waiting.perMinute) - asked);
      batch.set(caller, { share, counted, calls: counted + drawn, waiting });
      share.unsettled = 0;
      this.#waiting.delete(caller);
    }
  }

  /** Adds calls to the batch that were decided here while the database was late. */
  #takeUnsettled(batch: Map<string, Sent>): void {
    for (const [caller, share] of this.#shares) {
      if (batch.size >= BATCH_MAX) return;
      if (share.unsettled === 0 || batch.has(caller)) continue;
      const calls = share.unsettled;
      batch.set(caller, { share, counted: calls, calls, waiting: null });
      share.unsettled = 0;
    }
  }

  async #settle(batch: ReadonlyMap<string, Sent>): Promise<void> {
    const entries = [...batch].map(([caller, { calls }]) => ({ caller, calls }));
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      this.#isLate = true;
      this.#decideBatch(batch);
      this.#decideAllWaiting();
    }, LATE_MS);
    try {
      const tallies = await this.#ledger.add(entries);
      for (const [caller, sent] of batch) {
        const tally = tallies.get(caller);
        if (tally !== undefined) this.#learn(sent, tally);
        // The table knows the caller by another name: nobody may wait for it for ever.
        else if (sent.waiting !== null) this.#decideWaiting(sent.share, sent.waiting);
      }
      this.#isLate = isLate;
    } catch (error) {
      if (!(error instanceof StorageUnavailable)) throw error;
      this.#isLate = true;
      this.#decideBatch(batch);
      for (const { share, counted } of batch.values()) share.unsettled += counted;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Decides the calls that wait for the batch. */
  #decideBatch(batch: ReadonlyMap<string, Sent>): void {
    for (const { share, waiting } of batch.values()) {
      if (waiting !== null) this.#decideWaiting(share, waiting);
    }
  }

  /** Decides the waiting calls that are in no batch; a later batch adds them to the table. */
  #decideAllWaiting(): void {
    for (const [caller, waiting] of this.#waiting) {
      const share = this.#shareOf(caller);
      share.unsettled += this.#decideWaiting(share, waiting);
    }
    this.#waiting.clear();
  }

  /** Decides waiting calls by the counts of this instance alone; returns how many. */
  #decideWaiting(share: Share, waiting: Waiting): number {
    const decisions = waiting.decide.splice(0);
    for (const decide of decisions) {
      this.localCalls += 1;
      share.calls += 1;
      decide(this.#verdict(share, waiting.perMinute, share.calls <= waiting.perMinute));
    }
    return decisions.length;
  }

  #learn({ share, counted, calls, waiting }: Sent, tally: Tally): void {
    share.endsAtMs = this.#nowMs() + tally.leftMs;
    share.calls = tally.calls + share.unsettled;
    // The calls were decided when the batch was late; what it drew in addition is lost.
    if (waiting === null || waiting.decide.length === 0) return;
    const asked = waiting.decide.splice(0);
    const wanted = asked.length + calls - counted;
    const granted = Math.max(0, Math.min(wanted, waiting.perMinute - (tally.calls - wanted)));
    share.drawn += Math.max(0, granted - asked.length);
    for (const [index, decide] of asked.entries()) {
      decide(this.#verdict(share, waiting.perMinute, index < granted));
    }
  }
}

/** The number of calls that are drawn at a time. */
function callsPerDraw(perMinute: number): number {
  return perMinute <= SINGLE_CALLS_MAX ? 1 : Math.ceil(perMinute / SHARES);
}
