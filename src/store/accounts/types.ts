import type { Outcome } from '../../errors.ts';
import type { ListPage } from '../terms.ts';

/** Permissions that an API key can have. */
export const SCOPES = [
  'generate',
  'documents:read',
  'templates:read',
  'runs',
  'identity-sync',
] as const;
export type Scope = (typeof SCOPES)[number];

/** Roles of users of the Studio. */
export const ROLES = ['Editor', 'Admin', 'Viewer'] as const;
export type Role = (typeof ROLES)[number];

/** A team owns keys, users, templates and documents. */
export interface TeamRecord {
  readonly teamId: string;
  readonly name: string;
  readonly active: boolean;
}

/** An API key, which is known by its id: the key itself is not stored. */
export interface KeyRecord {
  readonly keyId: string;
  readonly teamId: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  /** Calls per minute; null: the service's default. */
  readonly rateLimitPerMinute: number | null;
  readonly createdAtMs: number;
  readonly revokedAtMs: number | null;
  /** null: never. */
  readonly expiresAtMs: number | null;
  /** Exact to a minute; null: the key was not used yet. */
  readonly lastUsedAtMs: number | null;
}

/** A key as audit records name it. Its name comes last: programs read what stands before it. */
export function describeKey(key: KeyRecord): string {
  const { keyId, scopes, rateLimitPerMinute, expiresAtMs, name } = key;
  const rate = rateLimitPerMinute === null ? 'default rate' : `rate ${rateLimitPerMinute} a minute`;
  const expiry = expiresAtMs === null ? '' : `, expires ${new Date(expiresAtMs).toISOString()}`;
  const named = name === '' ? '' : `, name "${name}"`;
  return `key ${keyId}, scopes ${scopes.join(' ')}, ${rate}${expiry}${named}`;
}

/** Limit of the keys or sessions that one call looks up. */
export const LOOKUPS_MAX = 256;

/** The look-up of a key that a caller sent. Only a `valid` key admits the caller. */
export type KeyLookup =
  | { readonly state: 'valid'; readonly record: KeyRecord }
  | { readonly state: 'revoked' | 'expired'; readonly record: KeyRecord }
  /** The key was never issued, or its team is inactive. */
  | { readonly state: 'unknown' };

/** A user of the Studio. */
export interface UserRecord {
  readonly userId: string;
  readonly teamId: string;
  readonly role: Role;
  readonly displayName: string;
  readonly email: string;
  readonly active: boolean;
}

/** A session of a signed-in user, with what the user may do. */
export interface SessionRecord {
  readonly userId: string;
  readonly teamId: string;
  readonly role: Role;
  readonly expiresAtMs: number;
}

/** A team as the bank's directory describes it. */
export interface IdentityTeam {
  readonly teamId: string;
  readonly name: string;
  readonly active: boolean;
}

/** Teams and users as the bank's directory has them, for the store to take over. */
export interface IdentitySync {
  /** null: not part of this sync. */
  readonly teams: readonly IdentityTeam[] | null;
  readonly users: readonly UserRecord[] | null;
  /** Also deactivates the teams, or users, that a list does not name, unless the list is null. */
  readonly full: boolean;
}

/**
 * How many teams and users a sync may deactivate. `count`: teams and users together; `percent`: of the
 * active teams, and of the active users.
 */
export type DeactivationLimit =
  | { readonly kind: 'none' }
  | { readonly kind: 'count'; readonly max: number }
  | { readonly kind: 'percent'; readonly max: number };

/** How many teams, or users, a sync changed. */
export interface SyncCounts {
  readonly created: number;
  readonly updated: number;
  readonly deactivated: number;
  readonly unchanged: number;
}

/** The teams. */
export interface TeamStore {
  add(team: { teamId: string; name: string }): Promise<Outcome<TeamRecord>>;
  list(): Promise<readonly TeamRecord[]>;
}

/** The API keys of all teams. */
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
  /** As `find`, of at most `LOOKUPS_MAX` keys, in their order. */
  findAll(apiKeys: readonly string[]): Promise<readonly KeyLookup[]>;
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

/** A change of a user. */
export type UserChange = { readonly role: Role } | { readonly active: boolean };

/** A user to be added, who is active. */
export interface NewUser {
  readonly userId: string;
  readonly teamId: string;
  readonly role: Role;
  readonly displayName?: string | undefined;
  readonly email?: string | undefined;
}

/** The users of the Studio. */
export interface UserStore {
  add(user: NewUser): Promise<Outcome<UserRecord>>;
  find(userId: string): Promise<UserRecord | null>;
  list(teamId: string | null): Promise<readonly UserRecord[]>;
  /** Yields what `list` returns, page by page, so that other events are handled in between. */
  pages(teamId: string | null): AsyncIterable<readonly UserRecord[]>;
  /**
   * Changes the role of a user, or whether the user is active. Deactivating ends sessions and sign-in
   * links. null: there is no such user.
   */
  change(userId: string, change: UserChange): Promise<UserRecord | null>;
  /**
   * Gives an active user the team, role and names of the record; false: the user is not active, or
   * there is no such team. Never activates anybody.
   */
  moveActive(user: UserRecord): Promise<boolean>;
  /** Refuses, and changes nothing, when the sync would deactivate more than `limit`; absent: any. */
  sync(
    sync: IdentitySync,
    limit?: DeactivationLimit,
  ): Promise<Outcome<{ teams: SyncCounts; users: SyncCounts }>>;
}

/** The sessions of users. */
export interface SessionStore {
  /** Returns the token, only this once: its SHA-256 is stored. */
  add(
    userId: string,
    expiresAtMs: number,
  ): Promise<Outcome<{ token: string; expiresAtMs: number }>>;
  /** null when the session is unknown or expired, or its user or team is inactive. */
  find(token: string, nowMs: number): Promise<SessionRecord | null>;
  /** As `find`, of at most `LOOKUPS_MAX` tokens, in their order. */
  findAll(tokens: readonly string[], nowMs: number): Promise<readonly (SessionRecord | null)[]>;
  remove(token: string): Promise<void>;
  /** Ends all sessions and sign-in links of a user; returns the number of sessions. */
  endAll(userId: string): Promise<number>;
}

/** Links that sign a user in, each once. */
export interface SignInLinkStore {
  /**
   * Returns the token, only this once: its SHA-256 is stored. A user keeps the five newest links.
   */
  add(userId: string, expiresAtMs: number): Promise<Outcome<{ token: string }>>;
  /** The user of a link, which stays unused; null when it is unknown, used or expired. */
  find(token: string, nowMs: number): Promise<string | null>;
  /** Uses the link and returns its user; null when it is unknown, used or expired. */
  redeem(token: string, nowMs: number): Promise<string | null>;
}
