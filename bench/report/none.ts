import { describeMachine } from '../../lab/machine.ts';
import type { Report } from './report.ts';

/** A report without figures, for tests. */
export const NONE: Report = {
  schema: 1,
  machine: describeMachine(),
  smoke: false,
  loadAfter: 0,
  durationS: 1,
  drawings: [],
  firsts: [],
  rows: [],
  pool: [],
  micro: [],
  http: [],
  services: [],
  gateway: [],
  soak: [],
  profiles: [],
  tables: [],
  peersLeftOut: [],
  notes: [],
};
