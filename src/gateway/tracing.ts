import type { StageTimes } from '#engine';

/** The span of one request. Times are those of `performance.now()`. */
export interface RequestTrace {
  /** 32 hex digits, also where the request is not sampled. */
  readonly traceId: string;
  /** Adds the span of a completed stage. */
  stage(name: string, startMs: number, endMs: number): void;
  /** Ends the span. Status 0: the client disconnected. */
  end(route: string, status: number, client: string): void;
}

/** Makes the spans of requests. */
export interface Tracing {
  /** `traceparent` and `tracestate` as the caller sent them (W3C Trace Context). */
  begin(startMs: number, traceparent: string, tracestate: string): RequestTrace;
}

/**
 * Adds the spans of a rendered document. The worker reports the durations of its stages, which
 * follow each other from the moment the job left the queue.
 */
export function traceRender(
  trace: RequestTrace,
  startMs: number,
  submittedAtMs: number,
  queuedMs: number,
  times: StageTimes,
): void {
  trace.stage('admission', startMs, submittedAtMs);
  let atMs = submittedAtMs + queuedMs;
  trace.stage('queue', submittedAtMs, atMs);
  for (const [name, ms] of [
    ['contract', times.contractMs],
    ['template', times.templateMs],
    ['layout', times.layoutMs],
    ['pdf', times.pdfMs],
    ['post', times.postMs],
  ] as const) {
    trace.stage(name, atMs, atMs + ms);
    atMs += ms;
  }
}
