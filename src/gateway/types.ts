import type { Log } from '../log.ts';
import type { Outcome } from '../errors.ts';
import type { Protection } from '../workers/job.ts';
import type { Pool } from '../workers/pool.ts';
import type { Role, Scope, Store } from '../store/store.ts';

/** What the gateway needs of qpdf. */
export interface Protector {
  /** Whether the tool is there; probed again when it was missing. */
  available(): boolean | Promise<boolean>;
  /**
   * The file, encrypted. `protection_unavailable` when the tool is gone by now, `internal_error`
   * when it failed or hung; never the unprotected file.
   */
  protect(pdf: Uint8Array, protection: Protection): Promise<Outcome<Uint8Array>>;
}

export interface OidcOptions {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Claims that carry team and role; '': users come from the identity sync alone. */
  readonly teamClaim: string;
  readonly roleClaim: string;
}

export interface GatewayOptions {
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** What callers reach the service by; null: the address listened on. */
  readonly baseUrl: string | null;
  readonly bodyBytesMax: number;
  /** Generate calls per caller and minute where the key has no limit of its own. */
  readonly rateLimitPerMinute: number;
  readonly retentionSeconds: number;
  readonly linkTtlSeconds: number;
  /** The first signs, all verify. */
  readonly linkSecrets: readonly string[];
  readonly sessionTtlSeconds: number;
  /** Template sources kept in shared memory. */
  readonly templateCacheMb: number;
  readonly oidc: OidcOptions | null;
}

export interface RateVerdict {
  readonly allowed: boolean;
  /** Until the caller's window ends. */
  readonly retryAfterMs: number;
}

/** Counts calls in windows of 60 s from a caller's first call. */
export interface RateLimiter {
  count(caller: string, perMinute: number): RateVerdict | Promise<RateVerdict>;
}

export interface GatewayParts {
  readonly store: Store;
  readonly pool: Pool;
  readonly protector: Protector;
  readonly log: Log;
  /** Left out: counted in this process. */
  readonly rateLimiter?: RateLimiter;
  /** Left out: the system's clock. */
  readonly nowMs?: () => number;
}

export interface KeyPrincipal {
  readonly kind: 'key';
  /** As in audit records: `key:<keyId>`. */
  readonly id: string;
  readonly teamId: string;
  readonly scopes: readonly Scope[];
  readonly rateLimitPerMinute: number | null;
}

export interface UserPrincipal {
  readonly kind: 'user';
  /** As in audit records: `user:<userId>`. */
  readonly id: string;
  readonly teamId: string;
  readonly role: Role;
}

export type Principal = KeyPrincipal | UserPrincipal;
