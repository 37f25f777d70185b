import { parseArgs } from 'node:util';
import { fuzz } from './fuzz.ts';
import { TARGETS } from './targets.ts';

/**
 * Fuzzes for as long as wanted: `node test/fuzz/run.ts [--minutes 10] [--seed N] [target …]`.
 * Ends with 1 and the kept input when one throws, hangs or lets memory grow.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const GROWTH_MB_MAX = 128;
const names = positionals.length === 0 ? Object.keys(TARGETS) : positionals;
const unknown = names.filter((name) => !Object.hasOwn(TARGETS, name));
if (unknown.length > 0) {
  console.error(`no target ${unknown.join(', ')}; there are ${Object.keys(TARGETS).join(', ')}`);
  process.exit(2);
}
for (const name of names) {
  const seed = Number(values.seed);
  const ms = Number(values.minutes) * 60_000;
  const report = await fuzz(name, { ms, runsMax: Infinity, seed, hangMs: 5000 });
  const { runs, behaviours, slowestMs, grownMb } = report;
  console.log(
    `${name.padEnd(9)} seed ${seed}  ${runs} runs  ${behaviours} behaviours  ` +
      `slowest ${slowestMs.toFixed(0)} ms CPU  memory +${grownMb.toFixed(1)} MB`,
  );
  if (grownMb > GROWTH_MB_MAX) process.exitCode = 1;
}
