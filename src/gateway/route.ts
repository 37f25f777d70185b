import type { TypeOf } from '../api/schema.ts';
import type { Failure, Outcome } from '../errors.ts';
import { fail } from '../errors.ts';
import type { Log } from '../log/log.ts';
import type { RunEngine } from '../runs/engine.ts';
import type { Missing, Store } from '../store/store.ts';
import { StorageUnavailable } from '../store/store.ts';
import type { Pool } from '../workers/pool/pool.ts';
import type { AuditAction, AuditedCall, AuditSubject } from './audit.ts';
import { auditRecord, SUCCEEDED } from './audit.ts';
import type { Access } from './callers/auth.ts';
import type { Exchange } from './exchange.ts';
import type { AttachmentBudget } from './body/attachment-budget.ts';
import type { FloodGate } from './callers/flood-gate.ts';
import type { RequestHeaders } from './http/headers.ts';
import type { RunCalls } from './callers/run-calls.ts';
import type { Links } from './callers/links.ts';
import type { Metrics } from './metrics/metrics.ts';
import type { Operation } from './openapi/operation.ts';
import type { Misses } from './callers/misses.ts';
import type { TimingMask } from './callers/timing-mask.ts';
import type { JsonReply, PlainReply, Reply } from './reply/reply.ts';
import type { TemplateCache } from './template-cache.ts';
import type { Signing } from '../sign/signing.ts';
import type { GatewayOptions, Principal, Protector } from './types.ts';

/** The services that routes use. */
export interface Services {
  readonly options: GatewayOptions;
  readonly store: Store;
  readonly pool: Pool;
  readonly protector: Protector;
  /** Absent: this instance signs nothing. */
  readonly signing?: Signing | undefined;
  readonly log: Log;
  readonly templates: TemplateCache;
  readonly links: Links;
  readonly metrics: Metrics;
  readonly attachmentBudget: AttachmentBudget;
  readonly floodGate: FloodGate;
  readonly timingMask: TimingMask;
  readonly misses: Misses;
  readonly runCalls: RunCalls;
  /** Absent: other instances process the runs. */
  readonly runs?: RunEngine | undefined;
  readonly nowMs: () => number;
  /** Public address of the service, without a slash at its end. Known once it listens. */
  readonly baseUrl: () => string;
  readonly isDraining: () => boolean;
  /** False: the files of the certificate hold another one, which cannot be used. */
  readonly isCertificateCurrent: () => boolean;
  /** Looks the caller of a request up anew; null: nobody known. */
  readonly identify: (headers: RequestHeaders) => Promise<Principal | null>;
}

export interface Call {
  readonly exchange: Exchange;
  /** Path parameters, decoded, in order. */
  readonly params: readonly string[];
  /** Without the question mark. */
  readonly query: string;
}

export interface GuardedCall extends Call {
  readonly principal: Principal;
  /** Empty when the route takes no body. Nothing else shares its buffer. */
  readonly body: Uint8Array;
  /** SHA-256 of a PDF in lowercase hex, on a route with `digestsPdf`; '' otherwise. */
  readonly digest: string;
}

/** The body of a call, which may still be arriving. */
export interface ArrivingBody {
  /** Bytes that the request announced; -1: it announced none. */
  readonly announced: number;
  /** Resolves with the first `bytes` bytes once they have arrived, or with a shorter body's all. */
  start(bytes: number): Promise<Uint8Array>;
  /** All of it, or why it is refused. */
  whole(): Promise<Outcome<Uint8Array>>;
}

/** A call at a route that judges its body while that arrives; `body` and `digest` are empty. */
export interface EarlyCall extends GuardedCall {
  readonly arriving: ArrivingBody;
}

type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

declare const MADE: unique symbol;

/** Exists only for the compiler: the functions below make all routes, and check what they reply. */
interface Made {
  readonly [MADE]: true;
}

/** A route that needs no authentication. */
interface Open {
  readonly kind: 'public';
  readonly method: Method;
  /** `:name` stands for one segment. */
  readonly path: string;
  /** Absent: the route is not for clients and not in /openapi.json. */
  readonly operation?: Operation;
  run(call: Call): Answer<Reply>;
}

type Answer<R> = Outcome<R> | Promise<Outcome<R>>;

/** A route that needs a known caller. */
interface Guarded {
  readonly kind: 'guarded';
  readonly method: Method;
  readonly path: string;
  readonly access: Access;
  /**
   * Calls count against the caller's rate limit, and are refused unread when the caller floods; or
   * against its limit of other calls of runs.
   */
  readonly counted: boolean | 'runs';
  /** Whether a call with this query counts against the user's limit of previews. */
  readonly isPreview?: (query: string) => boolean;
  /**
   * The Studio calls it while a text is typed or data are filled in, so it often refuses what is
   * unfinished: such refusals are counted apart from those of requests.
   */
  readonly takesUnfinished?: boolean;
  /** 0: the route takes no body. */
  readonly bodyBytesMax: number;
  /** A body of type application/pdf may have 64 MB; only its digest is kept. */
  readonly digestsPdf?: boolean;
  /** Added to the message when the body is too large. */
  readonly bodyHint?: string;
  /** The route accepts bodies compressed with gzip and decompresses them. */
  readonly takesGzip?: boolean;
  /**
   * While a call is under way, further calls of the same caller are refused before their bodies are
   * read.
   */
  readonly oneAtATime?: boolean;
  /** The call changes a run: calls of a team take turns. */
  readonly changesRun?: boolean;
  readonly operation: Operation;
}

/** A route that is called when its whole body is there. */
interface WholeRoute extends Guarded {
  readonly readsBody?: undefined;
  run(call: GuardedCall): Promise<Outcome<Reply>>;
}

/**
 * A route that is called before its body has arrived. Once it refuses, a client that is still sending
 * has a moment to finish, and then its connection is closed.
 */
interface EarlyRoute extends Guarded {
  readonly readsBody: true;
  run(call: EarlyCall): Promise<Outcome<Reply>>;
}

export type GuardedRoute = (WholeRoute | EarlyRoute) & Made;

export type PublicRoute = Open & Made;

export type Route = PublicRoute | GuardedRoute;

/** The replies that an operation describes: JSON bodies of the types of their schemas, and others. */
export type ReplyOf<O extends Operation> = {
  [S in keyof O['replies']]: O['replies'][S] extends { readonly content: infer C }
    ? ReplyWith<C>
    : PlainReply;
}[keyof O['replies']];

/** By media type. */
type ReplyWith<C> = {
  [M in keyof C]: M extends 'application/json'
    ? C[M] extends { readonly schema: infer S }
      ? JsonReply<TypeOf<S>>
      : never
    : PlainReply;
}[keyof C];

/** A route with its operation O, whose handler gives only the replies that O describes. */
type Described<R extends { run(call: never): unknown }, C, O extends Operation> = Omit<
  R,
  'kind' | 'operation' | 'run'
> & { readonly operation: O; run(call: C): Promise<Outcome<ReplyOf<O>>> };

/** Makes a route that needs a known caller. */
export function describedRoute<O extends Operation>(
  route: Described<WholeRoute, GuardedCall, O>,
): GuardedRoute {
  return made({ kind: 'guarded', ...route });
}

/** Makes a route that judges its body while that arrives. */
export function describedEarlyRoute<O extends Operation>(
  route: Described<EarlyRoute, EarlyCall, O>,
): GuardedRoute {
  return made({ kind: 'guarded', ...route });
}

/** Makes a route that needs no authentication. */
export function describedOpenRoute<O extends Operation>(
  route: Described<Open, Call, O>,
): PublicRoute {
  return made({ kind: 'public', ...route });
}

/**
 * Makes a route that is not in /openapi.json: pages for people, and checks of operators. A test has
 * the list of them.
 */
export function undescribedRoute<R extends Reply>(
  route: Omit<Open, 'kind' | 'operation' | 'run'> & { run(call: Call): Answer<R> },
): PublicRoute {
  return made({ kind: 'public', ...route });
}

function made<R extends WholeRoute | EarlyRoute | Open>(route: R): R & Made {
  // The member has no value.
  return route as R & Made;
}

/**
 * Must be awaited before a 404. A template that the team itself has archived is not secret: the refusal
 * says so. Otherwise it records access to a resource of another team durably, and takes
 * as long for one that does not exist. A caller with too many of these gets a refusal instead,
 * which is recorded once per window.
 */
export async function beforeNotFound(
  services: Services,
  call: GuardedCall,
  why: Missing,
  action: AuditAction,
  subject: AuditSubject,
): Promise<Failure | null> {
  if (why === 'archived') return fail('template_archived');
  const { exchange, principal } = call;
  const miss = services.misses.count(principal.id, performance.now());
  const code = miss.kind === 'told' ? 'not_found' : 'rate_limited';
  if (miss.kind === 'told' ? why === 'foreign' : miss.isFirst) {
    const atMs = services.nowMs();
    const record = auditRecord(call, atMs, action, { outcome: 'denied', code }, subject);
    await services.timingMask.time(services.store.audit.add(record));
  } else if (miss.kind === 'told') await services.timingMask.wait();
  if (miss.kind === 'told') return null;
  exchange.retryAfterSeconds = Math.max(1, Math.ceil(miss.retryAfterMs / 1000));
  return fail('rate_limited', 'Too many calls for resources that do not exist. Check the ids.');
}

/**
 * Records a sign-in, a sign-out or a download, unless the operator turned that off. Stored documents
 * can be read while nothing can be written, for instance from a full disk: the record is then a line
 * of the log alone.
 */
export async function recordAccess(
  services: Services,
  call: AuditedCall,
  action: AuditAction,
  subject: AuditSubject = {},
): Promise<void> {
  const { options, store, nowMs, log } = services;
  if (options.auditAccess === '0') return;
  const record = auditRecord(call, nowMs(), action, SUCCEEDED, subject);
  try {
    await store.audit.add(record);
  } catch (error) {
    if (!(error instanceof StorageUnavailable)) throw error;
    const { teamId, principal, templateId, version, documentId } = record;
    const entry = { action, teamId, principal, templateId, version, documentId };
    log.error({ msg: 'access not in the audit', ...call.exchange.ids, ...entry });
  }
}

/** Issues a link to the file of a document, which expires no later than the document. */
export function linkTo(
  services: Services,
  document: { readonly documentId: string; readonly expiresAtMs: number },
): string {
  const { documentId } = document;
  const endsAtMs = services.nowMs() + services.options.linkTtlSeconds * 1000;
  const expiresAtMs = Math.min(endsAtMs, document.expiresAtMs);
  return `${services.baseUrl()}/v1/files/${services.links.issue({ documentId, expiresAtMs })}`;
}

/** ISO 8601 UTC with milliseconds. */
export function isoTime(ms: number): string {
  return new Date(ms).toISOString();
}
