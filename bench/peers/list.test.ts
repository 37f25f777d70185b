import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import t from 'tap';
import { npmCommand, npmEnvironment } from '../../lab/process/npm.ts';
import { folderOf, PEERS } from './list.ts';

const run = promisify(execFile);
const OPTIONS = ['--dry-run', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];

const folders = new Map(PEERS.map((peer) => [peer.folder, folderOf(peer)]));

for (const [name, cwd] of folders) {
  t.test(`npm installs the packages of ${name} from its lock file`, async (t) => {
    // A failure rejects with npm's output.
    const { stdout } = await run(npmCommand(), ['ci', ...OPTIONS], { cwd, env: npmEnvironment() });
    t.match(stdout, /added \d+ packages|up to date/);
  });
}
