import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder (0700) and those above it that are missing. Not by `recursive: true`: below a folder
 * that answers ENOENT to each new name, as /proc does, Node tries for ever.
 */
export function makeFolder(path: string): void {
  const missing: string[] = [];
  for (let folder = path; !isMade(folder); folder = dirname(folder)) missing.push(folder);
  for (const folder of missing.toReversed()) mkdirSync(folder, { mode: 0o700 });
}

/** Whether the folder is there now; false where the one above it is missing. */
function isMade(path: string): boolean {
  try {
    mkdirSync(path, { mode: 0o700 });
    return true;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    if (error.code === 'EEXIST') return true;
    if (error.code === 'ENOENT' && dirname(path) !== path) return false;
    throw error;
  }
}
