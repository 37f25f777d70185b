import { setTimeout as pause } from 'node:timers/promises';

import { startSealing } from './audit-sealing.ts';
import { ConfigError, nearestSetting, unknownSettings, type Config } from '../settings/config.ts';
import { endAtOnce, endProcess } from './ending.ts';
import { ListenError } from '../gateway/http/http-server.ts';
import { startGateway, type Gateway } from '../gateway/server.ts';
import { openSharedRateLimiter, type SharedRateLimiter } from '../gateway/callers/shared-rate.ts';
import type { GatewayOptions, GatewayParts } from '../gateway/types.ts';
import { missingKeysReport, startSweeping } from './sweeping.ts';
import { describeError, flushLog, type Log } from '../log/log.ts';
import { installationIfKnown } from './installation.ts';
import { watchKeys } from './key-source.ts';
import { readFontsFolder, startRenderers } from './renderers.ts';
import { startRunEngine, type RunEngine } from '../runs/engine.ts';
import { requestSettings } from '../settings/requests.ts';
import { watchSecrets, type LiveSecrets } from './rotation.ts';
import { connectionOptions, followLogin } from '../store/database/mysql.ts';
import type { Store } from '../store/store.ts';
import type { Upstream } from '../store/database/commits.ts';
import {
  closeStore,
  demandOwnFiles,
  migrateStore,
  openConfiguredStore,
  tryFiles,
} from './storage.ts';
import { buildStudio, STUDIO_FOLDER } from './studio-build.ts';
import { within } from '../runtime/within.ts';
import type { Pool, PoolFault } from '../workers/pool/pool.ts';
import type { Signing } from '../sign/signing.ts';
import { openSigning } from './signing-setup.ts';
import type { Telemetry } from '../telemetry/open.ts';
import { createProtector, type Protector } from '../protect/protector.ts';

/** Renderers kept in addition, to replace one that has to be ended. */
const SPARE_THREADS = 1;

/** A running service. */
export interface Service {
  /** Its public address. */
  readonly url: string;
  readonly store: Store;
  /**
   * Stops gracefully: makes `/readyz` answer 503 and serves on for the configured time, then stops
   * accepting, finishes running requests within the configured time and closes everything. False:
   * the storage did not close in time.
   */
  stop(): Promise<boolean>;
}

/** What `stop` closes, beside the gateway. */
interface ServiceParts {
  readonly store: Store;
  readonly pool: Pool;
  readonly protector: Protector;
  readonly rateLimiter: SharedRateLimiter | null;
  readonly runs: RunEngine;
  readonly telemetry: Telemetry | null;
}

/** Timeout for closing when there are no requests to finish. */
const CLOSE_MS_MAX = 1_000;
/** Minimum time for the storage to close, even when requests took all of the time. */
const STORE_CLOSE_MS_MIN = 200;

/** The load before the renderers run, and the text of /metrics before the gateway does. */
const noLoad = (): Upstream => 'idle';
const noExposition = (): Promise<string> => Promise.resolve('');

/** The parts of a service that is starting, which a failed start closes again. */
class OpenedParts {
  readonly #closes: (() => Promise<unknown>)[] = [];

  /** Adds a part and returns it. */
  keep<Part>(part: Part, close: (part: Part) => unknown): Part {
    this.#closes.push(async () => close(part));
    return part;
  }

  /** Closes the parts, the last one first. */
  async closeAll(): Promise<void> {
    for (const close of this.#closes.toReversed()) {
      await within(close(), CLOSE_MS_MAX, () => undefined);
    }
  }
}

/**
 * Starts store, renderers and gateway with the settings; resolves when requests are served. Calls
 * `beforeListening` when everything but listening has succeeded.
 */
export async function startService(
  config: Config,
  log: Log,
  beforeListening: () => void = () => undefined,
): Promise<Service> {
  const opened = new OpenedParts();
  try {
    return await start(config, log, beforeListening, opened);
  } catch (error) {
    // After a failed start, nothing may keep the process alive.
    await opened.closeAll();
    throw error;
  }
}

async function start(
  config: Config,
  log: Log,
  beforeListening: () => void,
  opened: OpenedParts,
): Promise<Service> {
  // This comes first: it forks, which is cheapest while the process is small.
  const protector = opened.keep(openProtector(config), (part) => part.close());
  const secrets = opened.keep(watchSecrets(config, process.env, log), (part) => part.stop());
  const keys = await watchKeys(config, process.env, log);
  const encryption = opened.keep(keys, (part) => part.stop());
  // The store asks for the load of the renderers, which start after it.
  let upstream = noLoad;
  const store = await openConfiguredStore(config, (message) => log.warn({ msg: message }), {
    upstream: () => upstream(),
    databaseLogin: secrets.databaseLogin,
    encryption,
  });
  opened.keep(store, closeStore);
  // Migrating also compares the database with what the file store remembers of it.
  await tryFiles(config);
  await migrateStore(store, config);
  await demandOwnFiles(store, config);
  const reportMissingKeys = missingKeysReport(store.fileKeys, log);
  await reportMissingKeys();
  // This comes after the database, whose fault is the one to report.
  secrets.linkSecrets();
  const signing = await openSigning(config, store, log);
  const pool = opened.keep(await openRenderers(config, log), (part) => part.close(0));
  upstream = () => upstreamOf(pool);
  await pool.ready();
  const rateLimiter = await sharedRateLimiter(config, secrets);
  if (rateLimiter !== null) opened.keep(rateLimiter, (part) => part.close());
  const runs = await startRuns(config, { store, pool, log, protector, signing });
  opened.keep(runs, (part) => part.close());
  beforeListening();
  // Telemetry exports the figures of the gateway, which starts after it.
  let exposition = noExposition;
  const telemetry = await startTelemetry(config, log, () => exposition());
  if (telemetry !== null) opened.keep(telemetry, (part) => part.close());
  const gateway = await listen(gatewayOptions(config, secrets, await installationIfKnown(store)), {
    store,
    pool,
    protector,
    signing,
    log,
    runs,
    tracing: telemetry?.tracing ?? undefined,
    ...(rateLimiter === null ? {} : { rateLimiter }),
  });
  exposition = () => gateway.exposition();
  const sweepMs = config.sweepIntervalSeconds * 1000;
  const sweeping = startSweeping(store.documents, reportMissingKeys, sweepMs, log);
  const sealing = startSealing(store.seals, log);
  void buildStudio((message) => log.warn({ msg: message }));
  log.info({ msg: 'listening', url: gateway.url, connectionsMax: gateway.connectionsMax });
  const stopService = async (): Promise<boolean> => {
    for (const part of [sweeping, sealing, secrets, encryption]) part.stop();
    gateway.drain();
    await pause(config.drainMs);
    const parts = { store, pool, protector, rateLimiter, runs, telemetry };
    return stop(gateway, parts, config.shutdownTimeoutMs);
  };
  return { url: gateway.url, store, stop: stopService };
}

function openProtector({ qpdf, renderTimeoutMs, poolThreads }: Config): Protector {
  return createProtector({ qpdf, timeoutMs: renderTimeoutMs, concurrencyMax: poolThreads });
}

async function openRenderers(config: Config, log: Log): Promise<Pool> {
  for (const font of await readFontsFolder(config))
    log.warn({ msg: 'font file left out', ...font });
  const onFault = (fault: PoolFault): void => log.error({ msg: 'renderer fault', ...fault });
  return startRenderers(config, config.poolThreads, onFault, SPARE_THREADS);
}

/** The load of the renderers, by which the store chooses how long it gathers commits. */
function upstreamOf(pool: Pool): Upstream {
  const { running, queued, threads } = pool.stats();
  if (queued > 0) return 'backlogged';
  if (running > 2 * threads) return 'laden';
  return running > 0 ? 'busy' : 'idle';
}

/** Starts the engine of runs; loads BullMQ only when a queue is configured. */
async function startRuns(
  { queueUrl: url, poolThreads: threads }: Config,
  parts: {
    readonly store: Store;
    readonly pool: Pool;
    readonly log: Log;
    readonly protector: Protector;
    readonly signing: Signing | undefined;
  },
): Promise<RunEngine> {
  if (url === null) return startRunEngine({ ...parts, threads });
  const { RunQueue } = await import('../runs/queue.ts');
  const database = await parts.store.databaseId();
  const { log } = parts;
  return startRunEngine({
    ...parts,
    threads,
    openQueue: (options) => new RunQueue({ url, database, log, ...options }),
  });
}

/**
 * A rate limiter that instances on a shared database have in common; none for an embedded database.
 */
async function sharedRateLimiter(
  config: Config,
  { databaseLogin }: LiveSecrets,
): Promise<SharedRateLimiter | null> {
  if (!config.databaseUrl.startsWith('mysql:')) return null;
  return openSharedRateLimiter(connectionOptions(config.databaseUrl), (counting) =>
    followLogin(counting, databaseLogin),
  );
}

/**
 * Starts telemetry; null: neither traces nor metrics are exported, and the SDK, which costs memory
 * and time, is not loaded.
 */
async function startTelemetry(
  config: Config,
  log: Log,
  exposition: () => Promise<string>,
): Promise<Telemetry | null> {
  const [traces, metrics] = [config.traces === '1', config.otlpMetrics === '1'];
  if (!traces && !metrics) return null;
  const { openTelemetry } = await import('../telemetry/open.ts');
  try {
    return openTelemetry({
      traces,
      exposition: metrics ? exposition : null,
      env: process.env,
      log,
    });
  } catch (error) {
    if (!(error instanceof Error && error.name === 'SamplerError')) throw error;
    throw new ConfigError(error.message);
  }
}

async function listen(options: GatewayOptions, parts: GatewayParts): Promise<Gateway> {
  try {
    return await startGateway(options, parts);
  } catch (error) {
    // Without a reason, the command finds out what holds the port.
    if (!(error instanceof ListenError) || error.reason === '') throw error;
    throw new ConfigError(error.message);
  }
}

/** Closes everything; false: the storage did not close in time. */
async function stop(gateway: Gateway, parts: ServiceParts, timeoutMs: number): Promise<boolean> {
  const endMs = performance.now() + timeoutMs;
  const leftMs = (): number => Math.max(0, endMs - performance.now());
  await Promise.all([gateway.close(leftMs()), parts.runs.close()]);
  await parts.pool.close(leftMs());
  await parts.protector.close();
  const closeMs = Math.max(STORE_CLOSE_MS_MIN, leftMs());
  const storageClosed = Promise.all([parts.store.close(), parts.rateLimiter?.close()]);
  // A collector that hangs must neither delay the end nor count as storage.
  const telemetryClosed = within(
    parts.telemetry?.close() ?? Promise.resolve(),
    closeMs / 2,
    () => undefined,
  );
  const allClosed = Promise.all([storageClosed, telemetryClosed]).then(() => true);
  return within(allClosed, closeMs, () => false);
}

function gatewayOptions(
  config: Config,
  secrets: LiveSecrets,
  installation: string,
): GatewayOptions {
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecret: clientSecret } = config;
  const hasOidc = issuer !== null && clientId !== null && clientSecret !== null;
  return {
    ...requestSettings(config),
    installation,
    host: config.host,
    port: config.port,
    socketMode: config.socketMode,
    tls:
      config.tlsCertFile === null || config.tlsKeyFile === null
        ? null
        : { certFile: config.tlsCertFile, keyFile: config.tlsKeyFile },
    trustedProxies: config.trustedProxies,
    baseUrl: config.baseUrl,
    linkSecrets: secrets.linkSecrets,
    publishApprovals: config.publishApprovals === '1',
    studioFolder: STUDIO_FOLDER,
    oidc: hasOidc
      ? {
          issuer,
          clientId,
          clientSecret: secrets.oidcClientSecret,
          teamClaim: config.oidcTeamClaim,
          roleClaim: config.oidcRoleClaim,
        }
      : null,
  };
}

/** Time for writing the last log lines, whose reader may stall. */
const FLUSH_MS_MAX = 300;
/** Time beyond the timeouts after which the process is ended, whatever still runs. */
const OVERDUE_MS = 500;

/**
 * Runs the service until SIGTERM or SIGINT and then ends the process: with exit code 0, or by
 * SIGKILL when the storage does not close in time. A second signal ends it at once. An uncaught
 * error is logged and ends it, too: the state is then unknown, but every acknowledged document is
 * durable.
 */
export async function serve(config: Config, log: Log): Promise<never> {
  const crash = (kind: string, error: unknown): void => {
    log.fatal({ msg: kind, err: describeError(error) });
    void flushLog(FLUSH_MS_MAX).then(endAtOnce);
  };
  process.on('uncaughtException', (error) => crash('uncaught exception', error));
  process.on('unhandledRejection', (error) => crash('unhandled rejection', error));
  for (const name of unknownSettings(process.env)) {
    log.warn({ msg: 'unknown setting ignored', variable: name, nearest: nearestSetting(name) });
  }
  const forgetStartSignals = endAtSignalDuringStart();
  let signal = Promise.resolve<NodeJS.Signals>('SIGTERM');
  const service = await startService(config, log, () => {
    signal = nextSignal();
    forgetStartSignals();
  });
  log.info({ msg: 'stopping', signal: await signal });
  void endAtNextSignal();
  setTimeout(endAtOnce, config.drainMs + config.shutdownTimeoutMs + OVERDUE_MS).unref();
  const isClosed = await service.stop();
  if (!isClosed) log.error({ msg: 'the storage did not close in time' });
  log.info({ msg: 'stopped' });
  await flushLog(FLUSH_MS_MAX);
  // A handle that a library holds must not keep a stopped service alive.
  return isClosed ? endProcess(0) : endAtOnce();
}

async function endAtNextSignal(): Promise<never> {
  await nextSignal();
  await flushLog(FLUSH_MS_MAX);
  return endAtOnce();
}

/**
 * During the start a signal ends the process by its default action: there is nothing to finish, and
 * this thread may be blocked by the disk. Process 1 of a container has no default action, so it
 * gets a handler. Returns a function that removes it.
 */
function endAtSignalDuringStart(): () => void {
  if (process.pid !== 1) return () => undefined;
  process.on('SIGTERM', endAtOnce).on('SIGINT', endAtOnce);
  return () => void process.off('SIGTERM', endAtOnce).off('SIGINT', endAtOnce);
}

/** Resolves at the next SIGTERM or SIGINT, which does not end the process by itself then. */
export async function nextSignal(): Promise<NodeJS.Signals> {
  return new Promise((resolve) => {
    const take = (signal: NodeJS.Signals): void => {
      process.off('SIGTERM', take).off('SIGINT', take);
      resolve(signal);
    };
    process.on('SIGTERM', take).on('SIGINT', take);
  });
}
