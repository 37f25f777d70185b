import { Authenticator } from './callers/auth.ts';
import { BodyBudget } from './body/body-budget.ts';
import { AttachmentBudget } from './body/attachment-budget.ts';
import { FloodGate } from './callers/flood-gate.ts';
import { connectionsMax } from './http/descriptors.ts';
import { TrustedProxies } from './callers/client-address.ts';
import { KeyWatch } from './callers/key-watch.ts';
import { Lifecycle } from './lifecycle.ts';
import { Listener } from './listener.ts';
import { Links } from './callers/links.ts';
import { Metrics, type MetricsSources } from './metrics/metrics.ts';
import { Misses } from './callers/misses.ts';
import { RunCalls } from './callers/run-calls.ts';
import { TimingMask } from './callers/timing-mask.ts';
import { createMemoryRateLimiter } from './callers/rate.ts';
import type { Services } from './route.ts';
import { Router } from './router.ts';
import { routesOf } from './routes.ts';
import { SlowWrites } from './reply/slow.ts';
import { TemplateCache } from './template-cache.ts';
import type { GatewayOptions, GatewayParts } from './types.ts';
import { warmUp } from './warm.ts';

const MEGABYTE = 1_048_576;

/** A running gateway. */
export interface Gateway {
  /** Public address, without a slash at its end. */
  readonly url: string;
  /** Limit of open connections; further ones are closed at once. */
  readonly connectionsMax: number;
  /** The body of `GET /metrics`. */
  exposition(): Promise<string>;
  /**
   * Makes `/readyz` answer 503; requests are still served, and their connections closed afterwards.
   */
  drain(): void;
  /**
   * Stops accepting, waits at most `graceMs` for running requests, then closes every connection.
   */
  close(graceMs: number): Promise<void>;
}

/** Starts the gateway. Rejects with ListenError when it cannot listen on the address. */
export async function startGateway(options: GatewayOptions, parts: GatewayParts): Promise<Gateway> {
  const server = new Server(options, parts);
  await server.listen();
  server.warmUp();
  return server;
}

/** Wires the parts of the gateway. */
class Server implements Gateway {
  readonly connectionsMax: number;
  readonly #options: GatewayOptions;
  readonly #services: Services;
  readonly #lifecycle: Lifecycle;
  readonly #listener: Listener;
  #url = '';
  #origin = '';
  #draining = false;

  constructor(options: GatewayOptions, parts: GatewayParts) {
    const { store, pool, protector, signing, log, nowMs = Date.now } = parts;
    const templates = new TemplateCache(store, options.templateCacheMb * MEGABYTE);
    const attachmentBudget = new AttachmentBudget();
    const keyWatch = new KeyWatch(store, log, nowMs);
    const authenticator = new Authenticator(store, nowMs, () => performance.now(), keyWatch);
    // A caller gets at most half of this, in which a body of maximum size must fit.
    const bodies = new BodyBudget(bodyBytesOf(options));
    const slow = new SlowWrites();
    this.#options = options;
    this.connectionsMax = options.connectionsMax ?? connectionsMax();
    this.#listener = new Listener(this.connectionsMax, options, log, (request, res) => {
      this.#lifecycle.receive(request, res);
    });
    this.#services = {
      options,
      store,
      pool,
      protector,
      signing,
      log,
      templates,
      links: new Links(options.linkSecrets, options.linkTtlSeconds * 1000, nowMs),
      attachmentBudget,
      floodGate: new FloodGate(pool),
      timingMask: new TimingMask(),
      misses: new Misses(),
      runCalls: new RunCalls(parts.runs?.documents),
      runs: parts.runs,
      metrics: new Metrics({
        pool,
        templates,
        keys: authenticator,
        keyRefusals: keyWatch.refusals,
        active: () => this.#lifecycle.active,
        connections: this.#listener.http,
        certificates: this.#expiries(signing),
        slow,
        bodyBytes: () => bodies.bytes,
        attachmentBytes: () => attachmentBudget.bytes,
        probeStore: () => store.probe(),
        storeFigures: () => store.figures(),
        runFigures: () => parts.runs?.figures() ?? null,
        queueFigures: () => parts.runs?.queueFigures() ?? null,
        ageMsMax: options.metricsAgeMsMax,
        localCalls: () => parts.rateLimiter?.localCalls ?? 0,
      }),
      nowMs,
      baseUrl: () => this.#url,
      isDraining: () => this.#draining,
      isCertificateCurrent: () => this.#listener.isCertificateCurrent,
      identify: async (headers) => authenticator.identify({ headers, client: '' }),
    };
    this.#lifecycle = new Lifecycle({
      services: this.#services,
      router: new Router(routesOf(this.#services)),
      authenticator,
      keyWatch,
      rateLimiter: parts.rateLimiter ?? createMemoryRateLimiter(() => performance.now()),
      bodies,
      slow,
      origin: () => this.#origin,
      proxies: new TrustedProxies(options.trustedProxies ?? []),
      isTls: options.tls !== undefined && options.tls !== null,
      tracing: parts.tracing,
      isListening: () => this.#listener.http.isListening,
    });
  }

  #expiries(signing: GatewayParts['signing']): MetricsSources['certificates'] {
    return {
      tls: () => this.#listener.expiresAtMs,
      signer: () => signing?.expiresAtMs ?? Number.NaN,
    };
  }

  get url(): string {
    return this.#url;
  }

  async listen(): Promise<void> {
    const own = await this.#listener.listen();
    this.#url = (this.#options.baseUrl ?? own).replace(/\/+$/, '');
    this.#origin = new URL(this.#url).origin;
  }

  exposition(): Promise<string> {
    return this.#services.metrics.text();
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
    await this.#lifecycle.idle(graceMs);
    this.#listener.close();
  }
}

/** Bytes of request bodies in memory together: at least two of the largest. */
function bodyBytesOf({ bodyMemoryMb, bodyBytesMax }: GatewayOptions): number {
  return Math.max(bodyMemoryMb * MEGABYTE, 2 * bodyBytesMax);
}
