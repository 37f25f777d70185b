import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/** Files that a bench writes at its end, by option; null: not asked for. */
export type Targets = Readonly<Record<string, string | null>>;

/**
 * Why one of them cannot be written, as a message; null: all can. Asked before anything is measured,
 * so that a quarter of an hour is not lost to a folder that does not exist.
 */
export function targetFault(targets: Targets): string | null {
  for (const [option, path] of Object.entries(targets)) {
    const fault = path === null ? null : faultOf(path);
    if (fault !== null) return `--${option} ${path}: ${fault}`;
  }
  return null;
}

function faultOf(path: string): string | null {
  const folder = dirname(resolve(path));
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found === undefined) return `there is no folder ${folder}`;
  if (!found.isDirectory()) return `${folder} is a file, not a folder`;
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) {
    return 'this is a folder; name a file';
  }
  try {
    accessSync(existsSync(path) ? path : folder, constants.W_OK);
    return null;
  } catch {
    return 'this user may not write there';
  }
}
