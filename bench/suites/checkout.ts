import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { CommandFailed } from '../../src/commands/console/failure.ts';
import { SUBJECT_FLAGS } from '../../lab/flags.ts';
import { temporaryFolder } from '../../lab/process/interrupt.ts';
import { HOME as WORKING_TREE } from '../../lab/home.ts';
import { SETTINGS } from '../../src/settings/config.ts';
import { nearName } from '../arguments.ts';
import type { BenchOptions } from '../options.ts';
import { npmCommand, npmEnvironment } from '../../lab/process/npm.ts';
import { MissingTool } from '../harness/tools.ts';
import { findProgram } from '../../lab/process/programs.ts';

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
  const { status } = spawnSync(npmCommand(), ['ci', ...options], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    timeout: PREPARE_TIMEOUT_MS,
    env: npmEnvironment(),
  });
  if (status !== 0) {
    throw new CommandFailed(
      `the packages of commit ${basename(root)} are others than those of this checkout, and npm ci ` +
        'cannot install them: name a commit with the same package-lock.json, or let npm reach its registry',
    );
  }
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

/** The name of a commit in 12 digits. */
function commitOf(revision: string): string {
  const name = git(['rev-parse', '--verify', '--short=12', `${revision}^{commit}`]);
  return name.toString().trim();
}

/** Why the services or engines of these commits cannot be compared, as a message; null: they can. */
export function compareFault({ compare, settings }: BenchOptions): string | null {
  for (const revision of compare ?? []) {
    const fault = revisionFault('--compare', revision);
    if (fault !== null) return fault;
  }
  for (const [index, revision] of (compare ?? []).entries()) {
    const names = Object.keys(settings[index] ?? {}).filter((name) => name.startsWith('INTAGLIO_'));
    const unknown = names.find((name) => !gitFinds('grep', '-qwF', name, revision, '--', 'src'));
    if (unknown === undefined) continue;
    const option = settingOption(settings, index, unknown);
    const near = nearName(unknown, variables()) || ': docs/settings.md lists them';
    return `${option}: commit ${revision} has no setting ${unknown}${near}`;
  }
  return null;
}

/** The option that gave a setting to one of the two sides. */
function settingOption(
  [onA, onB]: BenchOptions['settings'],
  index: number,
  name: string,
): '--set' | '--set-a' | '--set-b' {
  if (onA[name] === onB[name]) return '--set';
  return index === 0 ? '--set-a' : '--set-b';
}

/** The names of the variables of all settings in this checkout. */
function variables(): readonly string[] {
  return Object.values(SETTINGS).map(({ variable }) => variable);
}

/** Why a revision that `option` names cannot be checked out, as a message; null: it can. */
export function revisionFault(option: string, revision: string): string | null {
  if ([findProgram('git'), findProgram('tar')].includes(null)) {
    return new MissingTool(option, 'git and tar', 'git tar').message;
  }
  if (gitFinds('rev-parse', '--verify', '--quiet', `${revision}^{commit}`)) return null;
  if (!existsSync(join(WORKING_TREE, '.git'))) {
    return `${option} needs git and a clone of the repository: a release has no other commits`;
  }
  const name = JSON.stringify(revision);
  const told = `${option}: no commit, branch or tag of this clone is called ${name}`;
  // As clones of CI are.
  const isShallow = existsSync(join(WORKING_TREE, '.git', 'shallow'));
  return `${told} (${isShallow ? 'it is shallow: git fetch --unshallow' : 'git log --oneline'})`;
}

function gitFinds(...args: readonly string[]): boolean {
  return spawnSync('git', args, { cwd: WORKING_TREE, stdio: 'ignore' }).status === 0;
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
  const commit = commitOf(revision);
  const { path, remove } = temporaryFolder('intaglio-compare-');
  const root = join(path, commit);
  mkdirSync(root);
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
