import type { Log } from '../log/log.ts';
import type { RunEngine } from '../runs/engine.ts';
import type { RequestSettings } from '../settings/requests.ts';
import type { Role, Scope, Store } from '../store/store.ts';
import type { Pool } from '../workers/pool/pool.ts';
import type { Signing } from '../sign/signing.ts';
import type { Tracing } from './tracing.ts';
import type { Protector as WholeProtector } from '../protect/protector.ts';

/** The part of the protector that requests use; its owner closes it. */
export type Protector = Pick<WholeProtector, 'available' | 'protect'>;

export interface OidcOptions {
  readonly issuer: string;
  readonly clientId: string;
  /** Returns the current secret. */
  readonly clientSecret: () => string;
  /** Claims that carry team and role; '': users come from the identity sync alone. */
  readonly teamClaim: string;
  readonly roleClaim: string;
}

/** Files of certificate and key, which are polled for changes. */
export interface TlsOptions {
  readonly certFile: string;
  readonly keyFile: string;
  /** Poll interval; a second by default. */
  readonly lookMs?: number;
}

export interface GatewayOptions extends RequestSettings {
  /** What `/healthz` says: whose service this is, equal for all on a database; '': not known. */
  readonly installation: string;
  /** An address, or `unix:` and the path of a socket. */
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Permissions of the Unix socket; by default for owner and group. */
  readonly socketMode?: number;
  /** Absent or null: plain HTTP. */
  readonly tls?: TlsOptions | null;
  /** Proxies whose `X-Forwarded-` headers are trusted; none by default. */
  readonly trustedProxies?: readonly string[];
  /** Public address of the service; null: the address listened on. */
  readonly baseUrl: string | null;
  /** By default as many as the process's limit of descriptors allows. */
  readonly connectionsMax?: number;
  /** How old the figures of /metrics may be; a second by default. */
  readonly metricsAgeMsMax?: number;
  /** The first secret signs, all verify. Returns the same array until they change. */
  readonly linkSecrets: () => readonly string[];
  readonly oidc: OidcOptions | null;
  /** A draft must be published by an Admin other than its last editor. */
  readonly publishApprovals: boolean;
  /** Folder of the built browser application; null: none is served. */
  readonly studioFolder: string | null;
}

export interface RateVerdict {
  readonly allowed: boolean;
  /** Calls allowed in a window. */
  readonly limit: number;
  /** Calls left in the window; a lower bound when instances share it. */
  readonly remaining: number;
  /** Time until the caller's window ends. */
  readonly retryAfterMs: number;
}

/** Counts calls in windows of 60 s, each of which begins with a caller's first call. */
export interface RateLimiter {
  count(caller: string, perMinute: number): RateVerdict | Promise<RateVerdict>;
  /** Calls counted by this instance alone because the shared counter was slow or down. */
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
  /** Absent: calls are counted in this process. */
  readonly rateLimiter?: RateLimiter;
  /** Absent: other instances process the runs. */
  readonly runs?: RunEngine | undefined;
  /** By default the system's clock. */
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
