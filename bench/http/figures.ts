import type { Spread } from '../../lab/stats.ts';
import type { Offer } from './load/overload.ts';

/** One kind of load on a running service; medians where it ran more than once. */
export interface HttpFigure {
  readonly name: string;
  /** A description of the requests sent. */
  readonly load: string;
  readonly durationS: number;
  /** How often the load ran. */
  readonly rounds: number;
  /** Documents delivered (200 or 201) a second. */
  readonly documentsPerSecond: number;
  /** The same over the peak; null when the load does not depend on it (trials.ts, PeakUse). */
  readonly ofPeak: number | null;
  /** Milliseconds to the last byte of delivered documents, from the moment each was due. */
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  /** The same from when the request was written, without its wait in the load generator. */
  readonly writtenP50Ms: number;
  readonly writtenP99Ms: number;
  /** Responses by status; `error` counts broken connections. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Median time of a refusal (503, 429), from due and from written; null: nothing was refused. */
  readonly refusalP50Ms: number | null;
  readonly refusalWrittenP50Ms: number | null;
  /** CPU of the server's processes per response; null when another load ran at the same time. */
  readonly cpuMsPerRequest: number | null;
  /** Cores that the load generator used, and so took from the service on this machine. */
  readonly generatorCores: number;
  /** The requests that an overload offered; null for other loads. */
  readonly offer: Offer | null;
  /** Highest resident memory of the server process seen during this load. */
  readonly rssMb: number;
  /** The effect of badly behaved callers; null when the load ran without them. */
  readonly company: CompanyFigure | null;
  /** The figures of each round; empty in the figure of a single round. */
  readonly each: readonly HttpFigure[];
}

/** The effect of bad company on a load, measured without it, with it, and without it again. */
export interface CompanyFigure {
  /** p99 with bad company over the mean p99 before and after. */
  readonly p99Ratio: number;
  /**
   * Growth of the service's memory: with the bad company alone, or of the peak under the load,
   * whichever is more.
   */
  readonly addedMb: number;
  /** For bombs: time from their limit until a blocked renderer delivers again; otherwise null. */
  readonly returnMs: number | null;
  /** CPU per request beside editors over that without them; otherwise null. */
  readonly cpuRatio: number | null;
}

/** CPU ms of a receipt: through the pool alone, over HTTP, and the difference per pair of turns. */
export interface GatewayShare {
  readonly poolCpuMs: Spread;
  readonly serviceCpuMs: Spread;
  readonly addedCpuMs: Spread;
}

/** A part of the soak. */
export interface SoakSlice {
  /** Documents delivered from the start of the soak to the end of this slice. */
  readonly documents: number;
  readonly documentsPerSecond: number;
  readonly p99Ms: number;
  /** Resident memory of the service, the median of the slice. */
  readonly rssMb: number;
  /** Open descriptors at the end of the slice, after its connections closed. */
  readonly descriptors: number;
  readonly children: number;
  /** Responses that are not a document. */
  readonly errors: number;
}
