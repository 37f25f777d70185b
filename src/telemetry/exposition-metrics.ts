import { type Attributes, type HrTime, ValueType } from '@opentelemetry/api';
import {
  AggregationTemporality,
  type DataPoint,
  DataPointType,
  type Histogram,
  type MetricData,
} from '@opentelemetry/sdk-metrics';

const SAMPLE = /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_]\w*)="((?:[^"\\]|\\.)*)"/g;

interface Sample {
  readonly name: string;
  readonly labels: Attributes;
  readonly value: number;
}

interface Family {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly samples: Sample[];
}

/** The time since which counters count, and the time when they were read. */
interface Period {
  readonly startTime: HrTime;
  readonly endTime: HrTime;
}

/**
 * Converts the text of /metrics to OpenTelemetry's data, so that both come from the same counters.
 */
export function metricsOf(exposition: string, period: Period): MetricData[] {
  return familiesOf(exposition).map((family) => metricOf(family, period));
}

function familiesOf(exposition: string): Family[] {
  const families: Family[] = [];
  let help = '';
  for (const line of exposition.split('\n')) {
    if (line.startsWith('# HELP ')) help = line.slice('# HELP '.length).replace(/^\S+ ?/, '');
    else if (line.startsWith('# TYPE ')) {
      const [, , name = '', type = ''] = line.split(' ');
      families.push({ name, help, type, samples: [] });
    } else {
      const sample = sampleOf(line);
      if (sample !== null) families.at(-1)?.samples.push(sample);
    }
  }
  return families;
}

function sampleOf(line: string): Sample | null {
  const match = SAMPLE.exec(line);
  if (match === null) return null;
  const [, name = '', labelsText = '', valueText = ''] = match;
  const labels = [...labelsText.matchAll(LABEL)].map(([, key = '', value = '']) => [
    key,
    unescape(value),
  ]);
  const value = valueText === '+Inf' ? Number.POSITIVE_INFINITY : Number(valueText);
  return { name, labels: Object.fromEntries(labels), value };
}

/** The value of a label, in which line breaks, quotes and backslashes are escaped. */
function unescape(value: string): string {
  return value.replaceAll(/\\(.)/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped));
}

function metricOf(family: Family, period: Period): MetricData {
  const { name, help, type, samples } = family;
  const descriptor = {
    name,
    description: help,
    unit: unitOf(name),
    valueType: ValueType.DOUBLE,
  };
  const aggregationTemporality = AggregationTemporality.CUMULATIVE;
  const base = { descriptor, aggregationTemporality };
  if (type === 'histogram') {
    const dataPoints = histogramPoints(samples, period);
    return { ...base, dataPointType: DataPointType.HISTOGRAM, dataPoints };
  }
  const dataPoints = samples.map(({ labels, value }) => ({ ...period, attributes: labels, value }));
  return type === 'counter'
    ? { ...base, dataPointType: DataPointType.SUM, dataPoints, isMonotonic: true }
    : { ...base, dataPointType: DataPointType.GAUGE, dataPoints };
}

/** The unit in a metric's name, as OpenTelemetry writes it. */
function unitOf(name: string): string {
  if (name.endsWith('_seconds')) return 's';
  return name.endsWith('_bytes') ? 'By' : '';
}

/** Converts histograms: Prometheus's buckets are cumulative, OpenTelemetry's are not. */
function histogramPoints(samples: readonly Sample[], period: Period): DataPoint<Histogram>[] {
  const series = Map.groupBy(samples, ({ labels }) => {
    const { le: _, ...others } = labels;
    return JSON.stringify(others);
  });
  return [...series].map(([key, members]) => {
    const buckets = members.filter(({ name }) => name.endsWith('_bucket'));
    const counts = buckets.map(({ value }, at) => value - (buckets[at - 1]?.value ?? 0));
    const boundaries = buckets
      .map(({ labels }) => Number(labels['le']))
      .filter((bound) => Number.isFinite(bound));
    const valueOf = (ending: string): number =>
      members.find(({ name }) => name.endsWith(ending))?.value ?? 0;
    const value = {
      buckets: { boundaries, counts },
      sum: valueOf('_sum'),
      count: valueOf('_count'),
    };
    // The key is the JSON of the labels.
    return { ...period, attributes: JSON.parse(key) as Attributes, value };
  });
}
