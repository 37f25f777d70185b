import type { StageTimes } from '../../workers/job.ts';
import type { GuardedCall, Services } from '../route.ts';
import { traceRender } from '../tracing.ts';

/** Adds the stages of a rendered document to the trace and to Server-Timing. */
export function renderOver(
  { exchange }: GuardedCall,
  submittedMs: number,
  queuedMs: number,
  times: StageTimes,
): void {
  const { trace } = exchange;
  if (trace !== null) traceRender(trace, exchange.startedAtMs, submittedMs, queuedMs, times);
  exchange.serverTiming =
    timing('queue', queuedMs) +
    timing(', contract', times.contractMs) +
    timing(', template', times.templateMs) +
    timing(', layout', times.layoutMs) +
    timing(', pdf', times.pdfMs) +
    timing(', post', times.postMs);
}

/** Counts and traces a stage that ends now; returns how long it took. */
export function stageOver(
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

/** A member of Server-Timing. */
export function timing(name: string, ms: number): string {
  return `${name};dur=${Math.round(ms * 1000) / 1000}`;
}
