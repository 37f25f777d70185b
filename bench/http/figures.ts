/** One kind of load on a running service. */
export interface HttpFigure {
  readonly name: string;
  /** What was sent, in words. */
  readonly load: string;
  readonly durationS: number;
  /** Documents delivered (200 or 201) a second. */
  readonly documentsPerSecond: number;
  /** Milliseconds from send to the last byte, of delivered documents. */
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  /** Answers by status; `error` counts broken connections. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Median time of a refusal (503, 429); null where there was none. */
  readonly refusalP50Ms: number | null;
  /** CPU of the server's processes over all answers; null where another load ran beside. */
  readonly cpuMsPerRequest: number | null;
  /** Highest resident memory of the server process seen during this load. */
  readonly rssMb: number;
}
