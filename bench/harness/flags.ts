import { join } from 'node:path';
import { HOME } from './machine.ts';

/** As the wrapper `intaglio` starts the service (test/wrapper.test.ts holds them equal). */
export const SERVICE_FLAGS = [
  '--disable-proto=delete',
  '--max-semi-space-size=8',
  '--no-allocation-site-pretenuring',
  '--disable-sigusr1',
  '--require',
  join(HOME, 'src', 'quiet.cjs'),
];

/** Of every script and subject, peers too. */
export const SUBJECT_FLAGS = ['--disable-warning=ExperimentalWarning', '--expose-gc'];
