import type { Spread } from '../../lab/stats.ts';

/** The CPU of the parts of a document, which add up to about the whole. */
export interface Part {
  /** `table at content[4]`, or the name of a stage. */
  readonly name: string;
  /** JSON path of a node; null for a stage. */
  readonly path: string | null;
  readonly cpuMs: number;
  /** Of the sum of all parts. */
  readonly share: number;
  /** Of `cpuMs`; 0 for a stage. */
  readonly layoutMs: number;
  readonly paintMs: number;
  readonly deflateMs: number;
}

export interface Parts {
  /** The most expensive first. */
  readonly parts: readonly Part[];
  readonly sumMs: number;
  /**
   * CPU of a document that nothing watched, in the same turns: the mean of all documents, which a busy
   * machine raises further above `warmCpuMs` than a median.
   */
  readonly wholeMs: number;
  /** `sumMs` over `wholeMs`. */
  readonly agreement: number;
}

export interface BytesByKind {
  readonly fonts: number;
  readonly images: number;
  readonly pages: number;
  readonly other: number;
  readonly total: number;
}

/** Documents through a pool of threads, without HTTP. */
export interface ThreadRate {
  readonly threads: number;
  readonly documentsPerSecond: Spread;
  readonly cpuMs: Spread;
  readonly rssMb: number;
}

/** What a service with so many cores for itself would deliver. */
export interface Forecast {
  readonly cores: number;
  readonly documentsPerSecond: number;
  readonly low: number;
  readonly high: number;
}

/**
 * Says why a report has no forecast: in `pools`, a document takes much more or less CPU than in one
 * warm process. Such a pool was not warm yet, or other programs used its cores.
 */
export interface ForecastWithheld {
  readonly warmCpuMs: number;
  readonly pools: readonly {
    readonly threads: number;
    /** Median of the rounds. */
    readonly cpuMs: number;
    /** The greater one of `cpuMs` and `warmCpuMs` over the other one. */
    readonly ratio: number;
  }[];
}

/** The same through a running service. */
export interface ServiceRate {
  readonly callers: number;
  readonly machineCores: number;
  readonly documentsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Null: the service is not on this machine, so its CPU cannot be read. */
  readonly cpuMs: number | null;
  /** Cores that the service had during the load; null as above. */
  readonly cores: number | null;
  /** Documents a second if all cores of the machine had been the service's; null as above. */
  readonly onAllCores: number | null;
  /** CPU of a document in a pool of as many threads, in turns with the load; null: not measured. */
  readonly poolCpuMs: number | null;
}

/** Everything that `bench --template` measures; what `--json` writes. */
export interface OwnFigures {
  readonly schema: 1;
  readonly template: string;
  readonly data: string;
  readonly pages: number;
  readonly first: {
    /** From the start of a process to its first document. */
    readonly wallMs: number;
    readonly loadCpuMs: number;
    /** With compiling the template. */
    readonly cpuMs: number;
  };
  /** The documents that follow the first one, before the code is compiled. */
  readonly coldCpuMs: number;
  readonly warmCpuMs: Spread;
  readonly rssMb: number;
  readonly bytes: BytesByKind;
  readonly parts: Parts;
  readonly threads: readonly ThreadRate[];
  /** CPU that HTTP adds to a document, measured with a one-word page. */
  readonly httpCpuMs: Spread;
  /** Empty when it is withheld. */
  readonly forecasts: readonly Forecast[];
  readonly forecastWithheld: ForecastWithheld | null;
  /** Empty without `--http`. */
  readonly service: readonly ServiceRate[];
}

/** The figures of a template that only a running service has. */
export interface PublishedFigures {
  readonly schema: 1;
  readonly template: string;
  readonly data: string;
  readonly bytes: BytesByKind;
  readonly service: readonly ServiceRate[];
}
