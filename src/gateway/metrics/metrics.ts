import { collectDefaultMetrics, Registry } from 'prom-client';
import { ERRORS, type ErrorCode } from '../../errors.ts';
import { droppedLogLines } from '../../log/log.ts';
import { StorageUnavailable, type StoreFigures } from '../../store/store.ts';
import { within } from '../../runtime/within.ts';
import type { StageTimes } from '#engine';
import type { RunFigures } from '../../runs/figures.ts';
import type { RunQueueFigures } from '../../runs/queue.ts';
import type { Pool } from '../../workers/pool/pool.ts';
import { capacityReadings } from './capacity.ts';
import { Counters, Histograms, Readings } from './exposition.ts';
import type { Count, Family, Histogram } from './exposition.ts';

const PREFIX = 'intaglio_';
const REQUEST_BOUNDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** A stage of a receipt takes tens of µs. */
const STAGE_BOUNDS = [0.00005, 0.0001, 0.00025, 0.0005, ...REQUEST_BOUNDS];
const STAGES = [
  'queue',
  'contract',
  'template',
  'layout',
  'pdf',
  'post',
  'protect',
  'sign',
  'store',
] as const;
type Stage = (typeof STAGES)[number];

/** Codes by which a text that is being typed, or data that are being filled in, are refused. */
const UNFINISHED = ['bad_request', 'invalid_data', 'payload_too_large', 'render_failed'] as const;
type Unfinished = (typeof UNFINISHED)[number];

/** Longest wait of a scrape for a store that does not answer. */
const PROBE_MS_MAX = 1_000;
/**
 * Figures are cached for this long: they cost 2 ms of the main thread, and /metrics needs no key.
 */
const AGE_MS_MAX = 1_000;

/** Statistics of a cache. */
export interface CacheFigures {
  readonly hits: number;
  readonly misses: number;
  readonly count: number;
}

/** Sources of figures that other parts count. */
export interface MetricsSources {
  readonly pool: Pick<Pool, 'stats'>;
  readonly templates: CacheFigures & { readonly bytes: number };
  readonly keys: CacheFigures;
  readonly keyRefusals: Family;
  /** Requests without a complete response. */
  readonly active: () => number;
  readonly connections: { readonly connections: number; readonly refusedConnections: number };
  /** Bytes of request bodies in memory. */
  readonly bodyBytes: () => number;
  /** Responses whose clients read slowly, and the bytes that they hold. */
  readonly slow: { readonly size: number; readonly heldBytes: number };
  /**
   * Expiry of the TLS certificate and of the first signer's certificate to expire, in ms since the
   * epoch, or NaN.
   */
  readonly certificates: { readonly tls: () => number; readonly signer: () => number };
  /** Bytes of attached documents on their way to a renderer. */
  readonly attachmentBytes: () => number;
  readonly probeStore: () => Promise<void>;
  readonly storeFigures: () => StoreFigures;
  /** null: this instance does not process runs. */
  readonly runFigures: () => RunFigures | null;
  /** null: the database distributes the work of runs. */
  readonly queueFigures: () => RunQueueFigures | null;
  /** How old figures may be; a second by default. */
  readonly ageMsMax?: number | undefined;
  /** Calls that the rate limiter counted without the other instances. */
  readonly localCalls: () => number;
}

const MISNAMED = ['handles', 'requests', 'resources'].map((kind) => `nodejs_active_${kind}_total`);

/**
 * The figures of /metrics (docs/operations.md). Labels never hold what a caller sent: routes, codes
 * and stages are fixed lists.
 */
export class Metrics {
  readonly #process = new Registry();
  readonly #families: readonly Family[];
  readonly #probeStore: () => Promise<void>;
  #storeUp = 0;
  #text: Promise<string> | null = null;
  #textAtMs = 0;
  readonly #ageMsMax: number;

  readonly #requests = new Counters(
    `${PREFIX}http_requests_total`,
    'Responses by route and status; status 0: the client disconnected.',
    ['route', 'status'],
  );
  readonly #refusals = new Counters(`${PREFIX}refusals_total`, 'Refusals by error code.', ['code']);
  readonly #draftRefusals = new Counters(
    `${PREFIX}draft_refusals_total`,
    'Drafts and previews refused for what their author typed, not among the refusals.',
    ['code'],
  );
  readonly #seconds = new Histograms(
    `${PREFIX}http_request_seconds`,
    'From headers to last byte.',
    'route',
    REQUEST_BOUNDS,
  );
  readonly #stages = new Histograms(
    `${PREFIX}stage_seconds`,
    'Wall time of the stages of a document.',
    'stage',
    STAGE_BOUNDS,
  );
  readonly #delivered = { pages: 0, bytes: 0, missingCharacters: 0 };
  /** By route, then status, so that a look-up builds no string. */
  readonly #answers = new Map<string, { seconds: Histogram; counts: Map<number, Count> }>();
  readonly #codes: Readonly<Record<ErrorCode, Count>>;
  readonly #unfinished: Readonly<Record<Unfinished, Count>>;
  readonly #stageTimes: Readonly<Record<Stage, Histogram>>;

  constructor(sources: MetricsSources) {
    collectDefaultMetrics({ register: this.#process });
    // Gauges whose names say that they are counters: promtool refuses them. Without `_total` there
    // is one for each type of resource, which together say the same.
    for (const name of MISNAMED) this.#process.removeSingleMetric(name);
    // All counters exist from the start, because a rate needs a zero before the first event.
    this.#codes = recordOf(Object.keys(ERRORS) as ErrorCode[], (code) => this.#refusals.of(code));
    this.#unfinished = recordOf(UNFINISHED, (code) => this.#draftRefusals.of(code));
    this.#stageTimes = recordOf(STAGES, (stage) => this.#stages.of(stage));
    this.#probeStore = sources.probeStore;
    this.#ageMsMax = sources.ageMsMax ?? AGE_MS_MAX;
    this.#families = [
      this.#requests,
      this.#seconds,
      this.#refusals,
      this.#draftRefusals,
      sources.keyRefusals,
      this.#stages,
      ...this.#readings(sources),
    ];
  }

  answered(route: string, status: number, seconds: number): void {
    let answers = this.#answers.get(route);
    if (answers === undefined) {
      answers = { seconds: this.#seconds.of(route), counts: new Map() };
      this.#answers.set(route, answers);
    }
    let count = answers.counts.get(status);
    if (count === undefined) {
      count = this.#requests.of(route, String(status));
      answers.counts.set(status, count);
    }
    count.add(1);
    answers.seconds.observe(seconds);
  }

  /** `isUnfinished`: a route refused that takes what people are still writing. */
  refused(code: ErrorCode, isUnfinished = false): void {
    const draftCode = isUnfinished ? UNFINISHED.find((one) => one === code) : undefined;
    (draftCode === undefined ? this.#codes[code] : this.#unfinished[draftCode]).add(1);
  }

  delivered(pages: number, bytes: number, times: StageTimes, queuedMs: number): void {
    this.#delivered.pages += pages;
    this.#delivered.bytes += bytes;
    const stages = this.#stageTimes;
    stages.queue.observe(queuedMs / 1000);
    stages.contract.observe(times.contractMs / 1000);
    stages.template.observe(times.templateMs / 1000);
    stages.layout.observe(times.layoutMs / 1000);
    stages.pdf.observe(times.pdfMs / 1000);
    stages.post.observe(times.postMs / 1000);
  }

  /** A document lacks characters of its data, because no font has them. */
  lackedCharacters(count: number): void {
    this.#delivered.missingCharacters += count;
  }

  stage(name: Stage, ms: number): void {
    this.#stageTimes[name].observe(ms / 1000);
  }

  /** The text of all figures, at most `ageMsMax` old. */
  text(nowMs = performance.now()): Promise<string> {
    if (this.#text === null || nowMs - this.#textAtMs >= this.#ageMsMax) {
      this.#textAtMs = nowMs;
      this.#text = this.#collect();
    }
    return this.#text;
  }

  /** Collects the figures, after a probe of the store. */
  async #collect(): Promise<string> {
    this.#storeUp = (await this.#isStoreUp()) ? 1 : 0;
    const own = this.#families.map((family) => family.text()).join('');
    return own + (await this.#process.metrics());
  }

  get contentType(): string {
    return this.#process.contentType;
  }

  async #isStoreUp(): Promise<boolean> {
    try {
      const up = this.#probeStore().then(() => true);
      return await within(up, PROBE_MS_MAX, () => false);
    } catch (error) {
      if (error instanceof StorageUnavailable) return false;
      throw error;
    }
  }

  #readings(sources: MetricsSources): readonly Family[] {
    return [
      counter('pages_total', 'Pages rendered.', () => this.#delivered.pages),
      counter('pdf_bytes_total', 'Bytes of PDF rendered.', () => this.#delivered.bytes),
      counter(
        'missing_characters_total',
        'Characters that no font has, in documents and rows of runs.',
        () => this.#delivered.missingCharacters + (sources.runFigures()?.missingCharacters ?? 0),
      ),
      ...httpReadings(sources),
      ...poolReadings(sources.pool),
      ...cacheReadings(sources),
      new Readings(
        `${PREFIX}certificate_expiry_timestamp_seconds`,
        'When the certificate of HTTPS, and the first one of the signers, expires, since the epoch.',
        'gauge',
        'certificate',
        {
          tls: () => sources.certificates.tls() / 1_000,
          signer: () => sources.certificates.signer() / 1_000,
        },
      ),
      counter(
        'rate_limit_local_total',
        'Calls counted by this instance alone: the shared counter was slow or away.',
        sources.localCalls,
      ),
      gauge('store_up', 'Whether rows and files can be written.', () => this.#storeUp),
      ...storeReadings(sources),
      ...capacityReadings(sources.storeFigures),
      ...runReadings(sources),
      counter('log_dropped_total', 'Log lines that nobody reads.', droppedLogLines),
    ];
  }
}

type Kind = 'counter' | 'gauge';

function counter(name: string, help: string, read: () => number): Family {
  return new Readings(PREFIX + name, help, 'counter', '', { '': read });
}

function gauge(name: string, help: string, read: () => number): Family {
  return new Readings(PREFIX + name, help, 'gauge', '', { '': read });
}

function httpReadings(sources: MetricsSources): readonly Family[] {
  const { connections, slow } = sources;
  return [
    gauge('http_active', 'Requests without a complete response.', sources.active),
    gauge('http_connections', 'Open connections.', () => connections.connections),
    counter(
      'http_connections_refused_total',
      'Connections closed because too many were open.',
      () => connections.refusedConnections,
    ),
    gauge('http_body_bytes', 'Request bodies in memory.', sources.bodyBytes),
    gauge('http_slow_readers', 'Responses that clients read slowly.', () => slow.size),
    gauge('http_held_bytes', 'Bytes that those responses hold.', () => slow.heldBytes),
    gauge('attachment_bytes', 'Attached files under way.', sources.attachmentBytes),
  ];
}

function poolReadings(pool: Pick<Pool, 'stats'>): readonly Family[] {
  const stats = (): ReturnType<Pool['stats']> => pool.stats();
  return [
    gauge(
      'pool_threads',
      'Renderer threads that have loaded, spare ones too.',
      () => stats().threads,
    ),
    gauge(
      'pool_running',
      'Jobs given to renderers: running, or prefetched.',
      () => stats().running,
    ),
    gauge('pool_queued', 'Jobs that wait for a renderer.', () => stats().queued),
    counter('pool_completed_total', 'Jobs done.', () => stats().completed),
    counter('laid_out_total', 'Documents whose layout began.', () => stats().laidOut),
    counter('pool_refused_total', 'Jobs refused, queue full.', () => stats().refused),
    counter('pool_timeouts_total', 'Threads ended over time.', () => stats().timeouts),
    counter('pool_deaths_total', 'Threads that died.', () => stats().deaths),
  ];
}

function cacheReadings({ templates, keys }: MetricsSources): readonly Family[] {
  const both = (name: string, help: string, kind: Kind, figure: keyof CacheFigures): Family =>
    new Readings(PREFIX + name, help, kind, 'cache', {
      templates: () => templates[figure],
      keys: () => keys[figure],
    });
  return [
    both('cache_hits_total', 'Found in a cache.', 'counter', 'hits'),
    both('cache_misses_total', 'Not found in a cache.', 'counter', 'misses'),
    both('cache_entries', 'Entries of a cache.', 'gauge', 'count'),
    new Readings(`${PREFIX}cache_bytes`, 'Bytes of a cache.', 'gauge', 'cache', {
      templates: () => templates.bytes,
    }),
  ];
}

function storeReadings({ storeFigures }: MetricsSources): readonly Family[] {
  return [
    gauge(
      'sweep_unremovable_files',
      'Files that the last sweep could not remove.',
      () => storeFigures().unremovableFiles,
    ),
    gauge('clock_doubted', 'Whether the wall clock was set and is not trusted yet.', () =>
      storeFigures().isClockDoubted ? 1 : 0,
    ),
    gauge(
      'audit_seals_missing',
      'Seals of the audit that were made and that the database no longer has.',
      () => storeFigures().seals.missing,
    ),
    gauge(
      'audit_unsealed_since_timestamp_seconds',
      'Start of the time of the audit that no seal covers yet.',
      () => storeFigures().seals.unsealedFromMs / 1000,
    ),
    gauge(
      'encryption_keys_missing',
      'Keys that stored files were encrypted under and that are not there.',
      () => storeFigures().missingKeys.length,
    ),
    new Readings(
      `${PREFIX}damaged_documents`,
      'Living documents whose file was found damaged or missing.',
      'gauge',
      'kind',
      {
        damaged: () => storeFigures().damagedDocuments,
        missing: () => storeFigures().missingDocuments,
      },
    ),
    gauge(
      'damaged_runs',
      'Runs of which print files or uploaded rows were found damaged or missing.',
      () => storeFigures().damagedRuns.length,
    ),
  ];
}

function runReadings({ runFigures, queueFigures }: MetricsSources): readonly Family[] {
  const figure = (name: keyof RunFigures) => (): number => runFigures()?.[name] ?? 0;
  return [
    new Readings(
      `${PREFIX}run_rows_total`,
      'Rows of runs that this instance has checked, stored, or failed to render.',
      'counter',
      'outcome',
      { checked: figure('checked'), stored: figure('stored'), failed: figure('failed') },
    ),
    new Readings(
      `${PREFIX}runs_ended_total`,
      'Runs that this instance finished.',
      'counter',
      'state',
      { done: figure('done'), stopped: figure('stopped') },
    ),
    counter('run_chunks_lost_total', 'Chunks rendered here and not stored.', figure('lost')),
    gauge('run_chunks_active', 'Chunks and parts of runs in progress.', figure('underWay')),
    gauge('run_queue_up', 'Whether the queue of runs answers; 1 without a queue.', () =>
      queueFigures()?.isUp === false ? 0 : 1,
    ),
    new Readings(
      `${PREFIX}run_assignments_total`,
      'Assignments of the queue of runs that this instance has offered, and taken.',
      'counter',
      'event',
      {
        offered: () => queueFigures()?.offered ?? 0,
        taken: () => queueFigures()?.taken ?? 0,
      },
    ),
  ];
}

function recordOf<K extends string, V>(
  keys: readonly K[],
  make: (key: K) => V,
): Readonly<Record<K, V>> {
  // The cast holds because there is an entry for every key.
  return Object.fromEntries(keys.map((key) => [key, make(key)])) as Record<K, V>;
}
