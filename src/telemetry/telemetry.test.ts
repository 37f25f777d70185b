import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import t, { type Test } from 'tap';

import { post, startTestService, type TestService } from '../../lab/service/gateway.ts';
import { until } from '../../test/instances/pair.ts';
import { sourceFiles, valueImportsOf } from '../../lab/source.ts';
import { openTelemetry, type Telemetry } from './open.ts';
import { samplerOf } from './sampler.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
const UNTIL_MS = 180_000;

/** A span in OTLP's JSON; times are nanoseconds as strings. */
interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: unknown }[];
  readonly status: { readonly code?: number };
}

interface Metric {
  readonly name: string;
  readonly sum?: { readonly dataPoints: readonly { readonly asDouble: number }[] };
  readonly histogram?: {
    readonly dataPoints: readonly {
      readonly count: number;
      readonly bucketCounts: readonly number[];
      readonly explicitBounds: readonly number[];
    }[];
  };
}

interface Collector {
  readonly spans: Span[];
  readonly metrics: Map<string, Metric>;
  readonly bodies: string[];
}

/** A collector that records what it gets; the exporters find it by the standard variables. */
async function startCollector(t: Test): Promise<Collector> {
  const collector: Collector = { spans: [], metrics: new Map(), bodies: [] };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      collector.bodies.push(text);
      // The exporters send it; a body of another shape would fail the test below.
      const body = JSON.parse(text) as {
        resourceSpans?: { scopeSpans: { spans: Span[] }[] }[];
        resourceMetrics?: { scopeMetrics: { metrics: Metric[] }[] }[];
      };
      for (const { scopeSpans } of body.resourceSpans ?? []) {
        for (const { spans } of scopeSpans) collector.spans.push(...spans);
      }
      for (const { scopeMetrics } of body.resourceMetrics ?? []) {
        for (const { metrics } of scopeMetrics) {
          for (const metric of metrics) collector.metrics.set(metric.name, metric);
        }
      }
      response.setHeader('content-type', 'application/json');
      response.end('{}');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // A server that listens on TCP has an address of this type.
  const { port } = server.address() as AddressInfo;
  setVariable(t, 'OTEL_EXPORTER_OTLP_ENDPOINT', `http://127.0.0.1:${port}`);
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return collector;
}

/** The SDK reads the environment of the process. */
function setVariable(t: Test, name: string, value: string): void {
  const before = process.env[name];
  process.env[name] = value;
  t.teardown(() => {
    if (before === undefined) Reflect.deleteProperty(process.env, name);
    else process.env[name] = before;
  });
}

async function start(
  t: Test,
  env: Record<string, string>,
): Promise<{ readonly service: TestService; readonly telemetry: Telemetry }> {
  const exposition = { read: () => Promise.resolve('') };
  const telemetry = openTelemetry({
    traces: true,
    exposition: () => exposition.read(),
    env: { OTEL_BSP_SCHEDULE_DELAY: '50', OTEL_METRIC_EXPORT_INTERVAL: '100', ...env },
    log: pino({ level: 'silent' }),
  });
  const parts = telemetry.tracing === null ? {} : { tracing: telemetry.tracing };
  const service = await startTestService(t, { parts });
  exposition.read = () => service.gateway.exposition();
  // The last teardown runs first: metrics are read until telemetry ends, which probes the store.
  t.teardown(() => telemetry.close());
  return { service, telemetry };
}

async function generate(
  { url, key, publish }: TestService,
  headers: Record<string, string>,
): Promise<number> {
  await publish('bank', 'letter');
  const apiKey = await key('bank', ['generate']);
  const { status } = await post(
    `${url}/v1/generate`,
    { 'x-api-key': apiKey, ...headers },
    {
      templateId: 'letter',
      mode: 'async',
      data: { customer: 'Somchai Secret' },
      options: { protection: { ownerPassword: 'hunter22' } },
    },
  );
  return status;
}

/** Times are computed in milliseconds since the epoch as doubles, which are not more precise. */
const ROUNDING_NS = 1_000n;
const STAGES = [
  'admission',
  'queue',
  'contract',
  'template',
  'layout',
  'pdf',
  'post',
  'protect',
  'store',
];

t.test('a request is a span of the caller, and its stages are its children', async (t) => {
  const collector = await startCollector(t);
  const { service } = await start(t, {});
  const traceparent = `00-${TRACE}-${PARENT}-01`;
  t.equal(await generate(service, { traceparent }), 201);
  const root = (): Span | undefined => collector.spans.find((span) => span.parentSpanId === PARENT);
  await until(() => Promise.resolve(root() !== undefined), UNTIL_MS);
  const found = root();
  if (found === undefined) throw new Error('no span of the request');
  const { spanId, name, attributes, startTimeUnixNano, endTimeUnixNano } = found;
  t.equal(name, 'POST /v1/generate');
  t.match(
    Object.fromEntries(attributes.map(({ key, value }) => [key, value])),
    {
      'http.route': { stringValue: '/v1/generate' },
      'http.response.status_code': { intValue: 201 },
      'client.address': { stringValue: '127.0.0.1' },
    },
    'as the semantic conventions name them',
  );
  const children = collector.spans.filter((span) => span.parentSpanId === spanId);
  t.strictSame(children.map((span) => span.name).toSorted(), STAGES.toSorted());
  const timesOf = (stage: string): readonly [bigint, bigint] => {
    const span = children.find((child) => child.name === stage);
    return [BigInt(span?.startTimeUnixNano ?? 0), BigInt(span?.endTimeUnixNano ?? 0)];
  };
  // The fake renderers report invented times, so that later stages may begin earlier.
  for (const stages of [STAGES.slice(0, -2), ['admission', 'protect', 'store']]) {
    let at = BigInt(startTimeUnixNano);
    for (const stage of stages) {
      const [from, to] = timesOf(stage);
      t.ok(from + ROUNDING_NS >= at && to >= from, `${stage} begins when the one before it ends`);
      at = to;
    }
  }
  const [, storedAt] = timesOf('store');
  t.ok(storedAt <= BigInt(endTimeUnixNano) + ROUNDING_NS, 'and all end within the request');
  t.ok(collector.spans.every((span) => span.traceId === TRACE));
  const line = service.logged.find((text) => text.includes('"answered"'));
  t.match(line, `"trace_id":"${TRACE}"`);
  t.notMatch(collector.bodies.join(''), /Somchai|hunter22|x-api-key/i, 'no payload, no secret');
});

t.test('a request that is not sampled is not exported, but has an id in the log', async (t) => {
  const collector = await startCollector(t);
  const { service, telemetry } = await start(t, {
    OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
    OTEL_TRACES_SAMPLER_ARG: '0',
  });
  t.equal(await generate(service, {}), 201);
  t.equal(await generate(service, { traceparent: `00-${TRACE}-${PARENT}-00` }), 201);
  await telemetry.close();
  t.strictSame(collector.spans, []);
  const ids = service.logged.join('').match(/"trace_id":"[0-9a-f]{32}"/g) ?? [];
  t.equal(ids.length, 2);
  t.match(ids[1], TRACE);
});

t.test('a malformed traceparent starts a new trace', async (t) => {
  const collector = await startCollector(t);
  const { service } = await start(t, {});
  const wrong = [
    `00-${'0'.repeat(32)}-${PARENT}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `ff-${TRACE}-${PARENT}-01`,
    `00-${TRACE}-${PARENT}-01-more`,
    `00-${TRACE.toUpperCase()}-${PARENT}-01`,
    'nonsense',
  ];
  for (const traceparent of wrong) t.equal(await generate(service, { traceparent }), 201);
  const roots = (): Span[] => collector.spans.filter(({ name }) => name === 'POST /v1/generate');
  await until(() => Promise.resolve(roots().length === wrong.length), UNTIL_MS);
  t.equal(new Set(roots().map((span) => span.traceId)).size, wrong.length);
  t.ok(roots().every((span) => span.traceId !== TRACE && !span.parentSpanId));
});

t.test('a request without a known caller is not traced', async (t) => {
  const collector = await startCollector(t);
  const { service, telemetry } = await start(t, {});
  const traceparent = `00-${TRACE}-${PARENT}-01`;
  const { status } = await post(`${service.url}/v1/generate`, { traceparent }, {});
  t.equal(status, 401);
  await telemetry.close();
  t.strictSame(collector.spans, []);
});

t.test('the figures of /metrics are exported as they are', async (t) => {
  const collector = await startCollector(t);
  const { service } = await start(t, {});
  t.equal(await generate(service, {}), 201);
  const counted = (): number =>
    collector.metrics.get('intaglio_pages_total')?.sum?.dataPoints[0]?.asDouble ?? 0;
  await until(() => Promise.resolve(counted() === 1), UNTIL_MS);
  const points = collector.metrics.get('intaglio_stage_seconds')?.histogram?.dataPoints ?? [];
  t.ok(points.length > 5);
  for (const { count, bucketCounts, explicitBounds } of points) {
    t.equal(bucketCounts.length, explicitBounds.length + 1, 'a bucket beyond the last bound');
    t.equal(
      bucketCounts.reduce((sum, one) => sum + one, 0),
      count,
    );
  }
});

t.test('a collector that is down does not affect requests', async (t) => {
  setVariable(t, 'OTEL_EXPORTER_OTLP_ENDPOINT', 'http://127.0.0.1:9');
  // Otherwise the test would wait for the last attempt.
  setVariable(t, 'OTEL_EXPORTER_OTLP_TIMEOUT', '500');
  const { service } = await start(t, {});
  for (let count = 0; count < 20; count += 1) t.equal(await generate(service, {}), 201);
});

t.test('samplers by their standard names', async (t) => {
  t.match(String(samplerOf({})), /ParentBased.*AlwaysOn/);
  t.match(String(samplerOf({ OTEL_TRACES_SAMPLER: 'always_off' })), /^AlwaysOff/);
  const ratio = { OTEL_TRACES_SAMPLER: 'traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.1' };
  t.match(String(samplerOf(ratio)), /TraceIdRatioBased\{0\.1\}/);
  t.throws(() => samplerOf({ ...ratio, OTEL_TRACES_SAMPLER_ARG: '2' }), /allowed: 0 to 1/);
  t.throws(() => samplerOf({ OTEL_TRACES_SAMPLER: 'sometimes' }), /allowed: always_on/);
});

t.test('a service without telemetry does not load it', async (t) => {
  const modules = sourceFiles('src/**/*.ts').filter(({ path }) => !path.endsWith('.test.ts'));
  const loaders = modules
    .filter(({ path }) => !path.startsWith('src/telemetry/'))
    .filter((module) =>
      valueImportsOf(module).some((name) => /^(?:src\/telemetry\/|@opentelemetry)/.test(name)),
    )
    .map(({ path }) => path);
  t.strictSame(loaders, []);
});
