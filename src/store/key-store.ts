import type { Outcome } from '../errors.ts';
import type { KeyLookup, KeyRecord, ListPage, Scope } from './store.ts';

/** API keys. */
export interface KeyStore {
  /** Returns the key, only this once: its SHA-256 is stored. */
  add(key: {
    teamId: string;
    name: string;
    scopes: readonly Scope[];
    rateLimitPerMinute: number | null;
    /** Absent or null: the key does not expire. */
    expiresAtMs?: number | null;
  }): Promise<Outcome<{ record: KeyRecord; apiKey: string }>>;
  /** Finds the record of a key that a caller sent. */
  find(apiKey: string): Promise<KeyLookup>;
  /** Records that the key is in use, with at most one write a minute. */
  touch(keyId: string): Promise<void>;
  list(teamId: string | null): Promise<readonly KeyRecord[]>;
  /**
   * Lists keys of a team, the newest first, starting after the key `after`, or at the newest for '';
   * null: the team has no such key.
   */
  page(teamId: string, after: string, countMax: number): Promise<ListPage<KeyRecord> | null>;
  /** A key of a team; null: the team has no such key. */
  get(teamId: string, keyId: string): Promise<KeyRecord | null>;
  revoke(keyId: string): Promise<boolean>;
}
