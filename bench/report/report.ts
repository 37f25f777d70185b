import type { ServiceComparison } from '../http/compare.ts';
import type { GatewayShare, HttpFigure, SoakSlice } from '../http/figures.ts';
import type { Machine } from '../../lab/machine.ts';
import type { Drawing } from '../suites/drawing.ts';
import type { FirstDocuments } from '../suites/firsts.ts';
import type { MicroFigure } from '../suites/micro.ts';
import type { PoolRate } from '../suites/pool.ts';
import type { ProfileResult } from '../suites/profile.ts';
import type { RowCost } from '../suites/rows.ts';

/** A peer that could not take part. */
export interface LeftOut {
  readonly peer: string;
  readonly reason: string;
}

/** A table that a bench makes itself. */
export interface NamedTable {
  /** Names the place of the table in docs/performance.md. */
  readonly name: TableName;
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

export type TableName = (typeof TABLE_NAMES)[number];

/** The tables that a bench makes itself. */
export const TABLE_NAMES = [
  'invoice',
  'monthEnd',
  'runs',
  'fleet',
  'guarded',
  'alone',
  'prints',
] as const;

/** What one run of the bench measured; the list of a bench that did not run is empty. */
export interface Figures {
  readonly drawings: readonly Drawing[];
  readonly firsts: readonly FirstDocuments[];
  readonly rows: readonly RowCost[];
  readonly pool: readonly PoolRate[];
  readonly micro: readonly MicroFigure[];
  readonly http: readonly HttpFigure[];
  /** Comparisons of two commits' services. */
  readonly services: readonly ServiceComparison[];
  /** At most one element; a list like the others, so that it is empty if the bench did not run. */
  readonly gateway: readonly GatewayShare[];
  readonly soak: readonly SoakSlice[];
  readonly profiles: readonly ProfileResult[];
  /** The tables of benches that measure one thing each: runs, shape D, shape Z. */
  readonly tables: readonly NamedTable[];
  readonly peersLeftOut: readonly LeftOut[];
  /** Lines printed below the tables: loads that failed, checks that were left out. */
  readonly notes: readonly string[];
}

/** The figures with the machine and the commit they belong to: what `--json` writes. */
export interface Report extends Figures {
  readonly schema: 1;
  readonly machine: Machine;
  readonly smoke: boolean;
  /** Load average of the last minute when the bench ended; the bench itself makes about 1 to 2. */
  readonly loadAfter: number;
  readonly durationS: number;
}
