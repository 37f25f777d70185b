import type { BenchOptions } from '../options.ts';
import type { Plan } from './plan.ts';

/** One run of the bench: what the command line asks for, and how much to measure. */
export interface Run {
  readonly options: BenchOptions;
  readonly plan: Plan;
  /** Adds a line to the report, and shows it at once. */
  note(this: void, text: string): void;
}
