/**
 * Power cuts: `node test/crash/power.ts [cuts per database, default 25] [ext4 | xfs]`, as root.
 * Database and files lie on a separate file system in a loop device. A cut shuts that file system
 * down during the work without flushing its log: everything that was not synced is lost, as in a
 * power cut. Then it is mounted again, its journal is replayed, and everything is checked.
 * Needs xfs_io (xfsprogs) and mkfs.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type MariaDb, startMariaDb } from '../../lab/servers/mariadb.ts';
import { type Disk, makeDisk } from './disk.ts';
import { type Acknowledged, findViolations, type Place } from './invariants.ts';
import { writeUntilKilled } from './kill.ts';

async function cutMany(
  name: string,
  place: Place,
  disk: Disk,
  server: MariaDb | null,
  cuts: number,
): Promise<boolean> {
  const all: Acknowledged[] = [];
  let orphans = 0;
  for (let cut = 1; cut <= cuts; cut += 1) {
    all.push(...(await writeUntilKilled(place, 50 + Math.random() * 700, () => disk.cut())));
    await server?.kill();
    await disk.unmount();
    disk.mount();
    await server?.restart();
    const findings = await findViolations(place, all);
    orphans += findings.orphans;
    if (findings.violations.length > 0) {
      process.stdout.write(`${name}: cut ${cut}\n${findings.violations.join('\n')}\n`);
      return false;
    }
  }
  process.stdout.write(
    `${name}: ${cuts} power cuts, ${all.length} acknowledged, 0 lost, ${orphans} orphans swept\n`,
  );
  return true;
}

const cuts = Number(process.argv[2] ?? 25);
const root = await mkdtemp(join(tmpdir(), 'intaglio-power-'));
const disk = await makeDisk(root, process.argv[3] ?? 'ext4');
disk.mount();
try {
  const one = {
    databaseUrl: `sqlite:${join(disk.folder, 'one', 'db')}`,
    folder: join(disk.folder, 'one'),
  };
  let whole = await cutMany('sqlite', one, disk, null, cuts);
  const { server } = await startMariaDb([], disk.folder);
  if (server !== null) {
    const two = { databaseUrl: await server.freshUrl(), folder: join(disk.folder, 'two') };
    whole = (await cutMany('mysql', two, disk, server, cuts)) && whole;
    await server.stop();
  }
  process.exitCode = whole ? 0 : 1;
} finally {
  await disk.unmount();
  await rm(root, { recursive: true, force: true });
}
