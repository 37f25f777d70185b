import type { Outcome } from '../errors.ts';
import type { KeyLookup, KeyRecord, ListPage, Scope } from './store.ts';

/** API keys. */
export interface KeyStore {
  /** Gives the key itself once; only its SHA-256 is kept. */
  add(key: {
    teamId: string;
    name: string;
    scopes: readonly Scope[];
    rateLimitPerMinute: number | null;
    /** Left out: it does not expire. */
    expiresAtMs?: number | null;
  }): Promise<Outcome<{ record: KeyRecord; apiKey: string }>>;
  /** By the key a caller sent. */
  find(apiKey: string): Promise<KeyLookup>;
  /** Notes that the key is in use: at most one write a minute, whatever the calls. */
  touch(keyId: string): Promise<void>;
  list(teamId: string | null): Promise<readonly KeyRecord[]>;
  /** The keys of a team from behind the key `after` on, '' for the first; null: it has no such key. */
  page(teamId: string, after: string, countMax: number): Promise<ListPage<KeyRecord> | null>;
  /** A key of a team; null: it has no such key. */
  get(teamId: string, keyId: string): Promise<KeyRecord | null>;
  revoke(keyId: string): Promise<boolean>;
}
