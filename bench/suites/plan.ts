import type { ShapeName } from '../shapes/sheet.ts';

/** How much to measure. Times are per subject and shape. */
export interface Plan {
  readonly shapes: readonly ShapeName[];
  /** Rounds in which all subjects take turns. */
  readonly rounds: number;
  readonly warmUpMs: number;
  /** Aim of one round. */
  readonly roundMs: number;
  /** After this, a slow subject gets no further round. */
  readonly budgetMs: number;
  /** Rows of shape B; null: all. */
  readonly rows: number | null;
  /** Shapes of the benches that start processes for each figure. */
  readonly sideShapes: readonly ShapeName[];
  /** How often each HTTP load runs. */
  readonly httpRounds: number;
  /** Slow senders, in thousands, and stalled readers, in units of 200, beside an HTTP load. */
  readonly httpCompany: number;
  /** HTTP loads by name; null: all. */
  readonly httpLoads: readonly string[] | null;
  /** Processes and templates for the first-document figures. */
  readonly firsts: number;
  readonly rowCounts: readonly number[];
  /** Wall time of one pool or HTTP measurement. */
  readonly loadMs: number;
  /** Documents of the soak. */
  readonly soakDocuments: number;
  readonly core: number | null;
}

export const FULL: Plan = {
  shapes: ['A', 'B', 'C'],
  rounds: 7,
  warmUpMs: 2_500,
  roundMs: 500,
  budgetMs: 9_000,
  rows: null,
  sideShapes: ['A', 'B', 'C'],
  httpRounds: 3,
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
  httpCompany: 0.02,
  httpLoads: ['sync', 'stalled files', 'over ×2'],
  firsts: 1,
  rowCounts: [10, 60],
  loadMs: 300,
  soakDocuments: 50,
  core: null,
};
