import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';

const MAIN = join(import.meta.dirname, '..', 'main.ts');
const PATIENCE_MS = 120_000;

function refusalOf(...args: readonly string[]): string {
  const { status, stderr } = spawnSync(process.execPath, [MAIN, '--compare', ...args], {
    encoding: 'utf8',
  });
  t.equal(status, 2, args.join(' '));
  return stderr;
}

t.test('a commit that does not exist is named in one line', async (t) => {
  const told = '--compare: no commit, branch or tag of this clone is called "nosuch"';
  t.equal(refusalOf('nosuch', 'HEAD'), `${told} (git log --oneline)\n`);
  t.match(refusalOf('HEAD', '--', '-x'), /no commit, branch or tag of this clone is called "-x"/);
});

t.test('a setting that the commit does not have is refused', async (t) => {
  const typing = ['--set-b', 'INTAGLIO_TRACE=1'];
  t.equal(
    refusalOf('HEAD', 'HEAD', 'http', ...typing),
    '--set-b: commit HEAD has no setting INTAGLIO_TRACE; did you mean "INTAGLIO_TRACES"?\n',
  );
});

/** Processes whose variables name the folder. */
function processesIn(folder: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`TMPDIR=${folder}\0`);
      } catch {
        // It has ended, or belongs to another user.
        return false;
      }
    });
}

const skip = process.platform === 'linux' ? {} : { skip: 'needs /proc' };

t.test('a comparison that is interrupted leaves no service and no folder', skip, async (t) => {
  const folder = join(t.testdir(), 'tmp');
  mkdirSync(folder);
  const args = ['--compare', 'HEAD', 'HEAD', 'http', 'sync', '--rounds', '2'];
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { ...process.env, TMPDIR: folder },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
  // The first line about a load appears when both services are warm.
  await new Promise<void>((resolve) => {
    child.stderr.on('data', (chunk: Buffer) => /http sync: /.test(chunk.toString()) && resolve());
    child.once('exit', resolve);
  });
  t.ok(processesIn(folder).length >= 3, 'the bench and two services run');
  child.kill('SIGINT');
  t.equal(await ended, 130);
  const untilMs = performance.now() + PATIENCE_MS;
  while (processesIn(folder).length > 0 && performance.now() < untilMs) await pause(50);
  t.strictSame(processesIn(folder), []);
  t.strictSame(
    readdirSync(folder).filter((name) => name.startsWith('intaglio-')),
    [],
  );
});
