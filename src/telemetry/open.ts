import { diag, DiagLogLevel } from '@opentelemetry/api';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import {
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
} from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';

import type { Tracing } from '../gateway/tracing.ts';
import { type Log, RepeatedWarning } from '../log/log.ts';
import { packageVersion } from '../runtime/package-version.ts';
import { within } from '../runtime/within.ts';
import { metricsOf } from './exposition-metrics.ts';
import { samplerOf } from './sampler.ts';
import { createTracing } from './traces.ts';

type Environment = Readonly<Record<string, string | undefined>>;

const SERVICE_NAME = 'intaglio';
/** Limit of the spans in an export: serializing more would block the main thread for too long. */
const EXPORT_SPANS_MAX = 128;
/** Limit of the spans that wait for a slow or unreachable collector; further ones are dropped. */
const WAITING_SPANS_MAX = 4_096;
/** Defaults of OTEL_BSP_SCHEDULE_DELAY and OTEL_METRIC_EXPORT_INTERVAL. */
const SPANS_INTERVAL_MS = 5_000;
const METRICS_INTERVAL_MS = 60_000;
const EXPORT_TIMEOUT_MS = 10_000;
/** Time to deliver the last spans to a collector, with all retries. */
const CLOSE_MS_MAX = 2_000;

/** Which signals are exported, and what they are made from. */
export interface TelemetryOptions {
  readonly traces: boolean;
  /** The text of /metrics; null: metrics are not exported. */
  readonly exposition: (() => Promise<string>) | null;
  readonly env: Environment;
  readonly log: Log;
}

/** The running telemetry. */
export interface Telemetry {
  /** null: requests are not traced. */
  readonly tracing: Tracing | null;
  /** Exports the remaining spans and metrics; never rejects. */
  close(): Promise<void>;
}

/**
 * Exports traces and metrics to a collector by OTLP over HTTP, as JSON. OpenTelemetry's own
 * variables (OTEL_…) set the address, headers and sampling. Throws SamplerError.
 */
export function openTelemetry(options: TelemetryOptions): Telemetry {
  reportFailures(options.log);
  const resource = serviceResource();
  const closers: (() => Promise<void>)[] = [];
  let tracing: Tracing | null = null;
  if (options.traces) {
    const provider = tracerProvider(resource, options.env);
    tracing = createTracing(provider.getTracer(SERVICE_NAME));
    closers.push(() => provider.shutdown());
  }
  if (options.exposition !== null) {
    const provider = meterProvider(resource, options.exposition, options.env);
    closers.push(() => provider.shutdown());
  }
  return {
    tracing,
    close: async () => {
      const closed = Promise.allSettled(closers.map((close) => close()));
      await within(closed, CLOSE_MS_MAX, () => undefined);
    },
  };
}

/** The attributes of the service, overridden by OTEL_SERVICE_NAME and OTEL_RESOURCE_ATTRIBUTES. */
function serviceResource(): Resource {
  const own = resourceFromAttributes({
    'service.name': SERVICE_NAME,
    'service.version': packageVersion(),
    'process.pid': process.pid,
  });
  return own.merge(detectResources({ detectors: [envDetector] }));
}

function tracerProvider(resource: Resource, env: Environment): TracerProvider {
  const processor = new BatchSpanProcessor({
    exporter: new OTLPTraceExporter(),
    maxExportBatchSize: EXPORT_SPANS_MAX,
    maxQueueSize: WAITING_SPANS_MAX,
    scheduledDelayMillis: readMs(env['OTEL_BSP_SCHEDULE_DELAY'], SPANS_INTERVAL_MS),
    exportTimeoutMillis: EXPORT_TIMEOUT_MS,
  });
  return new TracerProvider({ resource, sampler: samplerOf(env), spanProcessors: [processor] });
}

function meterProvider(
  resource: Resource,
  exposition: () => Promise<string>,
  env: Environment,
): MeterProvider {
  const startTime = timeOf(performance.timeOrigin);
  const producer = {
    collect: async () => {
      const metrics = metricsOf(await exposition(), { startTime, endTime: timeOf(Date.now()) });
      const scopeMetrics = [{ scope: { name: SERVICE_NAME }, metrics }];
      return { resourceMetrics: { resource, scopeMetrics }, errors: [] };
    },
  };
  const intervalMs = readMs(env['OTEL_METRIC_EXPORT_INTERVAL'], METRICS_INTERVAL_MS);
  const reader = new PeriodicExportingMetricReader({
    exporter: new OTLPMetricExporter(),
    exportIntervalMillis: intervalMs,
    exportTimeoutMillis: Math.min(EXPORT_TIMEOUT_MS, intervalMs),
    metricProducers: [producer],
  });
  return new MeterProvider({ resource, readers: [reader] });
}

/** Seconds and nanoseconds. */
function timeOf(ms: number): [number, number] {
  return [Math.floor(ms / 1000), Math.round((ms % 1000) * 1_000_000)];
}

function readMs(text: string | undefined, preset: number): number {
  return text !== undefined && /^[1-9]\d{0,8}$/.test(text) ? Number(text) : preset;
}

const ignore = (): void => undefined;

/** Logs only that an export failed, because the SDK's messages quote responses of the collector. */
function reportFailures(log: Log): void {
  const warning = new RepeatedWarning(log, 'traces or metrics not exported');
  const report = (): void => warning.warn({});
  const logger = { error: report, warn: report, info: ignore, debug: ignore, verbose: ignore };
  diag.setLogger(logger, { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true });
}
