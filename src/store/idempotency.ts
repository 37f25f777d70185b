import { randomUUID } from 'node:crypto';
import type { ClaimSettlement } from './database/commits.ts';
import type { Database } from './database/database.ts';
import { isFault } from './database/database-fault.ts';
import { LeaseWatch } from './leases.ts';
import { digest } from './ids.ts';
import type { Schema } from './database/schema.ts';
import { StorageUnavailable } from './terms.ts';

/** A key of a team, and the body that came with it. */
export interface IdempotencyClaim {
  readonly teamId: string;
  readonly key: string;
  /** SHA-256 of the request body. */
  readonly bodyHash: string;
}

/** The result of claiming a key. */
export type IdempotencyState =
  /** The caller must run the request, and settle or release the claim. */
  | { readonly state: 'claimed' }
  | { readonly state: 'running' }
  | { readonly state: 'done'; readonly documentId: string }
  | { readonly state: 'conflict' };

/** Claims of requests with an Idempotency-Key. */
export interface IdempotencyStore {
  claim(claim: IdempotencyClaim, nowMs: number): Promise<IdempotencyState>;
  release(claim: IdempotencyClaim): Promise<void>;
}

/** How long the document of a settled claim answers repeated requests. */
const SETTLED_MS = 86_400_000;
/** A claim that was not renewed for this long is free, because its process must have ended. */
const LEASE_MS = 30_000;
const RENEW_MS = 8_000;
/** Limit of the claims that this process holds at once. */
const HELD_MAX = 10_000;
const RENEW_BATCH = 500;
const TRIES_MAX = 4;

interface HeldClaim {
  readonly owner: string;
  readonly settlement: ClaimSettlement;
}

/**
 * Claims of requests with an Idempotency-Key: a row for each key, with a new `owner` for each
 * claim. The document's transaction demands that owner. So two requests may both believe that they
 * hold a key (after a process slept through its lease), but only one of them commits.
 */
export class Claims {
  readonly #database: Database;
  readonly #wallMs: () => number;
  readonly #watch: LeaseWatch;
  /** The claims that this process holds, by `nameOf`. */
  readonly #held = new Map<string, HeldClaim>();
  #renewal: NodeJS.Timeout | null = null;
  #isClosed = false;

  constructor(database: Database, wallMs: () => number, monotonicMs: () => number) {
    this.#database = database;
    this.#wallMs = wallMs;
    this.#watch = new LeaseWatch(LEASE_MS, monotonicMs);
  }

  async claim(claim: IdempotencyClaim, nowMs: number): Promise<IdempotencyState> {
    if (this.#held.size >= HELD_MAX) throw new StorageUnavailable('too many claims are held');
    const fresh = freshRow(claim, nowMs);
    for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
      if (await this.#insert(fresh)) return this.#hold(claim, fresh);
      const row = await this.#find(claim);
      if (row === undefined) continue; // It was released meanwhile.
      if (this.#isFree(claim, row, nowMs)) {
        if (await this.#takeOver(row, fresh)) return this.#hold(claim, fresh);
        continue;
      }
      if (!Buffer.from(row.body_hash).equals(fresh.body_hash)) return { state: 'conflict' };
      if (row.document_id !== null) return { state: 'done', documentId: row.document_id };
      return { state: 'running' };
    }
    return { state: 'running' };
  }

  /** Releases the key, so that the next request with it can run. A settled claim stays. */
  async release(claim: IdempotencyClaim): Promise<void> {
    const held = this.#held.get(nameOf(claim));
    if (held === undefined) return;
    this.forget(claim);
    await this.#database.write((db) =>
      db
        .deleteFrom('idempotency')
        .where('team_id', '=', held.settlement.teamId)
        .where('key_digest', '=', held.settlement.keyDigest)
        .where('owner', '=', held.owner)
        .where('document_id', 'is', null)
        .execute(),
    );
  }

  /** Goes into the document's transaction, which settles the claim. */
  settlement(claim: IdempotencyClaim): ClaimSettlement {
    const held = this.#held.get(nameOf(claim));
    if (held === undefined) throw new StorageUnavailable('the claim is not held by this process');
    return held.settlement;
  }

  /** Stops renewing a claim that is settled or no longer held. */
  forget(claim: IdempotencyClaim): void {
    this.#held.delete(nameOf(claim));
    if (this.#held.size === 0) this.#stopRenewals();
  }

  /** Stops all renewals; the leases of held claims expire. */
  close(): void {
    this.#isClosed = true;
    this.#stopRenewals();
  }

  #stopRenewals(): void {
    if (this.#renewal !== null) clearInterval(this.#renewal);
    this.#renewal = null;
  }

  #hold(claim: IdempotencyClaim, row: Schema['idempotency']): IdempotencyState {
    const { owner, team_id: teamId, key_digest: keyDigest } = row;
    this.#held.set(nameOf(claim), { owner, settlement: { teamId, keyDigest, owner } });
    if (!this.#isClosed) this.#renewal ??= setInterval(() => this.#renewAll(), RENEW_MS).unref();
    return { state: 'claimed' };
  }

  #renewAll(): void {
    // The next renewal makes up for a failed one; settling notices a lost lease.
    this.#renew().catch((error: unknown) => {
      if (!(error instanceof StorageUnavailable) && !this.#isClosed) throw error;
    });
  }

  async #renew(): Promise<void> {
    const owners = [...this.#held.values()].map((held) => held.owner);
    for (let at = 0; at < owners.length; at += RENEW_BATCH) {
      const batch = owners.slice(at, at + RENEW_BATCH);
      await this.#database.write((db) =>
        db
          .updateTable('idempotency')
          .set({ lease_until_ms: this.#wallMs() + LEASE_MS })
          .where('owner', 'in', batch)
          .execute(),
      );
    }
  }

  async #insert(row: Schema['idempotency']): Promise<boolean> {
    try {
      await this.#database.write((db) => db.insertInto('idempotency').values(row).execute());
      return true;
    } catch (error) {
      if (isFault(error, 'duplicate')) return false;
      throw error;
    }
  }

  /** Whether a request may claim the key of this row, which a request of `claim` has found. */
  #isFree(claim: IdempotencyClaim, row: Schema['idempotency'], nowMs: number): boolean {
    if (isOver(row, nowMs)) return true;
    // A settled claim has no lease. That of this process lasts while it lives.
    if (row.document_id !== null || this.#holds(claim, row)) return false;
    return row.lease_until_ms <= nowMs || this.#watch.hasEnded(nameOf(claim), row);
  }

  #holds(claim: IdempotencyClaim, { owner }: Schema['idempotency']): boolean {
    return this.#held.get(nameOf(claim))?.owner === owner;
  }

  #find(claim: IdempotencyClaim): Promise<Schema['idempotency'] | undefined> {
    return this.#database.read((db) =>
      db
        .selectFrom('idempotency')
        .selectAll()
        .where('team_id', '=', claim.teamId)
        .where('key_digest', '=', digest(claim.key))
        .executeTakeFirst(),
    );
  }

  /** False when another process was faster. */
  async #takeOver(old: Schema['idempotency'], fresh: Schema['idempotency']): Promise<boolean> {
    const result = await this.#database.write((db) =>
      db
        .updateTable('idempotency')
        .set({
          owner: fresh.owner,
          body_hash: fresh.body_hash,
          document_id: null,
          lease_until_ms: fresh.lease_until_ms,
          claimed_at_ms: fresh.claimed_at_ms,
        })
        .where('team_id', '=', old.team_id)
        .where('key_digest', '=', old.key_digest)
        .where('owner', '=', old.owner)
        .where('lease_until_ms', '=', old.lease_until_ms)
        .executeTakeFirst(),
    );
    return result.numUpdatedRows === 1n;
  }
}

/** Whether the row is settled, and its document answers no more requests. */
function isOver(row: Schema['idempotency'], nowMs: number): boolean {
  return row.document_id !== null && row.claimed_at_ms + SETTLED_MS <= nowMs;
}

function freshRow(claim: IdempotencyClaim, nowMs: number): Schema['idempotency'] {
  return {
    team_id: claim.teamId,
    key_digest: digest(claim.key),
    body_hash: digest(claim.bodyHash),
    document_id: null,
    owner: randomUUID(),
    lease_until_ms: nowMs + LEASE_MS,
    claimed_at_ms: nowMs,
  };
}

function nameOf(claim: IdempotencyClaim): string {
  return `${claim.teamId}\n${claim.key}`;
}
