import { join } from 'node:path';
import { HOME } from './home.ts';

/** The flags that the wrapper `intaglio` gives Node (checked by test/wrapper.test.ts). */
export const SERVICE_FLAGS = [
  '--disable-proto=delete',
  '--max-semi-space-size=4',
  '--heap-growing-percent=50',
  '--no-allocation-site-pretenuring',
  '--max-valid-polymorphic-map-count=8',
  '--disable-sigusr1',
  '--require',
  join(HOME, 'src', 'quiet.cjs'),
  '--require',
  join(HOME, 'src', 'stripped.cjs'),
];

/** The variables that it sets, unless they are set already (checked by test/wrapper.test.ts). */
export const SERVICE_VARIABLES = { MALLOC_ARENA_MAX: '2' };

/** The flags of every script and subject, including peers; the engine has the service's besides. */
export const SUBJECT_FLAGS = ['--disable-warning=ExperimentalWarning', '--expose-gc'];
