import { useEffect, useState } from 'preact/hooks';
import { ApiError, callText } from '../api/client.ts';
import type { Metrics } from '../api/metrics.ts';
import { parseMetrics, quantileBetween, sumOf } from '../api/metrics.ts';
import { formatNumber, t } from '../i18n/i18n.ts';
import { ErrorNotice, PageHead, Skeleton } from '../ui/parts.tsx';
import '../styles/operations.css';

const POLL_MS = 2_000;
const POINTS_MAX = 90;
const GENERATE = { route: 'POST /v1/generate' };

/** One point of each chart: rates between two readings, and the state at the later one. */
interface Point {
  /** Per second. */
  readonly documents: number;
  readonly queued: number;
  /** null: nothing was observed. */
  readonly p99Ms: number | null;
  /** Per second. */
  readonly refusals: number;
}

interface Reading {
  readonly atMs: number;
  readonly metrics: Metrics;
}

/** Live metrics of this instance, for Admins. */
export function OperationsPage() {
  const [points, setPoints] = useState<readonly Point[]>([]);
  const [latest, setLatest] = useState<Metrics | null>(null);
  const [error, setError] = useState<ApiError | null>(null);
  useEffect(() => {
    let previous: Reading | null = null;
    let timer = 0;
    const left = new AbortController();
    const read = async (): Promise<void> => {
      let isOver = false;
      try {
        const metrics = parseMetrics(await callText('/metrics', { signal: left.signal }));
        const now = { atMs: performance.now(), metrics };
        if (previous !== null) {
          const point = pointOf(previous, now);
          setPoints((old) => [...old, point].slice(-POINTS_MAX));
        }
        previous = now;
        setLatest(metrics);
        setError(null);
      } catch (caught) {
        if (left.signal.aborted) return;
        if (!(caught instanceof ApiError)) throw caught;
        setError(caught);
        isOver = caught.isFinal;
      }
      // The page may have been left after the response came: then no timer may follow.
      if (!isOver && !left.signal.aborted) timer = window.setTimeout(() => void read(), POLL_MS);
    };
    void read();
    return () => {
      left.abort();
      clearTimeout(timer);
    };
  }, []);
  return (
    <div class="page">
      <PageHead title={t('operations.title')} intro={t('operations.intro')} />
      <div class="stack">
        {error === null ? null : <ErrorNotice error={error} />}
        {latest === null ? <Skeleton /> : <Figures points={points} metrics={latest} />}
      </div>
    </div>
  );
}

function pointOf(before: Reading, now: Reading): Point {
  const seconds = Math.max(0.001, (now.atMs - before.atMs) / 1_000);
  const change = (name: string): number =>
    Math.max(0, sumOf(now.metrics, name) - sumOf(before.metrics, name));
  const name = 'intaglio_http_request_seconds';
  const p99 = quantileBetween(before.metrics, now.metrics, name, GENERATE, 0.99);
  return {
    documents: change('intaglio_pool_completed_total') / seconds,
    queued: sumOf(now.metrics, 'intaglio_pool_queued'),
    p99Ms: p99 === null ? null : p99 * 1_000,
    refusals: change('intaglio_refusals_total') / seconds,
  };
}

interface FiguresProps {
  readonly points: readonly Point[];
  readonly metrics: Metrics;
}

function Figures({ points, metrics }: FiguresProps) {
  return (
    <>
      <div class="charts">
        <Chart
          title={t('operations.throughput')}
          unit={t('operations.per_second')}
          values={points.map(({ documents }) => documents)}
        />
        <Chart
          title={t('operations.queue')}
          unit={t('operations.jobs')}
          values={points.map(({ queued }) => queued)}
        />
        <Chart title={t('operations.p99')} unit="ms" values={points.map(({ p99Ms }) => p99Ms)} />
        <Chart
          title={t('operations.refusals')}
          unit={t('operations.per_second')}
          values={points.map(({ refusals }) => refusals)}
        />
      </div>
      <Refusals metrics={metrics} />
    </>
  );
}

const WIDTH = 300;
const HEIGHT = 80;
/** Space above and below, so that the stroke is not clipped. */
const MARGIN = 4;

interface ChartProps {
  readonly title: string;
  readonly unit: string;
  /** null: nothing was observed in that interval; the line joins the points on both sides of it. */
  readonly values: readonly (number | null)[];
}

function Chart({ title, unit, values }: ChartProps) {
  const last = values.findLast((value) => value !== null) ?? null;
  const highest = Math.max(0, ...values.map((value) => value ?? 0));
  const highestText = formatNumber(highest, highest < 10 ? 1 : 0);
  const scaleMax = Math.max(1, highest);
  const step = WIDTH / (POINTS_MAX - 1);
  const offset = POINTS_MAX - values.length;
  const line = values
    .flatMap((value, index) =>
      value === null
        ? []
        : [`${((index + offset) * step).toFixed(1)},${yOf(value, scaleMax).toFixed(1)}`],
    )
    .join(' ');
  const text = last === null ? '–' : formatNumber(last, last < 10 ? 1 : 0);
  return (
    <figure class="card chart">
      <figcaption>
        <span class="soft">{title}</span>
        <span class="figure tabular">
          {text} <small>{unit}</small>
        </span>
      </figcaption>
      <svg
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={`${title}: ${text} ${unit}`}
      >
        <polyline points={line} />
      </svg>
      <span class="small soft tabular">
        {last === null ? t('operations.nothing') : t('operations.highest', { value: highestText })}
      </span>
    </figure>
  );
}

function yOf(value: number, scaleMax: number): number {
  return HEIGHT - MARGIN - (value / scaleMax) * (HEIGHT - 2 * MARGIN);
}

function Refusals({ metrics }: { readonly metrics: Metrics }) {
  const drafts = sumOf(metrics, 'intaglio_draft_refusals_total');
  const rows = metrics
    .filter(({ name, value }) => name === 'intaglio_refusals_total' && value > 0)
    .toSorted((a, b) => b.value - a.value);
  return (
    <section class="stack tight">
      <h2>{t('operations.refusals_by_code')}</h2>
      {rows.length === 0 ? (
        <p class="soft">{t('operations.no_refusals')}</p>
      ) : (
        <div
          class="table-wrap"
          role="region"
          tabIndex={0}
          aria-label={t('operations.refusals_by_code')}
        >
          <table class="table">
            <thead>
              <tr>
                <th scope="col">{t('operations.code')}</th>
                <th scope="col" class="num">
                  {t('operations.since_start')}
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.map(({ labels, value }) => (
                <tr key={labels['code']}>
                  <td class="mono">{labels['code']}</td>
                  <td class="num">{formatNumber(value)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {drafts === 0 ? null : (
        <p class="small soft">{t('operations.drafts', { count: formatNumber(drafts) })}</p>
      )}
    </section>
  );
}
