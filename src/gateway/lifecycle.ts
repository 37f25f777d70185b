import { setTimeout as pause } from 'node:timers/promises';
import type { Failure, Outcome } from '../errors.ts';
import { fail, succeed } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { describeError, RepeatedWarning } from '../log/log.ts';
import { within } from '../runtime/within.ts';
import { FileKeyMissing, StorageUnavailable, StoreBusy } from '../store/store.ts';
import type { Authenticator } from './callers/auth.ts';
import { withoutPlainSession } from './callers/session-cookie.ts';
import { refuseAccess, refuseChanged, refuseCrossSite, refuseUnknown } from './callers/auth.ts';
import { BodyReader } from './body/body.ts';
import type { TrustedProxies } from './callers/client-address.ts';
import type { BodyBudget } from './body/body-budget.ts';
import type { AfterResponse, ExchangeWatch } from './exchange.ts';
import type { SlowWrite, SlowWrites } from './reply/slow.ts';
import { Exchange } from './exchange.ts';
import { timing } from './generate/stages.ts';
import { isIdentity, isPdf } from './http/content.ts';
import type { Request } from './http/request.ts';
import type { UwsResponse } from './http/uws.ts';
import type { KeyWatch } from './callers/key-watch.ts';
import type { Reply } from './reply/reply.ts';
import { plainRefusal } from './reply/plain-refusal.ts';
import { failureReply } from './reply/reply.ts';
import type { ArrivingBody, Call, GuardedRoute, Route, Services } from './route.ts';
import type { Router } from './router.ts';
import type { Tracing } from './tracing.ts';
import { Turns } from './callers/turns.ts';
import type { Principal, RateLimiter, RateVerdict } from './types.ts';

/** Longest body that a refusal leaves unread. */
const UNREAD_BYTES_MAX = 65_536;
/** How long a client may keep sending a body that has been refused before its end. */
const REFUSED_BODY_MS_MAX = 1_000;
/** Limit of a PDF of which only the digest is computed, piece by piece. */
const PDF_BYTES_MAX = 64 * 1024 * 1024;
/** Reading requests under way: those of one caller must not fill the queue of the database. */
const READERS = {
  underWayMax: 512,
  underWayEachMax: 8,
  waitingEachMax: 4_096,
  waitingMax: 16_384,
};
/** The route whose responses all have `Server-Timing`. */
const GENERATE = 'POST /v1/generate';
const EMPTY = new Uint8Array(0);

/** The parts of the gateway that a request uses. */
export interface LifecycleParts {
  readonly services: Services;
  readonly router: Router;
  readonly authenticator: Authenticator;
  readonly keyWatch: KeyWatch;
  readonly rateLimiter: RateLimiter;
  readonly bodies: BodyBudget;
  readonly slow: SlowWrites;
  /** Scheme and authority that browsers reach the service by. */
  readonly origin: () => string;
  readonly proxies: TrustedProxies;
  readonly isTls: boolean;
  /** Absent: requests are not traced. */
  readonly tracing?: Tracing | undefined;
  /** False once the service accepts no more connections. */
  readonly isListening: () => boolean;
}

/** A value that may be known at once, so that a refusal can be sent inside the request's handler. */
type Pending<T> = T | Promise<T>;

/** A request at a route that needs a known caller. */
interface Visit {
  readonly route: GuardedRoute;
  readonly call: Call;
}

/**
 * The life of a request: head → route (`#run`) → caller (`#admit`) → limits (`#enter`) → body → run
 * (`#runRoute`), then the reply. `…Later` goes on with a step when what it needs was not known at
 * once. Nothing may be awaited before the body is opened, because uWebSockets.js drops data while
 * nothing listens. An immediate refusal leaves a short body unread and is sent inside the request's
 * handler, so that a flood costs as little time as possible.
 */
export class Lifecycle implements ExchangeWatch {
  readonly #parts: LifecycleParts;
  readonly #logsAnswers: boolean;
  readonly #outage: RepeatedWarning;
  /** `caller route` of each request under way at a route with `oneAtATime`. */
  readonly #busy = new Set<string>();
  readonly #readers = new Turns(READERS);
  #active = 0;
  #whenIdle: (() => void) | null = null;

  constructor(parts: LifecycleParts) {
    this.#parts = parts;
    this.#outage = new RepeatedWarning(parts.services.log, 'storage unavailable');
    const { log, options } = parts.services;
    this.#logsAnswers = options.logRequests === '1' || log.isLevelEnabled('debug');
  }

  get proxies(): TrustedProxies {
    return this.#parts.proxies;
  }

  get isTls(): boolean {
    return this.#parts.isTls;
  }

  get isHttps(): boolean {
    return this.#parts.isTls || this.#parts.origin().startsWith('https:');
  }

  /** Number of requests without a complete response. */
  get active(): number {
    return this.#active;
  }

  /** Resolves when no request is left, at the latest after `graceMs`. */
  async idle(graceMs: number): Promise<void> {
    if (this.#active === 0) return;
    const idle = new Promise<void>((resolve) => {
      this.#whenIdle = resolve;
    });
    await within(idle, graceMs, () => undefined);
  }

  /** Takes a request, inside its handler. */
  receive(request: Request, res: UwsResponse): void {
    const exchange = new Exchange(request, res, this);
    // Looks the address up now: it is no longer available when the log line is written.
    if (this.#logsAnswers) void exchange.client;
    this.#active += 1;
    try {
      this.#begin(exchange, request);
    } finally {
      exchange.leaveHandler();
    }
  }

  slow(write: SlowWrite): void {
    this.#parts.slow.add(write);
  }

  done(exchange: Exchange, status: number): void {
    const { slow, services } = this.#parts;
    slow.remove(exchange);
    const seconds = (performance.now() - exchange.startedAtMs) / 1000;
    const { route } = exchange;
    services.metrics.answered(route, status, seconds);
    exchange.trace?.end(route, status, exchange.client);
    if (this.#logsAnswers) this.#logAnswer(exchange, status, seconds);
    this.#active -= 1;
    if (this.#active === 0) this.#whenIdle?.();
  }

  #logAnswer(exchange: Exchange, status: number, seconds: number): void {
    const { log, options } = this.#parts.services;
    const { ids, method, caller, code } = exchange;
    const line = { msg: 'answered', ...ids, method, caller, status, code, seconds };
    if (options.logRequests === '1') log.info(line);
    else log.debug(line);
  }

  failed(exchange: Exchange, error: unknown): void {
    const { log } = this.#parts.services;
    log.error({ msg: 'file not sent', ...exchange.ids, err: describeError(error) });
  }

  #begin(exchange: Exchange, request: Request): void {
    let outcome: Pending<Outcome<Reply>>;
    try {
      outcome = this.#run(exchange, request);
      if (!(outcome instanceof Promise) && exchange.body === null) {
        this.#answer(exchange, outcome);
        return;
      }
    } catch (error) {
      outcome = this.#explain(exchange, error);
    }
    void this.#answerLater(exchange, outcome);
  }

  /** Answers requests that did not end inside their handler, also after an error. Never rejects. */
  async #answerLater(exchange: Exchange, pending: Pending<Outcome<Reply>>): Promise<void> {
    try {
      const outcome = await pending;
      if (!outcome.ok) await drain(exchange);
      this.#answer(exchange, outcome);
    } catch (error) {
      try {
        const failure = this.#explain(exchange, error);
        await drain(exchange);
        this.#answer(exchange, failure);
      } catch (second) {
        this.#explain(exchange, second);
        exchange.cut();
      }
    }
  }

  #answer(exchange: Exchange, outcome: Outcome<Reply>): void {
    if (outcome.ok) this.#reply(exchange, outcome.value, this.#afterResponse(exchange));
    else this.#refuse(exchange, outcome);
  }

  #run(exchange: Exchange, request: Request): Pending<Outcome<Reply>> {
    if (request.fault !== '') return fail('bad_request', request.fault);
    const { headers } = exchange;
    if (headers.cookie !== '' && (exchange.isSecure || this.#parts.origin().startsWith('https:'))) {
      headers.cookie = withoutPlainSession(headers.cookie);
    }
    const found = this.#findRoute(exchange, request);
    const route = found.ok ? found.value.route : null;
    if (!this.#mayStayUnread(exchange)) this.#openBody(exchange, route);
    if (!found.ok) return found;
    const call = { exchange, params: found.value.params, query: request.query };
    if (found.value.route.kind === 'public') return found.value.route.run(call);
    if (!this.#parts.isListening()) return fail('overloaded', 'The service is stopping.');

    const visit: Visit = { route: found.value.route, call };
    const known = this.#parts.authenticator.identify(exchange);
    if (!(known instanceof Promise)) return this.#admit(visit, known);
    this.#openBody(exchange, route);
    return this.#admitLater(visit, known);
  }

  async #admitLater(visit: Visit, known: Promise<Principal | null>): Promise<Outcome<Reply>> {
    return this.#admit(visit, await known);
  }

  #admit(visit: Visit, principal: Principal | null): Pending<Outcome<Reply>> {
    const { route, call } = visit;
    const { exchange } = call;
    if (principal === null) return refuseUnknown(exchange.headers);
    const denial = this.#checkCaller(exchange, route, principal);
    if (denial !== null) return denial;
    const verdict = this.#countCall(visit, principal);
    if (!(verdict instanceof Promise)) return this.#enter(visit, principal, verdict);
    this.#openBody(exchange, route);
    return this.#enterLater(visit, principal, verdict);
  }

  async #enterLater(
    visit: Visit,
    principal: Principal,
    verdict: Promise<RateVerdict>,
  ): Promise<Outcome<Reply>> {
    return this.#enter(visit, principal, await verdict);
  }

  #enter(visit: Visit, principal: Principal, verdict: RateVerdict | null): Pending<Outcome<Reply>> {
    const { route } = visit;
    const refusal = this.#checkLimits(visit, principal, verdict);
    if (refusal !== null) return refusal;
    return route.oneAtATime === true
      ? this.#runAlone(visit, principal)
      : this.#runRoute(visit, principal);
  }

  async #runAlone(visit: Visit, principal: Principal): Promise<Outcome<Reply>> {
    const key = `${principal.id} ${visit.call.exchange.route}`;
    if (this.#busy.has(key)) return fail('overloaded', 'Another such request is under way.');
    this.#busy.add(key);
    try {
      return await this.#runRoute(visit, principal);
    } finally {
      this.#busy.delete(key);
    }
  }

  #findRoute(
    exchange: Exchange,
    { method, path }: Request,
  ): Outcome<{ readonly route: Route; readonly params: readonly string[] }> {
    const match = this.#parts.router.match(method, path);
    if (match.kind === 'unknown') return fail('not_found', 'There is no such address.');
    if (match.kind === 'wrong_method') {
      exchange.extraHeaders = { Allow: match.allow };
      return fail('method_not_allowed');
    }
    exchange.route = match.found.name;
    return succeed({ route: match.found.route, params: match.params });
  }

  /** Refuses a caller that may not call the route; null: it may. */
  #checkCaller(exchange: Exchange, route: GuardedRoute, principal: Principal): Failure | null {
    exchange.caller = principal.id;
    exchange.body?.chargeTo(principal.id);
    const changed = principal.kind === 'key' ? null : refuseChanged(exchange.headers, principal.id);
    const refusal = changed ?? refuseAccess(principal, route.access);
    exchange.takesUnfinished = refusal === null && route.takesUnfinished === true;
    if (refusal !== null || principal.kind === 'key' || route.method === 'GET') return refusal;
    const { headers, isSecure, method } = exchange;
    return refuseCrossSite(headers, this.#parts.origin(), isSecure, method);
  }

  /** Counts the call against the caller's limit; null: calls of this route are not counted. */
  #countCall(
    { route, call }: Visit,
    principal: Principal,
  ): RateVerdict | null | Promise<RateVerdict> {
    const { rateLimiter, services } = this.#parts;
    if (route.isPreview?.(call.query) === true) {
      return rateLimiter.count(`preview ${principal.id}`, LIMITS.previewsPerMinuteMax);
    }
    if (route.counted === false) return null;
    if (route.counted === 'runs') {
      return rateLimiter.count(`runs ${principal.id}`, services.options.runCallsPerMinute);
    }
    const own = principal.kind === 'key' ? principal.rateLimitPerMinute : null;
    return rateLimiter.count(principal.id, own ?? services.options.rateLimitPerMinute);
  }

  /** Refuses a caller over its limit or in a flood; null: neither. */
  #checkLimits({ call }: Visit, principal: Principal, verdict: RateVerdict | null): Failure | null {
    const { exchange } = call;
    exchange.rate = verdict;
    if (verdict === null) return null;
    if (!verdict.allowed) {
      exchange.retryAfterSeconds = Math.max(1, Math.ceil(verdict.retryAfterMs / 1000));
      return fail('rate_limited');
    }
    // Only requests for documents wait for a renderer; a caller with a full queue may start runs.
    if (exchange.route !== GENERATE) return null;
    const { floodGate, runCalls } = this.#parts.services;
    runCalls.recordDocument(principal.teamId, exchange.startedAtMs);
    const isFlood = floodGate.refuses(principal, exchange.startedAtMs);
    return isFlood ? fail('overloaded') : null;
  }

  async #runRoute({ route, call }: Visit, principal: Principal): Promise<Outcome<Reply>> {
    const { exchange } = call;
    this.#openBody(exchange, route);
    this.#trace(exchange);
    const { body } = exchange;
    if (route.readsBody === true) {
      const arriving = arrivingBody(exchange, route);
      return route.run({ ...call, principal, body: EMPTY, digest: '', arriving });
    }
    if (body === null || route.bodyBytesMax === 0) {
      const run = (): Promise<Outcome<Reply>> =>
        route.run({ ...call, principal, body: EMPTY, digest: '' });
      // Reads query the database. A caller that sends thousands at once delays only its own.
      if (route.method === 'GET') return this.#readers.run(principal.id, run);
      return this.#inTurn(route, principal, run);
    }
    body.demand();
    await body.ended;
    const refusal = refuseBody(exchange, route, body);
    if (refusal !== null) return refusal;
    return this.#inTurn(route, principal, () =>
      route.run({ ...call, principal, body: body.bytes(), digest: body.digest() }),
    );
  }

  #inTurn<T>(route: GuardedRoute, { teamId }: Principal, run: () => Promise<T>): Promise<T> {
    return route.changesRun === true ? this.#parts.services.runCalls.change(teamId, run) : run();
  }

  /** Begins the span here and not earlier, so that a flood of refusals makes no spans. */
  #trace(exchange: Exchange): void {
    const { tracing } = this.#parts;
    if (tracing === undefined) return;
    const { traceparent, tracestate } = exchange.headers;
    exchange.trace = tracing.begin(exchange.startedAtMs, traceparent, tracestate);
    // Looks the address up now: it is no longer available when the span ends.
    void exchange.client;
  }

  /**
   * Whether a refusal need not wait for the body: a short body is sent before the response arrives,
   * and uWebSockets.js drops it.
   */
  #mayStayUnread({ headers }: Exchange): boolean {
    if (headers.chunked || this.#parts.services.isDraining()) return false;
    return headers.contentLength <= UNREAD_BYTES_MAX;
  }

  /** Opens the body, only once; for a route without a body it is read and dropped. */
  #openBody(exchange: Exchange, route: Route | null): void {
    const { chunked, contentLength } = exchange.headers;
    if (exchange.body !== null || (!chunked && contentLength <= 0)) return;
    const digests = digestsBody(exchange, route);
    const ownBytesMax = route?.kind === 'guarded' ? route.bodyBytesMax : 0;
    const bytesMax = digests ? PDF_BYTES_MAX : ownBytesMax;
    const drainBytesMax = LIMITS.bodyDrainBytesMax;
    const bounds = { contentLength, bytesMax, drainBytesMax, digests };
    exchange.openBody(new BodyReader(bounds, this.#parts.bodies, exchange.caller));
  }

  /** Sends a refusal; must be called after `drain`. */
  #refuse(exchange: Exchange, failure: Failure): void {
    const { body } = exchange;
    const isCutShort = body !== null && !body.isComplete;
    const connection = isCutShort ? 'close' : this.#afterResponse(exchange);
    exchange.code = failure.code;
    this.#parts.services.metrics.refused(failure.code, exchange.takesUnfinished);
    this.#parts.keyWatch.refused(exchange.caller, failure.code);
    const plain = connection === 'keep' ? plainRefusal(failure) : null;
    if (plain !== null && exchange.sendPlain(plain, totalMs(exchange))) return;
    const { requestId, retryAfterSeconds, extraHeaders } = exchange;
    const reply = failureReply(failure, requestId, retryAfterSeconds, extraHeaders);
    this.#reply(exchange, reply, connection);
  }

  #reply(exchange: Exchange, reply: Reply, connection: AfterResponse): void {
    const total = totalMs(exchange);
    if (total !== null) {
      const { serverTiming } = exchange;
      const text = timing('total', total);
      exchange.serverTiming = serverTiming === '' ? text : `${serverTiming}, ${text}`;
    }
    exchange.send(reply, connection);
  }

  /** A draining service closes each connection after its response. */
  #afterResponse({ headers, body }: Exchange): AfterResponse {
    // A client that waited for 100 Continue may or may not send its body after a final response.
    const isAmbiguous = headers.expectsContinue && body?.isComplete !== true;
    return isAmbiguous || this.#parts.services.isDraining() ? 'close' : 'keep';
  }

  #explain(exchange: Exchange, error: unknown): Failure {
    const entry = { ...exchange.ids, err: describeError(error) };
    const { log } = this.#parts.services;
    if (error instanceof StoreBusy) {
      this.#outage.warn(entry);
      return fail('overloaded', error.told);
    }
    // The file is not damaged: an instance that has its key can read it.
    if (error instanceof StorageUnavailable || error instanceof FileKeyMissing) {
      this.#outage.warn(entry);
      return fail('storage_unavailable');
    }
    log.error({ msg: 'request failed', ...entry });
    return fail('internal_error');
  }
}

/** `total` of Server-Timing; null: the route's responses have no such header. */
function totalMs({ route, startedAtMs }: Exchange): number | null {
  return route === GENERATE ? performance.now() - startedAtMs : null;
}

/** Whether only the digest of the body is computed. */
function digestsBody({ headers }: Exchange, route: Route | null): boolean {
  return route?.kind === 'guarded' && route.digestsPdf === true && isPdf(headers.contentType);
}

/**
 * Waits for the rest of the body before a refusal, because clients often read no response earlier.
 */
async function drain({ body }: Exchange): Promise<void> {
  if (body === null) return;
  body.discard();
  const drained = body.drained();
  const isBounded = body.overBudget || body.isJudgedEarly;
  await (isBounded ? Promise.race([drained, pause(REFUSED_BODY_MS_MAX)]) : drained);
}

/** The body for a route that judges it while it arrives. */
function arrivingBody(exchange: Exchange, route: GuardedRoute): ArrivingBody {
  const { body } = exchange;
  if (body !== null) body.isJudgedEarly = true;
  return {
    announced: exchange.headers.contentLength,
    start: (bytes) => body?.start(bytes) ?? Promise.resolve(EMPTY),
    async whole() {
      if (body === null) return succeed(EMPTY);
      body.demand();
      await body.ended;
      return refuseBody(exchange, route, body) ?? succeed(body.bytes());
    },
  };
}

/** Refuses a body; null: it can be passed to the route. */
function refuseBody(exchange: Exchange, route: GuardedRoute, body: BodyReader): Failure | null {
  if (body.overBudget) return fail('overloaded', 'Too many request bodies are under way.');
  if (body.tooLarge) {
    const bytes = digestsBody(exchange, route) ? PDF_BYTES_MAX : route.bodyBytesMax;
    const hint = route.bodyHint === undefined ? '' : ` ${route.bodyHint}`;
    return fail('payload_too_large', `The request body is larger than ${bytes} bytes.${hint}`);
  }
  // An empty body means something to some routes, such as a run's start without options.
  if (!body.isComplete) return fail('bad_request', 'The request body broke off.');
  const { contentEncoding } = exchange.headers;
  if (isIdentity(contentEncoding)) return null;
  const isPacked = route.takesGzip === true && contentEncoding.toLowerCase() === 'gzip';
  return isPacked
    ? null
    : fail('bad_request', 'Content-Encoding is not supported: send the body as it is.');
}
