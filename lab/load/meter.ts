import { percentile } from '../stats.ts';

/** Milliseconds to the last byte of an answer. */
export interface Latencies {
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
}

/** From the moment a request was due, and from the moment it was written to a connection. */
export interface Timing {
  readonly due: Latencies;
  readonly written: Latencies;
}

interface Samples {
  readonly dueMs: number[];
  readonly writtenMs: number[];
}

/** Counts the answers of the measured part of a load. */
export class Meter {
  readonly #statuses = new Map<string, number>();
  readonly #delivered: Samples = { dueMs: [], writtenMs: [] };
  readonly #refused: Samples = { dueMs: [], writtenMs: [] };
  bytes = 0;

  get delivered(): number {
    return this.#delivered.dueMs.length;
  }

  get statuses(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#statuses);
  }

  /** A request that was due but found all connections busy: the generator was at its limit. */
  addUnsent(): void {
    this.#count('unsent');
  }

  /** `status` 0: a broken connection. */
  add(status: number, dueMs: number, writtenMs: number, bytes: number): void {
    this.#count(status === 0 ? 'error' : String(status));
    const delivered = status === 200 || status === 201;
    if (delivered) this.bytes += bytes;
    if (!delivered && status !== 429 && status !== 503) return;
    const samples = delivered ? this.#delivered : this.#refused;
    samples.dueMs.push(dueMs);
    samples.writtenMs.push(writtenMs);
  }

  deliveredTiming(): Timing {
    return timingOf(this.#delivered);
  }

  /** null: nothing was refused. */
  refusedTiming(): Timing | null {
    return this.#refused.dueMs.length === 0 ? null : timingOf(this.#refused);
  }

  #count(name: string): void {
    this.#statuses.set(name, (this.#statuses.get(name) ?? 0) + 1);
  }
}

function timingOf({ dueMs, writtenMs }: Samples): Timing {
  return { due: latenciesOf(dueMs), written: latenciesOf(writtenMs) };
}

function latenciesOf(samples: readonly number[]): Latencies {
  const sorted = Float64Array.from(samples).toSorted();
  return {
    p50Ms: percentile(sorted, 0.5),
    p95Ms: percentile(sorted, 0.95),
    p99Ms: percentile(sorted, 0.99),
  };
}
