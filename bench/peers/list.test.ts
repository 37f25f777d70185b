import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import t from 'tap';
import { npmCommand, npmEnvironment } from '../harness/npm.ts';
import { folderOf, PEERS } from './list.ts';

const run = promisify(execFile);
const OPTIONS = ['--dry-run', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];

t.test('npm installs the packages of every peer from its lock file', async (t) => {
  const peers = new Map(PEERS.map((peer) => [folderOf(peer), peer]));
  for (const [cwd, { folder }] of peers) {
    const done = run(npmCommand(), ['ci', ...OPTIONS], { cwd, env: npmEnvironment() });
    const { stdout } = await done;
    t.match(stdout, /added \d+ packages|up to date/, `bench/peers/${folder}`);
  }
});
