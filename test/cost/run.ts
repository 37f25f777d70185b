import { cpuMs } from './cost.ts';
import { FAMILIES } from './families.ts';

/**
 * Grows each family up to the limit of a body and prints its CPU time at each size:
 * `node test/cost/run.ts [part of a name]`. Ends with 1 when one takes over two seconds.
 */
const SIZES = [64_000, 256_000, 1_000_000];
const MS_MAX = 2_000;

const part = process.argv[2] ?? '';
let worst = { name: '', ms: 0 };
for (const family of FAMILIES.filter(({ name }) => name.includes(part))) {
  const figures: string[] = [];
  let outcome = '';
  for (const bytes of SIZES) {
    const ms = await cpuMs(family, bytes);
    figures.push(ms.toFixed(0).padStart(6));
    if (ms > worst.ms) worst = { name: family.name, ms };
    outcome = await family.run(bytes);
  }
  console.log(`${family.name.padEnd(52)} ${figures.join('')} ms  ${outcome.slice(0, 50)}`);
}
console.log(`worst: ${worst.ms.toFixed(0)} ms, ${worst.name}`);
if (worst.ms > MS_MAX) process.exitCode = 1;
