import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { SUBJECT_FLAGS } from '../harness/flags.ts';
import { HOME as WORKING_TREE } from '../harness/machine.ts';
import { npmCommand, npmEnvironment } from '../harness/npm.ts';

/** The sources of a commit in a separate folder, with their packages. */
export interface Checkout {
  readonly commit: string;
  readonly root: string;
  remove(): void;
}

const PREPARE_TIMEOUT_MS = 300_000;
const ARCHIVE_BYTES_MAX = 1024 * 1024 * 1024;

/** Uses the packages of the working tree if the lock files are equal; otherwise installs them. */
function providePackages(root: string): void {
  const lock = 'package-lock.json';
  if (readFileSync(join(root, lock), 'utf8') === readFileSync(join(WORKING_TREE, lock), 'utf8')) {
    symlinkSync(join(WORKING_TREE, 'node_modules'), join(root, 'node_modules'));
    return;
  }
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  execFileSync(npmCommand(), ['ci', ...options], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: PREPARE_TIMEOUT_MS,
    env: npmEnvironment(),
  });
}

/**
 * Builds the Studio of a commit that has one, so that the service does not build it during the
 * measurement. Starts from a copy of the working tree's build, which `buildStudio` keeps if the
 * sources are equal.
 */
export function provideStudio({ root }: Checkout): void {
  const modules = ['src/start/studio-build.ts', 'src/studio-build.ts'];
  const module = modules.find((path) => existsSync(join(root, path)));
  if (module === undefined) return;
  const built = 'studio/dist';
  if (existsSync(join(WORKING_TREE, built))) {
    cpSync(join(WORKING_TREE, built), join(root, built), { recursive: true });
  }
  const script = `import { buildStudio } from './${module}';
    if (!(await buildStudio(console.error))) process.exitCode = 1;`;
  execFileSync(process.execPath, [...SUBJECT_FLAGS, '--input-type=module', '-e', script], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: PREPARE_TIMEOUT_MS,
  });
}

function git(args: readonly string[]): Buffer {
  return execFileSync('git', args, {
    cwd: WORKING_TREE,
    maxBuffer: ARCHIVE_BYTES_MAX,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

/** Unpacks a commit into a temporary folder; the repository itself is only read. */
export function checkOut(revision: string): Checkout {
  const commit = git(['rev-parse', '--short=12', `${revision}^{commit}`])
    .toString()
    .trim();
  const root = join(mkdtempSync(join(tmpdir(), 'intaglio-compare-')), commit);
  mkdirSync(root);
  const remove = (): void => rmSync(dirname(root), { recursive: true, force: true });
  try {
    const archive = git(['archive', '--format=tar', commit]);
    execFileSync('tar', ['-x', '-C', root], { input: archive });
    providePackages(root);
    return { commit, root, remove };
  } catch (error) {
    remove();
    throw error;
  }
}
