import t from 'tap';
import { fuzz } from './fuzz.ts';
import { TARGETS } from './targets.ts';
import { isWithin } from '../hostile/machine.ts';

/** A short run per target, with the corpus first; `node test/fuzz/run.ts` runs for longer. */
const OPTIONS = {
  ms: 1500,
  runsMax: 400,
  seed: 20_261_121,
  hangMs: 20_000,
  seek: 'behaviour',
} as const;

for (const name of Object.keys(TARGETS)) {
  t.test(`${name}: no input throws or hangs`, async (t) => {
    const { runs, behaviours, slowestMs } = await fuzz(name, OPTIONS);
    t.ok(runs > 20 && behaviours > 3, `${runs} runs, ${behaviours} behaviours`);
    t.ok(isWithin(slowestMs, 1_000), `slowest ${slowestMs.toFixed(0)} ms of CPU`);
  });
}

for (const name of ['render', 'draw', 'draft']) {
  t.test(`${name}: the costliest inputs that a short search finds are cheap`, async (t) => {
    const { costliest } = await fuzz(name, { ...OPTIONS, seek: 'cost' });
    const [first] = costliest;
    t.ok(first !== undefined);
    const figures = costliest.map(
      ({ ms, msPerKb }) => `${ms.toFixed(0)} ms, ${msPerKb.toFixed(1)}/KB`,
    );
    // A body has a thousand KB at most; the fixed part of a document counts as one of them.
    t.ok(isWithin(first?.msPerKb ?? 0, 50), figures.join('; '));
  });
}
