import t from 'tap';
import { cpuMs } from './cost.ts';
import { FAMILIES } from './families.ts';

/**
 * CPU time is part of the contract: four times the data may take at most nine times the CPU. That
 * allows n log n, and what fresh memory costs where it is dear; n² would take sixteen.
 * `node test/cost/run.ts` grows each family up to the limit of a body.
 */
const BYTES = 16_000;
const GROWTH = 4;
const RATIO_MAX = 9;
/** Below this, CPU time is mostly noise. */
const FLOOR_MS = 60;
const TRIES_MAX = 6;

for (const family of FAMILIES) {
  t.test(`${family.name}: cost grows no faster than the data`, async (t) => {
    let figures = '';
    for (let tries = 0; tries < TRIES_MAX; tries++) {
      const small = await cpuMs(family, BYTES);
      const large = await cpuMs(family, BYTES * GROWTH);
      figures = `${small.toFixed(0)} ms, then ${large.toFixed(0)} ms`;
      if (large <= Math.max(FLOOR_MS, small * RATIO_MAX)) return t.pass(figures);
    }
    return t.fail(figures);
  });
}
