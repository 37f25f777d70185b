import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder and its missing parents. Returns whether the folder was missing. Throws errors of
 * the system unchanged. `mkdirSync` with `recursive` is not used: it never returns if the system
 * answers ENOENT although the parent exists, as in /proc.
 */
export function ensureFolder(path: string, mode = 0o777): boolean {
  if (isFolder(path)) return false;
  if (!existsSync(dirname(path))) ensureFolder(dirname(path), mode);
  try {
    mkdirSync(path, { mode });
    return true;
  } catch (error) {
    // Another command has made it meanwhile.
    if (isFolder(path)) return false;
    throw error;
  }
}

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}
