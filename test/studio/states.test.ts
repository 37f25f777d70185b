import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { RUN_STATES } from '../../src/store/runs/types.ts';
import { HOME } from '../source.ts';

t.test('the Studio knows the states of runs that the service has', async (t) => {
  const source = readFileSync(join(HOME, 'studio/src/runs/api.ts'), 'utf8');
  const union = /export type RunState =([^;]*);/.exec(source)?.[1] ?? '';
  const states = Array.from(union.matchAll(/'(\w+)'/g), ([, state]) => state);
  t.strictSame(new Set(states), new Set(RUN_STATES));
});
