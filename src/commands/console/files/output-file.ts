import { existsSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';

import { unwritable } from '../failure.ts';
import { writeErr } from '../terminal.ts';

/**
 * Writes a file of the command line. When it cannot be written, throws `CommandFailed` and leaves no
 * part of it.
 */
export function writeOutput(path: string, bytes: Uint8Array): void {
  try {
    writeWhole(path, bytes);
  } catch (error) {
    throw unwritable(path, error);
  }
}

/** As `writeFileSync`, but removes a file that was cut off, as on a full disk. */
export function writeWhole(path: string, bytes: Uint8Array, mode = 0o666): void {
  try {
    writeFileSync(path, bytes, { mode });
  } catch (error) {
    // Until the file is open, nothing in it has changed.
    const isCutOff = error instanceof Error && 'syscall' in error && error.syscall !== 'open';
    if (isCutOff && statSync(path, { throwIfNoEntry: false })?.isFile() === true) rmSync(path);
    throw error;
  }
}

/**
 * As `writeOutput`, but renames an existing file with other content first, because somebody may
 * have edited it.
 */
export function writeKeeping(path: string, bytes: Uint8Array): void {
  try {
    if (existsSync(path) && !readFileSync(path).equals(bytes)) keep(path);
    writeWhole(path, bytes);
  } catch (error) {
    throw unwritable(path, error);
  }
}

/** Renames a file that is about to be replaced, and reports the new name. */
export function keep(path: string): void {
  const kept = freeName(path);
  renameSync(path, kept);
  writeErr(`intaglio: ${path} existed with other content: it is now ${kept}\n`);
}

/** The first of `invalid-1.csv`, `invalid-2.csv`, … that does not exist. */
function freeName(path: string): string {
  const [, stem = path, end = ''] = /^(.*?)(\.[^./\\]*)?$/s.exec(path) ?? [];
  for (let number = 1; ; number += 1) {
    const name = `${stem}-${number}${end}`;
    if (!existsSync(name)) return name;
  }
}
