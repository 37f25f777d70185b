import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t, { type Test } from 'tap';

import { environment, intaglio } from '../../../lab/service/command-line.ts';
import { CommitUnknown, asUnavailable } from '../../store/database/database-fault.ts';
import { SqliteFault, translate } from '../../store/database/sqlite-fault.ts';

const FULL = /the disk is full \(SQLITE_\d+\)/;
const ROOM = /→ make room on the disk of .*rows\/intaglio\.db, or name a place .*DATABASE_URL/;

/** Room for the index of SQLite's log, but not for the pages of a transaction. */
const TRANSACTION_LACKS = 40 * 1_024;

/** A folder on a file system of 8 MB in memory; null: this user may not mount one. */
function smallDisk(t: Test): string | null {
  const folder = mkdtempSync(join(tmpdir(), 'rows-'));
  t.teardown(() => rmSync(folder, { recursive: true }));
  const disk = join(folder, 'rows');
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8M,X-mount.mkdir', 'intaglio', disk], {
      stdio: 'ignore',
    });
  } catch (error) {
    if (error instanceof Error && 'status' in error) return null;
    throw error;
  }
  t.teardown(() => execFileSync('umount', [disk]));
  return disk;
}

/** Fills the disk but for these bytes. */
function fill(disk: string, roomBytes: number): void {
  const ballast = join(disk, 'ballast');
  rmSync(ballast, { force: true });
  const { bavail, bsize } = statfsSync(disk);
  writeFileSync(ballast, Buffer.alloc(bavail * bsize - roomBytes, 1));
}

t.test('a commit that failed for a known reason names it', async (t) => {
  // SQLITE_FULL, SQLITE_IOERR_SHMSIZE.
  for (const errcode of [13, 4_874]) {
    const cause = translate(new SqliteFault(errcode, 'Error'));
    const seen = asUnavailable(new CommitUnknown('COMMIT failed', { cause }));
    t.match(seen, {
      name: 'StorageUnavailable',
      message: /^the outcome of a commit is not known: .*: the disk is full \(SQLITE_\d+\)$/,
    });
  }
  const secret = new CommitUnknown('COMMIT failed', { cause: new Error('value 4711') });
  t.match(asUnavailable(secret), { message: /^the outcome of a commit is not known$/ });
});

t.test('commands on a full disk say so, and how to mend it', async (t) => {
  const disk = smallDisk(t);
  if (disk === null) return t.comment('no file system can be mounted');
  const env = environment(join(disk, '..'), {
    INTAGLIO_DATABASE_URL: `sqlite:${disk}/intaglio.db`,
    INTAGLIO_LINK_SECRETS: randomBytes(32).toString('hex'),
  });
  t.equal((await intaglio(env, 'teams', 'add', 'retail', '--name', 'Retail')).code, 0);
  const add = ['teams', 'add', 'cards', '--name', 'Cards'];
  const saysSo = async (words: readonly string[]): Promise<void> => {
    const { code, out, err } = await intaglio(env, ...words);
    t.equal(code, 1, words.join(' '));
    t.match(out + err, FULL, words.join(' '));
    t.match(out + err, ROOM, words.join(' '));
  };
  fill(disk, TRANSACTION_LACKS);
  await saysSo(add);
  fill(disk, 0);
  for (const words of [add, ['serve', '--check'], ['doctor'], ['serve']]) await saysSo(words);
});
