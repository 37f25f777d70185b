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
interface Span {
  readonly startTime: HrTime;
  readonly endTime: HrTime;
}

/**
 * Converts the text of /metrics to OpenTelemetry's data, so that both come from the same counters.
 */
export function metricsOf(exposition: string, span: Span): MetricData[] {
  return familiesOf(exposition).map((family) => metricOf(family, span));
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
  const found = SAMPLE.exec(line);
  if (found === null) return null;
  const [, name = '', labels = '', text = ''] = found;
  const read = [...labels.matchAll(LABEL)].map(([, key = '', value = '']): [string, string] => {
    return [key, value.replaceAll(/\\(.)/g, (_, mark: string) => (mark === 'n' ? '\n' : mark))];
  });
  const value = text === '+Inf' ? Number.POSITIVE_INFINITY : Number(text);
  return { name, labels: Object.fromEntries(read), value };
}

function metricOf(family: Family, span: Span): MetricData {
  const { name, help, type, samples } = family;
  const unit = name.endsWith('_seconds') ? 's' : name.endsWith('_bytes') ? 'By' : '';
  const descriptor = { name, description: help, unit, valueType: ValueType.DOUBLE };
  const aggregationTemporality = AggregationTemporality.CUMULATIVE;
  const base = { descriptor, aggregationTemporality };
  if (type === 'histogram') {
    const dataPoints = histogramPoints(samples, span);
    return { ...base, dataPointType: DataPointType.HISTOGRAM, dataPoints };
  }
  const dataPoints = samples.map(({ labels, value }) => ({ ...span, attributes: labels, value }));
  return type === 'counter'
    ? { ...base, dataPointType: DataPointType.SUM, dataPoints, isMonotonic: true }
    : { ...base, dataPointType: DataPointType.GAUGE, dataPoints };
}

/** Prometheus's buckets are cumulative, OpenTelemetry's are not. */
function histogramPoints(samples: readonly Sample[], span: Span): DataPoint<Histogram>[] {
  const series = new Map<string, Sample[]>();
  for (const sample of samples) {
    const { le: _, ...labels } = sample.labels;
    const key = JSON.stringify(labels);
    const members = series.get(key);
    if (members === undefined) series.set(key, [sample]);
    else members.push(sample);
  }
  return [...series.entries()].map(([key, members]) => {
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
    // The key is the JSON of the labels, made above.
    return { ...span, attributes: JSON.parse(key) as Attributes, value };
  });
}
