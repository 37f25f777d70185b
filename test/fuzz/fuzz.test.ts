import t from 'tap';
import { fuzz } from './fuzz.ts';
import { TARGETS } from './targets.ts';

/** A short run a target, the kept corpus first; `node test/fuzz/run.ts` runs for longer. */
const OPTIONS = { ms: 1500, runsMax: 400, seed: 20_261_121, hangMs: 20_000 };

for (const name of Object.keys(TARGETS)) {
  t.test(`${name}: no input throws or hangs`, async (t) => {
    const { runs, behaviours, slowestMs } = await fuzz(name, OPTIONS);
    t.ok(runs > 20 && behaviours > 5, `${runs} runs, ${behaviours} behaviours`);
    t.ok(slowestMs < 1000, `slowest ${slowestMs.toFixed(0)} ms of CPU`);
  });
}
