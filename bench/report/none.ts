import { describeMachine } from '../../lab/machine.ts';
import { NO_FIGURES } from '../measure.ts';
import type { Report } from './report.ts';

/** A report without figures, for tests. */
export const NONE: Report = {
  schema: 1,
  machine: describeMachine(),
  smoke: false,
  loadAfter: 0,
  durationS: 1,
  ...NO_FIGURES,
};
