import { cpuMs } from './cost.ts';
import { FAMILIES } from './families.ts';

/**
 * Grows each family up to the limit of a body, and prints its CPU time at each size: `node
 * test/cost/run.ts [part of a name]`. Exits with 1 when a member takes over two seconds.
 */
const BODY_BYTES = 1_000_000;
/** Sizes as shares of the largest member's. */
const SHARES = [1 / 16, 1 / 8, 1 / 4, 1 / 2, 1];
const MS_MAX = 2_000;

const part = process.argv[2] ?? '';
let worst = { name: '', ms: 0 };
for (const family of FAMILIES.filter(({ name }) => name.includes(part))) {
  const figures: string[] = [];
  let outcome = '';
  for (const share of SHARES) {
    const bytes = share * (family.bytesMax ?? BODY_BYTES);
    const ms = await cpuMs(family, bytes);
    figures.push(ms.toFixed(0).padStart(6));
    if (ms > worst.ms) worst = { name: family.name, ms };
    if (share === 1) outcome = await (await family.prepare(bytes))();
  }
  console.log(`${family.name.padEnd(52)} ${figures.join('')} ms  ${outcome.slice(0, 50)}`);
}
console.log(`worst: ${worst.ms.toFixed(0)} ms, ${worst.name}`);
if (worst.ms > MS_MAX) process.exitCode = 1;
