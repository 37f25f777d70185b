import { join } from 'node:path';
import { HOME } from './machine.ts';

/** As the wrapper `intaglio` starts the service (test/wrapper.test.ts holds them equal). */
export const SERVICE_FLAGS = [
  '--disable-proto=delete',
  '--max-semi-space-size=8',
  '--single-threaded-gc',
  '--require',
  join(HOME, 'src', 'quiet.cjs'),
];

/**
 * Of every script and subject, peers too: with the collector in the thread that makes the garbage, as
 * the service runs, CPU time is that of the work and not of helpers that wait for one another.
 */
export const SUBJECT_FLAGS = [
  '--disable-warning=ExperimentalWarning',
  '--expose-gc',
  '--single-threaded-gc',
];
