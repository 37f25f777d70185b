import { setTimeout as pause } from 'node:timers/promises';
import type { Failure, Outcome } from '../errors.ts';
import { fail, succeed } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { describeError, RepeatedWarning } from '../log.ts';
import { StorageUnavailable } from '../store/store.ts';
import type { Authenticator } from './callers/auth.ts';
import { refuseAccess, refuseCrossSite, refuseUnknown } from './callers/auth.ts';
import { BodyReader } from './body/body.ts';
import type { TrustedProxies } from './callers/client-address.ts';
import type { BodyBudget } from './body/body-budget.ts';
import type { ExchangeWatch, SlowWrite } from './exchange.ts';
import { Exchange } from './exchange.ts';
import { isIdentity, isPdf } from './http/headers.ts';
import type { Request } from './http/request.ts';
import type { UwsResponse } from './http/uws.ts';
import type { KeyWatch } from './callers/key-watch.ts';
import type { Reply } from './reply/reply.ts';
import { failureReply } from './reply/reply.ts';
import type { GuardedRoute, Route, Services } from './route.ts';
import type { Router } from './router.ts';
import type { SlowWrites } from './reply/slow.ts';
import type { Tracing } from './tracing.ts';
import type { Principal, RateLimiter, RateVerdict } from './types.ts';

/** The longest body that a refusal does not wait for. */
const UNREAD_BYTES_MAX = 65_536;
/** How long a client may go on sending a body for which there is no memory. */
const REFUSED_BODY_MS_MAX = 1_000;
/** A file whose digest is asked for. It is read in pieces and not kept. */
const PDF_BYTES_MAX = 64 * 1024 * 1024;
/** The route whose responses all say how long they took. */
const GENERATE = 'POST /v1/generate';
const EMPTY = new Uint8Array(0);

/** The parts that a request passes on its way. */
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

interface Found {
  readonly route: Route;
  readonly params: readonly string[];
}

/**
 * The life of a request, in the order of `#run`: head → route → caller → limits → body → run, then
 * the reply. Nothing may be awaited before the body is asked for: uWebSockets.js drops what arrives
 * while nothing listens. A refusal known at once leaves a short body unread, so that a flood is
 * turned away in the least time.
 */
export class Lifecycle implements ExchangeWatch {
  readonly #parts: LifecycleParts;
  readonly #logsAnswers: boolean;
  readonly #outage: RepeatedWarning;
  /** Callers whose request at a route of `oneAtATime` is under way. */
  readonly #busy = new Set<string>();
  #active = 0;
  #whenIdle: (() => void) | null = null;

  constructor(parts: LifecycleParts) {
    this.#parts = parts;
    this.#outage = new RepeatedWarning(parts.services.log, 'storage unavailable');
    this.#logsAnswers = parts.services.log.isLevelEnabled('debug');
  }

  get proxies(): TrustedProxies {
    return this.#parts.proxies;
  }

  get isTls(): boolean {
    return this.#parts.isTls;
  }

  /** Requests without a complete response. */
  get active(): number {
    return this.#active;
  }

  /** Resolves when no request is left, at the latest after `graceMs`. */
  async idle(graceMs: number): Promise<void> {
    if (this.#active === 0) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.#whenIdle = resolve;
      timer = setTimeout(resolve, graceMs);
    });
    clearTimeout(timer);
  }

  /** Takes a request, inside its handler. */
  receive(request: Request, res: UwsResponse): void {
    const exchange = new Exchange(request, res, this);
    // The line is written when the address can no longer be asked for.
    if (this.#logsAnswers) void exchange.client;
    this.#active += 1;
    void this.#answer(exchange, request);
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
    if (this.#logsAnswers) {
      services.log.debug({ msg: 'answered', ...exchange.ids, status, seconds });
    }
    this.#active -= 1;
    if (this.#active === 0) this.#whenIdle?.();
  }

  failed(exchange: Exchange, error: unknown): void {
    const { log } = this.#parts.services;
    log.error({ msg: 'file not sent', ...exchange.ids, err: describeError(error) });
  }

  /** The edge of the gateway: every way a request can end, ends here. Never rejects. */
  async #answer(exchange: Exchange, request: Request): Promise<void> {
    try {
      const outcome = await this.#run(exchange, request);
      if (outcome.ok) this.#reply(exchange, outcome.value, false);
      else await this.#refuse(exchange, outcome);
    } catch (error) {
      try {
        await this.#refuse(exchange, this.#explain(exchange, error));
      } catch (second) {
        this.#explain(exchange, second);
        exchange.cut();
      }
    }
  }

  async #run(exchange: Exchange, request: Request): Promise<Outcome<Reply>> {
    if (request.fault !== '') return fail('bad_request', request.fault);
    const found = this.#findRoute(exchange, request);
    if (!this.#mayStayUnread(exchange)) this.#openBody(exchange, found);
    if (!found.ok) return found;
    const { params, route } = found.value;
    const call = { exchange, params, query: request.query };
    if (route.kind === 'public') return route.run(call);
    if (!this.#parts.isListening()) return fail('overloaded', 'The service is stopping.');

    const known = this.#parts.authenticator.identify(exchange.headers);
    if (known instanceof Promise) this.#openBody(exchange, found);
    const principal = known instanceof Promise ? await known : known;
    if (principal === null) return refuseUnknown(exchange.headers);
    const denial = this.#checkCaller(exchange, route, principal);
    if (denial !== null) return denial;

    const verdict = this.#countCall(route, principal);
    if (verdict instanceof Promise) this.#openBody(exchange, found);
    const refusal = this.#checkLimits(
      exchange,
      verdict instanceof Promise ? await verdict : verdict,
    );
    if (refusal !== null) return refusal;
    if (route.oneAtATime !== true)
      return this.#runRoute(exchange, found.value, route, call, principal);

    const place = `${principal.id} ${exchange.route}`;
    if (this.#busy.has(place)) return fail('overloaded', 'Another such request is under way.');
    this.#busy.add(place);
    try {
      return await this.#runRoute(exchange, found.value, route, call, principal);
    } finally {
      this.#busy.delete(place);
    }
  }

  #findRoute(exchange: Exchange, { method, path }: Request): Outcome<Found> {
    const match = this.#parts.router.match(method, path);
    if (match.kind === 'unknown') return fail('not_found', 'There is no such address.');
    if (match.kind === 'wrong_method') {
      exchange.extraHeaders = { Allow: match.allow };
      return fail('method_not_allowed');
    }
    exchange.route = `${method} ${match.route.path}`;
    return succeed(match);
  }

  /** null: this caller may call this route. */
  #checkCaller(exchange: Exchange, route: GuardedRoute, principal: Principal): Failure | null {
    exchange.caller = principal.id;
    exchange.body?.chargeTo(principal.id);
    const refusal = refuseAccess(principal, route.access);
    if (refusal !== null || principal.kind === 'key' || route.method === 'GET') return refusal;
    return refuseCrossSite(exchange.headers, this.#parts.origin(), exchange.isSecure);
  }

  /** null: calls of this route are not counted. */
  #countCall(route: GuardedRoute, principal: Principal): RateVerdict | null | Promise<RateVerdict> {
    const { rateLimiter, services } = this.#parts;
    if (route.isPreview === true) {
      return rateLimiter.count(`preview ${principal.id}`, LIMITS.previewsPerMinuteMax);
    }
    if (!route.counted) return null;
    const own = principal.kind === 'key' ? principal.rateLimitPerMinute : null;
    return rateLimiter.count(principal.id, own ?? services.options.rateLimitPerMinute);
  }

  /** null: the caller is within its limit, and does not flood. */
  #checkLimits(exchange: Exchange, verdict: RateVerdict | null): Failure | null {
    exchange.rate = verdict;
    if (verdict === null) return null;
    if (!verdict.allowed) {
      exchange.retryAfterSeconds = Math.max(1, Math.ceil(verdict.retryAfterMs / 1000));
      return fail('rate_limited');
    }
    const isFlood = this.#parts.services.floodGate.refuses(exchange.caller, performance.now());
    return isFlood ? fail('overloaded') : null;
  }

  async #runRoute(
    exchange: Exchange,
    found: Found,
    route: GuardedRoute,
    call: { exchange: Exchange; params: readonly string[]; query: string },
    principal: Principal,
  ): Promise<Outcome<Reply>> {
    this.#openBody(exchange, succeed(found));
    this.#trace(exchange);
    const body = await receiveBody(exchange, route);
    if (!body.ok) return body;
    const digest = exchange.body?.digest() ?? '';
    return route.run({ ...call, principal, body: body.value, digest });
  }

  /** From here on: a flood of refusals shall cost no spans. */
  #trace(exchange: Exchange): void {
    const { tracing } = this.#parts;
    if (tracing === undefined) return;
    const { traceparent, tracestate } = exchange.headers;
    exchange.trace = tracing.begin(exchange.startedAtMs, traceparent, tracestate);
    // The span ends when the address can no longer be asked for.
    void exchange.client;
  }

  /**
   * A body this short is sent before the response can come, and uWebSockets.js drops it: a refusal
   * need not wait for it.
   */
  #mayStayUnread({ headers }: Exchange): boolean {
    if (headers.chunked || this.#parts.services.isDraining()) return false;
    return headers.contentLength <= UNREAD_BYTES_MAX;
  }

  /** Asks for the body, once; a route that takes none has it read and dropped. */
  #openBody(exchange: Exchange, found: Outcome<Found>): void {
    const { chunked, contentLength } = exchange.headers;
    if (exchange.body !== null || (!chunked && contentLength <= 0)) return;
    const route = found.ok ? found.value.route : null;
    const digests = digestsBody(exchange, route);
    const bytesMax = digests ? PDF_BYTES_MAX : route?.kind === 'guarded' ? route.bodyBytesMax : 0;
    const drainBytesMax = LIMITS.bodyDrainBytesMax;
    const bounds = { contentLength, bytesMax, drainBytesMax, digests };
    exchange.openBody(new BodyReader(bounds, this.#parts.bodies, exchange.caller));
  }

  /** A refusal is sent when the body has come, so that the client gets to read it. */
  async #refuse(exchange: Exchange, failure: Failure): Promise<void> {
    const { body, headers } = exchange;
    if (body !== null) {
      body.discard();
      const drained = body.drained();
      await (body.overBudget ? Promise.race([drained, pause(REFUSED_BODY_MS_MAX)]) : drained);
    }
    // After a final answer a client that waited for 100 Continue may send its body, or not.
    const isAmbiguous = headers.expectsContinue && body?.isComplete !== true;
    const isCutShort = body !== null && !body.isComplete;
    this.#parts.services.metrics.refused(failure.code);
    this.#parts.keyWatch.refused(exchange.caller, failure.code);
    const { requestId, retryAfterSeconds, extraHeaders } = exchange;
    const reply = failureReply(failure, requestId, retryAfterSeconds, extraHeaders);
    this.#reply(exchange, reply, isAmbiguous || isCutShort);
  }

  #reply(exchange: Exchange, reply: Reply, close: boolean): void {
    if (exchange.route === GENERATE) {
      const total = `total;dur=${(performance.now() - exchange.startedAtMs).toFixed(3)}`;
      const { serverTiming } = exchange;
      exchange.serverTiming = serverTiming === '' ? total : `${serverTiming}, ${total}`;
    }
    exchange.send(reply, close || this.#parts.services.isDraining());
  }

  #explain(exchange: Exchange, error: unknown): Failure {
    const entry = { ...exchange.ids, err: describeError(error) };
    const { log } = this.#parts.services;
    if (error instanceof StorageUnavailable) {
      this.#outage.warn(entry);
      return fail('storage_unavailable');
    }
    log.error({ msg: 'request failed', ...entry });
    return fail('internal_error');
  }
}

/** True for a body of which only the digest is kept. */
function digestsBody({ headers }: Exchange, route: Route | null): boolean {
  return route?.kind === 'guarded' && route.digestsPdf === true && isPdf(headers.contentType);
}

const NO_BODY = { ok: true, value: EMPTY } as const;

async function receiveBody(exchange: Exchange, route: GuardedRoute): Promise<Outcome<Uint8Array>> {
  const { body } = exchange;
  if (body === null || route.bodyBytesMax === 0) return NO_BODY;
  await body.ended;
  if (body.overBudget) return fail('overloaded', 'Too many request bodies are under way.');
  if (body.tooLarge) {
    const bytes = digestsBody(exchange, route) ? PDF_BYTES_MAX : route.bodyBytesMax;
    const hint = route.bodyHint === undefined ? '' : ` ${route.bodyHint}`;
    return fail('payload_too_large', `The request body is larger than ${bytes} bytes.${hint}`);
  }
  const { contentEncoding } = exchange.headers;
  const isPacked = route.takesGzip === true && contentEncoding.toLowerCase() === 'gzip';
  if (!isPacked && !isIdentity(contentEncoding)) {
    return fail('bad_request', 'Content-Encoding is not supported: send the body as it is.');
  }
  return { ok: true, value: body.bytes() };
}
