import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

const OWNER_ONLY = 0o700;

/**
 * Creates a folder, for the owner only, and its missing parents. It does without `recursive: true`,
 * with which Node never returns below a folder that answers ENOENT to each new name, as /proc does.
 */
export function makeFolder(path: string): void {
  const missing: string[] = [];
  for (let folder = path; !ensureFolder(folder); folder = dirname(folder)) missing.push(folder);
  for (const folder of missing.toReversed()) mkdirSync(folder, { mode: OWNER_ONLY });
}

/** Creates a folder unless it exists; false: its parent is missing. */
function ensureFolder(path: string): boolean {
  try {
    mkdirSync(path, { mode: OWNER_ONLY });
    return true;
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    if (error.code === 'EEXIST') return true;
    if (error.code === 'ENOENT' && dirname(path) !== path) return false;
    throw error;
  }
}
