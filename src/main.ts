import { ConfigError, storeSettings, unknownSettings, type Config } from './config.ts';
import { ListenError } from './gateway/http/http-server.ts';
import { startGateway, type Gateway } from './gateway/server.ts';
import { openSharedRateLimiter, type SharedRateLimiter } from './gateway/shared-rate.ts';
import type { GatewayOptions, GatewayParts } from './gateway/types.ts';
import { describeError, type Log } from './log.ts';
import { readFontsFolder, startRenderers } from './renderers.ts';
import { linkSecrets } from './secrets.ts';
import { connectionOptions } from './store/mysql.ts';
import { openStore } from './store/open.ts';
import type { Store } from './store/store.ts';
import type { Upstream } from './store/commits.ts';
import type { Pool } from './workers/pool/pool.ts';
import { createProtector, type Protector } from './workers/post/protect.ts';

/** One renderer more than work at a time, ready for when another has to be ended. */
const SPARE_THREADS = 1;

/** A running service. */
export interface Service {
  /** What callers reach it by. */
  readonly url: string;
  readonly store: Store;
  /** Stops accepting, finishes what runs within the configured time, closes everything. */
  stop(): Promise<void>;
}

interface Parts {
  readonly store: Store;
  readonly pool: Pool;
  readonly protector: Protector;
}

/** Wires settings, store, renderers and gateway; resolves when requests are answered. */
export async function startService(config: Config, log: Log): Promise<Service> {
  const opened: (() => Promise<void>)[] = [];
  try {
    return await start(config, log, opened);
  } catch (error) {
    // Nothing that was started may keep a service alive that does not serve.
    for (const close of opened.toReversed()) await close();
    throw error;
  }
}

async function start(config: Config, log: Log, opened: (() => Promise<void>)[]): Promise<Service> {
  // First: its fork copies the memory this process has, and that is least now.
  const protector = createProtector({
    qpdf: config.qpdf,
    timeoutMs: config.renderTimeoutMs,
    concurrencyMax: config.poolThreads,
  });
  opened.push(async () => protector.close());
  let pool: Pool | null = null;
  const store = await openStore({
    ...storeSettings(config, (message) => log.warn({ msg: message })),
    upstream: () => (pool === null ? 'idle' : upstreamOf(pool)),
  });
  opened.push(async () => store.close());
  await store.migrate();
  for (const font of readFontsFolder(config)) log.warn({ msg: 'font file left out', ...font });
  const renderers = startRenderers(
    config,
    config.poolThreads,
    (fault) => log.error({ msg: 'renderer fault', ...fault }),
    SPARE_THREADS,
  );
  pool = renderers;
  opened.push(async () => renderers.close(0));
  await renderers.ready();
  const rateLimiter = await sharedRateLimiter(config);
  if (rateLimiter !== null) opened.push(async () => rateLimiter.close());
  const shared = rateLimiter === null ? {} : { rateLimiter };
  const gateway = await listen(config, { store, pool, protector, log, ...shared });
  const sweeping = startSweeping(store, config.sweepIntervalSeconds * 1000, log);
  log.info({ msg: 'listening', url: gateway.url, connectionsMax: gateway.connectionsMax });
  return {
    url: gateway.url,
    store,
    stop: async () => {
      sweeping.stop();
      await stop(gateway, { store, pool, protector }, config.shutdownTimeoutMs);
      await rateLimiter?.close();
    },
  };
}

/** The store gathers commits while documents wait for a renderer anyway. */
function upstreamOf(pool: Pool): Upstream {
  const { running, queued } = pool.stats();
  if (queued > 0) return 'backlogged';
  return running > 0 ? 'busy' : 'idle';
}

/** Instances that share a database count their callers together; an embedded one is alone. */
async function sharedRateLimiter(config: Config): Promise<SharedRateLimiter | null> {
  if (!config.databaseUrl.startsWith('mysql:')) return null;
  return openSharedRateLimiter(connectionOptions(config.databaseUrl));
}

async function listen(config: Config, parts: GatewayParts): Promise<Gateway> {
  try {
    return await startGateway(gatewayOptions(config), parts);
  } catch (error) {
    if (!(error instanceof ListenError)) throw error;
    throw new ConfigError(`${error.message} (INTAGLIO_HOST, INTAGLIO_PORT): is it taken?`);
  }
}

async function stop(gateway: Gateway, parts: Parts, timeoutMs: number): Promise<void> {
  const endMs = performance.now() + timeoutMs;
  const leftMs = (): number => Math.max(0, endMs - performance.now());
  await gateway.close(leftMs());
  await parts.pool.close(leftMs());
  await parts.protector.close();
  await parts.store.close();
}

function gatewayOptions(config: Config): GatewayOptions {
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecret: clientSecret } = config;
  const hasOidc = issuer !== null && clientId !== null && clientSecret !== null;
  return {
    host: config.host,
    port: config.port,
    baseUrl: config.baseUrl,
    bodyBytesMax: config.bodyBytesMax,
    bodyMemoryMb: config.bodyMemoryMb,
    rateLimitPerMinute: config.rateLimitPerMinute,
    retentionSeconds: config.retentionSeconds,
    linkTtlSeconds: config.linkTtlSeconds,
    linkSecrets: linkSecrets(config),
    sessionTtlSeconds: config.sessionTtlSeconds,
    templateCacheMb: config.templateCacheMb,
    oidc: hasOidc
      ? {
          issuer,
          clientId,
          clientSecret,
          teamClaim: config.oidcTeamClaim,
          roleClaim: config.oidcRoleClaim,
        }
      : null,
  };
}

/** Sweeps at once, then again after each pause; a failed sweep is tried again after the next. */
function startSweeping(store: Store, pauseMs: number, log: Log): { stop: () => void } {
  let timer: NodeJS.Timeout | null = null;
  let stopped = false;
  const sweep = async (): Promise<void> => {
    try {
      const { expired, orphans } = await store.documents.sweep(Date.now());
      if (expired + orphans > 0) log.info({ msg: 'swept', expired, orphans });
    } catch (error) {
      if (!stopped) log.warn({ msg: 'sweep failed', err: describeError(error) });
    }
    if (stopped) return;
    timer = setTimeout(() => void sweep(), pauseMs);
    timer.unref();
  };
  void sweep();
  return {
    stop: () => {
      stopped = true;
      if (timer !== null) clearTimeout(timer);
    },
  };
}

/**
 * Runs the service until SIGTERM or SIGINT; resolves when it has stopped. A second signal ends the
 * process at once. A bug that nothing caught is logged and ends the process with 1: what state it
 * left is unknown, and every acknowledged document is durable.
 */
export async function serve(config: Config, log: Log): Promise<void> {
  const crash = (kind: string, error: unknown): never => {
    log.fatal({ msg: kind, err: describeError(error) });
    process.exit(1);
  };
  process.on('uncaughtException', (error) => crash('uncaught exception', error));
  process.on('unhandledRejection', (error) => crash('unhandled rejection', error));
  for (const name of unknownSettings(process.env)) {
    log.warn({ msg: 'unknown setting ignored', variable: name });
  }
  const signal = nextSignal();
  const service = await startService(config, log);
  log.info({ msg: 'stopping', signal: await signal });
  void nextSignal().then(() => process.exit(1));
  await service.stop();
  log.info({ msg: 'stopped' });
}

/** Resolves at the next SIGTERM or SIGINT, which then no longer ends the process by itself. */
export async function nextSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    const take = (signal: NodeJS.Signals): void => {
      process.off('SIGTERM', take).off('SIGINT', take);
      resolve(signal);
    };
    process.on('SIGTERM', take).on('SIGINT', take);
  });
}
