import { readFileSync, statSync } from 'node:fs';
import { unreadable } from '../../src/commands/console/failure.ts';
import { isObject } from '../../src/runtime/json-object.ts';
import { GateFault } from './fault.ts';

const NAME = /^[0-9a-f]{7,40}$/;
/** Texts that are not names of commits; `origin/main` is a name. */
const LIKE_A_FILE = /\.json$|^\.{0,2}\//;

/**
 * The revision that `--against` means: the commit that a file names, or the text itself. Figures of
 * another time and machine cannot be paired with new ones, so only the commit of a file counts: its
 * engine is measured again, in turns with that of this checkout.
 */
export function revisionOf(against: string): string {
  // A folder may have the name of a branch.
  const isFile = statSync(against, { throwIfNoEntry: false })?.isFile() === true;
  if (!isFile && !LIKE_A_FILE.test(against)) return against;
  let file: unknown;
  try {
    file = JSON.parse(readFileSync(against, 'utf8'));
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw unreadable(against, error);
    throw new GateFault(`${against} is not valid JSON: write it by --save or --json`);
  }
  const machine = isObject(file) ? file['machine'] : null;
  const commit = isObject(file)
    ? (file['commit'] ?? (isObject(machine) ? machine['commit'] : null))
    : null;
  if (typeof commit !== 'string' || !NAME.test(commit)) {
    throw new GateFault(`${against} names no commit: write it by --save or --json`);
  }
  return commit;
}
