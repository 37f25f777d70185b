/**
 * Flips random bits of a service's files: `node test/crash/flips/run.ts [flips] [seed]`. Half of them
 * are made with encrypted files. Prints a table, and every flip that nothing named; exits with 1 when
 * there is one.
 */
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { flip, OUTCOMES } from './flips.ts';
import { startPool } from './scene.ts';

const count = Number(process.argv[2] ?? 1_000);
const seed = Number(process.argv[3] ?? 1);
const startMs = performance.now();
const folder = await mkdtemp(join(tmpdir(), 'intaglio-flips-'));
const pool = await startPool();
const table: Record<string, Record<string, number>> = {};
try {
  for (const key of [null, randomBytes(32)]) {
    const half = { count: Math.ceil(count / 2), seed: seed + (key === null ? 0 : 1), key, pool };
    const name = key === null ? 'plain' : 'encrypted';
    for await (const made of flip({ ...half, folder: join(folder, name) })) {
      const row = (table[`${made.target}, ${name}`] ??= {});
      row[made.outcome] = (row[made.outcome] ?? 0) + 1;
      if (process.env['FLIPS_ALL'] !== undefined) process.stdout.write(`${JSON.stringify(made)}\n`);
      const isBad = made.outcome === 'SILENT' || made.outcome === 'UNNAMED';
      if (isBad) process.exitCode = 1;
      if (isBad || made.outcome === 'changed' || made.outcome === 'refused') {
        process.stdout.write(`${JSON.stringify(made)}\n`);
      }
    }
  }
} finally {
  await pool.close(0);
  await rm(folder, { recursive: true, force: true });
}
for (const [name, row] of Object.entries(table)) {
  const counts = OUTCOMES.filter((outcome) => row[outcome] !== undefined);
  process.stdout.write(`${name}: ${counts.map((one) => `${row[one]} ${one}`).join(', ')}\n`);
}
process.stdout.write(`${Math.round((performance.now() - startMs) / 1_000)} s\n`);
