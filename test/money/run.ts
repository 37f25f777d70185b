import { parseArgs } from 'node:util';
import { AUDITS } from './audits.ts';

/**
 * Prints random documents and reads back whether every amount is right:
 * `node test/money/run.ts statements 20000 [--seed N] [--short]`, `groups 5000`,
 * `nestings 3000`, `numbers 100000`, `dates 20000`.
 * Exits with 1 when something is wrong, and prints the simplest case of each kind of failure with its
 * template and data, unless `--short`.
 */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string', default: '1' }, short: { type: 'boolean', default: false } },
});
const [subject = '', size = '1000'] = positionals;
const audit = Object.entries(AUDITS).find(([name]) => name === subject)?.[1];
if (audit === undefined) {
  console.error(`audit one of ${Object.keys(AUDITS).join(', ')}`);
  process.exit(2);
}
const cpu = process.cpuUsage();
const tally = await audit(Number(values.seed), Number(size));
const { user, system } = process.cpuUsage(cpu);
if (!values.short) for (const line of await tally.explanations()) console.log(line);
console.log(
  `${subject}: ${tally.cases} cases, ${tally.failures} wrong, ` +
    `${((user + system) / 1e6).toFixed(1)} s CPU`,
);
for (const line of tally.summary()) console.log(line);
if (tally.failures > 0) process.exitCode = 1;
