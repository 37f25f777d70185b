import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { ErrorCode, Failure } from '../../errors.ts';
import { fail } from '../../errors.ts';
import {
  type KeyLookup,
  type KeyRecord,
  LOOKUPS_MAX,
  type Role,
  type Scope,
  type SessionRecord,
  type Store,
} from '../../store/store.ts';
import type { RequestHeaders } from '../http/headers.ts';
import { isJson, isPdf, isRows } from '../http/content.ts';
import type { KeyPrincipal, Principal } from '../types.ts';
import { sessionTokenOf } from './session-cookie.ts';
import { Lookups } from './lookups.ts';

/** How long a look-up of a key is cached, and so how long a revoked key may still work. */
const KEY_CACHE_MS = 3_000;
const KEYS_CACHED_MAX = 20_000;
/** A valid key that is used this long before its look-up expires is looked up anew meanwhile. */
const KEY_RENEWAL_MS = 750;
/** Limit of the keys that were never issued and are remembered as such, apart from the others. */
const UNKNOWN_KEYS_MAX = 5_000;
/**
 * Look-ups of keys and sessions that were not valid before. Whoever sends random ones cannot take
 * the database from callers that are known. SQLite answers at once: without a rest between batches
 * they would have two or three keys, and each cost a message to its thread and back.
 */
const STRANGERS = {
  batchMax: LOOKUPS_MAX,
  batchMs: 5,
  waitingEachMax: 4_096,
  waitingMax: 8_192,
};
/** Limit of the keys that are cached in clear, each until its look-up expires. */
const RECENT_KEYS_MAX = 16;
const KEY_PREFIX = 'ik_';
const USER_PREFIX = 'user:';
const TOKEN_LENGTH_MAX = 256;

/** The cache entry of a revoked or expired key. */
interface EndedKey {
  readonly kind: 'ended';
  readonly record: KeyRecord;
}

/** A key in use, and the end of its look-up on the monotonic clock. */
interface RecentKey {
  readonly known: KeyPrincipal | EndedKey;
  readonly untilMs: number;
  /** From then on the next call has it looked up anew. */
  readonly renewAtMs: number;
}

/** Is notified of keys that callers send. */
export interface KeyObserver {
  /** A valid key was looked up; while it is in use, this happens every few seconds. */
  used(record: KeyRecord): void;
  /** A request had a revoked or expired key. */
  ended(record: KeyRecord): void;
}

/** The callers that a route admits. */
export interface Access {
  /** The scope a key needs; null: no key may. */
  readonly scope: Scope | null;
  /** The refusal of a key when none is admitted. */
  readonly keyRefusal: ErrorCode;
  /** What a caller with a key does instead: a sentence for the message of that refusal. */
  readonly keyAdvice?: string;
  /** The roles that are admitted; when empty, only keys are, and sessions are ignored. */
  readonly roles: readonly Role[];
}

/** The headers and the address by which a caller is identified. */
export interface Sender {
  readonly headers: RequestHeaders;
  /** The client's address. It costs something, and is read only for a look-up. */
  readonly client: string;
}

/** Identifies callers. A key takes precedence over a session cookie. */
export class Authenticator {
  /** Hits and misses of the cache of keys. */
  hits = 0;
  misses = 0;
  readonly #store: Store;
  readonly #nowMs: () => number;
  readonly #monotonicMs: () => number;
  /** By SHA-256, so that the cache holds no keys. */
  readonly #keys: LRUCache<string, KeyPrincipal | EndedKey>;
  /** The digests of keys that were never issued; they must not push out those that were. */
  readonly #unknown: LRUCache<string, true>;
  /** The digests of keys and sessions that were valid at their last look-up. */
  readonly #trusted = new LRUCache<string, true>({ max: KEYS_CACHED_MAX });
  readonly #unknownKeys: Lookups<KeyLookup>;
  readonly #unknownSessions: Lookups<SessionRecord | null>;
  /**
   * By the key itself, because digest and cache take 0.7 µs, which counts when a flood is refused. A
   * timer drops each when its look-up ends, after 3 s at most.
   */
  readonly #recent = new Map<string, RecentKey>();
  readonly #observer: KeyObserver;
  readonly #lookups = new Map<string, Promise<KeyPrincipal | null>>();

  /** `nowMs` is for sessions, `monotonicMs` for the cache of keys. */
  constructor(store: Store, nowMs: () => number, monotonicMs: () => number, observer: KeyObserver) {
    this.#store = store;
    this.#observer = observer;
    this.#nowMs = nowMs;
    this.#monotonicMs = monotonicMs;
    const expiry = { ttl: KEY_CACHE_MS, ttlResolution: 0, perf: { now: monotonicMs } };
    this.#keys = new LRUCache({ max: KEYS_CACHED_MAX, ...expiry });
    this.#unknown = new LRUCache({ max: UNKNOWN_KEYS_MAX, ...expiry });
    this.#unknownKeys = new Lookups(STRANGERS, (keys) => store.keys.findAll(keys));
    this.#unknownSessions = new Lookups(STRANGERS, (tokens) =>
      store.sessions.findAll(tokens, nowMs()),
    );
  }

  /** Identifies the caller; null: unknown. Returns no promise when the key is cached. */
  identify(sender: Sender): Principal | null | Promise<Principal | null> {
    const { headers } = sender;
    const { apiKey } = headers;
    if (apiKey !== '') {
      const recent = this.#recent.get(apiKey);
      const nowMs = recent === undefined ? 0 : this.#monotonicMs();
      if (recent !== undefined && nowMs < recent.untilMs) {
        this.hits += 1;
        if (nowMs >= recent.renewAtMs) void this.#renew(apiKey, sender);
        return this.#admitted(recent.known);
      }
      if (!apiKey.startsWith(KEY_PREFIX) || apiKey.length > TOKEN_LENGTH_MAX) return null;
      const digest = hash('sha256', apiKey, 'hex');
      const known = this.#keys.get(digest);
      if (known === undefined) return this.#identifyNew(apiKey, digest, sender);
      this.hits += 1;
      const leftMs = this.#keys.getRemainingTTL(digest);
      if (known.kind === 'key' && leftMs < KEY_RENEWAL_MS) void this.#renew(apiKey, sender);
      else this.#holdRecent(apiKey, known, leftMs);
      return this.#admitted(known);
    }
    const token = sessionTokenOf(headers.cookie);
    if (token === '' || token.length > TOKEN_LENGTH_MAX) return null;
    const digest = hash('sha256', token, 'hex');
    return this.#session(token, digest, sender);
  }

  #identifyNew(
    apiKey: string,
    digest: string,
    sender: Sender,
  ): null | Promise<KeyPrincipal | null> {
    if (this.#unknown.has(digest)) {
      this.hits += 1;
      return null;
    }
    this.misses += 1;
    return this.#lookUp(apiKey, digest, sender);
  }

  #holdRecent(apiKey: string, known: KeyPrincipal | EndedKey, leftMs: number): void {
    if (this.#recent.size >= RECENT_KEYS_MAX) return;
    const untilMs = this.#monotonicMs() + leftMs;
    const renewAtMs = known.kind === 'key' ? untilMs - KEY_RENEWAL_MS : Number.POSITIVE_INFINITY;
    this.#recent.set(apiKey, { known, untilMs, renewAtMs });
    setTimeout(() => this.#recent.delete(apiKey), leftMs).unref();
  }

  #admitted(known: KeyPrincipal | EndedKey): KeyPrincipal | null {
    if (known.kind === 'key') return known;
    this.#observer.ended(known.record);
    return null;
  }

  /** Number of cached keys. */
  get count(): number {
    return this.#keys.size + this.#unknown.size;
  }

  /** Looks a key up anew while it is in use, so that whoever calls steadily never waits for it. */
  async #renew(apiKey: string, sender: Sender): Promise<void> {
    try {
      await this.#lookUp(apiKey, hash('sha256', apiKey, 'hex'), sender);
      this.#recent.delete(apiKey);
    } catch (error) {
      // The caller that comes when the time is over looks itself, and is told.
      if (!(error instanceof Error)) throw error;
    }
  }

  /** Concurrent requests with the same key share a look-up. */
  #lookUp(apiKey: string, digest: string, sender: Sender): Promise<KeyPrincipal | null> {
    const running = this.#lookups.get(digest);
    if (running !== undefined) return running;
    const lookup = this.#find(apiKey, digest, sender).finally(() => this.#lookups.delete(digest));
    this.#lookups.set(digest, lookup);
    return lookup;
  }

  /** Looks up at once what was valid before; anything else waits for its turn. */
  async #find(apiKey: string, digest: string, sender: Sender): Promise<KeyPrincipal | null> {
    const found = this.#trusted.has(digest)
      ? await this.#store.keys.find(apiKey)
      : await this.#unknownKeys.find(sender.client, apiKey);
    if (found.state === 'unknown') {
      this.#trusted.delete(digest);
      this.#unknown.set(digest, true);
      return null;
    }
    if (found.state !== 'valid') {
      this.#trusted.delete(digest);
      const ended = { kind: 'ended', record: found.record } as const;
      this.#keys.set(digest, ended);
      return this.#admitted(ended);
    }
    this.#trusted.set(digest, true);
    this.#observer.used(found.record);
    const { keyId, teamId, scopes, rateLimitPerMinute, expiresAtMs } = found.record;
    const principal: KeyPrincipal = {
      kind: 'key',
      id: `key:${keyId}`,
      teamId,
      scopes,
      rateLimitPerMinute,
    };
    // A key is never cached beyond its expiry.
    const leftMs = expiresAtMs === null ? KEY_CACHE_MS : Math.max(1, expiresAtMs - this.#nowMs());
    this.#keys.set(digest, principal, { ttl: Math.min(KEY_CACHE_MS, leftMs) });
    return principal;
  }

  async #session(token: string, digest: string, sender: Sender): Promise<Principal | null> {
    const session = this.#trusted.has(digest)
      ? await this.#store.sessions.find(token, this.#nowMs())
      : await this.#unknownSessions.find(sender.client, token);
    if (session === null) {
      this.#trusted.delete(digest);
      return null;
    }
    this.#trusted.set(digest, true);
    const { userId, teamId, role } = session;
    return { kind: 'user', id: `${USER_PREFIX}${userId}`, teamId, role };
  }
}

/** The refusal of an unknown caller, with a key, a session or neither. */
export function refuseUnknown({ apiKey, cookie }: RequestHeaders): Failure {
  const isSession = apiKey === '' && sessionTokenOf(cookie) !== '';
  if (!isSession) return fail('unauthenticated');
  return fail('unauthenticated', 'The session has ended or is not valid: sign in again.');
}

/**
 * Refuses a page of the Studio that takes another user for signed in: a browser sends all its tabs'
 * requests with the cookie of the last sign-in. `userCaller` is `user:` with the identifier of the
 * session's user. Null: the request names nobody, or that user.
 */
export function refuseChanged(
  { believedUser }: RequestHeaders,
  userCaller: string,
): Failure | null {
  if (believedUser === '') return null;
  const userId = userCaller.slice(USER_PREFIX.length);
  return encodeURIComponent(userId) === believedUser ? null : fail('session_changed');
}

const FOR_USERS = 'This call is for signed-in users: no scope of a key allows it.';

/** Checks scope or role; null: the caller is admitted. */
export function refuseAccess(principal: Principal, access: Access): Failure | null {
  if (principal.kind === 'key') {
    if (access.scope === null) {
      if (access.keyRefusal !== 'insufficient_scope') return fail(access.keyRefusal);
      const advice = access.keyAdvice === undefined ? '' : ` ${access.keyAdvice}`;
      return fail(access.keyRefusal, `${FOR_USERS}${advice}`);
    }
    if (principal.scopes.includes(access.scope)) return null;
    return fail('insufficient_scope', `The API key lacks the scope ${access.scope}.`);
  }
  return access.roles.includes(principal.role) ? null : fail('forbidden');
}

/**
 * Refuses requests with a session cookie that come from a foreign page; null: this one does not.
 * Browsers always send the origin of a changing request, so a client without one is not a browser
 * and cannot be tricked by a page.
 */
export function refuseCrossSite(
  headers: RequestHeaders,
  ownOrigin: string,
  isSecure: boolean,
  method = 'POST',
): Failure | null {
  const { origin, fetchSite, host } = headers;
  if (fetchSite !== '' && fetchSite !== 'same-origin' && fetchSite !== 'none') {
    return fail('forbidden', 'Requests with a session cookie must come from the same origin.');
  }
  const isHttps = isSecure || ownOrigin.startsWith('https:');
  if (origin !== '' && origin !== ownOrigin && !isSameHost(origin, host, isHttps)) {
    return fail('forbidden', 'Requests with a session cookie must come from the same origin.');
  }
  // A page of another site can send neither DELETE nor these types without a CORS preflight.
  const { contentType } = headers;
  if (method === 'DELETE') return null;
  if (!isJson(contentType) && !isPdf(contentType) && !isRows(contentType)) {
    return fail('bad_request', 'Content-Type must be application/json.');
  }
  return null;
}

/**
 * Whether the origin is the host of the request. A page over HTTP is never the origin of an HTTPS
 * service.
 */
function isSameHost(origin: string, host: string, isHttps: boolean): boolean {
  if (!URL.canParse(origin)) return false;
  const from = new URL(origin);
  if (isHttps && from.protocol !== 'https:') return false;
  return from.host === host;
}
