import { auditCase } from './audit.ts';
import { makeCase } from './cases.ts';

/**
 * Audits amounts of random formats in random widths: `node test/amounts/run.ts [NUMBERS] [SEED]`. It
 * prints the seed of each case with a fault, and exits with 1 if there is one.
 */
const numbers = Number(process.argv[2] ?? 100_000);
let seed = Number(process.argv[3] ?? 1);
let audited = 0;
const counts = { cases: 0, refused: 0, shrunk: 0, faulty: 0 };
while (audited < numbers) {
  const given = makeCase(seed);
  const { outcome, faults, shrunk } = await auditCase(given);
  audited += given.amounts.length;
  counts.cases++;
  counts.shrunk += shrunk;
  if (outcome === 'refused') counts.refused++;
  if (faults.length > 0) {
    counts.faulty++;
    if (counts.faulty <= 20) console.log(`seed ${seed}, ${given.widthPt} pt: ${faults.join('; ')}`);
  }
  seed++;
}
console.log(JSON.stringify({ amounts: audited, ...counts }));
process.exitCode = counts.faulty > 0 ? 1 : 0;
