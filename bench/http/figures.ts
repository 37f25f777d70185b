import type { Spread } from '../harness/stats.ts';

/** One kind of load on a running service; medians where it ran more than once. */
export interface HttpFigure {
  readonly name: string;
  /** What was sent, in words. */
  readonly load: string;
  readonly durationS: number;
  /** How often it ran. */
  readonly rounds: number;
  /** Documents delivered (200 or 201) a second. */
  readonly documentsPerSecond: number;
  /** The same over the peak (trials.ts, PeakUse); null where it is no matter of the peak. */
  readonly ofPeak: number | null;
  /** Milliseconds to the last byte of delivered documents, from the moment each was due. */
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  /** The same from the moment it was written: without waiting in the load generator. */
  readonly writtenP50Ms: number;
  readonly writtenP99Ms: number;
  /** Answers by status; `error` counts broken connections. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Median time of a refusal (503, 429), from due and from written; null: there was none. */
  readonly refusalP50Ms: number | null;
  readonly refusalWrittenP50Ms: number | null;
  /** CPU of the server's processes over all answers; null where another load ran beside. */
  readonly cpuMsPerRequest: number | null;
  /** Cores the load generator itself used: what it took from the service on this machine. */
  readonly generatorCores: number;
  /** Highest resident memory of the server process seen during this load. */
  readonly rssMb: number;
  /** Beside other callers who behave badly: how it was without them. */
  readonly company: CompanyFigure | null;
  /** The rounds one by one; empty in a round. */
  readonly each: readonly HttpFigure[];
}

/** What bad company did to a load, measured without it, with it, and without it again. */
export interface CompanyFigure {
  /** p99 with it over the mean p99 before and after. */
  readonly p99Ratio: number;
  /**
   * Growth of the service's memory: while they were there and nothing else ran, or of its peak
   * under the load, whichever is more.
   */
  readonly addedMb: number;
  /** Of bombs: from their time limit to a document out of the place they held; else null. */
  readonly returnMs: number | null;
}

/** CPU of a receipt, ms: through the pool alone, over HTTP, and the difference of each pair of turns. */
export interface GatewayShare {
  readonly poolCpuMs: Spread;
  readonly serviceCpuMs: Spread;
  readonly addedCpuMs: Spread;
}

/** A part of the soak. */
export interface SoakSlice {
  /** Documents delivered until its end. */
  readonly documents: number;
  readonly documentsPerSecond: number;
  readonly p99Ms: number;
  /** Resident memory of the service, the median of the slice. */
  readonly rssMb: number;
  /** At its end, its connections closed. */
  readonly descriptors: number;
  readonly children: number;
  /** Answers other than a document. */
  readonly errors: number;
}
