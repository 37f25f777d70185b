import type { StageTimes } from '#engine';
import type { GuardedCall, Services } from '../route.ts';
import { traceRender } from '../tracing.ts';

/**
 * Adds the stages of a rendered document to the trace and to Server-Timing. `store` and `total`
 * follow later in that header; `protect` and `sign`, which few documents have, are in the metrics,
 * the trace and `total` only.
 */
export function reportRender(
  { exchange }: GuardedCall,
  submittedAtMs: number,
  queuedMs: number,
  times: StageTimes,
): void {
  const { trace } = exchange;
  if (trace !== null) traceRender(trace, exchange.startedAtMs, submittedAtMs, queuedMs, times);
  exchange.serverTiming =
    `${timing('queue', queuedMs)}, ${timing('contract', times.contractMs)}, ` +
    `${timing('template', times.templateMs)}, ${timing('layout', times.layoutMs)}, ` +
    // Post-processing: reading the attachments and hashing the file.
    `${timing('pdf', times.pdfMs)}, ${timing('post', times.postMs)}`;
}

/** Counts and traces a stage that ends now; returns how long it took. */
export function recordStage(
  services: Services,
  { exchange }: GuardedCall,
  name: 'protect' | 'sign' | 'store',
  startMs: number,
): number {
  const endMs = performance.now();
  services.metrics.stage(name, endMs - startMs);
  exchange.trace?.stage(name, startMs, endMs);
  return endMs - startMs;
}

/** One metric of a Server-Timing header. */
export function timing(name: string, ms: number): string {
  return `${name};dur=${Math.round(ms * 1000) / 1000}`;
}
