import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder, and those above it that are missing; returns whether it was missing. Throws errors of
 * the system as they are. `mkdirSync` with `recursive` never returns where the system answers ENOENT
 * although the folder above exists, as in /proc.
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
