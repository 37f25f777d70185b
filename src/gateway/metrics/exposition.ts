/**
 * Counters and histograms in Prometheus's text format (exposition format 0.0.4). They are our own
 * because they are in the hot path: a library that looks up labels at every observation costs
 * several µs per request, these a few additions.
 */

export interface Family {
  /** All lines, with HELP and TYPE, each ended by a line feed. */
  text(): string;
}

/** Counters by one or several labels. Call `of` once and use its result for each event. */
export class Counters implements Family {
  readonly #head: string;
  readonly #name: string;
  readonly #labels: readonly string[];
  readonly #counts = new Map<string, Count>();

  constructor(name: string, help: string, labels: readonly string[]) {
    this.#head = head(name, help, 'counter');
    this.#name = name;
    this.#labels = labels;
  }

  /** The counter with these label values, in the order of the labels. */
  of(...values: readonly string[]): Count {
    const key = values.join('\n');
    let count = this.#counts.get(key);
    if (count === undefined) {
      count = new Count(this.#name + labelled(this.#labels, values));
      this.#counts.set(key, count);
    }
    return count;
  }

  text(): string {
    let text = this.#head;
    for (const count of this.#counts.values()) text += `${count.name} ${count.value}\n`;
    return text;
  }
}

export class Count {
  readonly name: string;
  value = 0;

  constructor(name: string) {
    this.name = name;
  }

  add(amount: number): void {
    this.value += amount;
  }
}

/** Histograms by one label, all with the same buckets. */
export class Histograms implements Family {
  readonly #head: string;
  readonly #name: string;
  readonly #label: string;
  readonly #bounds: readonly number[];
  readonly #times = new Map<string, Histogram>();

  /** `bounds` are ascending and in seconds. */
  constructor(name: string, help: string, label: string, bounds: readonly number[]) {
    this.#head = head(name, help, 'histogram');
    this.#name = name;
    this.#label = label;
    this.#bounds = bounds;
  }

  of(value: string): Histogram {
    let histogram = this.#times.get(value);
    if (histogram === undefined) {
      histogram = new Histogram(this.#bounds);
      this.#times.set(value, histogram);
    }
    return histogram;
  }

  text(): string {
    let text = this.#head;
    for (const [value, histogram] of this.#times) {
      const own = labelled([this.#label], [value]);
      const bucketOf = (bound: string): string => `${own.slice(0, -1)},le="${bound}"}`;
      let sum = 0;
      this.#bounds.forEach((bound, index) => {
        sum += histogram.counts[index] ?? 0;
        text += `${this.#name}_bucket${bucketOf(String(bound))} ${sum}\n`;
      });
      text += `${this.#name}_bucket${bucketOf('+Inf')} ${histogram.count}\n`;
      text += `${this.#name}_sum${own} ${histogram.seconds}\n`;
      text += `${this.#name}_count${own} ${histogram.count}\n`;
    }
    return text;
  }
}

export class Histogram {
  readonly #bounds: Float64Array;
  /** Counts per bucket, not cumulative; values above the last bound are in none. */
  readonly counts: Float64Array;
  count = 0;
  seconds = 0;

  constructor(bounds: readonly number[]) {
    this.#bounds = Float64Array.from(bounds);
    this.counts = new Float64Array(bounds.length);
  }

  observe(seconds: number): void {
    this.count += 1;
    this.seconds += seconds;
    const bounds = this.#bounds;
    let index = 0;
    while (index < bounds.length && seconds > (bounds[index] ?? 0)) index += 1;
    if (index < bounds.length) this.counts[index] = (this.counts[index] ?? 0) + 1;
  }
}

/**
 * Values that are read at each scrape, one per label value, or a single one without a label. A NaN
 * is left out.
 */
export class Readings implements Family {
  readonly #head: string;
  readonly #name: string;
  readonly #label: string;
  readonly #read: Readonly<Record<string, () => number>>;

  constructor(
    name: string,
    help: string,
    type: 'counter' | 'gauge',
    label: string,
    read: Readonly<Record<string, () => number>>,
  ) {
    this.#head = head(name, help, type);
    this.#name = name;
    this.#label = label;
    this.#read = read;
  }

  text(): string {
    const lines = Object.entries(this.#read).map(([value, read]) => {
      const labels = this.#label === '' ? '' : labelled([this.#label], [value]);
      const figure = read();
      return Number.isNaN(figure) ? '' : `${this.#name}${labels} ${figure}\n`;
    });
    return this.#head + lines.join('');
  }
}

function head(name: string, help: string, type: string): string {
  const escaped = help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
  return `# HELP ${name} ${escaped}\n# TYPE ${name} ${type}\n`;
}

function labelled(names: readonly string[], values: readonly string[]): string {
  const pairs = names.map((name, index) => `${name}="${escapeLabel(values[index] ?? '')}"`);
  return `{${pairs.join(',')}}`;
}

function escapeLabel(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
