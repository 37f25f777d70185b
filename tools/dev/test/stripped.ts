import {
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire, stripTypeScriptTypes } from 'node:module';
import { basename, join } from 'node:path';

import { HOME } from '../../../src/settings/config.ts';

const SOURCES = '{src,lab,tools,test,bench,scripts,clients/node,packages}/**/*.ts';
/** A file younger than this may belong to a run that another process has begun. */
const UNUSED_MS_MIN = 24 * 3_600_000;
const HOOK = join(import.meta.dirname, 'load-stripped.cjs');

/**
 * Keeps every source without its types and returns the option of Node that has them loaded. A test
 * and each thread of the services that it starts strip up to 360 files, which takes half of the CPU
 * that they need to start. (`module.enableCompileCache()` keeps neither stripped sources nor, of a
 * process that is killed, anything.) A kept source bears the hash of the file that it comes from, so
 * one that was changed meanwhile is stripped by Node. Those that no file has any more are removed.
 */
export function keepStripped(): string {
  const { KEPT, keptPath } = createRequire(import.meta.url)(HOOK) as {
    readonly KEPT: string;
    readonly keptPath: (source: Uint8Array) => string;
  };
  mkdirSync(KEPT, { recursive: true });
  const known = new Set(readdirSync(KEPT));
  const left = new Set(known);
  for (const name of globSync(SOURCES, { cwd: HOME, exclude: ['**/node_modules/**'] })) {
    const bytes = readFileSync(join(HOME, name));
    const path = keptPath(bytes);
    left.delete(basename(path));
    if (known.has(basename(path))) continue;
    const own = `${path}.${process.pid}`;
    writeFileSync(own, stripTypeScriptTypes(bytes.toString()));
    renameSync(own, path);
  }
  for (const name of left) removeOld(join(KEPT, name));
  return `--require=${JSON.stringify(HOOK)}`;
}

function removeOld(path: string): void {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat !== undefined && Date.now() - stat.mtimeMs > UNUSED_MS_MIN)
    rmSync(path, { force: true });
}
