import { choice } from './setting.ts';

/** Settings that switch OpenTelemetry on; its own variables (OTEL_…) configure it. */
export const TELEMETRY = {
  traces: choice(
    'INTAGLIO_TRACES',
    '0',
    ['0', '1'],
    '1: requests are traced and sent to OTEL_EXPORTER_OTLP_ENDPOINT by OTLP over HTTP.',
  ),
  otlpMetrics: choice(
    'INTAGLIO_OTLP_METRICS',
    '0',
    ['0', '1'],
    '1: the figures of /metrics are sent there too.',
  ),
} as const;
