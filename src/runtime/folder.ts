import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Creates a folder (0700) and missing parents. It avoids `recursive: true`, with which Node never
 * returns below a folder that answers ENOENT to each new name, as /proc does.
 */
export function makeFolder(path: string): void {
  const missing: string[] = [];
  for (let folder = path; !isMade(folder); folder = dirname(folder)) missing.push(folder);
  for (const folder of missing.toReversed()) mkdirSync(folder, { mode: 0o700 });
}

/** Creates a folder unless it exists; false: its parent is missing. */
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
