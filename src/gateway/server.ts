import type { Failure, Outcome } from '../errors.ts';
import { fail } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { describeError } from '../log.ts';
import { StorageUnavailable } from '../store/store.ts';
import { Authenticator, refuseAccess, refuseCrossSite } from './auth.ts';
import { BodyReader } from './body.ts';
import type { ExchangeWatch, SlowWrite } from './exchange.ts';
import { Exchange } from './exchange.ts';
import { AttachmentBudget } from './generate/attachments.ts';
import { Door } from './generate/door.ts';
import { generateRoute } from './generate/generate.ts';
import { readHeaders } from './headers.ts';
import { Links } from './links.ts';
import { Metrics } from './metrics.ts';
import { Pace } from './pace.ts';
import { createMemoryRateLimiter } from './rate.ts';
import type { Reply } from './reply.ts';
import { failureReply } from './reply.ts';
import type { GuardedRoute, Route, Services } from './route.ts';
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
import type { GatewayOptions, GatewayParts, Principal, RateLimiter } from './types.ts';
import { warmUp } from './warm.ts';
import type { Uws, UwsApp, UwsListenSocket, UwsRequest, UwsResponse } from './uws.ts';
import { loadUws } from './uws.ts';

const MEGABYTE = 1_048_576;
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
  readonly #uws: Uws = loadUws();
  readonly #app: UwsApp;
  readonly #slow = new SlowWrites();
  #socket: UwsListenSocket | null = null;
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
      }),
      nowMs,
      baseUrl: () => this.#url,
      isDraining: () => this.#draining,
    };
    this.#router = new Router(routesOf(this.#services));
    this.#rateLimiter = parts.rateLimiter ?? createMemoryRateLimiter(() => performance.now());
    this.#app = this.#uws.App().any('/*', (res, req) => this.#receive(res, req));
  }

  get url(): string {
    return this.#url;
  }

  async listen(): Promise<void> {
    const { host, port, baseUrl } = this.#options;
    const socket = await new Promise<UwsListenSocket | false>((resolve) => {
      const { LIBUS_LISTEN_EXCLUSIVE_PORT } = this.#uws;
      this.#app.listen(host, port, LIBUS_LISTEN_EXCLUSIVE_PORT, resolve);
    });
    if (socket === false) throw new Error(`cannot listen on ${host} port ${port}: is it in use?`);
    this.#socket = socket;
    const name = host.includes(':') ? `[${host}]` : host;
    const own = `http://${name}:${this.#uws.us_socket_local_port(socket)}`;
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
    if (this.#socket !== null) this.#uws.us_listen_socket_close(this.#socket);
    this.#socket = null;
    if (this.#active > 0) {
      let timer: NodeJS.Timeout | undefined;
      await new Promise<void>((resolve) => {
        this.#whenIdle = resolve;
        timer = setTimeout(resolve, graceMs);
      });
      clearTimeout(timer);
    }
    this.#app.close();
  }

  slow(write: SlowWrite): void {
    this.#slow.add(write);
  }

  done(exchange: Exchange, status: number): void {
    this.#slow.remove(exchange);
    const seconds = (performance.now() - exchange.startedAtMs) / 1000;
    const { requestId, route } = exchange;
    this.#services.metrics.answered(route, status, seconds);
    this.#services.log.debug({ msg: 'answered', requestId, route, status, seconds });
    this.#active -= 1;
    if (this.#active === 0) this.#whenIdle?.();
  }

  failed(exchange: Exchange, error: unknown): void {
    const { requestId, route } = exchange;
    this.#services.log.error({ msg: 'file not sent', requestId, route, err: describeError(error) });
  }

  /** The one place that sees requests: everything of them is read here, before any await. */
  #receive(res: UwsResponse, req: UwsRequest): void {
    const { headers, fault } = readHeaders(req);
    const exchange = new Exchange(res, req.getCaseSensitiveMethod(), headers, this);
    this.#active += 1;
    const match = this.#router.match(exchange.method, req.getUrl());
    const route = match.kind === 'found' ? match.route : null;
    exchange.route = route === null ? '' : `${exchange.method} ${route.path}`;
    if (fault !== '') {
      this.#refuse(exchange, fail('bad_request', fault), true);
      return;
    }
    if (headers.chunked || headers.contentLength > 0) {
      const bytesMax = route?.kind === 'guarded' ? route.bodyBytesMax : 0;
      const drainMax = LIMITS.bodyDrainBytesMax;
      exchange.body = new BodyReader(res, headers.contentLength, bytesMax, drainMax);
    }
    void this.#answer(exchange, match, req.getQuery());
  }

  /** The edge of the gateway: every way a request can end, ends here. */
  async #answer(exchange: Exchange, match: Match, query: string): Promise<void> {
    try {
      const outcome = await this.#decide(exchange, match, query);
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

  async #decide(exchange: Exchange, match: Match, query: string): Promise<Outcome<Reply>> {
    if (match.kind === 'unknown') return fail('not_found', 'There is no such address.');
    if (match.kind === 'wrong_method') {
      exchange.extraHeaders = { Allow: match.allow };
      return fail('method_not_allowed');
    }
    const { route, params } = match;
    if (route.kind === 'public') return route.run({ exchange, params, query });
    // What came over a connection that was open already: it ends with this answer.
    if (this.#socket === null) return fail('overloaded', 'The service is stopping.');

    const known = this.#authenticator.identify(exchange.headers);
    const principal = known instanceof Promise ? await known : known;
    if (principal === null) return fail('unauthenticated');
    exchange.caller = principal.id;
    const refusal =
      this.#admit(exchange, route, principal) ?? (await this.#count(exchange, route, principal));
    if (refusal !== null) return refusal;
    const body = await receiveBody(exchange, route);
    if (!body.ok) return body;
    return route.run({ exchange, params, query, principal, body: body.value });
  }

  #admit(exchange: Exchange, route: GuardedRoute, principal: Principal): Failure | null {
    const refusal = refuseAccess(principal, route.access);
    if (refusal !== null) return refusal;
    if (principal.kind === 'key' || route.method === 'GET') return null;
    return refuseCrossSite(exchange.headers, this.#origin);
  }

  async #count(
    exchange: Exchange,
    route: GuardedRoute,
    principal: Principal,
  ): Promise<Failure | null> {
    if (!route.counted) return null;
    const own = principal.kind === 'key' ? principal.rateLimitPerMinute : null;
    const perMinute = own ?? this.#options.rateLimitPerMinute;
    const verdict = await this.#rateLimiter.count(principal.id, perMinute);
    if (verdict.allowed) return this.#turnAway(principal);
    exchange.retryAfterSeconds = Math.max(1, Math.ceil(verdict.retryAfterMs / 1000));
    return fail('rate_limited');
  }

  #turnAway(principal: Principal): Failure | null {
    const isFlood = this.#services.door.refuses(principal.id, performance.now());
    return isFlood ? fail('overloaded') : null;
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
    if (exchange.route === GENERATE && exchange.serverTiming === '') {
      exchange.serverTiming = `total;dur=${(performance.now() - exchange.startedAtMs).toFixed(3)}`;
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

const NO_BODY = { ok: true, value: new Uint8Array(0) } as const;

async function receiveBody(exchange: Exchange, route: GuardedRoute): Promise<Outcome<Uint8Array>> {
  const { body } = exchange;
  if (body === null || route.bodyBytesMax === 0) return NO_BODY;
  await body.ended;
  if (body.tooLarge) {
    const bytes = route.bodyBytesMax;
    return fail('payload_too_large', `The request body is larger than ${bytes} bytes.`);
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
