/** A fault of the network between the service and a backend. */
export type TcpFault =
  /** Connections are reset. */
  | 'refuse'
  /** A connection ends after a random number of bytes of either direction. */
  | 'cut'
  /** MySQL: the connection ends when COMMIT is sent, before or after the server gets it. */
  | 'cut commit'
  /** Bytes wait, in order, for a random time. */
  | 'delay'
  /** Bytes are accepted, and none comes back. */
  | 'silence'
  /** Instead of the server, something answers with a page. */
  | 'page'
  /** Instead of the server, something answers without end. */
  | 'endless';

export type HttpFault =
  | 'refuse'
  /** The server does the work; its answer is cut. */
  | 'cut answer'
  /** The answer's body ends in the middle. */
  | 'half body'
  | 'delay'
  | 'silence'
  /** The request is sent twice. */
  | 'repeat'
  | 'page 200'
  | 'page 404'
  | 'page 503'
  | 'empty 200'
  | 'empty 404'
  | 'no such bucket'
  | 'endless';

export const DATABASE_FAULTS: readonly TcpFault[] = [
  'refuse',
  'cut',
  'cut commit',
  'delay',
  'silence',
  'page',
  'endless',
];

export const QUEUE_FAULTS: readonly TcpFault[] = DATABASE_FAULTS.filter(
  (fault) => fault !== 'cut commit',
);

export const FILE_FAULTS: readonly HttpFault[] = [
  'refuse',
  'cut answer',
  'half body',
  'delay',
  'silence',
  'repeat',
  'page 200',
  'page 404',
  'page 503',
  'empty 200',
  'empty 404',
  'no such bucket',
  'endless',
];

/** A fault, and how often it strikes: the share of connections or requests. */
export interface Strike<F> {
  readonly fault: F;
  readonly share: number;
}

/** A proxy whose fault can be chosen. */
export interface FaultyProxy<F> {
  readonly port: number;
  /** Null: everything passes unchanged. Existing connections are cut when it changes, if `isHard`. */
  set(strike: Strike<F> | null): void;
  /** How often each fault struck. */
  readonly struck: ReadonlyMap<F, number>;
  close(): Promise<void>;
}

export const PAGE =
  '<html><head><title>Sign in</title></head><body>Sign in to the proxy</body></html>';

export function count<F>(struck: Map<F, number>, fault: F): void {
  struck.set(fault, (struck.get(fault) ?? 0) + 1);
}

export function oneOf<T>(values: readonly T[]): T {
  const value = values[Math.floor(Math.random() * values.length)];
  if (value === undefined) throw new Error('nothing to choose from');
  return value;
}
