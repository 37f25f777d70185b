import type { ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';

/*
 * What a bench that is interrupted or fails must not leave behind. A signal ends the process without
 * its `finally` blocks, and the services that it started would run on.
 */
const children = new Set<ChildProcess>();
const folders = new Set<string>();

/** A folder for one bench; `remove` removes it, and so does a signal that ends the bench. */
export interface TemporaryFolder {
  readonly path: string;
  readonly remove: () => void;
}

export function temporaryFolder(prefix: string): TemporaryFolder {
  const path = mkdtempSync(join(tmpdir(), prefix));
  folders.add(path);
  const remove = (): void => {
    folders.delete(path);
    rmSync(path, { recursive: true, force: true });
  };
  return { path, remove };
}

/** Has a signal that ends the bench end this process, too. Returns the process. */
export function endWithBench<Child extends ChildProcess>(child: Child): Child {
  children.add(child);
  child.once('exit', () => void children.delete(child));
  return child;
}

/** Ends every process and removes every folder of the bench when it exits, also by a signal or a fault. */
export function cleanUpAtExit(): void {
  process.once('exit', () => {
    for (const child of children) child.kill('SIGKILL');
    // A service may write for a moment longer.
    for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  for (const signal of ['SIGHUP', 'SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => process.exit(128 + constants.signals[signal]));
  }
}
