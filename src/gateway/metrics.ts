import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { ErrorCode } from '../errors.ts';
import type { StageTimes } from '../workers/job.ts';
import type { Pool } from '../workers/pool.ts';

const SECONDS_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const PREFIX = 'intaglio_';

type Observer = Histogram.Internal<string>;
type Counting = Counter.Internal;

/**
 * Figures for /metrics. No label ever holds what a caller sent: routes, codes and stages are fixed
 * lists.
 */
export class Metrics {
  readonly #registry = new Registry();
  readonly #requests: Counter<'route' | 'status'>;
  readonly #refusals: Counter<'code'>;
  readonly #seconds: Histogram<'route'>;
  readonly #stages: Histogram<'stage'>;
  readonly #pages: Counting;
  readonly #bytes: Counting;
  /** Labels are resolved once: it is most of what counting costs. */
  readonly #requestsOf = new Map<string, Counting>();
  readonly #secondsOf = new Map<string, Observer>();
  readonly #stageOf = new Map<string, Observer>();

  constructor(pool: Pool, templateBytes: () => number) {
    const registers = [this.#registry];
    const histogram = <T extends string>(name: string, help: string, label: T): Histogram<T> =>
      new Histogram({
        name: PREFIX + name,
        help,
        labelNames: [label],
        buckets: SECONDS_BUCKETS,
        registers,
      });
    collectDefaultMetrics({ register: this.#registry });
    this.#requests = new Counter({
      name: `${PREFIX}http_requests_total`,
      help: 'Answers by route and status; status 0: the caller went away.',
      labelNames: ['route', 'status'],
      registers,
    });
    this.#refusals = new Counter({
      name: `${PREFIX}refusals_total`,
      help: 'Refusals by error code.',
      labelNames: ['code'],
      registers,
    });
    this.#seconds = histogram('http_request_seconds', 'From headers to last byte.', 'route');
    this.#stages = histogram('stage_seconds', 'Wall time of the stages of a document.', 'stage');
    const pages = { name: `${PREFIX}pages_total`, help: 'Pages delivered.', registers };
    this.#pages = new Counter(pages).labels({});
    const bytes = { name: `${PREFIX}pdf_bytes_total`, help: 'PDF bytes delivered.', registers };
    this.#bytes = new Counter(bytes).labels({});
    this.#gauges(pool, templateBytes);
  }

  answered(route: string, status: number, seconds: number): void {
    const key = `${route} ${status}`;
    let requests = this.#requestsOf.get(key);
    if (requests === undefined) {
      requests = this.#requests.labels(route, String(status));
      this.#requestsOf.set(key, requests);
    }
    requests.inc();
    observer(this.#secondsOf, this.#seconds, route).observe(seconds);
  }

  refused(code: ErrorCode): void {
    this.#refusals.inc({ code });
  }

  delivered(pages: number, bytes: number, times: StageTimes, queuedMs: number): void {
    this.#pages.inc(pages);
    this.#bytes.inc(bytes);
    this.stage('queue', queuedMs);
    this.stage('contract', times.contractMs);
    this.stage('template', times.templateMs);
    this.stage('layout', times.layoutMs);
    this.stage('pdf', times.pdfMs);
    this.stage('post', times.postMs);
  }

  stage(name: string, ms: number): void {
    observer(this.#stageOf, this.#stages, name).observe(ms / 1000);
  }

  text(): Promise<string> {
    return this.#registry.metrics();
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  #gauges(pool: Pool, templateBytes: () => number): void {
    const gauge = (name: string, help: string, read: () => number): void => {
      const made: Gauge = new Gauge({
        name: PREFIX + name,
        help,
        registers: [this.#registry],
        collect: () => made.set(read()),
      });
    };
    gauge('pool_threads', 'Renderer threads alive.', () => pool.stats().threads);
    gauge('pool_running', 'Jobs that run.', () => pool.stats().running);
    gauge('pool_queued', 'Jobs that wait.', () => pool.stats().queued);
    gauge('pool_completed_total', 'Jobs done.', () => pool.stats().completed);
    gauge('laid_out_total', 'Documents whose layout began.', () => pool.stats().laidOut);
    gauge('pool_refused_total', 'Jobs refused, queue full.', () => pool.stats().refused);
    gauge('pool_timeouts_total', 'Threads ended over time.', () => pool.stats().timeouts);
    gauge('pool_deaths_total', 'Threads that died.', () => pool.stats().deaths);
    gauge('template_source_bytes', 'Template sources kept.', templateBytes);
  }
}

function observer(known: Map<string, Observer>, histogram: Histogram, label: string): Observer {
  let found = known.get(label);
  if (found === undefined) {
    found = histogram.labels(label);
    known.set(label, found);
  }
  return found;
}
