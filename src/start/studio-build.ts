import { spawn } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import {
  existsSync,
  globSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { constants, setPriority } from 'node:os';
import { basename, join } from 'node:path';

import { errorCode } from '../runtime/error-code.ts';
import { HOME } from '../settings/config.ts';

const SOURCES = join(HOME, 'studio');
/** The folder of the built browser application. */
export const STUDIO_FOLDER = join(SOURCES, 'dist');
/** File with the digest of the sources that a build was made from. */
const STAMP = 'sources.sha256';
const VITE = join(HOME, 'node_modules/vite/bin/vite.js');
/** Modules of the service that the Studio is built from, too. */
export const SHARED = [
  'src/engine/contract/format/{amount,decimal,sent-number}.ts',
  'src/engine/contract/reasons.ts',
  'src/gateway/audit-actions.ts',
  'src/limits.ts',
  'src/runtime/contract/*.ts',
  'src/runtime/csv/csv-format.ts',
  'src/runtime/encoding/*.ts',
  'src/runtime/json-object.ts',
  'src/runtime/json-slips/*.ts',
  'src/runtime/json-spans.ts',
  'src/runtime/naming/naming.ts',
  'src/runtime/readable-name.ts',
];
/** Long, because a build at the lowest priority takes minutes beside busy programs. */
const BUILD_MS_MAX = 1_200_000;
/** No build takes this long: a folder this old was left by one that was killed. */
const LEFTOVER_MS = 86_400_000;
/** Characters of Vite's messages that are reported, the last ones. */
const ERRORS_LENGTH_MAX = 2_000;

/**
 * Builds the browser application when it is missing or its sources have changed. The API does not
 * wait for it and does not need it: `warn` reports failures. Resolves to whether a build of these
 * sources exists.
 */
export async function buildStudio(warn: (message: string) => void): Promise<boolean> {
  try {
    const fault = await build();
    if (fault !== '') warn(`the Studio was not built: ${fault}`);
    return fault === '';
  } catch (error) {
    // A read-only folder or a full disk must not stop the API.
    if (!(error instanceof Error)) throw error;
    warn(`the Studio was not built: ${error.message}`);
    return false;
  }
}

/** Builds; resolves to '' or to a message about what went wrong. */
async function build(): Promise<string> {
  for (;;) {
    const digest = digestOfSources();
    if (stampOf(STUDIO_FOLDER) === digest) return '';
    if (!existsSync(VITE)) return 'vite is not installed';
    removeLeftovers();
    // Processes in two containers may have the same id, so it would not do as a name.
    const built = `${STUDIO_FOLDER}.${randomUUID()}`;
    try {
      const fault = await runVite(built);
      if (fault !== '') return fault;
      // Nobody knows which of the changed sources are in it, and another process may have built them.
      if (digestOfSources() !== digest) continue;
      writeFileSync(join(built, STAMP), digest);
      putInPlace(built, digest);
      return '';
    } finally {
      rmSync(built, { recursive: true, force: true });
    }
  }
}

/** Removes what builds left that were killed. */
function removeLeftovers(): void {
  const prefix = `${basename(STUDIO_FOLDER)}.`;
  for (const name of readdirSync(SOURCES).filter((one) => one.startsWith(prefix))) {
    const path = join(SOURCES, name);
    const { mtimeMs = Infinity } = statSync(path, { throwIfNoEntry: false }) ?? {};
    if (mtimeMs < Date.now() - LEFTOVER_MS) rmSync(path, { recursive: true, force: true });
  }
}

/**
 * Moves the build into place, unless another process has done so from the same sources: the build of
 * that one may be in use. A folder is removed only under a name that no other process knows. Were the
 * former build removed in its place, a build that another process puts there meanwhile would lose files.
 */
function putInPlace(built: string, digest: string): void {
  const former = `${built}.former`;
  while (stampOf(STUDIO_FOLDER) !== digest) {
    moveAway(former);
    // Another process may have been faster since the stamp was read: its build goes back.
    const isIn = moveIn(stampOf(former) === digest ? former : built);
    rmSync(former, { recursive: true, force: true });
    if (isIn) return;
  }
}

/** Moves the former build out of its place, if there is one. */
function moveAway(former: string): void {
  try {
    renameSync(STUDIO_FOLDER, former);
  } catch (error) {
    const code = errorCode(error);
    // A folder from the image of a container cannot be moved. No other container has it.
    if (code === 'EXDEV') rmSync(STUDIO_FOLDER, { recursive: true, force: true });
    else if (code !== 'ENOENT') throw error;
  }
}

/** Moves a build into its place; false: another one lies there. */
function moveIn(built: string): boolean {
  try {
    renameSync(built, STUDIO_FOLDER);
    return true;
  } catch (error) {
    const code = errorCode(error);
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
    return false;
  }
}

/** A digest of the names and contents of all sources, and of the versions of the libraries. */
function digestOfSources(): string {
  const hash = createHash('sha256');
  // The guide of the Studio is the documentation of templates.
  const guide = ['docs/{templates,template-keys,contract}.md', 'docs/pictures/*.png'];
  const own = 'studio/**/*.{ts,tsx,css,html,json,svg}';
  const names = globSync([own, ...SHARED, ...guide], { cwd: HOME })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => !name.startsWith('studio/dist'))
    .toSorted();
  for (const name of [...names, 'package-lock.json', 'templates/template.schema.json']) {
    hash
      .update(`${name}\0`)
      .update(readFileSync(join(HOME, name)))
      .update('\0');
  }
  return hash.digest('hex');
}

/** The digest of the sources that a folder was built from; '': there is no build. */
function stampOf(folder: string): string {
  try {
    return readFileSync(join(folder, STAMP), 'utf8');
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    return '';
  }
}

/** Runs Vite at the lowest priority; resolves to '' or to a message about what went wrong. */
async function runVite(outDir: string): Promise<string> {
  const args = [VITE, 'build', SOURCES, '--outDir', outDir, '--logLevel', 'error'];
  const child = spawn(process.execPath, args, {
    cwd: HOME,
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: BUILD_MS_MAX,
  });
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
  let errors = '';
  child.stderr.setEncoding('utf8');
  child.stderr.on('data', (text: string) => (errors = (errors + text).slice(-ERRORS_LENGTH_MAX)));
  const stopChild = (): void => void child.kill();
  process.once('exit', stopChild);
  const end = await new Promise<number | string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) => resolve(code ?? signal ?? ''));
  });
  process.off('exit', stopChild);
  return end === 0 ? '' : `vite ended with ${end}: ${errors.trim()}`;
}
