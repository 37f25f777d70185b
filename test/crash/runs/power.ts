/**
 * Power cuts in the middle of runs: `node test/crash/runs/power.ts [cuts, default 10] [rows a run,
 * default 4000] [ext4 | xfs]`, as root. Power is cut as in test/crash/power.ts, twice in each run.
 */
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeDisk } from '../disk.ts';
import { killRun } from './kill-run.ts';

const CUTS_PER_RUN = 2;

const cuts = Number(process.argv[2] ?? 10);
const rows = Number(process.argv[3] ?? 4_000);
const root = await mkdtemp(join(tmpdir(), 'intaglio-power-runs-'));
const disk = await makeDisk(root, process.argv[4] ?? 'ext4');
let [made, stored, orphans] = [0, 0, 0];
disk.mount();
try {
  for (; made < cuts && process.exitCode === undefined; made += CUTS_PER_RUN) {
    const folder = join(disk.folder, `run-${made}`);
    await mkdir(folder);
    const outcome = await killRun({
      place: { databaseUrl: `sqlite:${join(folder, 'db')}`, folder },
      rows,
      kills: CUTS_PER_RUN,
      invalidEach: 100,
      cut: (kill) => {
        disk.cut();
        kill();
      },
      mend: async () => {
        await disk.unmount();
        disk.mount();
      },
    });
    stored += outcome.stored;
    orphans += outcome.orphans;
    if (outcome.violations.length > 0) {
      process.stdout.write(`cut ${made}\n${outcome.violations.join('\n')}\n`);
      process.exitCode = 1;
    }
    await rm(folder, { recursive: true, force: true });
  }
} finally {
  await disk.unmount();
  await rm(root, { recursive: true, force: true });
}
process.stdout.write(
  `${made} power cuts in runs of ${rows} rows: ${stored} stored once, ${orphans} orphans\n`,
);
