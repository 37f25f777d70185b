/** One sample of the text format that Prometheus reads. */
interface MetricSample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export type Metrics = readonly MetricSample[];

export function parseMetrics(text: string): Metrics {
  const samples: MetricSample[] = [];
  for (const line of text.split('\n')) {
    const [, name = '', inner = '', value = ''] =
      /^([a-zA-Z_:][\w:]*)(?:\{(.*)\})? (\S+)/.exec(line) ?? [];
    if (name === '') continue;
    const labels: Record<string, string> = {};
    for (const [, label = '', content = ''] of inner.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)) {
      labels[label] = content;
    }
    samples.push({ name, labels, value: Number(value) });
  }
  return samples;
}

/** The sum of all samples that have this name and these labels. */
export function sumOf(
  metrics: Metrics,
  name: string,
  labels: Readonly<Record<string, string>> = {},
): number {
  let sum = 0;
  for (const sample of metrics) {
    if (sample.name !== name) continue;
    if (Object.entries(labels).every(([key, value]) => sample.labels[key] === value)) {
      sum += sample.value;
    }
  }
  return sum;
}

/**
 * The quantile of the values observed between two scrapes, as the upper bound of its histogram
 * bucket, in the unit of the buckets; a value above all finite bounds counts as the highest of them,
 * as in Prometheus's histogram_quantile. null: nothing was observed.
 */
export function quantileBetween(
  before: Metrics,
  after: Metrics,
  name: string,
  labels: Readonly<Record<string, string>>,
  quantile: number,
): number | null {
  const bounds = new Set<string>();
  for (const sample of after) {
    const { le } = sample.labels;
    if (sample.name === `${name}_bucket` && le !== undefined) bounds.add(le);
  }
  const buckets = [...bounds]
    .map((le) => {
      const at = { ...labels, le };
      const bucket = `${name}_bucket`;
      const count = sumOf(after, bucket, at) - sumOf(before, bucket, at);
      return { le: le === '+Inf' ? Infinity : Number(le), count };
    })
    .toSorted((a, b) => a.le - b.le);
  const total = buckets.at(-1)?.count ?? 0;
  if (total <= 0) return null;
  const finite = buckets.filter(({ le }) => Number.isFinite(le));
  const bucket = finite.find(({ count }) => count >= total * quantile) ?? finite.at(-1);
  return bucket?.le ?? null;
}
