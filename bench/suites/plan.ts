import type { BenchOptions } from '../options.ts';
import type { ShapeName } from '../../lab/shapes/sheet.ts';

/** How much to measure. Times are per subject and shape. */
export interface Plan {
  readonly shapes: readonly ShapeName[];
  /** Rounds in which all subjects take turns. */
  readonly rounds: number;
  readonly warmUpMs: number;
  /** CPU time that one round aims at. */
  readonly roundMs: number;
  /** After this, a slow subject gets no further round. */
  readonly budgetMs: number;
  /** Rows of shape B; null: all. */
  readonly rows: number | null;
  /** Shapes of the benches that start processes for each figure. */
  readonly sideShapes: readonly ShapeName[];
  /** How often each HTTP load runs. */
  readonly httpRounds: number;
  /** How often a round is tried whose load is a share of the peak, when the peak does not hold. */
  readonly roundTries: number;
  /** Scale of the connections and editors beside an HTTP load: 1 is 1,000 slow senders. */
  readonly httpCompany: number;
  /** HTTP loads by name; null: all. */
  readonly httpLoads: readonly string[] | null;
  /** First documents to time, of processes and of templates each. */
  readonly firsts: number;
  /** Lengths of the table that the cost of a row is measured at. */
  readonly rowCounts: readonly number[];
  /** Wall time of one pool or HTTP measurement. */
  readonly loadMs: number;
  /** Documents of the soak. */
  readonly soakDocuments: number;
  /** The core that all subjects are pinned to; null: any. */
  readonly core: number | null;
}

const FULL: Plan = {
  shapes: ['A', 'B', 'C'],
  rounds: 7,
  warmUpMs: 2_500,
  roundMs: 500,
  budgetMs: 9_000,
  rows: null,
  sideShapes: ['A', 'B', 'C'],
  httpRounds: 3,
  roundTries: 3,
  httpCompany: 1,
  httpLoads: null,
  firsts: 5,
  rowCounts: [10, 20, 50, 100, 200, 500, 1_000, 2_000],
  loadMs: 4_000,
  soakDocuments: 100_000,
  core: 1,
};

/** Seconds instead of minutes: shows that everything runs, not how fast. */
export const SMOKE: Plan = {
  shapes: ['A', 'B', 'C'],
  rounds: 1,
  warmUpMs: 1,
  roundMs: 1,
  budgetMs: 1_000,
  rows: 60,
  sideShapes: ['A'],
  httpRounds: 1,
  roundTries: 1,
  httpCompany: 0.02,
  httpLoads: ['sync', 'stalled files', 'over ×2'],
  firsts: 1,
  rowCounts: [10, 60],
  loadMs: 1_000,
  soakDocuments: 50,
  core: null,
};

/** The plan for a command line: the full or the smoke size with the options' own figures. */
export function planOf(options: BenchOptions, cores: number): Plan {
  const size = options.smoke ? SMOKE : FULL;
  return {
    ...size,
    core: cores > 1 ? size.core : null,
    shapes: options.shapes,
    rounds: options.rounds ?? size.rounds,
    httpRounds: options.rounds ?? httpRoundsOf(options, size),
    soakDocuments: options.documents ?? size.soakDocuments,
  };
}

function httpRoundsOf({ name, compare }: BenchOptions, { httpRounds }: Plan): number {
  // As a part of `all`, each load runs once, so that `all` takes some 16 minutes, not 28.
  if (name !== 'http') return 1;
  return compare === null ? httpRounds : httpRounds * 2;
}
