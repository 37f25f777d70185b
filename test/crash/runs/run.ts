/**
 * The long form of kill-run.test.ts:
 * `node test/crash/runs/run.ts [runs, default 10] [rows, default 10000] [kills a run, default 3]`.
 * Prints one line; exits with 1 when an invariant was violated.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { killRun } from './kill-run.ts';

const [runs = 10, rows = 10_000, kills = 3] = process.argv.slice(2).map(Number);
let stored = 0;
let orphans = 0;
const folder = await mkdtemp(join(tmpdir(), 'intaglio-kill-runs-'));
try {
  for (let run = 1; run <= runs; run += 1) {
    const own = join(folder, String(run));
    const place = { databaseUrl: `sqlite:${join(own, 'db')}`, folder: own };
    const outcome = await killRun({ place, rows, kills, invalidEach: 100, isRead: run % 2 === 0 });
    stored += outcome.stored;
    orphans += outcome.orphans;
    if (outcome.violations.length > 0) {
      process.stdout.write(`run ${run}\n${outcome.violations.join('\n')}\n`);
      process.exitCode = 1;
      break;
    }
    await rm(own, { recursive: true, force: true });
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
process.stdout.write(
  `${runs} runs of ${rows} rows, ${kills} kills each: ${stored} stored once, ${orphans} orphans swept\n`,
);
