import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';

import { HOME } from './config.ts';

const SOURCES = join(HOME, 'studio');
/** The folder of the built browser application. */
export const STUDIO_FOLDER = join(SOURCES, 'dist');
/** File with the digest of the sources that a build was made from. */
const STAMP = 'sources.sha256';
const VITE = join(HOME, 'node_modules/vite/bin/vite.js');
const BUILD_MS_MAX = 180_000;

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
  if (builtFrom(STUDIO_FOLDER) === digest) return '';
  if (!existsSync(VITE)) return 'vite is not installed';
  const part = `${STUDIO_FOLDER}.${process.pid}`;
  try {
    const fault = await runVite(part);
    if (fault !== '') return fault;
    writeFileSync(join(part, STAMP), digest);
    putInPlace(part);
    return '';
  } finally {
    rmSync(part, { recursive: true, force: true });
  }
}

/** Moves the build into place, unless another process has just done so from the same sources. */
function putInPlace(part: string): void {
  rmSync(STUDIO_FOLDER, { recursive: true, force: true });
  try {
    renameSync(part, STUDIO_FOLDER);
  } catch (error) {
    const isTaken = error instanceof Error && 'code' in error && error.code === 'ENOTEMPTY';
    if (!isTaken) throw error;
  }
}

/** A digest of all sources by name and content, and of the versions of the libraries. */
function digestOfSources(): string {
  const hash = createHash('sha256');
  const names = globSync('studio/**/*.{ts,tsx,css,html,json,svg}', { cwd: HOME })
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

function builtFrom(folder: string): string {
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
  let said = '';
  child.stderr.setEncoding('utf8');
  child.stderr.on('data', (text: string) => (said = (said + text).slice(-2_000)));
  const stopChild = (): void => void child.kill();
  process.once('exit', stopChild);
  const code = await new Promise<number | string>((ended) => {
    child.once('error', (error) => ended(error.message));
    child.once('close', (status, signal) => ended(status ?? signal ?? ''));
  });
  process.off('exit', stopChild);
  return code === 0 ? '' : `vite ended with ${code}: ${said.trim()}`;
}
