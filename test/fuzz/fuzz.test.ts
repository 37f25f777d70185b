import t from 'tap';
import { fuzz } from './fuzz.ts';
import { TARGETS } from './targets.ts';

/** A short run a target, the kept corpus first; `node test/fuzz/run.ts` runs for longer. */
const RUN_MS = 1500;

for (const name of Object.keys(TARGETS)) {
  t.test(`${name}: no input throws, hangs or leaks`, async (t) => {
    const report = await fuzz(name, { ms: RUN_MS, seed: 20_261_121, hangMs: 10_000 });
    t.ok(report.runs > 50, `${report.runs} runs, ${report.behaviours} behaviours`);
    t.ok(report.behaviours > 5);
    t.ok(report.slowestMs < 5000, `slowest ${report.slowestMs.toFixed(0)} ms`);
    t.ok(report.grownMb < 128, `memory +${report.grownMb.toFixed(1)} MB`);
  });
}
