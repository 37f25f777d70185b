/**
 * The long form of kill.test.ts: `node test/crash/run.ts [kills per database, default 200]`.
 * Prints one line per database; exits with 1 when an invariant was violated.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startMariaDb } from '../../lab/servers/mariadb.ts';
import { type Acknowledged, findViolations, type Place } from './invariants.ts';
import { writeUntilKilled } from './kill.ts';

/**
 * Invariants are checked once in this many kills, because reading all files takes longer than a
 * kill.
 */
const KILLS_PER_LOOK = 10;

async function killMany(name: string, place: Place, kills: number): Promise<boolean> {
  const all: Acknowledged[] = [];
  let orphans = 0;
  for (let kill = 1; kill <= kills; kill += 1) {
    all.push(...(await writeUntilKilled(place, Math.random() * 300)));
    if (kill % KILLS_PER_LOOK !== 0 && kill !== kills) continue;
    const findings = await findViolations(place, all);
    orphans += findings.orphans;
    if (findings.violations.length > 0) {
      process.stdout.write(`${name}: kill ${kill}\n${findings.violations.join('\n')}\n`);
      return false;
    }
  }
  process.stdout.write(
    `${name}: ${kills} kills, ${all.length} acknowledged, 0 lost, ${orphans} orphans swept\n`,
  );
  return true;
}

const kills = Number(process.argv[2] ?? 200);
const folder = await mkdtemp(join(tmpdir(), 'intaglio-crash-'));
const { server } = await startMariaDb();
try {
  const sqlite = {
    databaseUrl: `sqlite:${join(folder, 'one', 'db')}`,
    folder: join(folder, 'one'),
  };
  let whole = await killMany('sqlite', sqlite, kills);
  if (server !== null) {
    const mysql = { databaseUrl: await server.freshUrl(), folder: join(folder, 'two') };
    whole = (await killMany('mysql', mysql, kills)) && whole;
  }
  process.exitCode = whole ? 0 : 1;
} finally {
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
}
