import { parseArgs } from 'node:util';
import { fuzz, keepInput } from './fuzz.ts';
import { TARGETS } from './targets.ts';

/**
 * Fuzzes for a given time: `node test/fuzz/run.ts [--minutes 10] [--seed N] [target …]`. Exits with
 * 1 and names the kept input when one throws, hangs or makes memory grow. With `--cost` it searches
 * for inputs that take the most CPU for their length, and prints the costliest; `--keep` writes the
 * first of them to the corpus.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: 'string', default: '10' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    cost: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
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
  const seek = values.cost ? 'cost' : 'behaviour';
  const ms = Number(values.minutes) * 60_000;
  const report = await fuzz(name, { ms, runsMax: Infinity, seed, hangMs: 20_000, seek });
  const { runs, behaviours, slowestMs, slowest, grownMb } = report;
  console.log(
    `${name.padEnd(9)} seed ${seed}  ${runs} runs  ${behaviours} behaviours  ` +
      `slowest ${slowestMs.toFixed(0)} ms CPU  memory +${grownMb.toFixed(1)} MB`,
  );
  console.log(`  slowest: ${slowest.input.length} bytes, ${slowest.behaviour.slice(0, 100)}`);
  for (const { input, ms: costMs, msPerKb } of report.costliest) {
    const start = Buffer.from(input).toString('utf8').slice(0, 60);
    console.log(
      `  ${msPerKb.toFixed(2)} ms/KB  ${costMs.toFixed(0)} ms  ${input.length} bytes  ${JSON.stringify(start)}`,
    );
  }
  const [first] = report.costliest;
  if (values.keep && first !== undefined) console.log(`  kept ${keepInput(name, first.input)}`);
  if (grownMb > GROWTH_MB_MAX) process.exitCode = 1;
}
