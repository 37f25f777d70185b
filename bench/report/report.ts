import type { ServiceComparison } from '../http/compare.ts';
import type { GatewayShare, HttpFigure, SoakSlice } from '../http/figures.ts';
import type { Machine } from '../harness/machine.ts';
import type { Drawing } from '../suites/drawing.ts';
import type { Firsts } from '../suites/firsts.ts';
import type { MicroFigure } from '../suites/micro.ts';
import type { PoolRate } from '../suites/pool.ts';
import type { ProfileResult } from '../suites/profile.ts';
import type { RowCost } from '../suites/rows.ts';

/** A peer that could not take part. */
export interface LeftOut {
  readonly peer: string;
  readonly reason: string;
}

/** All figures of one run of the bench: what `--json` writes. */
export interface Report {
  readonly schema: 1;
  readonly machine: Machine;
  readonly smoke: boolean;
  /** Load average of the last minute when the bench ended; the bench itself makes about 1 to 2. */
  readonly loadAfter: number;
  readonly durationS: number;
  readonly drawings: readonly Drawing[];
  readonly firsts: readonly Firsts[];
  readonly rows: readonly RowCost[];
  readonly pool: readonly PoolRate[];
  readonly micro: readonly MicroFigure[];
  readonly http: readonly HttpFigure[];
  /** Comparisons of two commits' services. */
  readonly services: readonly ServiceComparison[];
  /** One element, or none. */
  readonly gateway: readonly GatewayShare[];
  readonly soak: readonly SoakSlice[];
  readonly profiles: readonly ProfileResult[];
  readonly peersLeftOut: readonly LeftOut[];
  /** Loads that failed, and why. */
  readonly notes: readonly string[];
}
