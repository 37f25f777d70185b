import { hash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { ErrorCode, Failure } from '../../errors.ts';
import { fail } from '../../errors.ts';
import type { KeyRecord, Role, Scope, Store } from '../../store/store.ts';
import type { RequestHeaders } from '../http/headers.ts';
import { cookieOf, isJson, isPdf, isRows } from '../http/headers.ts';
import type { KeyPrincipal, Principal } from '../types.ts';

export const SESSION_COOKIE = 'intaglio_session';

/** A revoked key works at most this long. */
const KEY_CACHE_MS = 3_000;
const KEYS_CACHED_MAX = 20_000;
const KEY_PREFIX = 'ik_';
const TOKEN_LENGTH_MAX = 256;

/** Remembered of a key that was never issued. */
const UNKNOWN = Symbol('an unknown key');

/** Remembered of a key that was valid once. */
interface EndedKey {
  readonly kind: 'ended';
  readonly record: KeyRecord;
}

/** Told of keys that callers bring. */
export interface KeyObserver {
  /** A valid key was looked up: once in seconds while it is in use. */
  used(record: KeyRecord): void;
  /** A request brought a revoked or expired key. */
  ended(record: KeyRecord): void;
}

/** The callers that a route admits. */
export interface Access {
  /** The scope a key needs; null: no key may. */
  readonly scope: Scope | null;
  /** Answer to a key where none may. */
  readonly keyRefusal: ErrorCode;
  /** Roles of users that may; none: keys only, and a session is no authentication here. */
  readonly roles: readonly Role[];
}

/** Tells who calls. A key beside a session cookie wins (design 7). */
export class Authenticator {
  /** Keys found in what is remembered, and not. */
  hits = 0;
  misses = 0;
  readonly #store: Store;
  readonly #nowMs: () => number;
  /** By SHA-256: this cache holds no keys. */
  readonly #keys: LRUCache<string, KeyPrincipal | EndedKey | typeof UNKNOWN>;
  readonly #observer: KeyObserver;
  readonly #lookups = new Map<string, Promise<KeyPrincipal | null>>();

  /** `nowMs` for sessions; `monotonicMs` for what is remembered of keys. */
  constructor(store: Store, nowMs: () => number, monotonicMs: () => number, observer: KeyObserver) {
    this.#store = store;
    this.#observer = observer;
    this.#nowMs = nowMs;
    this.#keys = new LRUCache({
      max: KEYS_CACHED_MAX,
      ttl: KEY_CACHE_MS,
      ttlResolution: 0,
      perf: { now: monotonicMs },
    });
  }

  /** null: nobody we know. Without a promise when the key was seen a moment ago. */
  identify(headers: RequestHeaders): Principal | null | Promise<Principal | null> {
    const { apiKey } = headers;
    if (apiKey !== '') {
      if (!apiKey.startsWith(KEY_PREFIX) || apiKey.length > TOKEN_LENGTH_MAX) return null;
      const digest = hash('sha256', apiKey, 'hex');
      const known = this.#keys.get(digest);
      if (known === undefined) {
        this.misses += 1;
        return this.#lookUp(apiKey, digest);
      }
      this.hits += 1;
      return known === UNKNOWN ? null : this.#admitted(known);
    }
    const token = cookieOf(headers.cookie, SESSION_COOKIE);
    return token === '' || token.length > TOKEN_LENGTH_MAX ? null : this.#session(token);
  }

  #admitted(known: KeyPrincipal | EndedKey): KeyPrincipal | null {
    if (known.kind === 'key') return known;
    this.#observer.ended(known.record);
    return null;
  }

  /** Keys remembered. */
  get count(): number {
    return this.#keys.size;
  }

  /** Requests that bring the same unknown key at once share one look-up. */
  #lookUp(apiKey: string, digest: string): Promise<KeyPrincipal | null> {
    const running = this.#lookups.get(digest);
    if (running !== undefined) return running;
    const lookup = this.#find(apiKey, digest).finally(() => this.#lookups.delete(digest));
    this.#lookups.set(digest, lookup);
    return lookup;
  }

  async #find(apiKey: string, digest: string): Promise<KeyPrincipal | null> {
    const found = await this.#store.keys.find(apiKey);
    if (found.state === 'unknown') {
      this.#keys.set(digest, UNKNOWN);
      return null;
    }
    if (found.state !== 'valid') {
      const ended = { kind: 'ended', record: found.record } as const;
      this.#keys.set(digest, ended);
      return this.#admitted(ended);
    }
    this.#observer.used(found.record);
    const { keyId, teamId, scopes, rateLimitPerMinute, expiresAtMs } = found.record;
    const principal: KeyPrincipal = {
      kind: 'key',
      id: `key:${keyId}`,
      teamId,
      scopes,
      rateLimitPerMinute,
    };
    // Never remembered past its expiry.
    const leftMs = expiresAtMs === null ? KEY_CACHE_MS : Math.max(1, expiresAtMs - this.#nowMs());
    this.#keys.set(digest, principal, { ttl: Math.min(KEY_CACHE_MS, leftMs) });
    return principal;
  }

  async #session(token: string): Promise<Principal | null> {
    const session = await this.#store.sessions.find(token, this.#nowMs());
    if (session === null) return null;
    const { userId, teamId, role } = session;
    return { kind: 'user', id: `user:${userId}`, teamId, role };
  }
}

/** A caller nobody knows: by key, by session, or with neither. */
export function refuseUnknown({ apiKey, cookie }: RequestHeaders): Failure {
  const isSession = apiKey === '' && cookieOf(cookie, SESSION_COOKIE) !== '';
  if (!isSession) return fail('unauthenticated');
  return fail('unauthenticated', 'The session has ended or is not valid: sign in again.');
}

/** null: may call. */
export function refuseAccess(principal: Principal, access: Access): Failure | null {
  if (principal.kind === 'key') {
    if (access.scope === null) return fail(access.keyRefusal);
    return principal.scopes.includes(access.scope) ? null : fail('insufficient_scope');
  }
  return access.roles.includes(principal.role) ? null : fail('forbidden');
}

/**
 * null: this cookie request does not come from a foreign page. Browsers always say where a changing
 * request comes from; a client that says nothing is no browser, and cannot be tricked by a page.
 */
export function refuseCrossSite(
  headers: RequestHeaders,
  ownOrigin: string,
  isSecure: boolean,
): Failure | null {
  const { origin, fetchSite, host } = headers;
  if (fetchSite !== '' && fetchSite !== 'same-origin' && fetchSite !== 'none') {
    return fail('forbidden', 'Requests with a session cookie must come from the same origin.');
  }
  const isHttps = isSecure || ownOrigin.startsWith('https:');
  if (origin !== '' && origin !== ownOrigin && !isSameHost(origin, host, isHttps)) {
    return fail('forbidden', 'Requests with a session cookie must come from the same origin.');
  }
  // A page of another site cannot send application/pdf either without being asked about it.
  const { contentType } = headers;
  if (!isJson(contentType) && !isPdf(contentType) && !isRows(contentType)) {
    return fail('bad_request', 'Content-Type must be application/json.');
  }
  return null;
}

/** By the name the request was sent to. A plain http page never speaks for an https service. */
function isSameHost(origin: string, host: string, isHttps: boolean): boolean {
  if (!URL.canParse(origin)) return false;
  const from = new URL(origin);
  if (isHttps && from.protocol !== 'https:') return false;
  return from.host === host;
}
