import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';

import { HOME } from '../settings/config.ts';

const SOURCES = join(HOME, 'studio');
/** The folder of the built browser application. */
export const STUDIO_FOLDER = join(SOURCES, 'dist');
/** File with the digest of the sources that a build was made from. */
const STAMP = 'sources.sha256';
const VITE = join(HOME, 'node_modules/vite/bin/vite.js');
/** Modules of the service that the Studio is built from, too. */
export const SHARED = [
  'src/engine/contract/format/amount.ts',
  'src/gateway/audit-actions.ts',
  'src/runtime/contract/*.ts',
  'src/runtime/csv/csv-format.ts',
  'src/runtime/encoding/*.ts',
  'src/runtime/json-slips/*.ts',
  'src/runtime/json-spans.ts',
  'src/runtime/naming/naming.ts',
  'src/runtime/readable-name.ts',
];
/** Long, because a build at the lowest priority takes minutes beside busy programs. */
const BUILD_MS_MAX = 1_200_000;
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
  const digest = digestOfSources();
  if (stampOf(STUDIO_FOLDER) === digest) return '';
  if (!existsSync(VITE)) return 'vite is not installed';
  const temporary = `${STUDIO_FOLDER}.${process.pid}`;
  try {
    const fault = await runVite(temporary);
    if (fault !== '') return fault;
    writeFileSync(join(temporary, STAMP), digest);
    putInPlace(temporary);
    return '';
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/** Moves the build into place, unless another process has just done so from the same sources. */
function putInPlace(temporary: string): void {
  rmSync(STUDIO_FOLDER, { recursive: true, force: true });
  try {
    renameSync(temporary, STUDIO_FOLDER);
  } catch (error) {
    const isTaken = error instanceof Error && 'code' in error && error.code === 'ENOTEMPTY';
    if (!isTaken) throw error;
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
  const stamp = join(folder, STAMP);
  return existsSync(stamp) ? readFileSync(stamp, 'utf8') : '';
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
