import { LRUCache } from 'lru-cache';

/** A lease expires when its owner has not renewed it for this long. */
export const LEASE_MS = 20_000;
/** Leases of others that are looked at for one piece of work. */
export const WATCHED_MAX = 100;
/** Leases that are remembered; the oldest are forgotten first. */
const REMEMBERED_MAX = 10_000;
/** Least time between two looks for leases of the same kind in a run. */
const LOOK_MS = 1_000;

/** The columns of a lease. */
export interface Lease {
  readonly owner: string | null;
  readonly lease_until_ms: number;
}

/**
 * Finds leases that have ended although they last by this instance's clock. A lease ends at a time of
 * its owner's clock: when that is ahead, or was, the lease of an owner that died would last as much
 * longer. So a lease is also believed no longer than its owner may take to renew it: it has ended when
 * it has stayed the same for that long on the monotonic clock of the instance that watches it.
 */
export class LeaseWatch {
  readonly #leaseMs: number;
  readonly #monotonicMs: () => number;
  readonly #seen = new LRUCache<string, Lease & { readonly sinceMs: number }>({
    max: REMEMBERED_MAX,
  });
  readonly #lookedAtMs = new LRUCache<string, number>({ max: REMEMBERED_MAX });

  constructor(leaseMs: number, monotonicMs: () => number) {
    this.#leaseMs = leaseMs;
    this.#monotonicMs = monotonicMs;
  }

  /** Whether it is time to read the leases of this kind again; the next time is a second later. */
  isDue(kind: string): boolean {
    const nowMs = this.#monotonicMs();
    if (nowMs - (this.#lookedAtMs.get(kind) ?? Number.NEGATIVE_INFINITY) < LOOK_MS) return false;
    this.#lookedAtMs.set(kind, nowMs);
    return true;
  }

  /** Whether the lease with this name, just read, was already so when a whole lease has passed. */
  hasEnded(name: string, { owner, lease_until_ms }: Lease): boolean {
    const nowMs = this.#monotonicMs();
    const seen = this.#seen.get(name);
    if (seen?.owner === owner && seen.lease_until_ms === lease_until_ms) {
      return nowMs - seen.sinceMs >= this.#leaseMs;
    }
    this.#seen.set(name, { owner, lease_until_ms, sinceMs: nowMs });
    return false;
  }
}
