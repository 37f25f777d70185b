import type { Failure, Outcome } from '../errors.ts';
import { fail, succeed } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { describeError } from '../log.ts';
import { StorageUnavailable } from '../store/store.ts';
import { Authenticator, refuseAccess, refuseCrossSite, refuseUnknown } from './auth.ts';
import { BodyReader } from './body.ts';
import type { ExchangeWatch, SlowWrite } from './exchange.ts';
import { Exchange } from './exchange.ts';
import { AttachmentBudget } from './generate/attachments.ts';
import { Door } from './generate/door.ts';
import { generateRoute } from './generate/generate.ts';
import type { RequestHeaders } from './http/headers.ts';
import { isIdentity } from './http/headers.ts';
import type { Answer } from './http/answer.ts';
import type { RequestHead } from './http/head.ts';
import { Listener } from './http/listener.ts';
import { Links } from './links.ts';
import { Metrics } from './metrics.ts';
import { Pace } from './pace.ts';
import { createMemoryRateLimiter } from './rate.ts';
import type { Reply } from './reply.ts';
import { failureReply } from './reply.ts';
import type { GuardedRoute, PublicRoute, Route, Services } from './route.ts';
import { Router } from './router.ts';
import type { Match } from './router.ts';
import { docsRoutes } from './routes/docs.ts';
import { documentsRoute } from './routes/documents.ts';
import { fieldsRoute } from './routes/fields.ts';
import { filesRoute } from './routes/files.ts';
import { healthRoutes } from './routes/health.ts';
import { identityRoutes } from './routes/identities.ts';
import { loginRoutes } from './routes/login.ts';
import { templateRoutes } from './routes/templates.ts';
import { verifyRoute } from './routes/verify.ts';
import { SlowWrites } from './slow.ts';
import { TemplateCache } from './template-cache.ts';
import type { GatewayOptions, GatewayParts, Principal, RateLimiter, RateVerdict } from './types.ts';
import { warmUp } from './warm.ts';

const MEGABYTE = 1_048_576;
/** The longest body that a refusal does not wait for. */
const UNREAD_BYTES_MAX = 65_536;
/** The route whose answers all say how long they took. */
const GENERATE = 'POST /v1/generate';

/** A gateway that answers. */
export interface Gateway {
  /** What callers reach it by, without a slash at its end. */
  readonly url: string;
  /** `/readyz` turns; requests are still answered, their connections closed. */
  drain(): void;
  /** Stops accepting, lets finish what runs for at most `graceMs`, closes every connection. */
  close(graceMs: number): Promise<void>;
}

/** Listens and answers. Rejects when the address cannot be listened on. */
export async function startGateway(options: GatewayOptions, parts: GatewayParts): Promise<Gateway> {
  const server = new Server(options, parts);
  await server.listen();
  server.warmUp();
  return server;
}

class Server implements Gateway, ExchangeWatch {
  readonly #options: GatewayOptions;
  readonly #services: Services;
  readonly #router: Router;
  readonly #authenticator: Authenticator;
  readonly #rateLimiter: RateLimiter;
  readonly #listener: Listener;
  readonly #slow = new SlowWrites();
  #isListening = false;
  readonly #tellsAnswers: boolean;
  #url = '';
  #origin = '';
  #draining = false;
  #active = 0;
  #whenIdle: (() => void) | null = null;

  constructor(options: GatewayOptions, parts: GatewayParts) {
    const { store, pool, protector, log } = parts;
    const nowMs = parts.nowMs ?? Date.now;
    const templates = new TemplateCache(store, options.templateCacheMb * MEGABYTE);
    const attachmentBudget = new AttachmentBudget();
    const authenticator = new Authenticator(store, nowMs, () => performance.now());
    this.#options = options;
    this.#tellsAnswers = log.isLevelEnabled('debug');
    this.#authenticator = authenticator;
    this.#services = {
      options,
      store,
      pool,
      protector,
      log,
      templates,
      links: new Links(options.linkSecrets),
      attachmentBudget,
      door: new Door(pool),
      pace: new Pace(),
      metrics: new Metrics({
        pool,
        templates,
        keys: authenticator,
        active: () => this.#active,
        slow: this.#slow,
        attachmentBytes: () => attachmentBudget.bytes,
        probeStore: () => store.probe(),
        storeFigures: () => store.figures(),
      }),
      nowMs,
      baseUrl: () => this.#url,
      isDraining: () => this.#draining,
    };
    this.#router = new Router(routesOf(this.#services));
    this.#rateLimiter = parts.rateLimiter ?? createMemoryRateLimiter(() => performance.now());
    this.#listener = new Listener(
      (head, answer) => this.#receive(head, answer),
      (error) => log.warn({ msg: 'connection not accepted', err: describeError(error) }),
    );
  }

  get url(): string {
    return this.#url;
  }

  async listen(): Promise<void> {
    const { host, port, baseUrl } = this.#options;
    const bound = await this.#listener.listen(host, port).catch((error: unknown) => {
      throw new Error(`cannot listen on ${host} port ${port}`, { cause: error });
    });
    this.#isListening = true;
    const name = host.includes(':') ? `[${host}]` : host;
    const own = `http://${name}:${bound}`;
    this.#url = (baseUrl ?? own).replace(/\/+$/, '');
    this.#origin = new URL(this.#url).origin;
  }

  warmUp(): void {
    void warmUp(this.#services);
  }

  drain(): void {
    this.#draining = true;
  }

  async close(graceMs: number): Promise<void> {
    this.drain();
    this.#listener.stopListening();
    this.#isListening = false;
    if (this.#active > 0) {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.#whenIdle = resolve;
        timer = setTimeout(resolve, graceMs);
      });
      clearTimeout(timer);
    }
    this.#listener.close();
  }

  slow(write: SlowWrite): void {
    this.#slow.add(write);
  }

  done(exchange: Exchange, status: number): void {
    this.#slow.remove(exchange);
    const seconds = (performance.now() - exchange.startedAtMs) / 1000;
    const { requestId, route } = exchange;
    this.#services.metrics.answered(route, status, seconds);
    const { log } = this.#services;
    if (this.#tellsAnswers) log.debug({ msg: 'answered', requestId, route, status, seconds });
    this.#active -= 1;
    if (this.#active === 0) this.#whenIdle?.();
  }

  failed(exchange: Exchange, error: unknown): void {
    const { requestId, route } = exchange;
    this.#services.log.error({ msg: 'file not sent', requestId, route, err: describeError(error) });
  }

  /** The one place that sees requests: what is wanted of a body is asked for before any await. */
  #receive(head: RequestHead, answer: Answer): void {
    const exchange = new Exchange(answer, head, this);
    this.#active += 1;
    if (head.fault !== '') {
      this.#refuse(exchange, fail('bad_request', head.fault), true);
      return;
    }
    const match = this.#router.match(head.method, head.path);
    const route = match.kind === 'found' ? match.route : null;
    exchange.route = route === null ? '' : `${head.method} ${route.path}`;
    const entry = this.#tryEnter(exchange, match);
    if (!(entry instanceof Promise) && !entry.ok && this.#mayStayUnread(head.headers)) {
      this.#refuse(exchange, entry, false);
      return;
    }
    exchange.body = bodyReader(answer, head.headers, match);
    void this.#answer(exchange, head.query, entry);
  }

  #tryEnter(exchange: Exchange, match: Match): Entry | Promise<Entry> {
    try {
      return this.#enter(exchange, match);
    } catch (error) {
      return this.#explain(exchange, error);
    }
  }

  /** The edge of the gateway: every way a request can end, ends here. */
  async #answer(exchange: Exchange, query: string, entry: Entry | Promise<Entry>): Promise<void> {
    try {
      const outcome = await this.#decide(exchange, query, entry);
      if (outcome.ok) this.#send(exchange, outcome.value, false);
      else await this.#refuseAtEnd(exchange, outcome);
    } catch (error) {
      try {
        await this.#refuseAtEnd(exchange, this.#explain(exchange, error));
      } catch (second) {
        this.#explain(exchange, second);
        exchange.cut();
      }
    }
  }

  /**
   * A body this short is sent before the answer can come, and is dropped: the refusal need not
   * wait for it, and a flood is turned away in the least time.
   */
  #mayStayUnread(headers: RequestHeaders): boolean {
    if (headers.chunked || this.#draining) return false;
    return headers.contentLength <= UNREAD_BYTES_MAX;
  }

  /** Who may go on to what; without a promise when nothing has to be looked up. */
  #enter(exchange: Exchange, match: Match): Entry | Promise<Entry> {
    if (match.kind === 'unknown') return fail('not_found', 'There is no such address.');
    if (match.kind === 'wrong_method') {
      exchange.extraHeaders = { Allow: match.allow };
      return fail('method_not_allowed');
    }
    const { route, params } = match;
    if (route.kind === 'public') return succeed({ route, params });
    // What came over a connection that was open already: it ends with this answer.
    if (!this.#isListening) return fail('overloaded', 'The service is stopping.');
    const known = this.#authenticator.identify(exchange.headers);
    if (known instanceof Promise) {
      return known.then((principal) => this.#admit(exchange, route, params, principal));
    }
    return this.#admit(exchange, route, params, known);
  }

  #admit(
    exchange: Exchange,
    route: GuardedRoute,
    params: readonly string[],
    principal: Principal | null,
  ): Entry | Promise<Entry> {
    if (principal === null) return refuseUnknown(exchange.headers);
    exchange.caller = principal.id;
    const isKey = principal.kind === 'key';
    let refusal = refuseAccess(principal, route.access);
    if (!isKey && route.method !== 'GET') {
      refusal ??= refuseCrossSite(exchange.headers, this.#origin);
    }
    if (refusal !== null) return refusal;
    const admitted = succeed({ route, params, principal });
    if (!route.counted) return admitted;
    const own = isKey ? principal.rateLimitPerMinute : null;
    const perMinute = own ?? this.#options.rateLimitPerMinute;
    const verdict = this.#rateLimiter.count(principal.id, perMinute);
    if (verdict instanceof Promise) {
      return verdict.then((late) => this.#judge(exchange, late) ?? admitted);
    }
    return this.#judge(exchange, verdict) ?? admitted;
  }

  /** null: the caller is within its limit, and does not flood. */
  #judge(exchange: Exchange, verdict: RateVerdict): Failure | null {
    if (!verdict.allowed) {
      exchange.retryAfterSeconds = Math.max(1, Math.ceil(verdict.retryAfterMs / 1000));
      return fail('rate_limited');
    }
    const isFlood = this.#services.door.refuses(exchange.caller, performance.now());
    return isFlood ? fail('overloaded') : null;
  }

  async #decide(
    exchange: Exchange,
    query: string,
    entry: Entry | Promise<Entry>,
  ): Promise<Outcome<Reply>> {
    const entered = entry instanceof Promise ? await entry : entry;
    if (!entered.ok) return entered;
    const { value } = entered;
    const { params } = value;
    if (!('principal' in value)) return value.route.run({ exchange, params, query });
    const { route, principal } = value;
    const body = await receiveBody(exchange, route);
    if (!body.ok) return body;
    return route.run({ exchange, params, query, principal, body: body.value });
  }

  /** A refusal is sent when the body has come, so that the caller gets to read it. */
  async #refuseAtEnd(exchange: Exchange, failure: Failure): Promise<void> {
    const { body } = exchange;
    if (body !== null) {
      body.discard();
      await body.ended;
    }
    this.#refuse(exchange, failure, body?.endless === true);
  }

  #refuse(exchange: Exchange, failure: Failure, close: boolean): void {
    this.#services.metrics.refused(failure.code);
    const { requestId, retryAfterSeconds, extraHeaders } = exchange;
    this.#send(exchange, failureReply(failure, requestId, retryAfterSeconds, extraHeaders), close);
  }

  #send(exchange: Exchange, reply: Reply, close: boolean): void {
    if (exchange.route === GENERATE) {
      const total = `total;dur=${(performance.now() - exchange.startedAtMs).toFixed(3)}`;
      const { serverTiming } = exchange;
      exchange.serverTiming = serverTiming === '' ? total : `${serverTiming}, ${total}`;
    }
    exchange.send(reply, close || this.#draining);
  }

  #explain(exchange: Exchange, error: unknown): Failure {
    const { requestId, route } = exchange;
    const entry = { requestId, route, err: describeError(error) };
    if (error instanceof StorageUnavailable) {
      this.#services.log.warn({ msg: 'storage unavailable', ...entry });
      return fail('storage_unavailable');
    }
    this.#services.log.error({ msg: 'request failed', ...entry });
    return fail('internal_error');
  }
}

/** Who was let in to what. */
type Entry = Outcome<
  | { readonly route: PublicRoute; readonly params: readonly string[] }
  | {
      readonly route: GuardedRoute;
      readonly params: readonly string[];
      readonly principal: Principal;
    }
>;

function bodyReader(answer: Answer, headers: RequestHeaders, match: Match): BodyReader | null {
  if (!headers.chunked && headers.contentLength <= 0) return null;
  const route = match.kind === 'found' ? match.route : null;
  const bytesMax = route?.kind === 'guarded' ? route.bodyBytesMax : 0;
  return new BodyReader(answer, headers.contentLength, bytesMax, LIMITS.bodyDrainBytesMax);
}

const NO_BODY = { ok: true, value: new Uint8Array(0) } as const;

async function receiveBody(exchange: Exchange, route: GuardedRoute): Promise<Outcome<Uint8Array>> {
  const { body } = exchange;
  if (body === null || route.bodyBytesMax === 0) return NO_BODY;
  await body.ended;
  if (body.tooLarge) {
    const bytes = route.bodyBytesMax;
    return fail('payload_too_large', `The request body is larger than ${bytes} bytes.`);
  }
  if (!isIdentity(exchange.headers.contentEncoding)) {
    return fail('bad_request', 'Content-Encoding is not supported: send the body as it is.');
  }
  return { ok: true, value: body.bytes() };
}

function routesOf(services: Services): readonly Route[] {
  return [
    generateRoute(services),
    fieldsRoute(services),
    documentsRoute(services),
    filesRoute(services),
    verifyRoute(services),
    ...templateRoutes(services),
    ...identityRoutes(services),
    ...loginRoutes(services),
    ...docsRoutes(services),
    ...healthRoutes(services),
  ];
}
