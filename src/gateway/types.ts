import type { Log } from '../log.ts';
import type { RunEngine } from '../runs/engine.ts';
import type { Role, Scope, Store } from '../store/store.ts';
import type { Pool } from '../workers/pool/pool.ts';
import type { Signing } from '../sign/signing.ts';
import type { Tracing } from './tracing.ts';
import type { Protector as WholeProtector } from '../protect/protector.ts';

/** The part of the protector that requests use; whoever started it ends it. */
export type Protector = Pick<WholeProtector, 'available' | 'protect'>;

export interface OidcOptions {
  readonly issuer: string;
  readonly clientId: string;
  /** As it is now. */
  readonly clientSecret: () => string;
  /** Claims that carry team and role; '': users come from the identity sync alone. */
  readonly teamClaim: string;
  readonly roleClaim: string;
}

/** Where certificate and key lie; they are looked at for changes. */
export interface TlsOptions {
  readonly certFile: string;
  readonly keyFile: string;
  /** Left out: a second. */
  readonly lookMs?: number;
}

export interface GatewayOptions {
  /** An address, or `unix:` and the path of a socket. */
  readonly host: string;
  /** 0: any free one. */
  readonly port: number;
  /** Permissions of the Unix socket. Left out: for owner and group. */
  readonly socketMode?: number;
  /** Left out or null: plain HTTP. */
  readonly tls?: TlsOptions | null;
  /** Whose `X-Forwarded-` headers are believed. Left out: nobody's. */
  readonly trustedProxies?: readonly string[];
  /** Public address of the service; null: the address listened on. */
  readonly baseUrl: string | null;
  readonly bodyBytesMax: number;
  /** Memory for all request bodies under way. */
  readonly bodyMemoryMb: number;
  /** Left out: what the process's limit of descriptors allows. */
  readonly connectionsMax?: number;
  /** How old the figures of /metrics may be. Left out: a second. */
  readonly metricsAgeMsMax?: number;
  /** Generate calls per caller and minute where the key has no limit of its own. */
  readonly rateLimitPerMinute: number;
  readonly retentionSeconds: number;
  readonly linkTtlSeconds: number;
  /** The first signs, all verify. The same array until they change. */
  readonly linkSecrets: () => readonly string[];
  readonly sessionTtlSeconds: number;
  /** Template sources kept in shared memory. */
  readonly templateCacheMb: number;
  readonly oidc: OidcOptions | null;
  /** A draft must be published by an Admin other than its last editor. */
  readonly publishApprovals: boolean;
  /** Folder of the built browser application; null: none is served. */
  readonly studioFolder: string | null;
}

export interface RateVerdict {
  readonly allowed: boolean;
  /** Calls of a whole window. */
  readonly limit: number;
  /** Calls that are left of it; among instances at least so many. */
  readonly remaining: number;
  /** Until the caller's window ends. */
  readonly retryAfterMs: number;
}

/** Counts calls in windows of 60 s from a caller's first call. */
export interface RateLimiter {
  count(caller: string, perMinute: number): RateVerdict | Promise<RateVerdict>;
  /** Calls counted by this instance alone because what it shares was slow or away. */
  readonly localCalls?: number;
}

export interface GatewayParts {
  readonly store: Store;
  readonly pool: Pool;
  readonly protector: Protector;
  /** Absent: this instance signs nothing. */
  readonly signing?: Signing | undefined;
  readonly log: Log;
  /** Absent: requests are not traced. */
  readonly tracing?: Tracing | undefined;
  /** Left out: counted in this process. */
  readonly rateLimiter?: RateLimiter;
  /** Absent: other instances process the runs. */
  readonly runs?: RunEngine | undefined;
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
