import {
  createTraceState,
  ROOT_CONTEXT,
  type Context,
  type HrTime,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Tracer,
} from '@opentelemetry/api';

import type { RequestTrace, Tracing } from '../gateway/tracing.ts';

/** W3C Trace Context §3.2.2; version ff is forbidden, a later version may append fields. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/;
/** Length of a header of version 00, which has no further fields. */
const VERSION_00_LENGTH = 55;
const NO_TRACE = '0'.repeat(32);
const NO_SPAN = '0'.repeat(16);

/** Traces requests with OpenTelemetry's SDK. */
export function createTracing(tracer: Tracer): Tracing {
  return {
    begin(startMs, traceparent, tracestate) {
      const parent = parentOf(traceparent, tracestate);
      const startTime = timeOf(startMs);
      const span = tracer.startSpan('request', { kind: SpanKind.SERVER, startTime }, parent);
      return span.isRecording() ? sampled(tracer, span) : notSampled(span.spanContext().traceId);
    },
  };
}

/** The trace of a request that is not sampled: only an id for the log. */
function notSampled(traceId: string): RequestTrace {
  return { traceId, stage: () => undefined, end: () => undefined };
}

function sampled(tracer: Tracer, span: Span): RequestTrace {
  const context = trace.setSpan(ROOT_CONTEXT, span);
  return {
    traceId: span.spanContext().traceId,
    stage(name, startMs, endMs) {
      tracer.startSpan(name, { startTime: timeOf(startMs) }, context).end(timeOf(endMs));
    },
    end(route, status, client) {
      const [method = ''] = route.split(' ');
      span.updateName(route);
      span.setAttributes({
        'http.request.method': method,
        'http.route': route.slice(method.length + 1),
        'client.address': client,
      });
      if (status === 0) span.setAttribute('error.type', 'client_disconnected');
      else span.setAttribute('http.response.status_code', status);
      // A status below 500 is the caller's mistake, not an error of the service.
      if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
      // Without a time it would be the wall clock's, in whole milliseconds: before the last stage's end.
      span.end(timeOf(performance.now()));
    },
  };
}

/** A context with the caller's span, if the header names one. */
function parentOf(traceparent: string, tracestate: string): Context {
  const match = TRACEPARENT.exec(traceparent.trim());
  if (match === null) return ROOT_CONTEXT;
  const [header, version = '', traceId = '', spanId = '', flags = ''] = match;
  const hasMore = header.length > VERSION_00_LENGTH;
  if (traceId === NO_TRACE || spanId === NO_SPAN || (version === '00' && hasMore)) {
    return ROOT_CONTEXT;
  }
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED;
  const parent = { traceId, spanId, traceFlags, isRemote: true };
  const traceState = createTraceState(tracestate);
  return trace.setSpanContext(ROOT_CONTEXT, { ...parent, traceState });
}

/** Seconds and nanoseconds since the epoch. */
function timeOf(ms: number): HrTime {
  const sinceEpochMs = performance.timeOrigin + ms;
  const seconds = Math.floor(sinceEpochMs / 1000);
  return [seconds, Math.round((sinceEpochMs - seconds * 1000) * 1_000_000)];
}
